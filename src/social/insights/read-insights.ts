import { defineOperation } from '../../api-kit/declaring/operation.ts'
import { csv, textParameter } from '../../api-kit/declaring/parameters.ts'
import { ErrorsSchema } from '../../api-kit/declaring/reply.ts'
import { component, Type, words } from '../../api-kit/declaring/schema.ts'
import type { ReadContext } from '../../api-kit/reading/read-context.ts'
import { timeBounds } from '../../api-kit/reading/time-bounds.ts'
import type { Runtime } from '../../api-kit/runtime.ts'
import { Answer } from '../../api-kit/writing/answer.ts'
import { renderBody } from '../../api-kit/writing/problem.ts'
import { wireTime } from '../../process/clock.ts'
import type { Db } from '../../storage/database.ts'
import { PostId } from '../ids.ts'
import { HOUR_MS } from './facts.ts'
import { findOwnPosts, type OwnObjects } from './find-own.ts'
import { type PostCountsRow, postFactsRead } from './insight.statements.ts'
import { INSIGHT_METRICS, type InsightMetric } from './metrics.ts'
import { type Granularity, type Periods, periodsBetween, readSeries, requestedPeriods } from './read-series.ts'

const optional = Type.Optional
const METRIC_NAMES = Object.keys(INSIGHT_METRICS) as InsightMetric[]
const MetricValues = Type.Array(
  Type.Object({ metric_type: optional(Type.String()), metric_value: optional(Type.Number()) }),
)

const Engagement = component(
  'Engagement',
  Type.Object({
    errors: optional(
      Type.Array(Type.Object({ error: optional(Type.String()), posts: optional(Type.Array(Type.String())) }), {
        minItems: 1,
      }),
    ),
    measurement: optional(
      Type.Object({
        metrics_time_series: optional(
          Type.Array(
            Type.Object({
              post_id: optional(PostId),
              value: optional(
                Type.Object({
                  metric_values: optional(MetricValues),
                  timestamp: optional(Type.Object({ iso8601_time: optional(Type.String()) })),
                }),
              ),
            }),
            { minItems: 1 },
          ),
        ),
        metrics_total: optional(
          Type.Array(Type.Object({ post_id: optional(PostId), value: optional({ ...MetricValues, minItems: 1 }) }), {
            minItems: 1,
          }),
        ),
      }),
    ),
  }),
)

const reply = (name: string) =>
  component(name, Type.Object({ data: optional(Type.Array(Engagement, { minItems: 1 })), errors: ErrorsSchema }))

const auth = { oauth1: true, oauth2: ['post.read'] }

const query = {
  post_ids: csv(PostId, { max: 25, unique: true }),
  granularity: textParameter(words(['Daily', 'Hourly', 'Weekly', 'Total']), { required: true }),
  requested_metrics: csv(words(METRIC_NAMES), { unique: true }),
  'engagement.fields': csv(words(['errors', 'measurement']), { unique: true, required: false }),
}

interface InsightQuery {
  post_ids: string[]
  granularity: 'Daily' | 'Hourly' | 'Weekly' | 'Total'
  requested_metrics: InsightMetric[]
  'engagement.fields': string[]
}

const granularityOf = (given: InsightQuery): Granularity => given.granularity.toLowerCase() as Granularity

/** The numbers of the caller's posts: those of the whole time, and those of each period unless only the total is asked for. */
async function answerInsights(context: ReadContext, runtime: Runtime, given: InsightQuery, periods: Periods) {
  const posts = await findOwnPosts(context, given.post_ids, 'post_ids')
  const shows = (member: string) =>
    given['engagement.fields'].length === 0 || given['engagement.fields'].includes(member)
  const measurement =
    posts.own.length === 0 ? undefined : await measure(context, runtime.database, given, posts.own, periods)
  const problems = posts.refused.map((item) => item.problem)
  const errors = problems.length === 0 ? undefined : renderBody(problems, context.naming, context.problemBase)
  const data = [
    {
      errors: shows('errors') ? groupRefused(context, posts) : undefined,
      measurement: shows('measurement') ? measurement : undefined,
    },
  ]
  return new Answer(JSON.stringify({ data, errors }))
}

async function measure(context: ReadContext, db: Db, given: InsightQuery, own: string[], periods: Periods) {
  const metrics = given.requested_metrics.map((name) => ({
    metric_type: context.naming.rename(name),
    compute: INSIGHT_METRICS[name],
  }))
  const valuesOf = (counts: Partial<PostCountsRow> | undefined) =>
    metrics.map(({ metric_type, compute }) => ({ metric_type, metric_value: compute(counts ?? {}) }))
  const idName = context.naming.rename('post_id')
  const whole = periodsBetween('total', periods.startMs, periods.endMs)
  const totalOf = await readSeries(db, postFactsRead, own, whole)
  const total = own.map((id) => ({ [idName]: id, value: valuesOf(totalOf(id, whole.beginnings[0]!)) }))
  if (periods.granularity === 'total') return { metrics_total: total }
  const rowOf = await readSeries(db, postFactsRead, own, periods)
  const series = own.flatMap((id) =>
    periods.beginnings.map((beginning) => ({
      [idName]: id,
      value: {
        metric_values: valuesOf(rowOf(id, beginning)),
        timestamp: { iso8601_time: wireTime(beginning) },
      },
    })),
  )
  return { metrics_time_series: series.length === 0 ? undefined : series, metrics_total: total }
}

/** The posts without numbers, by the reason. */
function groupRefused(context: ReadContext, { refused }: OwnObjects) {
  const groups = new Map<string, string[]>()
  for (const { id, problem } of refused) {
    const { title } = renderBody(problem, context.naming, context.problemBase) as { title: string }
    groups.set(title, [...(groups.get(title) ?? []), id])
  }
  const postsName = context.naming.rename('posts')
  return groups.size === 0 ? undefined : [...groups].map(([error, ids]) => ({ error, [postsName]: ids }))
}

// The present hour and the 27 before it.
const RECENT_HOURS = 28

export const getInsights28Hr = defineOperation({
  id: 'getInsights28Hr',
  route: 'GET /2/insights/28hr',
  tag: 'Posts',
  summary: 'Read what happened to own posts in the last 28 hours',
  auth,
  query,
  reply: reply('Get2Insights28hrResponse'),
  handle: ({ query: given, context, runtime }) => {
    const now = runtime.clock.now()
    const periods = periodsBetween(granularityOf(given), now - (RECENT_HOURS - 1) * HOUR_MS, now + 1)
    return answerInsights(context, runtime, given, periods)
  },
})

export const getInsightsHistorical = defineOperation({
  id: 'getInsightsHistorical',
  route: 'GET /2/insights/historical',
  tag: 'Posts',
  summary: 'Read what happened to own posts between two moments',
  auth,
  query: { ...query, ...timeBounds(undefined, { required: true }) },
  reply: reply('Get2InsightsHistoricalResponse'),
  handle: ({ query: given, context, runtime }) => {
    const now = runtime.clock.now()
    const periods = requestedPeriods(granularityOf(given), given.bounds, now, given.post_ids.length)
    return answerInsights(context, runtime, given, periods)
  },
})
