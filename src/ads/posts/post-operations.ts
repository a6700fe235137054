import type { AdsOperation } from '../kit/operation.ts'
import { createAdsPost } from './create-post.ts'
import { draftPosts } from './draft-post.entity.ts'
import { listPosts } from './list-posts.ts'
import { getPostPreviews } from './post-previews.ts'
import { previewDraftPost } from './preview-draft-post.ts'
import { updatePostName } from './rename-post.ts'
import { scheduledPosts } from './scheduled-post.entity.ts'
import { scheduledPromotedPosts } from './scheduled-promoted-post.entity.ts'

/** Posts for ads: published, drafted, scheduled, and previews of all of them. */
export const postOperations: readonly AdsOperation[] = [
  createAdsPost,
  listPosts,
  updatePostName,
  getPostPreviews,
  ...draftPosts.operations,
  previewDraftPost,
  ...scheduledPosts.operations,
  ...scheduledPromotedPosts.operations,
]
