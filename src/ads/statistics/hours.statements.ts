import { type RowOf, type Statement, statement } from '../../storage/statement.ts'
import { CONVERSION_COUNTS } from '../measurement/count-conversions.ts'
import { COUNTED_GROUPS, COUNTED_METRICS, type CountedGroup } from './metrics.data.ts'

/** The records $3 of the kind $1 that the account $2 has, deleted ones too. */
const ENTITIES = `
  select id from ads_account where $1 = 'ACCOUNT' and id = $2::bigint and id = any($3::bigint[])
  union all select id from ads_funding_instrument where $1 = 'FUNDING_INSTRUMENT' and account_id = $2::bigint and id = any($3::bigint[])
  union all select id from ads_campaign where $1 = 'CAMPAIGN' and account_id = $2::bigint and id = any($3::bigint[])
  union all select id from ads_line_item where $1 = 'LINE_ITEM' and account_id = $2::bigint and id = any($3::bigint[])
  union all select id from ads_promoted_post where $1 = 'PROMOTED_POST' and account_id = $2::bigint and id = any($3::bigint[])
  union all select id from ads_promoted_account where $1 = 'PROMOTED_ACCOUNT' and account_id = $2::bigint and id = any($3::bigint[])`

/** Those that exist, to check what a job is asked for. */
export const entitiesFound = statement('ads_stats_entities', { id: 'int8' }, `select id from (${ENTITIES}) e`)

export const columnOf = (metric: string): string => (metric === 'billed_charge_local_micro' ? 'billed_charge' : metric)

/**
 * A record's series. A text has one number for each value that is not zero: the value with the position of its slice above
 * `POSITION`, joined by commas, in any order. Values of one position are added up. Zeros would cost as much as other values, and most
 * are zero. Money does not fit under a position, so its positions are a list of their own.
 */
export const POSITION = 2 ** 38
export type SeriesRow = RowOf<{ id: 'int8' }> & Record<string, string | null>

const MONEY = 'billed_charge'
const CHARGED = 'charged_slices'
const joined = (value: string, column: string) =>
  `array_to_string(array_agg(${value}) filter (where s.${column} <> 0), ',')`

/** SQL of the series of columns, from rows (`s`) that have a slice. */
export const seriesOfColumns = (columns: readonly string[]): string =>
  columns
    .map((name) =>
      name === MONEY
        ? `${joined('s.slice', name)} as ${CHARGED}, ${joined(`s.${name}`, name)} as ${name}`
        : `${joined(`s.slice::bigint * ${POSITION} + s.${name}`, name)} as ${name}`,
    )
    .join(', ')

/** The metrics of a statement: those of some groups, in the order of the groups. */
export const metricsOf = (groups: readonly CountedGroup[]): string[] =>
  COUNTED_GROUPS.filter((group) => groups.includes(group)).flatMap((group): string[] => [...COUNTED_METRICS[group]])

const columnsOf = (groups: readonly CountedGroup[]) => {
  const columns = metricsOf(groups).flatMap((metric) =>
    columnOf(metric) === MONEY ? [CHARGED, MONEY] : [columnOf(metric)],
  )
  return { id: 'int8' as const, ...Object.fromEntries(columns.map((name) => [name, 'text?' as const])) }
}

/**
 * How the hours of a slice are read. Slices of an hour are not summed up: there is one row for each slice and placement, and groups of
 * two rows cost more than to add them up later. The offset keeps slices from being computed for each column.
 */
const READINGS = {
  hours: { value: (column: string) => `h.${column}`, end: 'offset 0' },
  sums: { value: (column: string) => `sum(h.${column})::bigint as ${column}`, end: 'group by 1' },
} as const
type Reading = keyof typeof READINGS

/**
 * The counts of hours from $4 until $5 on the placements $6, by the slices that begin at $7. One row for each record, because a row
 * for each value would take longer to read.
 */
const seriesSql = (reading: Reading, groups: readonly CountedGroup[]): string => {
  const columns = metricsOf(groups).map(columnOf)
  const { value, end } = READINGS[reading]
  return `select e.id, r.* from (${ENTITIES}) e
     cross join lateral (
       select ${seriesOfColumns(columns)}
         from (select width_bucket(h.hour, $7::timestamptz[]) - 1 as slice, ${columns.map(value).join(', ')}
                 from ads_hour h
                where h.entity_id = e.id and h.hour >= $4::timestamptz and h.hour < $5::timestamptz
                  and h.placement = any($6::smallint[])
                ${end}) s
     ) r`
}

/** The combinations of groups. The number of a combination has a bit for each group. */
const COMBINATIONS = Array.from({ length: 2 ** COUNTED_GROUPS.length }, (_, bits) =>
  COUNTED_GROUPS.filter((_, bit) => bits & (2 ** bit)),
)

/** A statement for each combination of groups: columns that nobody asked for cost time. */
const seriesStatements = (reading: Reading) =>
  COMBINATIONS.map((groups): Statement<SeriesRow> | undefined =>
    groups.length === 0
      ? undefined
      : (statement(
          `ads_stats_${reading}_${groups.map((group) => group[0]!.toLowerCase()).join('')}`,
          columnsOf(groups),
          seriesSql(reading, groups),
        ) as Statement<SeriesRow>),
  )
const STATEMENTS = { hours: seriesStatements('hours'), sums: seriesStatements('sums') }

/** The statement for some groups, with slices of an hour or of more. */
export const hoursOf = (groups: readonly CountedGroup[], by: Reading): Statement<SeriesRow> =>
  STATEMENTS[by][COUNTED_GROUPS.reduce((bits, group, bit) => bits + (groups.includes(group) ? 2 ** bit : 0), 0)]!

/** SQL of the lists of each stored series of conversions. */
export const CONVERSION_LISTS = CONVERSION_COUNTS.map(
  (name) => `array_agg(s.${name} order by s.slice)::text as ${name}`,
).join(', ')

export const conversionColumns = {
  id: 'int8',
  metric: 'text?',
  slices: 'text?',
  ...(Object.fromEntries(CONVERSION_COUNTS.map((name) => [name, 'text?'])) as Record<
    (typeof CONVERSION_COUNTS)[number],
    'text?'
  >),
} as const
export type ConversionRow = RowOf<typeof conversionColumns>

/** The same for the conversions $8: one row for each record and metric that has any. */
export const conversionHours = statement(
  'ads_stats_conversions',
  conversionColumns,
  `select e.id, s.metric, array_agg(s.slice order by s.slice)::text as slices, ${CONVERSION_LISTS}
     from (${ENTITIES}) e
     left join lateral (
       select h.metric, width_bucket(h.hour, $7::timestamptz[]) - 1 as slice,
              ${CONVERSION_COUNTS.map((name) => `sum(h.${name}) as ${name}`).join(', ')}
         from ads_conversion_hour h
        where h.entity_id = e.id and h.metric = any($8::text[]) and h.hour >= $4::timestamptz and h.hour < $5::timestamptz
          and h.placement = any($6::smallint[])
        group by 1, 2
     ) s on true
    group by e.id, s.metric`,
)
