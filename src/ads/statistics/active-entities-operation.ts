import { component, Type } from '../../api-kit/declaring/schema.ts'
import { statement } from '../../storage/statement.ts'
import { type AdsError, AdsProblem, exclusiveParameters, invalidTimeWindow, windowErrors } from '../kit/errors.ts'
import { localHour } from '../kit/local-time.ts'
import { defineAdsOperation, optional, required } from '../kit/operation.ts'
import { showTime } from '../kit/times.ts'
import { idKind, listKind, oneOfKind, toBase36 } from '../kit/values.ts'
import { ALL_PLACEMENTS, PLACEMENT_NUMBERS } from './placements.data.ts'
import { timesEchoed } from './stats-question.ts'
import { DAY_MS, HOUR_MS, momentOf, sentTimeKind, type TimeRange } from './time-range.ts'

const MOST_DAYS = 90
const MOST_IDS = 200
const FILTERS = ['campaign_ids', 'funding_instrument_ids', 'line_item_ids'] as const

const PUBLISHER_NETWORK = PLACEMENT_NUMBERS.PUBLISHER_NETWORK[0]

const HOURS = `ads_hour h where h.entity_id = e.id and h.hour >= $3::timestamptz and h.hour < $4::timestamptz and h.first_at is not null`

/**
 * Records of the kind $1 of the account $2 whose counts changed in the hours from $3 until $4. A change within the hour that it
 * counts for is kept with the counts, a later one by itself. Filters: $5 campaigns, $6 funding instruments, $7 line items.
 *
 * Only the first and the last hour of a record are read, whatever the number of hours: the changes of an hour are within it.
 * Placements are told as two groups, so it is enough to look for a row of each.
 */
const activeEntities = statement(
  'ads_active_entities',
  { id: 'int8', first_at: 'timestamptz?', last_at: 'timestamptz?', placements: 'int4[]' },
  `with scope as (
     select c.funding_instrument_id, c.id as campaign_id, l.id as line_item_id
       from ads_campaign c left join ads_line_item l on l.campaign_id = c.id and l.account_id = $2
      where c.account_id = $2::bigint and ($5::bigint[] is null or c.id = any($5)) and ($6::bigint[] is null or c.funding_instrument_id = any($6))
        and ($7::bigint[] is null or l.id = any($7))
   ), entity as (
     select campaign_id as id from scope where $1::text = 'CAMPAIGN'
     union select funding_instrument_id from scope where $1 = 'FUNDING_INSTRUMENT'
     union select line_item_id from scope where $1 = 'LINE_ITEM' and line_item_id is not null
     union select p.id from scope s join ads_promoted_post p on p.line_item_id = s.line_item_id where $1 = 'PROMOTED_POST'
     union select p.id from scope s join ads_promoted_account p on p.line_item_id = s.line_item_id where $1 = 'PROMOTED_ACCOUNT'
   )
   select e.id, min(a.first_at) as first_at, max(a.last_at) as last_at, array_agg(distinct a.placement) as placements
     from entity e
     cross join lateral (
       select min(f.first_at) as first_at, max(l.last_at) as last_at, p.placement
         from (select h.hour from ${HOURS} order by h.hour limit 1) first
         cross join (select h.hour from ${HOURS} order by h.hour desc limit 1) last
         join ads_hour f on f.entity_id = e.id and f.hour = first.hour
         join ads_hour l on l.entity_id = e.id and l.hour = last.hour
         cross join lateral (
           (select h.placement::int from ${HOURS} and h.placement <> ${PUBLISHER_NETWORK} limit 1)
           union all (select h.placement::int from ${HOURS} and h.placement = ${PUBLISHER_NETWORK} limit 1)
         ) p
        group by p.placement
       union all
       select c.first_at, c.last_at, c.placement::int from ads_late_change c
        where c.entity_id = e.id and c.bucket >= $3::timestamptz and c.bucket < $4::timestamptz
     ) a
    group by e.id order by e.id`,
)

/** The hours of the account that a range touches. */
const bucketsOf = ({ start, end }: TimeRange, zone: string): TimeRange => ({
  start: new Date(localHour(start.getTime(), zone)),
  end: new Date(localHour(end.getTime() - 1, zone) + HOUR_MS),
})

const rangeErrors = (range: TimeRange): AdsError[] =>
  range.end.getTime() - range.start.getTime() > MOST_DAYS * DAY_MS + HOUR_MS
    ? [invalidTimeWindow('end_time', `must be at most ${MOST_DAYS} days after start_time`)]
    : windowErrors(range.start, range.end)

const placementNames = (numbers: readonly number[]): string[] =>
  ([ALL_PLACEMENTS, 'PUBLISHER_NETWORK'] as const).filter((name) =>
    PLACEMENT_NUMBERS[name].some((number) => numbers.includes(number)),
  )

const ids = optional(listKind(idKind, { max: MOST_IDS }))

export const listActiveEntities = defineAdsOperation({
  id: 'listActiveEntities',
  route: 'GET /12/stats/accounts/{account_id}/active_entities',
  tag: 'Active Entities',
  summary: 'List the records whose statistics changed in some hours',
  params: {
    entity: required(oneOfKind(['CAMPAIGN', 'FUNDING_INSTRUMENT', 'LINE_ITEM', 'PROMOTED_ACCOUNT', 'PROMOTED_POST'])),
    start_time: required(sentTimeKind),
    end_time: required(sentTimeKind),
    campaign_ids: ids,
    funding_instrument_ids: ids,
    line_item_ids: ids,
  },
  data: component(
    'ActiveEntities',
    Type.Object({
      entity_id: Type.String(),
      activity_start_time: Type.String({ format: 'date-time' }),
      activity_end_time: Type.String({ format: 'date-time' }),
      placements: Type.Array(Type.String()),
    }),
  ),
  envelope: 'statistics',
  may: 'see campaigns',
  limit: 'statistics',
  check: (params) => {
    const given = FILTERS.filter((name) => params[name] !== undefined)
    return given.length > 1 ? [exclusiveParameters(given[1]!, `${FILTERS.join(', ')} exclude one another`)] : []
  },
  handle: async ({ params, account, runtime }) => {
    const zone = { name: account.timezone, now: runtime.clock.now() }
    const range = { start: momentOf(params.start_time, zone), end: momentOf(params.end_time, zone) }
    const errors = rangeErrors(range)
    if (errors.length > 0) throw new AdsProblem(errors)
    const buckets = bucketsOf(range, account.timezone)
    const rows = await activeEntities.all(
      runtime.database,
      params.entity,
      account.id,
      buckets.start,
      buckets.end,
      ...FILTERS.map((name) => params[name] ?? null),
    )
    return {
      data_type: 'active_entities',
      data: rows.map((row) => ({
        entity_id: toBase36(row.id),
        activity_start_time: showTime(row.first_at!),
        activity_end_time: showTime(row.last_at!),
        placements: placementNames(row.placements),
      })),
      alsoEchoed: timesEchoed(range),
    }
  },
})
