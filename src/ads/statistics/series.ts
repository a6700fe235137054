import { type ConversionRow, columnOf, POSITION, type SeriesRow } from './hours.statements.ts'
import {
  BASE_METRICS,
  COUNTED_METRICS,
  type ConversionGroup,
  conversionMetrics,
  hasBaseMetricsOnly,
  isConversionGroup,
  isCountedGroup,
  type MetricGroup,
  type SegmentationType,
  type StatsEntity,
  seriesOf,
  UNCOUNTED_METRICS,
} from './metrics.data.ts'

export type Series = number[] | null
export type Metrics = Record<string, Series | Record<string, Series>>

/** A series from positions and the text of an array of values; null where all is zero. */
function series(slices: readonly number[], text: string | null | undefined, length: number): Series {
  if (text === null || text === undefined) return null
  if (slices.length === 0) return null
  return filled(slices, text.slice(1, -1).split(',').map(Number), length)
}

/** Values at their positions, added up; null where all is zero. */
function filled(positions: readonly number[], values: readonly number[], length: number): Series {
  let all: number[] | null = null
  for (let at = 0; at < values.length; at++) {
    const value = values[at]!
    if (value === 0) continue
    all ??= new Array<number>(length).fill(0)
    all[positions[at]!]! += value
  }
  return all
}

const COMMA = 44
const ZERO = 48

/** A series from numbers that have a value and its position. There are many, so no text is made for each. */
function sparseSeries(text: string | null | undefined, length: number): Series {
  if (!text) return null
  const all = new Array<number>(length).fill(0)
  let number = 0
  for (let at = 0; at <= text.length; at++) {
    const code = at === text.length ? COMMA : text.charCodeAt(at)
    if (code !== COMMA) number = number * 10 + code - ZERO
    else {
      const position = Math.floor(number / POSITION)
      all[position]! += number - position * POSITION
      number = 0
    }
  }
  return all
}

const numbersIn = (text: string | null | undefined): number[] => (text ? text.split(',').map(Number) : [])

const NO_SLICES = '{NULL}'
const slicesIn = (text: string | null): number[] =>
  text === null || text === NO_SLICES ? [] : text.slice(1, -1).split(',').map(Number)

/** The two added up. */
const plus = (one: Series, other: Series): Series =>
  one && other ? one.map((value, at) => value + other[at]!) : (one ?? other)

/** The metrics of the groups that `ads_hour` counts. */
export function countedMetrics(
  groups: readonly MetricGroup[],
  entity: StatsEntity,
  row: Omit<SeriesRow, 'id'> | undefined,
  length: number,
): Metrics {
  const of = (column: string): Series =>
    column === 'billed_charge'
      ? filled(numbersIn(row?.charged_slices), numbersIn(row?.billed_charge), length)
      : sparseSeries(row?.[column], length)
  const metrics: Metrics = {}
  for (const group of groups.filter(isCountedGroup)) {
    const isBase = group === 'ENGAGEMENT' && hasBaseMetricsOnly(entity)
    for (const name of isBase ? BASE_METRICS : COUNTED_METRICS[group]) metrics[name] = of(columnOf(name))
    if (group === 'ENGAGEMENT' && !isBase) for (const name of UNCOUNTED_METRICS) metrics[name] = null
  }
  return metrics
}

/** The metrics of groups of conversions. One without conversions has its series, all of them null. */
export function conversionsOf(
  groups: readonly MetricGroup[],
  segmentation: SegmentationType | null,
  rows: readonly Omit<ConversionRow, 'id'>[],
  length: number,
): Metrics {
  const byMetric = new Map(rows.map((row) => [row.metric, row]))
  const names = groups
    .filter(isConversionGroup)
    .flatMap((group: ConversionGroup) => conversionMetrics(group, segmentation))
  return Object.fromEntries(
    names.map((name) => {
      const all = conversionSeries(byMetric.get(name), length)
      return [name, Object.fromEntries(seriesOf(name).map((member) => [member, all[member] ?? null]))]
    }),
  )
}

function conversionSeries(row: Omit<ConversionRow, 'id'> | undefined, length: number): Record<string, Series> {
  if (!row) return {}
  const slices = slicesIn(row.slices)
  const of = (text: string | null) => series(slices, text, length)
  const view = of(row.post_view)
  const engagement = of(row.post_engagement)
  const quantityView = of(row.order_quantity_view)
  const quantityEngagement = of(row.order_quantity_engagement)
  const amountView = of(row.sale_amount_view)
  const amountEngagement = of(row.sale_amount_engagement)
  return {
    metric: plus(view, engagement),
    post_view: view,
    post_engagement: engagement,
    assisted: of(row.assisted),
    order_quantity: plus(quantityView, quantityEngagement),
    order_quantity_view: quantityView,
    order_quantity_engagement: quantityEngagement,
    sale_amount: plus(amountView, amountEngagement),
    sale_amount_view: amountView,
    sale_amount_engagement: amountEngagement,
  }
}
