import { countAudiences } from './audiences/count-audiences.ts'
import { checkImagesTask } from './catalogs/check-images.task.ts'
import { evaluateSetsTask } from './catalogs/evaluate-sets.task.ts'
import { fetchFeedsTask } from './catalogs/fetch-feeds.task.ts'
import { sortPostedMedia } from './creatives/add-account-media.ts'
import type { AdsTask } from './kit/task.ts'
import { expectedConversionsTask } from './measurement/expected-conversions.ts'
import { publishScheduledPosts } from './posts/publish-scheduled.ts'
import { processStatsJobs } from './statistics/process-stats-jobs.task.ts'

/** Every task of the advertising interface. */
export const adsTasks: readonly AdsTask[] = [
  publishScheduledPosts,
  countAudiences,
  sortPostedMedia,
  evaluateSetsTask,
  fetchFeedsTask,
  checkImagesTask,
  processStatsJobs,
  expectedConversionsTask,
]
