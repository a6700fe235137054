import { getPostsByIds } from '../../social/posts/read-posts.ts'
import type { PageRequest } from '../page-request.ts'
import { POST_FIELDS, type PostsAnswer } from '../parts/views.ts'

/** Posts as the interface shows them to the viewer, in the order of the ids; those that it hides are left out. At most 100. */
export async function postsByIds(page: PageRequest, ids: readonly string[]): Promise<PostsAnswer> {
  if (ids.length === 0) return {}
  const { body } = await page.call<PostsAnswer>(getPostsByIds, { query: { ...POST_FIELDS, ids: ids.join() } })
  return body
}
