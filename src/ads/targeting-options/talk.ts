import { idAt } from '../../process/ids.ts'
import { cutTerm, quote } from '../../search/post-terms.ts'
import { tokenize } from '../../search/tokenize.ts'
import type { Db } from '../../storage/database.ts'
import { statement } from '../../storage/statement.ts'

const WINDOW_MS = 30 * 24 * 3600_000

/** Posts count for targeting for this long. */
export const sinceId = (now: number): string => idAt(now - WINDOW_MS)

/** The words of a text side by side, as a query of the text index; undefined when there are none. */
export function phraseQuery(text: string): string | undefined {
  const words = tokenize(text)
  return words.length === 0 ? undefined : `(${words.map((word) => quote(cutTerm(word))).join(' <-> ')})`
}

/** Any of some texts. A query that nothing fits stands for none. */
export const anyPhrase = (texts: readonly string[]): string =>
  texts.flatMap((text) => phraseQuery(text) ?? []).join(' | ') || quote('none:')

const talkers = statement(
  'ads_talkers',
  { place: 'int4', users: 'int8' },
  `select k.place::int4 as place,
          (select count(distinct p.author_id) from post p where p.search @@ k.query::tsquery and p.id > $2 and not p.nullcast) as users
     from unnest($1::text[]) with ordinality as k (query, place)`,
)

/** How many people talked of each thing lately. */
export async function countTalkers(db: Db, things: readonly string[], now: number): Promise<number[]> {
  const counts = new Array<number>(things.length).fill(0)
  if (things.length === 0) return counts
  const queries = things.map((thing) => anyPhrase([thing]))
  for (const row of await talkers.all(db, queries, sinceId(now))) counts[row.place - 1] = Number(row.users)
  return counts
}

const talkFacts = statement(
  'ads_talk_facts',
  { place: 'int4', reach: 'int8', users: 'int8[]', posts: 'int8[]', tags: 'text[]', locations: 'text[]' },
  `select k.place::int4 as place, f.reach, f.users, f.posts, f.tags, f.locations
     from unnest($1::text[]) with ordinality as k (query, place)
    cross join lateral (
      with found as materialized (
        select p.id, p.author_id, p.search, u.location
          from post p join user_account u on u.id = p.author_id
         where p.search @@ k.query::tsquery and p.id > $2 and p.reposted_post_id is null and not p.nullcast and not p.superseded
           and not u.suspended and not u.protected
         order by p.id desc limit 500
      )
      select (select count(distinct author_id) from found) as reach,
             array(select author_id from found group by 1 order by count(*) desc, 1 limit 3) as users,
             array(select n.id from found n left join post_metrics m on m.post_id = n.id
                    order by coalesce(m.like_count + m.repost_count, 0) desc, n.id desc limit 3) as posts,
             array(select t.tag from found n cross join lateral unnest(tsvector_to_array(n.search)) as t (tag)
                    where t.tag like '#%' group by 1 order by count(*) desc, 1 limit 3) as tags,
             array(select min(location) from found group by author_id) as locations
    ) f`,
)

/** What is said of a thing lately: by how many, who says most, what is liked most, and from where. */
export interface Talk {
  reach: number
  users: string[]
  posts: string[]
  tags: string[]
  locations: string[]
}

/** What is said of each thing, from its newest public posts. */
export async function talkAbout(db: Db, things: readonly string[], now: number): Promise<Talk[]> {
  if (things.length === 0) return []
  const queries = things.map((thing) => anyPhrase([thing, `#${thing.replaceAll(/[^\p{L}\p{N}]/gu, '')}`]))
  const rows = await talkFacts.all(db, queries, sinceId(now))
  const talks: Talk[] = []
  for (const row of rows) talks[row.place - 1] = { ...row, reach: Number(row.reach) }
  return talks
}
