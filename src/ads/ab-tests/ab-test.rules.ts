import type { Tx } from '../../storage/database.ts'
import { statement } from '../../storage/statement.ts'
import { type AdsError, invalidParameter, invalidTimeWindow, notFound } from '../kit/errors.ts'
import { toBase36 } from '../kit/values.ts'
import type { UserGroup } from './user-group.ts'

export const ENTITY_TYPES = ['CAMPAIGN', 'LINE_ITEM'] as const
export type EntityType = (typeof ENTITY_TYPES)[number]

export const STATUSES = ['SCHEDULED', 'LIVE', 'COMPLETED'] as const

/** The state of a test follows from the time. */
export const statusOf = (test: { start_time: Date; end_time: Date }, now: number): (typeof STATUSES)[number] =>
  test.start_time.getTime() > now ? 'SCHEDULED' : test.end_time.getTime() > now ? 'LIVE' : 'COMPLETED'

const DAY_MS = 86_400_000
const SHORTEST_DAYS = 1
const SHORTEST_APP_DAYS = 5

interface Times {
  start_time: Date
  end_time: Date
}

/** Rules about the times of a test; times that stay are not compared with the clock. */
export function timeErrors(draft: Times, before: Times | undefined, now: Date): AdsError[] {
  const errors: AdsError[] = []
  for (const name of ['start_time', 'end_time'] as const)
    if (draft[name].getTime() !== before?.[name].getTime() && draft[name] <= now)
      errors.push(invalidTimeWindow(name, 'must be in the future'))
  if (errors.length > 0) return errors
  return lengthErrors(draft, SHORTEST_DAYS, 'a test lasts')
}

const lengthErrors = (test: Times, days: number, what: string): AdsError[] =>
  test.end_time.getTime() - test.start_time.getTime() >= days * DAY_MS
    ? []
    : [invalidTimeWindow('end_time', `${what} at least ${days} ${days === 1 ? 'day' : 'days'}`)]

/** What a test may be about: a campaign or line item with its flight, which is open where it has no time. */
interface Entity {
  id: string
  campaign_id: string
  flight_start: Date | null
  flight_end: Date | null
  is_app: boolean
  is_taken: boolean
}

const COLUMNS = {
  id: 'int8',
  campaign_id: 'int8',
  flight_start: 'timestamptz?',
  flight_end: 'timestamptz?',
  is_app: 'bool',
  is_taken: 'bool',
} as const

const APP = `('APP_ENGAGEMENTS', 'APP_INSTALLS')`
const isTaken = (id: string) =>
  `exists (select 1 from ads_ab_test t where t.account_id = $1 and t.entity_ids @> array[${id}] and not t.deleted and t.id <> $3)`

// The flight of a campaign is that of all of its line items together.
const campaignsOfTest = statement(
  'ads_ab_test_campaigns',
  COLUMNS,
  `select c.id, c.id as campaign_id, i.flight_start, i.flight_end, coalesce(i.is_app, false) as is_app, ${isTaken('c.id')} as is_taken
     from ads_campaign c
     left join lateral (
       select case when bool_and(l.start_time is not null) then min(l.start_time) end as flight_start,
              case when bool_and(l.end_time is not null) then max(l.end_time) end as flight_end,
              bool_or(l.objective in ${APP}) as is_app
         from ads_line_item l where l.campaign_id = c.id and not l.deleted
     ) i on true
    where c.account_id = $1 and c.id = any($2::bigint[]) and not c.deleted`,
)

// Also those that are missing in the test.
const lineItemsOfTest = statement(
  'ads_ab_test_line_items',
  COLUMNS,
  `select l.id, l.campaign_id, l.start_time as flight_start, l.end_time as flight_end, l.objective in ${APP} as is_app,
          ${isTaken('l.id')} as is_taken
     from ads_line_item l
    where l.account_id = $1 and not l.deleted
      and l.campaign_id in (select s.campaign_id from ads_line_item s where s.id = any($2::bigint[]) and s.account_id = $1)`,
)

/** Which rules a change has to keep: those about its entities, those about its times, or both. */
interface Checked {
  entities: boolean
  times: boolean
}

/** Rules that compare a test with its campaigns or line items, and with other tests. */
export async function entityErrors(
  tx: Tx,
  accountId: string,
  test: Times & { id: string; entity_type: EntityType; user_groups: readonly UserGroup[] },
  checked: Checked,
): Promise<AdsError[]> {
  if (!checked.entities && !checked.times) return []
  const ids = test.user_groups.flatMap((group) => group.entity_ids)
  const find = test.entity_type === 'CAMPAIGN' ? campaignsOfTest : lineItemsOfTest
  const found = new Map<string, Entity>((await find.all(tx, accountId, ids, test.id)).map((row) => [row.id, row]))
  const entities = ids.flatMap((id) => found.get(id) ?? [])
  if (checked.entities) {
    const missing = ids.find((id) => !found.has(id))
    if (missing !== undefined) return [notFound(`${test.entity_type}_NOT_FOUND`, 'user_groups', toBase36(missing))]
    const taken = entities.find((entity) => entity.is_taken)
    if (taken) return [invalidParameter('user_groups', 'an entity can belong to one A/B test only', toBase36(taken.id))]
    if (test.entity_type === 'LINE_ITEM') {
      const errors = siblingErrors(ids, found)
      if (errors.length > 0) return errors
    }
  }
  return flightErrors(test, entities)
}

/** The line items of a test are those of one campaign, and all of them. */
function siblingErrors(ids: readonly string[], found: ReadonlyMap<string, Entity>): AdsError[] {
  const campaigns = new Set([...found.values()].map((item) => item.campaign_id))
  if (campaigns.size > 1) return [invalidParameter('user_groups', 'the line items of a test belong to one campaign')]
  const absent = [...found.keys()].find((id) => !ids.includes(id))
  return absent === undefined
    ? []
    : [invalidParameter('user_groups', 'every line item of the campaign must take part', toBase36(absent))]
}

function flightErrors(test: Times, entities: readonly Entity[]): AdsError[] {
  if (entities.some((entity) => entity.is_app)) {
    const errors = lengthErrors(test, SHORTEST_APP_DAYS, 'a test of app campaigns lasts')
    if (errors.length > 0) return errors
  }
  const apart = entities.find(
    ({ flight_start: start, flight_end: end }) =>
      (start !== null && start >= test.end_time) || (end !== null && end <= test.start_time),
  )
  return apart ? [invalidTimeWindow('start_time', `does not overlap the flight of ${toBase36(apart.id)}`)] : []
}
