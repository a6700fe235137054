import type { AdsOperation } from '../kit/operation.ts'
import { accountMedia } from './account-media.entity.ts'
import { mediaCreatives } from './media-creative.entity.ts'
import { mediaLibraryOperations } from './media-library-operations.ts'
import { prerollCallToActions } from './preroll-call-to-action.entity.ts'
import { promotePosts } from './promote-posts.ts'
import { promotedAccounts } from './promoted-account.entity.ts'
import { promotedPosts } from './promoted-post.entity.ts'
import { trackingTags } from './tracking-tag.entity.ts'

/** What line items show, and the media of accounts. */
export const creativeOperations: readonly AdsOperation[] = [
  promotePosts,
  ...promotedPosts.operations,
  ...promotedAccounts.operations,
  ...mediaCreatives.operations,
  ...trackingTags.operations,
  ...prerollCallToActions.operations,
  ...accountMedia.operations,
  ...mediaLibraryOperations,
]
