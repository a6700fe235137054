import { type RowOf, type Statement, statement } from '../../storage/statement.ts'
import { OUTCOME } from '../serving/outcomes.ts'
import { CONVERSION_LISTS, columnOf, conversionColumns, metricsOf, seriesOfColumns } from './hours.statements.ts'
import { COUNTED_GROUPS } from './metrics.data.ts'
import { AGE_CLASSES } from './segments.ts'

/** The records $3 of the kind $1 that the account $2 has, with where their events are found. */
const SCOPES = `
  select a.id, c.id as campaign_id, null::bigint as line_item_id, null::bigint as promoted_id
    from ads_account a join ads_campaign c on c.account_id = a.id where $1 = 'ACCOUNT' and a.id = $2::bigint and a.id = any($3::bigint[])
  union all select c.funding_instrument_id, c.id, null, null
    from ads_campaign c where $1 = 'FUNDING_INSTRUMENT' and c.account_id = $2::bigint and c.funding_instrument_id = any($3::bigint[])
  union all select c.id, c.id, null, null
    from ads_campaign c where $1 = 'CAMPAIGN' and c.account_id = $2::bigint and c.id = any($3::bigint[])
  union all select l.id, l.campaign_id, l.id, null
    from ads_line_item l where $1 = 'LINE_ITEM' and l.account_id = $2::bigint and l.id = any($3::bigint[])
  union all select p.id, l.campaign_id, l.id, p.id
    from ads_promoted_post p join ads_line_item l on l.id = p.line_item_id where $1 = 'PROMOTED_POST' and p.account_id = $2::bigint and p.id = any($3::bigint[])
  union all select p.id, l.campaign_id, l.id, p.id
    from ads_promoted_account p join ads_line_item l on l.id = p.line_item_id where $1 = 'PROMOTED_ACCOUNT' and p.account_id = $2::bigint and p.id = any($3::bigint[])`

/** The rows of a table of events (`t`) in a scope (`e`): ids from $4 until $5 on the placements $6. */
const IN_SCOPE = `t.campaign_id = e.campaign_id and t.id >= $4::bigint and t.id < $5::bigint and t.placement = any($6::smallint[])
    and (e.line_item_id is null or t.line_item_id = e.line_item_id) and (e.promoted_id is null or t.promoted_id = e.promoted_id)`

/** The slice of an event: ids have the time, and $7 are the ids at which slices begin. */
const SLICE = 'width_bucket(t.id, $7::bigint[]) - 1'

/** What is known about a viewer for the segmentation $8. */
const keyOf = (tag: string) => `case $8::text
    when 'AGE' then width_bucket(v.age, array[${AGE_CLASSES.join(', ')}])::text
    when 'GENDER' then v.gender::text
    when 'METROS' then v.metro
    when 'PLATFORMS' then v.platform
    ${tag}
  end`
/** The segments: $9 are what can be known, $10 the segments that it leads to. */
const SEGMENTS = `left join unnest($9::text[], $10::text[]) as k (key, segment) on k.key = `

const metrics = metricsOf(COUNTED_GROUPS)
const counts = metrics.map((metric) =>
  metric === 'billed_charge_local_micro'
    ? 'coalesce(sum(t.charge), 0) as billed_charge'
    : `count(*) filter (where t.outcomes & ${OUTCOME[metric as keyof typeof OUTCOME]} <> 0) as ${metric}`,
)

const keyColumns = { id: 'int8', segment: 'text', charged_slices: 'text?' } as const
export type SegmentRow = RowOf<typeof keyColumns> & Record<string, string | null>

/** What was counted in each segment: one row for each record and segment that has any, in the order of the records asked for. */
export const segmentCounts = statement(
  'ads_stats_segments',
  { ...keyColumns, ...Object.fromEntries(metrics.map((metric) => [columnOf(metric), 'text?' as const])) },
  `select s.id, s.segment, ${seriesOfColumns(metrics.map(columnOf))}
     from (
       select e.id, coalesce(k.segment, '') as segment, ${SLICE} as slice, ${counts.join(', ')}
         from (${SCOPES}) e
         join ads_event t on ${IN_SCOPE}
         left join ads_viewer v on v.number = t.viewer
         ${SEGMENTS} ${keyOf('')}
        group by 1, 2, 3
     ) s
    group by s.id, s.segment
    order by array_position($3::bigint[], s.id), s.segment = '', s.segment`,
) as Statement<SegmentRow>

const segmentConversionColumns = { ...conversionColumns, segment: 'text' } as const
export type SegmentConversionRow = RowOf<typeof segmentConversionColumns>

/** The same for the conversions $11 that an ad led to. */
export const segmentConversions = statement(
  'ads_stats_segment_conversions',
  segmentConversionColumns,
  `select s.id, s.segment, s.metric, array_agg(s.slice order by s.slice)::text as slices, ${CONVERSION_LISTS}
     from (
       select e.id, coalesce(k.segment, '') as segment, t.metric, ${SLICE} as slice,
              count(*) filter (where t.credited_to = 'view') as post_view,
              count(*) filter (where t.credited_to = 'engagement') as post_engagement,
              count(*) filter (where t.assisted) as assisted,
              coalesce(sum(t.quantity) filter (where t.credited_to = 'view'), 0) as order_quantity_view,
              coalesce(sum(t.quantity) filter (where t.credited_to = 'engagement'), 0) as order_quantity_engagement,
              coalesce(sum(t.amount) filter (where t.credited_to = 'view'), 0) as sale_amount_view,
              coalesce(sum(t.amount) filter (where t.credited_to = 'engagement'), 0) as sale_amount_engagement
         from (${SCOPES}) e
         join ads_conversion t on ${IN_SCOPE} and t.metric = any($11::text[])
         left join ads_viewer v on v.number = t.viewer
         ${SEGMENTS} ${keyOf(`when 'CONVERSION_TAGS' then t.tag_id::text`)}
        group by 1, 2, 3, 4
     ) s
    group by s.id, s.segment, s.metric
    order by array_position($3::bigint[], s.id), s.segment = '', s.segment`,
)

/** The tags whose conversions are credited to campaigns of the account $1 between two ids, with their names. */
export const tagsConverted = statement(
  'ads_stats_tags_converted',
  { id: 'int8', name: 'text?' },
  `select distinct t.tag_id as id, w.name from ads_campaign c
     join ads_conversion t on t.campaign_id = c.id and t.id >= $2::bigint and t.id < $3::bigint
     left join ads_web_event_tag w on w.id = t.tag_id where c.account_id = $1`,
)
