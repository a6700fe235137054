import { definePart, keyedBy } from '../../api-kit/declaring/part.ts'
import { type RowOf, statement } from '../../storage/statement.ts'

// The counters of a video in the names of the interface, and what is counted.
const COUNTERS = {
  playback_0_count: 'playback_start',
  playback_25_count: 'playback25',
  playback_50_count: 'playback50',
  playback_75_count: 'playback75',
  playback_100_count: 'playback_complete',
  view_count: 'video_views',
} as const

type Counter = keyof typeof COUNTERS
/** The counters of a video. */
export type VideoCounters = Record<Counter, number>

const NAMES = Object.keys(COUNTERS) as Counter[]

const integers = <const P extends string>(prefix: P): Record<`${P}${Counter}`, 'int4'> =>
  Object.fromEntries(NAMES.map((name) => [`${prefix}${name}`, 'int4'])) as Record<`${P}${Counter}`, 'int4'>

const columns = {
  media_key: 'text',
  id: 'int8',
  type: 'text',
  owner_user_id: 'int8',
  additional_owner_ids: 'int8[]',
  was_promoted: 'bool',
  ...integers('organic_'),
  ...integers('promoted_'),
} as const

// The interface has numbers of 32 bits.
const counters = (prefix: string, condition: string): string =>
  NAMES.map(
    (name) =>
      `least(coalesce(sum(t.${COUNTERS[name]}) filter (where ${condition}), 0), 2147483647)::int as ${prefix}${name}`,
  ).join(', ')

const metricsByKey = statement(
  'media_metrics_by_key',
  columns,
  `select m.media_key, m.id, m.type, m.owner_user_id, m.additional_owner_ids, t.*
     from media m cross join lateral (
       select coalesce(bool_or(t.promoted), false) as was_promoted, ${counters('organic_', 'not t.promoted')}, ${counters('promoted_', 't.promoted')}
         from media_total t where t.media_id = m.id) t
    where m.media_key = any($1::text[])`,
)

export type MediaMetricsRow = RowOf<typeof columns>

/** How often media items were played. It changes often, so it has a kind of its own: `media_metrics`. */
export const mediaMetrics = definePart('media_metrics', 'row', async (db, keys) =>
  keyedBy((row) => row.media_key, await metricsByKey.all(db, keys)),
)

const counted = (compute: (name: Counter) => number): VideoCounters =>
  Object.fromEntries(NAMES.map((name) => [name, compute(name)])) as VideoCounters

export const organicCounters = (row: MediaMetricsRow): VideoCounters => counted((name) => row[`organic_${name}`])
export const promotedCounters = (row: MediaMetricsRow): VideoCounters => counted((name) => row[`promoted_${name}`])
export const allCounters = (row: MediaMetricsRow): VideoCounters =>
  counted((name) => row[`organic_${name}`] + row[`promoted_${name}`])
