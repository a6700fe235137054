import { localDay } from '../../../src/ads/kit/local-time.ts'
import { versionByValue } from '../../../src/ads/targeting-options/device-options.ts'
import { interestByValue } from '../../../src/ads/targeting-options/topics.ts'
import { timeOfId } from '../../../src/process/ids.ts'
import type { TestServer } from '../../support/server.ts'
import type { Person } from './random-advertisers.ts'

/** An event as it is stored. */
export interface StoredEvent {
  viewer: number
  id: string
  at: number
  account_id: string
  funding_id: string
  campaign_id: string
  line_item_id: string
  promoted_id: string
  impression_id: string | null
  outcomes: number
  placement: number
  charge: number
  timezone: string
}

/** A line item with everything above and below it that decides whether it may be shown. Ids in decimal, times in milliseconds. */
export interface ItemFacts {
  id: string
  account_id: string
  campaign_id: string
  credit_id: string
  sandbox: boolean
  timezone: string
  currency: string
  statuses: string[]
  starts: number
  ends: number
  placements: string[]
  bid_strategy: string
  bid_amount: number | null
  pay_by: string
  goal: string
  cap: number | null
  cap_days: number | null
  item_daily: number | null
  item_total: number | null
  campaign_daily: number | null
  campaign_total: number | null
  credit: number | null
  promoted: string[]
  criteria: { type: string; value: string; operator: string }[]
}

const DAY_MS = 86_400_000

const rowsOf = async <T extends object>(server: TestServer, text: string, values: unknown[] = []): Promise<T[]> =>
  (await server.runtime.database.query<T>({ text, values })).rows

/** Everything that was stored, oldest first. */
export async function storedEvents(server: TestServer): Promise<StoredEvent[]> {
  const rows = await rowsOf<Omit<StoredEvent, 'at'>>(
    server,
    `select e.viewer, e.id, l.account_id, c.funding_instrument_id as funding_id, e.campaign_id, e.line_item_id, e.promoted_id, e.impression_id,
            e.outcomes, e.placement, coalesce(e.charge, 0)::float8 as charge, a.timezone
       from ads_event e join ads_line_item l on l.id = e.line_item_id join ads_campaign c on c.id = e.campaign_id
       join ads_account a on a.id = l.account_id order by e.id, e.viewer`,
  )
  return rows.map((row) => ({ ...row, at: timeOfId(row.id) }))
}

/** All line items as they are now. */
export async function itemFacts(server: TestServer): Promise<ItemFacts[]> {
  return rowsOf<ItemFacts>(
    server,
    `select l.id, l.account_id, l.campaign_id, coalesce(f.credit_line_id, f.id) as credit_id, a.sandbox, a.timezone, f.currency,
            array[l.entity_status, c.entity_status, f.entity_status] || case when l.deleted or c.deleted or f.deleted or a.deleted then '{DELETED}'::text[] else '{}' end as statuses,
            extract(epoch from greatest(l.start_time, f.start_time))::float8 * 1000 as starts, extract(epoch from least(l.end_time, f.end_time))::float8 * 1000 as ends,
            l.placements, l.bid_strategy, l.bid_amount_local_micro::float8 as bid_amount, l.pay_by, l.goal, l.frequency_cap as cap, l.duration_in_days as cap_days,
            l.daily_budget_amount_local_micro::float8 as item_daily, l.total_budget_amount_local_micro::float8 as item_total,
            c.daily_budget_amount_local_micro::float8 as campaign_daily, c.total_budget_amount_local_micro::float8 as campaign_total,
            coalesce(f.credit_limit_local_micro, f.funded_amount_local_micro)::float8 as credit,
            array(select id::text from ads_promoted_post where line_item_id = l.id and entity_status = 'ACTIVE' and approval_status = 'ACCEPTED' and not deleted
                  union all select id::text from ads_promoted_account where line_item_id = l.id and entity_status = 'ACTIVE' and approval_status = 'ACCEPTED' and not deleted) as promoted,
            coalesce((select jsonb_agg(jsonb_build_object('type', targeting_type, 'value', targeting_value, 'operator', operator_type))
                        from ads_targeting_criterion where line_item_id = l.id and not deleted), '[]') as criteria
       from ads_line_item l join ads_campaign c on c.id = l.campaign_id join ads_funding_instrument f on f.id = c.funding_instrument_id
       join ads_account a on a.id = l.account_id order by l.id`,
  )
}

/** Whom criteria mean, besides what viewers are known for: who follows alice, who is in an audience, who wrote what, and when. */
export interface Sets {
  follows: Map<string, number>
  audiences: Map<string, Set<string>>
  posts: Map<string, { at: number; text: string }[]>
}

export async function readSets(server: TestServer, audiences: Map<string, Set<string>>): Promise<Sets> {
  const alice = server.userId('alice')
  const follows = await rowsOf<{ user: string; id: string }>(
    server,
    'select source_id as user, id from follow where target_id = $1 and not pending',
    [alice],
  )
  const written = await rowsOf<{ user: string; id: string; text: string }>(
    server,
    'select p.author_id as user, p.id, p.text from post p join persona o on o.user_id = p.author_id where p.reposted_post_id is null',
  )
  const posts: Sets['posts'] = new Map()
  for (const { user, id, text } of written)
    posts.set(user, [...(posts.get(user) ?? []), { at: timeOfId(id), text: text.toLowerCase() }])
  return { follows: new Map(follows.map(({ user, id }) => [user, timeOfId(id)])), audiences, posts }
}

const isPrimary = (type: string): boolean => ['INTEREST', 'FOLLOWERS_OF_USER', 'CUSTOM_AUDIENCE'].includes(type)

const parts = (number: string): number => {
  const [major = 0, minor = 0, patch = 0] = number.split('.').map(Number)
  return major * 1e6 + minor * 1e3 + patch
}

/** Whether somebody is what a criterion says, whatever its operator; GTE and LT are part of what it says. */
function holds(criterion: ItemFacts['criteria'][number], one: Person, at: number, sets: Sets): boolean {
  const { type, value, operator } = criterion
  switch (type) {
    case 'GENDER':
      return one.gender === Number(value)
    case 'AGE': {
      const [, from, to] = /(\d+)(?:_TO_(\d+))?$/.exec(value)!
      return one.age >= Number(from) && one.age <= Number(to ?? 999)
    }
    case 'LOCATION':
      return one.locations.includes(value)
    case 'LANGUAGE':
      return one.language === value
    case 'PLATFORM':
      return one.platform === value
    case 'NETWORK_OPERATOR':
      return one.network_operator === value
    case 'WIFI_ONLY':
      return one.wifi_only
    case 'INTEREST': {
      const about = interestByValue.get(value)!.about.map((name) => name.toLowerCase())
      const said = (sets.posts.get(one.user_id) ?? []).some(
        (post) => post.at <= at && about.some((words) => post.text.includes(words)),
      )
      return one.interests.includes(value) || said
    }
    case 'PLATFORM_VERSION': {
      if (operator === 'EQ') return one.platform_version === value
      const own = one.platform_version === null ? undefined : versionByValue.get(one.platform_version)
      const wanted = versionByValue.get(value)!
      if (own?.os !== wanted.os) return false
      return operator === 'LT' ? parts(own.number) < parts(wanted.number) : parts(own.number) >= parts(wanted.number)
    }
    case 'NETWORK_ACTIVATION_DURATION': {
      const months = one.network_months
      if (months === null) return false
      return operator === 'LT' ? months < Number(value) : months >= Number(value)
    }
    case 'FOLLOWERS_OF_USER':
      return (sets.follows.get(one.user_id) ?? Number.POSITIVE_INFINITY) <= at
    case 'CUSTOM_AUDIENCE':
      return sets.audiences.get(value)?.has(one.user_id) ?? false
    default:
      throw new Error(`no rule for ${type}`)
  }
}

/** The rule of targeting, without terms or an index. Whom people followed and what they wrote is known until `knownAt`. */
export function mayReach(item: ItemFacts, one: Person, at: number, sets: Sets, knownAt = at): boolean {
  const wanted = item.criteria.filter((criterion) => criterion.operator !== 'NE')
  if (item.criteria.some((criterion) => criterion.operator === 'NE' && holds(criterion, one, knownAt, sets)))
    return false
  const primary = wanted.filter(({ type }) => isPrimary(type))
  if (primary.length > 0 && !primary.some((criterion) => holds(criterion, one, at, sets))) return false
  for (const type of new Set(wanted.map((criterion) => criterion.type).filter((name) => !isPrimary(name)))) {
    const ofType = wanted.filter((criterion) => criterion.type === type)
    const ranges = ofType.filter(({ operator }) => operator !== 'EQ')
    const inRange = ranges.length > 0 && ranges.every((criterion) => holds(criterion, one, at, sets))
    const isEqual = ofType.some((criterion) => criterion.operator === 'EQ' && holds(criterion, one, at, sets))
    if (!inRange && !isEqual) return false
  }
  return true
}

/** Sums of charges by record and day of the account, and ('all') of all days. */
export function chargesOf(
  events: readonly StoredEvent[],
  recordOf: (event: StoredEvent) => string,
): Map<string, number> {
  const sums = new Map<string, number>()
  for (const event of events)
    for (const day of [localDay(event.at, event.timezone).date, 'all']) {
      const key = `${recordOf(event)} ${day}`
      sums.set(key, (sums.get(key) ?? 0) + event.charge)
    }
  return sums
}

/** How many sights a viewer had of the item of an event, up to that event and within some days. */
export function sightsAt(events: readonly StoredEvent[]): (event: StoredEvent, days: number) => number {
  const keyOf = (event: StoredEvent) => `${event.viewer} ${event.line_item_id}`
  const dayOf = (event: StoredEvent) => Math.floor(event.at / DAY_MS)
  const seen = new Map<string, StoredEvent[]>()
  for (const event of events)
    if (event.impression_id === null) seen.set(keyOf(event), [...(seen.get(keyOf(event)) ?? []), event])
  return (event, days) =>
    seen
      .get(keyOf(event))!
      .filter((other) => BigInt(other.id) <= BigInt(event.id) && dayOf(other) > dayOf(event) - days).length
}
