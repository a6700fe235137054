import { countAudiences } from './audiences/count-audiences.ts'
import { checkImagesTask } from './catalogs/check-images.task.ts'
import { evaluateSetsTask } from './catalogs/evaluate-sets.task.ts'
import { fetchFeedsTask } from './catalogs/fetch-feeds.task.ts'
import { sortPostedMedia } from './creatives/enter-account-media.ts'
import type { AdsTask } from './kit/task.ts'
import { publishScheduledPosts } from './posts/publish-scheduled.ts'

/** What falls due by the clock. */
export const adsTasks: readonly AdsTask[] = [
  publishScheduledPosts,
  countAudiences,
  sortPostedMedia,
  evaluateSetsTask,
  fetchFeedsTask,
  checkImagesTask,
]
