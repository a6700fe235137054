import { listsAsCondition, type QuerySql } from '../../search/query-sql.ts'
import type { Db } from '../../storage/database.ts'
import { statement } from '../../storage/statement.ts'

/** Up to this many posts of all members together are read one by one rather than looked for in the index of terms. */
const FEW_POSTS = 20_000

const postsOfMembers = statement(
  'search_posts_of_members',
  { posts: 'int8' },
  `select coalesce(sum(s.post_count), 0)::bigint as posts from list_member m join user_metrics s on s.user_id = m.user_id
    where m.list_id = any($1::bigint[])`,
)

/**
 * Decides how a query for posts of members is searched. Members who wrote little are read member by member, because their posts
 * would be rare among those that have the terms. Members who wrote much are found soon among those. The id of another post fits
 * fewer posts than either.
 */
export async function searchByTermsOrMembers(db: Db, query: QuerySql): Promise<QuerySql> {
  if (query.lists === undefined) return query
  if (query.isNarrow) return listsAsCondition(query)
  if (query.terms === undefined) return query
  const found = await postsOfMembers.first(db, query.lists)
  return Number(found?.posts ?? 0) > FEW_POSTS ? listsAsCondition(query) : query
}
