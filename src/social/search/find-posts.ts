import type { IdRange } from '../../api-kit/reading/time-bounds.ts'
import type { QuerySql } from '../../search/query-sql.ts'
import type { Db } from '../../storage/database.ts'
import { publicAccountSql } from '../visibility.ts'

/** The number of the first placeholder that the condition of a query may use in these statements. */
export const FIRST_QUERY_PLACEHOLDER = 4

// Search is the same for everybody: newest versions, only of public accounts.
const conditionOf = (query: QuerySql): string =>
  `(${query.condition}) and p.id > $1 and p.id < $2 and not p.superseded and ${publicAccountSql('u')}`

/** Ids of posts that match, newest first. The statement depends on the query, so it is not prepared. */
export async function findPostIds(db: Db, query: QuerySql, range: IdRange, limit: number): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>({
    text: `select p.id from post p join user_account u on u.id = p.author_id where ${conditionOf(query)} order by p.id desc limit $3`,
    values: [range.after, range.before, limit, ...query.values],
  })
  return rows.map((row) => row.id)
}

/** How many posts match in each slice of time. Slices without any are left out. */
export async function countPostsBySlice(
  db: Db,
  query: QuerySql,
  range: IdRange,
  sliceMs: number,
): Promise<Map<number, number>> {
  const { rows } = await db.query<{ slice: string; posts: number }>({
    text: `select ((p.id >> 22) + 1288834974657) / $3::bigint as slice, count(*)::int as posts
             from post p join user_account u on u.id = p.author_id where ${conditionOf(query)} group by 1`,
    values: [range.after, range.before, sliceMs, ...query.values],
  })
  return new Map(rows.map((row) => [Number(row.slice) * sliceMs, row.posts]))
}
