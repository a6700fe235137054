import { getPostsById } from '../../social/posts/read-posts.ts'
import { type PageRequest, shownObject } from '../page-request.ts'
import { joinPosts, POST_FIELDS, type PostData, type PostsAnswer, type PostView } from '../parts/views.ts'

/** The post whose page it is. */
export async function findPost(page: PageRequest): Promise<PostView> {
  const answer = await page.need<PostsAnswer<PostData>>(getPostsById, {
    path: { id: page.path.id ?? '' },
    query: POST_FIELDS,
  })
  const [post] = joinPosts([shownObject(answer, 'post')], answer.includes)
  return post!
}
