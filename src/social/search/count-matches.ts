import { createHash } from 'node:crypto'
import type { IdRange } from '../../api-kit/reading/time-bounds.ts'
import type { Runtime } from '../../api-kit/runtime.ts'
import { realNow } from '../../process/clock.ts'
import type { QuerySql } from '../../search/query-sql.ts'
import { type RowOf, statement } from '../../storage/statement.ts'
import { publicAccountSql } from '../visibility.ts'
import { isWalked, matchesSql } from './find-posts.ts'

/** The number of the period that an id is in. */
const periodOf = (id: string, grain: string) => `((${id} >> 22) + 1288834974657) / ${grain}`

interface CountPlaceholders {
  after: string
  before: string
  grain: string
  terms: string
  reposts: string
  digest: string
}

/**
 * Counts posts by period and slice. Coarse slices that are settled and within the range are taken as a whole, of others those of
 * their slices that are in the range. Counts of settled ones are read from `search_count` if they were counted before and
 * nothing changed since. The rest is counted, as are the slices at both ends.
 */
function countSql($: CountPlaceholders, query?: Pick<QuerySql, 'condition' | 'usesPost'>): string {
  const terms = `(select ${$.terms}::tsquery)`
  const [after, before, grain] = [$.after, $.before, $.grain].map((value) => `(select ${value}::bigint)`)
  const post = query?.usesPost ? 'join post p on p.id = t.id' : ''
  const condition = query?.condition === undefined ? '' : `and (${query.condition})`
  const overlaps = `last_id > ${after} and first_id < ${before}`
  const isWithin = `first_id > ${after} and last_id < ${before}`
  // As texts: a week has ten thousand minutes, and arrays are read one character at a time.
  return `with coarse as materialized (
      select no, ${isWithin} and not exists (select from search_slice s where s.coarse = o.no and not s.settled) as whole,
             epoch + (select count(*) from search_change h where h.coarse in (o.no, -1)) as epoch
        from search_coarse o where ${overlaps}
    ), part as materialized (
      select '~c' || no as label, epoch, true as whole from coarse where whole
      union all
      select '~f' || s.no, c.epoch, s.settled and ${isWithin} from coarse c join search_slice s on s.coarse = c.no where not c.whole and ${overlaps}
    )
    select c.label, c.epoch, k.query is null and c.whole as counted,
           array_to_string(coalesce(k.starts, n.starts), ',') as starts, array_to_string(coalesce(k.posts, n.posts), ',') as posts
      from part c
      left join search_count k on k.query = (select ${$.digest}::bytea) and k.grain_ms = ${grain} and k.label = c.label and k.epoch = c.epoch and c.whole
     cross join lateral (
       select array_agg(b.period) as starts, array_agg(b.posts) as posts from (
         select (${periodOf('t.id', grain!)})::int as period, count(*)::int as posts
           from (select c.label where k.query is null) s
          cross join lateral (
            select id, author_id, repost, terms from post_terms
             where terms @@ s.label::tsquery and terms @@ ${terms} and id + 0 > ${after} and id + 0 < ${before}
               and (not repost or ${$.reposts}::bool) offset 0) t
          cross join lateral (
            select from user_account u ${post} where u.id = t.author_id and ${publicAccountSql('u')} ${condition} offset 0) v
          group by 1) b) n`
}

const countColumns = { label: 'text', epoch: 'int8', counted: 'bool', starts: 'text?', posts: 'text?' } as const
type CountRow = RowOf<typeof countColumns>

const countsWalk = statement(
  'search_counts',
  countColumns,
  countSql({ after: '$1', before: '$2', grain: '$3', terms: '$4', reposts: '$5', digest: '$6' }),
)
// Of two that counted at the same time, the later epoch stays.
const countsKeep = statement(
  'search_counts_keep',
  {},
  `insert into search_count as k (query, grain_ms, label, epoch, starts, posts, made_at)
   select $1, $2, c.label, c.epoch, array(select jsonb_array_elements_text(c.starts)::int), array(select jsonb_array_elements_text(c.posts)::int), $4
     from jsonb_to_recordset($3::jsonb) as c (label text, epoch bigint, starts jsonb, posts jsonb)
   on conflict (query, grain_ms, label) do update set epoch = excluded.epoch, starts = excluded.starts, posts = excluded.posts,
     made_at = excluded.made_at where k.epoch <= excluded.epoch`,
)

/**
 * How many posts match in each period of `grainMs`. Periods are numbered from 1970, because a map of ten thousand moments in
 * milliseconds takes several times as long; those without any are left out.
 */
export async function countPosts(
  runtime: Runtime,
  query: QuerySql,
  range: IdRange,
  grainMs: number,
): Promise<Map<number, number>> {
  const { database } = runtime
  if (!isWalked(query)) return countDirectly(runtime, query, range, grainMs)
  const { after, before } = range
  const counts = new Map<number, number>()
  const add = (rows: readonly CountRow[]) => {
    for (const { starts, posts } of rows) {
      const found = numbersIn(posts)
      const periods = numbersIn(starts)
      for (let index = 0; index < periods.length; index++)
        counts.set(periods[index]!, (counts.get(periods[index]!) ?? 0) + found[index]!)
    }
  }
  if (query.condition === undefined) {
    const digest = createHash('sha256').update(`${query.reposts} ${query.terms}`).digest()
    const rows = await countsWalk.all(database, after, before, grainMs, query.terms!, query.reposts, digest)
    add(rows)
    keepCounts(runtime, digest, grainMs, rows)
    return counts
  }
  const values = [...query.values]
  const bind = (value: unknown): string => `$${values.push(value)}`
  const text = countSql(
    {
      after: bind(after),
      before: bind(before),
      grain: bind(grainMs),
      terms: bind(query.terms),
      reposts: bind(query.reposts),
      // Counts of likes and other conditions change without a trace, so nothing is kept.
      digest: 'null',
    },
    query,
  )
  add((await database.query<CountRow>({ text, values })).rows)
  return counts
}

const numbersIn = (text: string | null): number[] => (text ? (JSON.parse(`[${text}]`) as number[]) : [])

// The answer does not wait for it. A count that is not kept is counted again.
function keepCounts(runtime: Runtime, digest: Buffer, grainMs: number, rows: readonly CountRow[]): void {
  const counted = rows.filter((row) => row.counted)
  if (counted.length === 0) return
  const kept = counted.map(
    ({ label, epoch, starts, posts }) =>
      `{"label":"${label}","epoch":${epoch},"starts":[${starts ?? ''}],"posts":[${posts ?? ''}]}`,
  )
  const keeping = countsKeep.count(runtime.database, digest, grainMs, `[${kept.join()}]`, new Date(realNow()))
  runtime.inFlight.begin()
  keeping
    .catch((error: unknown) => runtime.log.debug({ err: error }, 'counts were not kept'))
    .finally(() => runtime.inFlight.end())
}

async function countDirectly(
  { database }: Runtime,
  query: QuerySql,
  range: IdRange,
  grainMs: number,
): Promise<Map<number, number>> {
  const values = [...query.values]
  const bind = (value: unknown): string => `$${values.push(value)}`
  const text = `select ${periodOf('p.id', `${bind(grainMs)}::bigint`)} as slice, count(*)::int as posts
    from ${matchesSql(query, range, bind)} group by 1`
  const { rows } = await database.query<{ slice: string; posts: number }>({ text, values })
  return new Map(rows.map((row) => [Number(row.slice), row.posts]))
}
