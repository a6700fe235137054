import { createHash } from 'node:crypto'
import type { IdRange } from '../../api-kit/reading/time-bounds.ts'
import type { Runtime } from '../../api-kit/runtime.ts'
import { realNow } from '../../process/clock.ts'
import type { QuerySql } from '../../search/query-sql.ts'
import { type RowOf, statement } from '../../storage/statement.ts'
import { publicAccountSql } from '../visibility.ts'
import { firstPeriodOf, type Periods } from './count-lines.ts'
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
 * nothing changed since. The rest is counted, as are the slices at both ends: the authors of all that matches are looked up at once,
 * among those who hide their posts, instead of one after the other.
 */
function countSql($: CountPlaceholders, query?: Pick<QuerySql, 'condition' | 'usesPost'>): string {
  const terms = `(select ${$.terms}::tsquery)`
  const [after, before, grain] = [$.after, $.before, $.grain].map((value) => `(select ${value}::bigint)`)
  const post = query?.usesPost ? 'join post p on p.id = t.id' : ''
  const judged = query?.condition
    ? `cross join lateral (select from user_account u ${post} where u.id = t.author_id and (${query.condition}) offset 0) v`
    : ''
  const overlaps = `last_id > ${after} and first_id < ${before}`
  const isWithin = `first_id > ${after} and last_id < ${before}`
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
           coalesce(k.periods, n.periods, '') as periods, coalesce(k.posts, n.posts, '') as posts
      from part c
      left join search_count k on k.query = (select ${$.digest}::bytea) and k.grain_ms = ${grain} and k.label = c.label and k.epoch = c.epoch and c.whole
     cross join lateral (
       select string_agg(b.period::text, ',') as periods, string_agg(b.posts::text, ',') as posts from (
         with matched as materialized (
           select t.id, t.author_id from (select c.label where k.query is null) s
            cross join lateral (
              select id, author_id, repost, terms from post_terms
               where terms @@ s.label::tsquery and terms @@ ${terms} and id + 0 > ${after} and id + 0 < ${before}
                 and (not repost or ${$.reposts}::bool) offset 0) t ${judged}
         )
         select ${periodOf('id', grain!)} as period, count(*) as posts from matched
          where author_id not in (
            select u.id from user_account u where u.id = any (array(select distinct author_id from matched)) and not (${publicAccountSql('u')}))
          group by 1) b) n`
}

const countColumns = { label: 'text', epoch: 'int8', counted: 'bool', periods: 'text', posts: 'text' } as const
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
  `insert into search_count as k (query, grain_ms, label, epoch, periods, posts, made_at)
   select $1, $2, c.label, c.epoch, c.periods, c.posts, $4
     from jsonb_to_recordset($3::jsonb) as c (label text, epoch bigint, periods text, posts text)
   on conflict (query, grain_ms, label) do update set epoch = excluded.epoch, periods = excluded.periods, posts = excluded.posts,
     made_at = excluded.made_at where k.epoch <= excluded.epoch`,
)

/** How many posts match in each of the periods. Numbers in one block of memory: a week has ten thousand minutes. */
export async function countPosts(
  runtime: Runtime,
  query: QuerySql,
  range: IdRange,
  periods: Periods,
): Promise<Uint32Array> {
  const { database } = runtime
  const { after, before } = range
  const grainMs = periods.sliceMs
  const first = firstPeriodOf(periods)
  const counts = new Uint32Array(Math.max(0, Math.ceil(periods.endMs / grainMs) - first))
  if (!isWalked(query)) {
    for (const { period, posts } of await countDirectly(runtime, query, range, grainMs)) counts[period - first] = posts
    return counts
  }
  const add = (rows: readonly CountRow[]) => {
    for (const row of rows) {
      const found = numbersIn(row.posts)
      const inPeriods = numbersIn(row.periods)
      for (let index = 0; index < found.length; index++) counts[inPeriods[index]! - first]! += found[index]!
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

const numbersIn = (text: string): number[] => JSON.parse(`[${text}]`) as number[]

// The answer does not wait for it. A count that is not kept is counted again.
function keepCounts(runtime: Runtime, digest: Buffer, grainMs: number, rows: readonly CountRow[]): void {
  const counted = rows.filter((row) => row.counted)
  if (counted.length === 0) return
  const kept = counted.map(
    ({ label, epoch, periods, posts }) =>
      `{"label":"${label}","epoch":${epoch},"periods":"${periods}","posts":"${posts}"}`,
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
): Promise<{ period: number; posts: number }[]> {
  const values = [...query.values]
  const bind = (value: unknown): string => `$${values.push(value)}`
  const text = `select (${periodOf('p.id', `${bind(grainMs)}::bigint`)})::int as period, count(*)::int as posts
    from ${matchesSql(query, range, bind)} group by 1`
  return (await database.query<{ period: number; posts: number }>({ text, values })).rows
}
