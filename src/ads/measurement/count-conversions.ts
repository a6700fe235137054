import type { Tx } from '../../storage/database.ts'
import { statement } from '../../storage/statement.ts'
import { localHour } from '../kit/local-time.ts'
import type { Attribution } from './attribute.ts'

/** A conversion that was credited to an ad. */
export interface CountedConversion {
  metric: string
  at: number
  quantity: number
  amount: number
  attribution: Attribution
}

/** What is counted in each hour, by the kind of attribution. */
export const CONVERSION_COUNTS = [
  'post_view',
  'post_engagement',
  'assisted',
  'order_quantity_view',
  'order_quantity_engagement',
  'sale_amount_view',
  'sale_amount_engagement',
] as const
const COLUMNS = ['entity_id', 'metric', 'hour', 'placement', ...CONVERSION_COUNTS]

// Sums that no longer fit stay at the largest number.
const sum = (column: string): string => {
  const [most, type] = column.startsWith('sale_amount') ? ['9007199254740991', 'bigint'] : ['2147483647', 'int']
  return `${column} = least(c.${column}::numeric + excluded.${column}, ${most})::${type}`
}

// In the order of the key: two transactions that count the same records never wait for each other.
const hoursAdd = statement(
  'ads_conversion_hours_add',
  {},
  `insert into ads_conversion_hour as c (${COLUMNS.join(', ')})
   select ${COLUMNS.map((name) => `r.${name}`).join(', ')}
     from jsonb_populate_recordset(null::ads_conversion_hour, $1::jsonb) r order by r.entity_id, r.metric, r.hour, r.placement
   on conflict (entity_id, metric, hour, placement) do update set ${CONVERSION_COUNTS.map(sum).join(', ')}`,
)
const changesAdd = statement(
  'ads_late_changes_add',
  {},
  `insert into ads_late_change as c (entity_id, bucket, placement, first_at, last_at)
   select r.entity_id, r.bucket, r.placement, r.first_at, r.last_at
     from jsonb_populate_recordset(null::ads_late_change, $1::jsonb) r order by r.entity_id, r.bucket, r.placement
   on conflict (entity_id, bucket, placement) do update
     set first_at = least(c.first_at, excluded.first_at), last_at = greatest(c.last_at, excluded.last_at)`,
)

/** The hour of the account: with its days, hours may begin at half past in UTC. */
const hourOf = (ms: number, { timezone }: Attribution): string => new Date(localHour(ms, timezone)).toISOString()

const entitiesOf = ({ promotedId, lineItemId, campaignId, fundingInstrumentId, accountId }: Attribution): string[] => [
  promotedId,
  lineItemId,
  campaignId,
  fundingInstrumentId,
  accountId,
]

/**
 * Counts conversions in the hour in which they happened, for the promoted record and everything above it. Notes for each of
 * these that counts changed in the present hour, and the time of the conversions that they changed for.
 */
export async function countConversions(tx: Tx, conversions: readonly CountedConversion[], now: number): Promise<void> {
  const hours = new Map<string, ReturnType<typeof hourRow>>()
  const changes = new Map<string, ReturnType<typeof changeRow>>()
  for (const conversion of conversions) {
    const added = hourRow(conversion)
    for (const entity of entitiesOf(conversion.attribution)) {
      const key = `${entity} ${added.metric} ${added.hour} ${added.placement}`
      const row = hours.get(key)
      if (row) for (const name of CONVERSION_COUNTS) row[name] += added[name]
      else hours.set(key, { ...added, entity_id: entity })
      const changeKey = `${entity} ${added.placement}`
      const known = changes.get(changeKey)
      if (known) {
        if (conversion.at < Date.parse(known.first_at)) known.first_at = new Date(conversion.at).toISOString()
        if (conversion.at > Date.parse(known.last_at)) known.last_at = new Date(conversion.at).toISOString()
      } else changes.set(changeKey, changeRow(entity, conversion, now))
    }
  }
  await hoursAdd.count(tx, JSON.stringify([...hours.values()]))
  await changesAdd.count(tx, JSON.stringify([...changes.values()]))
}

function hourRow({ metric, at, quantity, amount, attribution }: CountedConversion) {
  const isView = attribution.creditedTo === 'view'
  return {
    entity_id: '',
    metric,
    hour: hourOf(at, attribution),
    placement: attribution.placement,
    post_view: isView ? 1 : 0,
    post_engagement: isView ? 0 : 1,
    assisted: attribution.assisted ? 1 : 0,
    order_quantity_view: isView ? quantity : 0,
    order_quantity_engagement: isView ? 0 : quantity,
    sale_amount_view: isView ? amount : 0,
    sale_amount_engagement: isView ? 0 : amount,
  }
}

const changeRow = (entity: string, { at, attribution }: CountedConversion, now: number) => ({
  entity_id: entity,
  bucket: hourOf(now, attribution),
  placement: attribution.placement,
  first_at: new Date(at).toISOString(),
  last_at: new Date(at).toISOString(),
})
