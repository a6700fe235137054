import { statement } from '../../storage/statement.ts'
import type { PageRequest } from '../page-request.ts'
import type { PostView } from './views.ts'

/** What the viewer has done with a post. */
export interface Marks {
  liked: boolean
  reposted: boolean
  bookmarked: boolean
}

export const NO_MARKS: Marks = { liked: false, reposted: false, bookmarked: false }

const marksOfPosts = statement(
  'page_marks_of_posts',
  { id: 'int8', liked: 'bool', reposted: 'bool', bookmarked: 'bool' },
  `select p.id,
          exists (select from post_like l where l.user_id = $1 and l.post_id = p.id) as liked,
          exists (select from post r where r.reposted_post_id = p.id and r.author_id = $1) as reposted,
          exists (select from bookmark b where b.user_id = $1 and b.post_id = p.id) as bookmarked
     from unnest($2::bigint[]) as p (id)`,
)

/** The marks of the viewer on all posts of a page, with one statement. No operation tells them. */
export async function readMarks(page: PageRequest, posts: readonly PostView[]): Promise<Map<string, Marks>> {
  const found = new Map<string, Marks>()
  if (!page.viewer || posts.length === 0) return found
  // An edit is a new post: what was done with an earlier version counts for the newest.
  const newest = new Map<string, string>()
  for (const post of posts.flatMap(withReferences))
    for (const id of post.edit_history_post_ids ?? [post.id]) newest.set(id, post.id)
  for (const { id, ...row } of await marksOfPosts.all(page.runtime.database, page.viewer.id, [...newest.keys()])) {
    const key = newest.get(id)!
    const known = found.get(key) ?? NO_MARKS
    found.set(key, {
      liked: known.liked || row.liked,
      reposted: known.reposted || row.reposted,
      bookmarked: known.bookmarked || row.bookmarked,
    })
  }
  return found
}

const withReferences = (post: PostView): PostView[] => [
  post,
  ...post.references.flatMap((reference) => (reference.post ? withReferences(reference.post) : [])),
]
