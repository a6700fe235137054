import type { IdRange } from '../../api-kit/reading/time-bounds.ts'
import type { QuerySql } from '../../search/query-sql.ts'
import type { Db } from '../../storage/database.ts'
import { statement } from '../../storage/statement.ts'
import { postsOfAuthors } from '../timelines/posts-of-authors.ts'
import { openCommunitySql, publicAccountSql } from '../visibility.ts'
import { walkSlices } from './walk-slices.ts'

/** Placeholders of a statement that walks slices. */
interface WalkPlaceholders {
  after: string
  before: string
  limit: string
  terms: string
  reposts: string
  /** Without it, no pairs of words are required. */
  pairs?: string
}

// Parameters are read in subqueries: the planner then knows as little about them as in a generic plan, and the same plan serves
// all words.
function walkSql($: WalkPlaceholders, query?: Pick<QuerySql, 'condition' | 'usesPost'>): string {
  const post = query?.usesPost ? 'join post p on p.id = t.id' : ''
  const condition = query?.condition === undefined ? '' : `and (${query.condition})`
  const walk = walkSlices({
    terms: `(select ${$.terms}::tsquery)`,
    after: `(select ${$.after}::bigint)`,
    before: `(select ${$.before}::bigint)`,
    ...($.pairs === undefined ? {} : { pairs: `(select ${$.pairs}::bigint[])` }),
    where: `(not repost or ${$.reposts}::bool)`,
    join: `cross join lateral (select from user_account u ${post} where u.id = t.author_id and ${publicAccountSql('u')} ${condition} offset 0) v`,
    limit: `(select ${$.limit}::int)`,
  })
  return `select id from (${walk}) found order by id desc`
}

const postsWalk = statement(
  'search_posts',
  { id: 'int8' },
  walkSql({ after: '$1', before: '$2', limit: '$3', terms: '$4', reposts: '$5' }),
)

const phrasesWalk = statement(
  'search_phrases',
  { id: 'int8' },
  walkSql({ after: '$1', before: '$2', limit: '$3', terms: '$4', reposts: '$5', pairs: '$6' }),
)

/** Ids of posts that match, newest first. */
export async function findPostIds(db: Db, query: QuerySql, range: IdRange, limit: number): Promise<string[]> {
  const { after, before } = range
  const { pairs } = query
  if (isWalked(query) && query.condition === undefined) {
    const values = [after, before, limit, query.terms!, query.reposts]
    return idsOf(await (pairs.length === 0 ? postsWalk.all(db, ...values) : phrasesWalk.all(db, ...values, pairs)))
  }
  const values = [...query.values]
  const bind = (value: unknown): string => `$${values.push(value)}`
  const text = isWalked(query)
    ? walkSql(
        {
          after: bind(after),
          before: bind(before),
          limit: bind(limit),
          terms: bind(query.terms),
          reposts: bind(query.reposts),
          ...(pairs.length === 0 ? {} : { pairs: bind(pairs) }),
        },
        query,
      )
    : query.lists === undefined
      ? `select p.id from ${matchesSql(query, range, bind)} order by p.id desc limit ${bind(limit)}`
      : membersPostsSql(query, query.lists, range, limit, bind)
  // The statement depends on the query, so it is not prepared.
  return idsOf((await db.query<{ id: string }>({ text, values })).rows)
}

const idsOf = (rows: readonly { id: string }[]): string[] => rows.map((row) => row.id)

/** Whether the matches are found by walking slices: by terms, and by nothing that fits fewer posts. */
export const isWalked = (query: QuerySql): boolean =>
  query.terms !== undefined && query.authors === undefined && query.lists === undefined && !query.isNarrow

/**
 * Tables and conditions of a query whose matches are found by author, by an indexed column, or along the primary key. The ids of
 * posts are those of `p`.
 */
export function matchesSql(query: QuerySql, range: IdRange, bind: (value: unknown) => string): string {
  const { authors, lists } = query
  const { from, where } = postsSql(query, range, bind)
  const conditions = [
    where,
    ...(authors === undefined
      ? []
      : [`p.author_id = ${authors.length === 1 ? bind(authors[0]) : `any (${bind(authors)}::bigint[])`}`]),
    ...(lists === undefined ? [] : [`p.author_id in (${membersSql(bind(lists))})`]),
  ]
  return `${from} where ${conditions.join(' and ')}`
}

const membersSql = (lists: string): string =>
  `select distinct m.user_id as id from list_member m where m.list_id = any (${lists}::bigint[])`

/** The newest matches of the members of lists. One look-up for each member finds those who can be on the page. */
function membersPostsSql(
  query: QuerySql,
  lists: string[],
  range: IdRange,
  limit: number,
  bind: (value: unknown) => string,
): string {
  return postsOfAuthors({
    direction: 'older',
    authors: membersSql(bind(lists)),
    ...postsSql(query, range, bind),
    end: `${bind(range.after)}::bigint`,
    limit: `${bind(limit)}::int`,
  })
}

/** Tables and conditions of a query, without its authors. */
function postsSql(
  { terms, condition, reposts }: QuerySql,
  range: IdRange,
  bind: (value: unknown) => string,
): { from: string; where: string } {
  const conditions = [
    `p.id > ${bind(range.after)} and p.id < ${bind(range.before)} and not p.superseded and ${publicAccountSql('u')}`,
    openCommunitySql('p'),
    ...(reposts ? [] : ['p.reposted_post_id is null']),
    ...(terms === undefined ? [] : [`t.terms @@ ${bind(terms)}::tsquery`]),
    ...(condition === undefined ? [] : [condition]),
  ]
  const usesTerms = terms !== undefined || (condition !== undefined && /\bt\./.test(condition))
  const joined = usesTerms ? 'join post_terms t on t.id = p.id' : ''
  return { from: `post p join user_account u on u.id = p.author_id ${joined}`, where: conditions.join(' and ') }
}
