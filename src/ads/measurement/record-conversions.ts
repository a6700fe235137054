import { change, type Runtime } from '../../api-kit/runtime.ts'
import { idAt, timeOfId } from '../../process/ids.ts'
import { randomBelow } from '../../process/random.ts'
import { sqlState, type Tx } from '../../storage/database.ts'
import { statement } from '../../storage/statement.ts'
import { type Attribution, attribute } from './attribute.ts'
import type { ConversionTag } from './conversion-tags.ts'
import { countConversions } from './count-conversions.ts'
import { lifetimeValues } from './lifetime-values.ts'
import { noteVisitors } from './tag-visitors.ts'

/** Something that somebody did on a website or in an app. */
export interface Conversion {
  tag: ConversionTag
  /** Product time; not later than now. */
  at: number
  /** `ads_viewer.number`, where it is known who did it. */
  viewer: number | undefined
  /** The impression that they came from, by a click id. */
  clicked?: string | undefined
  /** Two conversions of a tag with the same key within 48 hours are one, told twice. */
  duplicateKey?: string | undefined
  quantity?: number | undefined
  price?: { micros: number; currency: string } | undefined
  /** What else was told about it. */
  details?: Record<string, unknown> | undefined
}

export interface RecordedConversion {
  isDuplicate: boolean
  /** The ad that led to it; undefined where none did. */
  attribution: Attribution | undefined
}

const SAME_FOR_MS = 48 * 3_600_000
const MOST_AT_ONCE = 1_000

/**
 * Records conversions, credits them to ads, and counts them, in one transaction for each thousand. Everything that reports
 * conversions calls this.
 */
export async function convert(runtime: Runtime, conversions: readonly Conversion[]): Promise<RecordedConversion[]> {
  const recorded: RecordedConversion[] = []
  for (let from = 0; from < conversions.length; from += MOST_AT_ONCE) {
    const some = conversions.slice(from, from + MOST_AT_ONCE)
    recorded.push(...(await withFreshIds(() => change(runtime, (tx) => recordConversions(tx, runtime, some)))))
  }
  return recorded
}

const UNIQUE_VIOLATION = '23505'
const ID_TRIES = 4

/** Repeats a transaction whose ids of past moments were taken already. */
export async function withFreshIds<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (error) {
      if (sqlState(error) !== UNIQUE_VIOLATION || tries === ID_TRIES) throw error
    }
  }
}

// Keys of conversions that are told too late to be the same stand for a new one.
const keysRelease = statement(
  'ads_conversion_keys_release',
  {},
  `update ads_conversion c set duplicate_key = null from unnest($1::bigint[], $2::text[]) as k (tag_id, duplicate_key)
    where c.tag_id = k.tag_id and c.duplicate_key = k.duplicate_key and c.received_at < $3`,
)
const conversionsAdd = statement(
  'ads_conversions_add',
  { id: 'int8' },
  `insert into ads_conversion (id, account_id, tag_id, metric, duplicate_key, viewer, impression_id, credited_to, assisted, campaign_id,
       line_item_id, promoted_id, placement, quantity, amount, details, received_at)
   select id, account_id, tag_id, metric, duplicate_key, viewer, impression_id, credited_to, assisted, campaign_id,
       line_item_id, promoted_id, placement, quantity, amount, details, received_at
     from jsonb_populate_recordset(null::ads_conversion, $1::jsonb)
   on conflict (tag_id, duplicate_key) where duplicate_key is not null do nothing returning id`,
)
// Shown in seconds, so a tag is changed at most once a second.
const webTagsTracked = statement(
  'ads_web_event_tags_tracked',
  {},
  'update ads_web_event_tag set last_tracked_at = $2 where id = any($1::bigint[]) and (last_tracked_at is null or last_tracked_at < $2)',
)
const appTagsTracked = statement(
  'ads_app_event_tags_tracked',
  {},
  'update ads_app_event_tag set last_tracked_at = $2 where id = any($1::bigint[]) and (last_tracked_at is null or last_tracked_at < $2)',
)

/** The same in the caller's transaction, for at most a thousand conversions. */
export async function recordConversions(
  tx: Tx,
  runtime: Runtime,
  conversions: readonly Conversion[],
): Promise<RecordedConversion[]> {
  if (conversions.length === 0) return []
  const now = runtime.clock.now()
  const keyed = conversions.filter((item) => item.duplicateKey !== undefined)
  if (keyed.length > 0)
    await keysRelease.count(
      tx,
      keyed.map((item) => item.tag.id),
      keyed.map((item) => item.duplicateKey!),
      new Date(now - SAME_FOR_MS),
    )
  const attributions = await attributionsOf(tx, conversions)
  const rows = conversions.map((item, at) => rowOf(item, attributions[at], idOf(item.at, now, runtime), now))
  const stored = new Set((await conversionsAdd.all(tx, JSON.stringify(rows))).map((row) => row.id))
  const counted = conversions.flatMap((item, at) => {
    const [row, attribution] = [rows[at]!, attributions[at]]
    return attribution && stored.has(row.id)
      ? { metric: row.metric, at: item.at, quantity: row.quantity, amount: row.amount, attribution }
      : []
  })
  const acts = conversions.filter((_, at) => stored.has(rows[at]!.id))
  const values = await lifetimeValues(
    tx,
    acts.map(({ tag, viewer, at, quantity = 1, price }) => ({ tag, viewer, at, quantity, price })),
  )
  if (counted.length + values.length > 0) await countConversions(tx, [...counted, ...values], now)
  await markTracked(tx, conversions, now)
  await noteVisitors(tx, conversions, now)
  return conversions.map((_, at) => ({ isDuplicate: !stored.has(rows[at]!.id), attribution: attributions[at] }))
}

async function attributionsOf(tx: Tx, conversions: readonly Conversion[]): Promise<(Attribution | undefined)[]> {
  const known = conversions.filter((item) => item.viewer !== undefined)
  const found = await attribute(
    tx,
    known.map(({ tag, viewer, at, clicked }) => ({
      viewer: viewer!,
      at,
      clickDays: tag.clickDays,
      viewDays: tag.viewDays,
      of: { accountId: tag.accountId },
      app: tag.app,
      clicked,
    })),
  )
  const byConversion = new Map(known.map((item, at) => [item, found[at]]))
  return conversions.map((item) => byConversion.get(item))
}

function rowOf(
  { tag, viewer, duplicateKey, quantity = 1, price, details }: Conversion,
  attribution: Attribution | undefined,
  id: string,
  now: number,
) {
  return {
    id,
    account_id: tag.accountId,
    tag_id: tag.id,
    metric: tag.metric,
    duplicate_key: duplicateKey ?? null,
    viewer: viewer ?? null,
    impression_id: attribution?.impressionId ?? null,
    credited_to: attribution?.creditedTo ?? null,
    assisted: attribution?.assisted ?? false,
    campaign_id: attribution?.campaignId ?? null,
    line_item_id: attribution?.lineItemId ?? null,
    promoted_id: attribution?.promotedId ?? null,
    placement: attribution?.placement ?? null,
    quantity,
    // There are no exchange rates here, so a price in another currency is kept in the details only.
    amount: price && price.currency === attribution?.currency ? price.micros : 0,
    details: details ?? null,
    received_at: new Date(now).toISOString(),
  }
}

const PRESENT_MS = 1_000
const MINUTE_MS = 60_000
const FIRST_MS = timeOfId('0')

/**
 * An id of the minute of the conversion. Ids of the present come from the process; those of the past are drawn, because any number of
 * conversions may be told with the same time, such as midnight.
 */
function idOf(at: number, now: number, { ids }: Runtime): string {
  if (at > now - PRESENT_MS) return ids.next()
  const minute = Math.max(FIRST_MS, Math.floor(at / MINUTE_MS) * MINUTE_MS)
  return idAt(minute + randomBelow(Math.min(MINUTE_MS, now - minute)), randomBelow(1 << 10), randomBelow(1 << 12))
}

async function markTracked(tx: Tx, conversions: readonly Conversion[], now: number): Promise<void> {
  const idsOf = (kind: ConversionTag['kind']) =>
    [...new Set(conversions.filter((item) => item.tag.kind === kind).map((item) => item.tag.id))].sort()
  const at = new Date(Math.floor(now / 1_000) * 1_000)
  const [web, app] = [idsOf('web'), idsOf('app')]
  if (web.length > 0) await webTagsTracked.count(tx, web, at)
  if (app.length > 0) await appTagsTracked.count(tx, app, at)
}
