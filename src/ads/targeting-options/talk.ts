import { idAt } from '../../process/ids.ts'
import { cutTerm, quote } from '../../search/post-terms.ts'
import { tokenize } from '../../search/tokenize.ts'
import { walkSlices } from '../../social/search/walk-slices.ts'
import type { Db } from '../../storage/database.ts'
import { statement } from '../../storage/statement.ts'

const WINDOW_MS = 30 * 24 * 3600_000

/** The smallest id of the posts that count for targeting. */
export const sinceId = (now: number): string => idAt(now - WINDOW_MS)

/** A query of the text index for the words of a text side by side; undefined for a text without words. */
function phraseQuery(text: string): string | undefined {
  const words = tokenize(text)
  return words.length === 0 ? undefined : `(${words.map((word) => quote(cutTerm(word))).join(' <-> ')})`
}

/** A query for any of some texts; without texts, a query that matches nothing. */
export const anyPhrase = (texts: readonly string[]): string =>
  texts.flatMap((text) => phraseQuery(text) ?? []).join(' | ') || quote('none:')

const NOT_FOR_ADS = `not t.terms @@ $$'is:nullcast'$$::tsquery`

/** A query for the newest public posts with certain terms, without reposts and posts that were made for advertisements. */
export const newestTalk = (walk: {
  terms: string
  after: string
  before?: string
  join?: string
  limit: string
}): string =>
  walkSlices({
    ...walk,
    where: `not t.repost and ${NOT_FOR_ADS}`,
    join: `cross join lateral (select from user_account u where u.id = t.author_id and not u.protected and not u.suspended offset 0) v
      ${walk.join ?? ''}`,
  })

const talkers = statement(
  'ads_talkers',
  { position: 'int4', users: 'int8' },
  `select k.position::int4 as position,
          (select count(distinct t.author_id) from post_terms t where t.terms @@ k.query::tsquery and t.id + 0 > $2 and ${NOT_FOR_ADS}) as users
     from unnest($1::text[]) with ordinality as k (query, position)`,
)

/** The number of users who recently posted about each thing. */
export async function countTalkers(db: Db, things: readonly string[], now: number): Promise<number[]> {
  const counts = new Array<number>(things.length).fill(0)
  if (things.length === 0) return counts
  const queries = things.map((thing) => anyPhrase([thing]))
  for (const row of await talkers.all(db, queries, sinceId(now))) counts[row.position - 1] = Number(row.users)
  return counts
}

const talkFacts = statement(
  'ads_talk_facts',
  { position: 'int4', reach: 'int8', users: 'int8[]', posts: 'int8[]', tags: 'text[]', locations: 'text[]' },
  `select k.position::int4 as position, f.reach, f.users, f.posts, f.tags, f.locations
     from unnest($1::text[]) with ordinality as k (query, position)
    cross join lateral (
      with found as materialized (
        select n.id, n.author_id, n.terms, u.location
          from (${newestTalk({ terms: 'k.query::tsquery', after: '(select $2::bigint)', limit: '500' })}) n
          join user_account u on u.id = n.author_id
      )
      select (select count(distinct author_id) from found) as reach,
             array(select author_id from found group by 1 order by count(*) desc, 1 limit 3) as users,
             array(select n.id from found n left join post_metrics m on m.post_id = n.id
                    order by coalesce(m.like_count + m.repost_count, 0) desc, n.id desc limit 3) as posts,
             array(select t.tag from found n cross join lateral unnest(tsvector_to_array(n.terms)) as t (tag)
                    where t.tag like '#%' group by 1 order by count(*) desc, 1 limit 3) as tags,
             array(select min(location) from found group by author_id) as locations
    ) f`,
)

/** Recent posts about a thing: the number of authors, the top authors, posts and hashtags, and the authors' locations. */
export interface Talk {
  reach: number
  users: string[]
  posts: string[]
  tags: string[]
  locations: string[]
}

/** Summarizes the newest public posts about each thing. */
export async function talkAbout(db: Db, things: readonly string[], now: number): Promise<Talk[]> {
  if (things.length === 0) return []
  const queries = things.map((thing) => anyPhrase([thing, `#${thing.replaceAll(/[^\p{L}\p{N}]/gu, '')}`]))
  const rows = await talkFacts.all(db, queries, sinceId(now))
  const talks: Talk[] = []
  for (const { position, ...row } of rows) talks[position - 1] = { ...row, reach: Number(row.reach) }
  return talks
}
