import { component, nullable, type TSchema, Type } from '../../api-kit/declaring/schema.ts'
import {
  CONVERSION_METRICS,
  COUNTED_METRICS,
  KEY_PAGE_VIEW_SERIES,
  MOBILE_SERIES,
  seriesOf,
  UNCOUNTED_METRICS,
  WEB_SERIES,
} from './metrics.data.ts'

const MetricSeries = nullable(Type.Array(Type.Integer({ format: 'int64' })))

const seriesObject = (name: string, series: readonly string[]): TSchema =>
  component(name, Type.Object(Object.fromEntries(series.map((member) => [member, MetricSeries]))))

const CONVERSION_SCHEMAS = new Map<readonly string[], TSchema>([
  [WEB_SERIES, seriesObject('WebConversionMetric', WEB_SERIES)],
  [MOBILE_SERIES, seriesObject('MobileConversionMetric', MOBILE_SERIES)],
  [KEY_PAGE_VIEW_SERIES, seriesObject('KeyPageViewMetric', KEY_PAGE_VIEW_SERIES)],
])

const counted = [...Object.values(COUNTED_METRICS).flat(), ...UNCOUNTED_METRICS]
const conversions = Object.values(CONVERSION_METRICS).flat()

const StatsMetrics = component('StatsMetrics', {
  ...Type.Object({
    ...Object.fromEntries(counted.map((name) => [name, Type.Optional(MetricSeries)])),
    ...Object.fromEntries(conversions.map((name) => [name, Type.Optional(CONVERSION_SCHEMAS.get(seriesOf(name))!)])),
  }),
  // Says that a metric that was not asked for is absent, not null.
  required: [],
} as TSchema)

/** The statistics of one record. */
export const StatsEntitySchema = component(
  'StatsEntity',
  Type.Object({
    id: Type.String(),
    id_data: Type.Array(
      Type.Object({
        segment: nullable(
          component('StatsSegment', Type.Object({ segment_name: Type.String(), segment_value: Type.String() })),
        ),
        metrics: StatsMetrics,
      }),
    ),
  }),
)
