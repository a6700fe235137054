import type { AdsOperation } from '../kit/operation.ts'
import { accountMedia } from './account-media.entity.ts'
import { mediaCreatives } from './media-creative.entity.ts'
import { mediaLibraryOperations } from './media-library-operations.ts'
import { prerollCallToActions } from './preroll-call-to-action.entity.ts'
import { promotedAccounts } from './promoted-account.entity.ts'
import { promotedPosts } from './promoted-post.entity.ts'
import { trackingTags } from './tracking-tag.entity.ts'

/** The creatives of line items, and the media of accounts. */
export const creativeOperations: readonly AdsOperation[] = [
  ...promotedPosts.operations,
  ...promotedAccounts.operations,
  ...mediaCreatives.operations,
  ...trackingTags.operations,
  ...prerollCallToActions.operations,
  ...accountMedia.operations,
  ...mediaLibraryOperations,
]
