import { createPost } from './create-post.ts'
import { draftPostOperations } from './draft-post-operations.ts'
import { listPosts } from './list-posts.ts'
import { getPostPreviews } from './post-previews.ts'
import { updatePostName } from './rename-post.ts'
import { scheduledPostOperations } from './scheduled-post-operations.ts'
import { scheduledPromotedPosts } from './scheduled-promoted-post.entity.ts'

/** Posts for ads: published, drafted, scheduled, and previews of all of them. */
export const postOperations = [
  createPost,
  listPosts,
  updatePostName,
  getPostPreviews,
  ...draftPostOperations,
  ...scheduledPostOperations,
  ...scheduledPromotedPosts.all,
]
