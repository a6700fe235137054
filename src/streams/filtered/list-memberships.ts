import type { Runtime } from '../../api-kit/runtime.ts'
import { isStorableId, timeOfId } from '../../process/ids.ts'
import { publicAccountSql } from '../../social/visibility.ts'
import { statement } from '../../storage/statement.ts'
import type { NewPost } from '../public-posts.ts'

/** By the id of a post: the lists among those of rules that its author was in. */
export type Memberships = ReadonlyMap<string, readonly string[]>

// A private list works for its owner only, and rules belong to an app, not to a user.
const membershipsOfAuthors = statement(
  'stream_list_memberships',
  { user_id: 'int8', list_id: 'int8', since_id: 'int8', until_id: 'int8?' },
  `select m.user_id, m.list_id, m.since_id, null::bigint as until_id
     from list_member m join list l on l.id = m.list_id join user_account u on u.id = l.owner_id
    where m.list_id = any($1::bigint[]) and m.user_id = any($2::bigint[]) and not m.private and ${publicAccountSql('u')}
   union all
   select f.user_id, f.list_id, f.since_id, f.until_id from list_former_member f
    where f.list_id = any($1::bigint[]) and f.user_id = any($2::bigint[])`,
)

type Span = NonNullable<Awaited<ReturnType<typeof membershipsOfAuthors.first>>>

/** Which of the lists that rules refer to the authors of posts were in when they wrote them, whatever happened since. */
export async function membershipsOf(
  runtime: Runtime,
  lists: readonly string[],
  posts: readonly NewPost[],
): Promise<Memberships> {
  const wanted = [...new Set(lists.filter(isStorableId))]
  if (wanted.length === 0 || posts.length === 0) return new Map()
  const authors = [...new Set(posts.map((post) => post.row.author_id))]
  const spans = new Map<string, Span[]>()
  for (const span of await membershipsOfAuthors.all(runtime.database, wanted, authors))
    spans.set(span.user_id, [...(spans.get(span.user_id) ?? []), span])
  return new Map(
    posts.map(({ row }) => {
      const writtenMs = timeOfId(row.id)
      const held = (spans.get(row.author_id) ?? []).filter(
        ({ since_id, until_id }) =>
          timeOfId(since_id) <= writtenMs && (until_id === null || timeOfId(until_id) >= writtenMs),
      )
      return [row.id, held.map((span) => span.list_id)]
    }),
  )
}
