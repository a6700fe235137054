import type { Db } from '../../../storage/database.ts'
import { type Statement, statement } from '../../../storage/statement.ts'
import { sinceId } from '../../targeting-options/talk.ts'

type Member = { position: number; viewer: number }
const COLUMNS = { position: 'int4', viewer: 'int4' } as const

// Each statement gets what comes after the kind in its terms, and returns the viewers of each.
const setOf = (members: string, from = 'text'): string =>
  `select k.position::int4 as position, v.number as viewer
       from unnest($1::${from}[]) with ordinality k (key, position)
       cross join lateral (${members}) m join ads_viewer v on v.user_id = m.user_id
      where $2::bigint is not null`

const NEWEST_FANS = 2_000
const MOST_SIMILAR = 20
/** Followers of the accounts that some people follow most. */
const likeThose = (people: string, without: string) =>
  `select distinct f.source_id as user_id from follow f where not f.pending and f.target_id in (
     select g.target_id from (${people} limit ${NEWEST_FANS}) fan
      cross join lateral (select target_id from follow where source_id = fan.user_id and not pending order by id desc limit 200) g
      where g.target_id <> ${without} group by 1 order by count(*) desc, 1 limit ${MOST_SIMILAR})`

const campaignViewers = `select v2.user_id from (select distinct e.viewer from ads_event e
   where e.campaign_id = split_part(k.key, ':', 1)::bigint and (e.outcomes & split_part(k.key, ':', 2)::int) <> 0) c
   join ads_viewer v2 on v2.number = c.viewer where v2.user_id is not null`

const SETS: Record<string, Statement<Member>> = {
  follows: statement(
    'ads_set_follows',
    COLUMNS,
    setOf('select f.source_id as user_id from follow f where f.target_id = k.key and not f.pending', 'bigint'),
  ),
  similar: statement(
    'ads_set_similar',
    COLUMNS,
    setOf(
      likeThose(
        'select source_id as user_id from follow where target_id = k.key and not pending order by id desc',
        'k.key',
      ),
      'bigint',
    ),
  ),
  audience: statement(
    'ads_set_audience',
    COLUMNS,
    setOf('select a.user_id from ads_audience_match a where a.audience_id = k.key', 'bigint'),
  ),
  unreached: statement(
    'ads_set_unreached',
    COLUMNS,
    setOf(
      'select a.user_id from ads_do_not_reach_list d join ads_audience_match a on a.audience_id = d.id where d.account_id = k.key and not d.deleted',
      'bigint',
    ),
  ),
  avoided: statement(
    'ads_set_avoided',
    COLUMNS,
    setOf(
      `select b.source_id as user_id from block b where b.target_id = k.key
     union select b.target_id from block b where b.source_id = k.key
     union select m.source_id from mute m where m.target_id = k.key`,
      'bigint',
    ),
  ),
  talk: statement(
    'ads_set_talk',
    COLUMNS,
    setOf(
      `select distinct t.author_id as user_id from post_terms t
      where t.terms @@ k.key::tsquery and t.id + 0 > $2 and not t.terms @@ $$'is:nullcast'$$::tsquery`,
    ),
  ),
  engaged: statement(
    'ads_set_engaged',
    COLUMNS,
    setOf(
      `with shown as materialized (select p.id from post p where p.author_id = k.key and p.id > $2 order by p.id desc limit 20000)
     select l.user_id from post_like l join shown s on s.id = l.post_id
     union select p.author_id from post p join shown s on s.id = p.in_reply_to_post_id
     union select p.author_id from post p join shown s on s.id = p.reposted_post_id
     union select p.author_id from post p join shown s on s.id = p.quoted_post_id`,
      'bigint',
    ),
  ),
  campaign: statement('ads_set_campaign', COLUMNS, setOf(campaignViewers)),
  campaignlike: statement('ads_set_campaignlike', COLUMNS, setOf(likeThose(campaignViewers, '0'))),
}

/** True for a term of a set of people, which the database knows. */
export const isSetTerm = (term: string): boolean => term.slice(0, term.indexOf(':')) in SETS

/** The numbers of the viewers that each set has: one statement for each kind of set. */
export async function readSets(db: Db, terms: readonly string[], now: number): Promise<Map<string, Int32Array>> {
  const found = new Map<string, Int32Array>()
  const byKind = new Map<string, string[]>()
  for (const term of terms) {
    const kind = term.slice(0, term.indexOf(':'))
    byKind.set(kind, [...(byKind.get(kind) ?? []), term])
  }
  for (const [kind, ofKind] of byKind) {
    const keys = ofKind.map((term) => term.slice(kind.length + 1))
    const members = ofKind.map((): number[] => [])
    for (const { position, viewer } of await SETS[kind]!.all(db, keys, sinceId(now)))
      members[position - 1]!.push(viewer)
    for (const [at, term] of ofKind.entries()) found.set(term, Int32Array.from(members[at]!))
  }
  return found
}
