import { quote } from '../../search/post-terms.ts'
import { walkSlices } from '../../social/search/walk-slices.ts'
import type { Db } from '../../storage/database.ts'
import type { SqlValue } from '../../storage/statement.ts'
import { eventByValue } from '../targeting-options/calendar.ts'
import { findLocation, searchedWords } from '../targeting-options/locations.ts'
import { showByValue } from '../targeting-options/shows.ts'
import { anyPhrase, sinceId } from '../targeting-options/talk.ts'
import { conversationByValue, interestByValue } from '../targeting-options/topics.ts'
import { keywordQuery } from './keyword-query.ts'

/** A criterion without errors. */
export interface AudienceCriterion {
  type: string
  value: string
  /** The value as an id, where it is one. */
  id?: string | undefined
  excludes: boolean
}

/** Adds a value to a statement and returns its placeholder. */
type Bind = (value: SqlValue) => string

// Authors of the newest posts that match a query.
const talkers = (query: string) =>
  `select n.author_id as id from (${walkSlices({
    terms: `(select ${query}::tsquery)`,
    after: '(select $1::bigint)',
    where: `not t.terms @@ $$'is:nullcast'$$::tsquery`,
    limit: '200000',
  })}) n`
const described = (query: string) => `select b.id from user_account b where b.search @@ ${query}::tsquery`
const followers = (users: string) =>
  `select f.source_id as id from follow f where f.target_id = any(${users}::bigint[]) and not f.pending`
// Followers of the accounts that the newest followers of some users follow most.
const similar = (users: string) =>
  `select f.source_id as id from follow f where not f.pending and f.target_id in (
     select g.target_id from (select source_id from follow where target_id = any(${users}::bigint[]) and not pending order by id desc limit 2000) fan
      cross join lateral (select target_id from follow where source_id = fan.source_id and not pending order by id desc limit 200) g
      where g.target_id <> all(${users}::bigint[]) group by 1 order by count(*) desc, 1 limit 20)`
const members = (audiences: string) =>
  `select m.user_id as id from ads_audience_match m where m.audience_id = any(${audiences}::bigint[])`
const engagers = (users: string, campaigns: string) =>
  `with shown as materialized (
     select e.id from (select p.id from post p where p.author_id = any(${users}::bigint[]) and p.id > $1 order by p.id desc limit 20000) e
     union select b.post_id from ads_promoted_post b join ads_line_item l on l.id = b.line_item_id where l.campaign_id = any(${campaigns}::bigint[])
   )
   select k.user_id as id from post_like k join shown s on s.id = k.post_id
   union select p.author_id from post p join shown s on s.id = p.in_reply_to_post_id
   union select p.author_id from post p join shown s on s.id = p.reposted_post_id
   union select p.author_id from post p join shown s on s.id = p.quoted_post_id`
const livesIn = (query: string) => `(u.location <> '' and to_tsvector('simple', u.location) @@ ${query}::tsquery)`
const writesIn = (languages: string) =>
  `exists (select from (select p.lang from post p where p.author_id = u.id order by p.id desc limit 20) l where l.lang = any(${languages}::text[]))`
// An account never reaches the users on its Do Not Reach list.
const isNotReached = (account: string) =>
  `exists (select from ads_do_not_reach_list d join ads_audience_match m on m.audience_id = d.id
            where d.account_id = ${account}::bigint and not d.deleted and m.user_id = u.id)`
const isAmong = (set: string) => `exists (select from (${set}) one where one.id = u.id)`

/**
 * The number of users of this server that criteria reach: users of any primary type, narrowed by each other type to those with one
 * of its values. This server does not have the age, gender, device, platform, network, apps or Wi-Fi of users, so these do not narrow.
 */
export async function audienceSizeOf(
  db: Db,
  accountId: string,
  criteria: readonly AudienceCriterion[],
  now: number,
): Promise<number> {
  const values: SqlValue[] = [sinceId(now)]
  const bind: Bind = (value) => `$${values.push(value)}`
  const wanted = sideOf(criteria.filter((item) => !item.excludes))
  const excluded = sideOf(criteria.filter((item) => item.excludes))
  const united = primarySets(wanted, bind)
  const conditions = [
    ...(united.length > 0 ? [isAmong(united.join(' union '))] : []),
    ...narrowing(wanted, bind),
    ...[...primarySets(excluded, bind).map(isAmong), ...narrowing(excluded, bind), isNotReached(bind(accountId))].map(
      (item) => `not ${item}`,
    ),
  ]
  // Not a prepared statement: the conditions depend on the request, and most of them are rare.
  const { rows } = await db.query<{ users: string }>({
    text: `select count(*) as users from user_account u
            where not u.suspended and $1::bigint is not null and ${conditions.join(' and ')}`,
    values,
  })
  return Number(rows[0]!.users)
}

/** The sets of users that criteria of primary types name. */
function primarySets(side: Side, bind: Bind): string[] {
  return [
    ...(side.posts ? [talkers(bind(side.posts))] : []),
    ...(side.bios ? [described(bind(side.bios))] : []),
    ...(side.followed.length > 0 ? [followers(bind(side.followed))] : []),
    ...(side.resembled.length > 0 ? [similar(bind(side.resembled))] : []),
    ...(side.audiences.length > 0 ? [members(bind(side.audiences))] : []),
  ]
}

/** Conditions on the user `u`, one for each type. */
function narrowing(side: Side, bind: Bind): string[] {
  const isEngaged = side.engagedUsers.length + side.engagedCampaigns.length > 0
  return [
    ...(side.locations ? [livesIn(bind(side.locations))] : []),
    ...(side.languages.length > 0 ? [writesIn(bind(side.languages))] : []),
    ...(side.conversations ? [isAmong(talkers(bind(side.conversations)))] : []),
    ...(side.events ? [isAmong(talkers(bind(side.events)))] : []),
    ...(isEngaged ? [isAmong(engagers(bind(side.engagedUsers), bind(side.engagedCampaigns)))] : []),
  ]
}

type Side = ReturnType<typeof sideOf>

const KEYWORDS = new Set(['BROAD_KEYWORD', 'EXACT_KEYWORD', 'PHRASE_KEYWORD', 'UNORDERED_KEYWORD'])
const AUDIENCES = new Set(['CUSTOM_AUDIENCE', 'CUSTOM_AUDIENCE_EXPANDED'])

/** The conditions of the criteria that include users, or of those that exclude them. */
function sideOf(criteria: readonly AudienceCriterion[]) {
  const of = (...types: string[]) => criteria.filter((item) => types.includes(item.type))
  const idsOf = (...types: string[]) => of(...types).map((item) => item.id!)
  const interests = of('INTEREST').flatMap((item) => interestByValue.get(item.value)!.about)
  const posts = [
    ...criteria.filter((item) => KEYWORDS.has(item.type)).map((item) => keywordQuery(item.type, item.value)),
    ...(interests.length > 0 ? [anyPhrase(interests)] : []),
    ...of('TV_SHOW').map((item) => anyPhrase([showByValue.get(item.value)!.name])),
  ]
  const topics = of('CONVERSATION').map((item) => conversationByValue.get(item.value)!.name)
  const events = of('EVENT', 'LIVE_TV_EVENT').map((item) => eventByValue.get(item.value)!.about)
  const locations = of('LOCATION').flatMap((item) => searchedWords(findLocation(item.value)!))
  return {
    posts: posts.join(' | '),
    bios: bioQuery(interests),
    followed: idsOf('FOLLOWERS_OF_USER'),
    resembled: idsOf('SIMILAR_TO_FOLLOWERS_OF_USER'),
    audiences: criteria.filter((item) => AUDIENCES.has(item.type)).map((item) => item.id!),
    locations: [...new Set(locations)].join(' | '),
    languages: of('LANGUAGE').map((item) => item.value),
    conversations: topics.length > 0 ? anyPhrase(topics) : '',
    events: events.length > 0 ? anyPhrase(events) : '',
    engagedUsers: idsOf('USER_ENGAGEMENT'),
    engagedCampaigns: idsOf('CAMPAIGN_ENGAGEMENT'),
  }
}

/** A query for bios, which are indexed as plain words without positions. */
function bioQuery(texts: readonly string[]): string {
  const words = texts.map((text) => text.toLowerCase().match(/[a-z0-9]+/g) ?? []).filter((item) => item.length > 0)
  return words.map((item) => `(${item.map(quote).join(' & ')})`).join(' | ')
}

/** True when criteria name lists of people that the advertiser uploaded. */
export const namesAudience = (criteria: readonly AudienceCriterion[]): boolean =>
  criteria.some((item) => AUDIENCES.has(item.type))

/**
 * A size as a range, never an exact number: steps of half a power of ten, and not less than a least one. The least step is
 * large for uploaded lists of people, since with a list of one address a small range would tell whether the address is known here.
 */
export function rangeOf(size: number, leastStep: number): { min: number; max: number } {
  const step = Math.max(leastStep, 10 ** Math.floor(Math.log10(Math.max(size, 1))) / 2)
  const min = Math.floor(size / step) * step
  return { min, max: min + step }
}
