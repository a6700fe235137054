import { defineOperation } from '../../api-kit/declaring/operation.ts'
import { csv, type Parameter, textParameter } from '../../api-kit/declaring/parameters.ts'
import { ErrorsSchema } from '../../api-kit/declaring/reply.ts'
import { Count, component, Type, words } from '../../api-kit/declaring/schema.ts'
import type { Naming } from '../../api-kit/naming/naming.ts'
import type { ReadContext } from '../../api-kit/reading/read-context.ts'
import { timeBounds } from '../../api-kit/reading/time-bounds.ts'
import { Answer } from '../../api-kit/writing/answer.ts'
import { renderBody } from '../../api-kit/writing/problem.ts'
import { wireTime } from '../../process/clock.ts'
import { MediaKey, PostId } from '../ids.ts'
import { MEDIA_COUNTS, type MediaCount } from './facts.ts'
import { findOwnMedia, findOwnPosts, type OwnObjects } from './find-own.ts'
import { type MediaCountsRow, mediaFactsRead, type PostCountsRow, postFactsRead } from './insight.statements.ts'
import { ANALYTICS_METRICS, type AnalyticsMetric } from './metrics.ts'
import { type Periods, readSeries, requestedPeriods } from './read-series.ts'

const optional = Type.Optional
const integers = (names: readonly string[]) =>
  Type.Object(Object.fromEntries(names.map((name) => [name, optional(Count)])))

const seriesReply = (
  name: string,
  key: Record<string, ReturnType<typeof optional>>,
  metrics: [string, string],
  counts: readonly string[],
) =>
  component(
    name,
    Type.Object({
      data: optional(
        Type.Array(
          Type.Object({
            ...key,
            timestamped_metrics: optional(
              Type.Array(
                component(
                  metrics[0],
                  Type.Object({
                    metrics: optional(component(metrics[1], integers(counts))),
                    timestamp: optional(Type.String()),
                  }),
                ),
              ),
            ),
          }),
        ),
      ),
      errors: ErrorsSchema,
    }),
  )

/** The answer: for each own object a row for each period, and an error for each other object. */
function answerSeries(
  context: ReadContext,
  { own, refused }: OwnObjects,
  periods: Periods,
  keyName: string,
  metricsOf: (id: string, beginning: number) => Record<string, number>,
): Answer {
  const data = own.map((id) => ({
    [keyName]: id,
    timestamped_metrics: periods.beginnings.map((beginning) => ({
      timestamp: wireTime(beginning),
      metrics: metricsOf(id, beginning),
    })),
  }))
  const problems = refused.map((item) => item.problem)
  const errors = problems.length === 0 ? undefined : renderBody(problems, context.naming, context.problemBase)
  return new Answer(JSON.stringify({ data: data.length === 0 ? undefined : data, errors }))
}

/**
 * The length of periods. The reference requires it and also has a default: a request without it gets the default, since the
 * official library leaves it out.
 */
function granularityOf<const G extends string>(values: readonly G[], initial: NoInfer<G>): Parameter<G> {
  const optionalOne = textParameter({ ...words(values), default: initial }, { initial })
  return {
    describe: (name) => optionalOne.describe(name).map((described) => ({ ...described, required: true })),
    compile: (name, naming) => {
      const read = optionalOne.compile(name, naming)
      return (query, faults) => read(query, faults) ?? initial
    },
  }
}

const ANALYTICS_NAMES = Object.keys(ANALYTICS_METRICS) as AnalyticsMetric[]
// The reference has these as members of answers, but not among the fields.
const NOT_SELECTABLE: readonly string[] = ['link_clicks', 'media_engagements', 'profile_visits']

/** The metrics that a list of fields names; all without a list. Ids and times are always shown. */
const selected = <N extends string>(names: readonly N[], fields: readonly string[]): N[] =>
  names.filter((name) => fields.length === 0 || fields.includes(name))

const renamedMetrics = (naming: Naming, names: readonly AnalyticsMetric[]) =>
  names.map((name) => ({ name: naming.rename(name), compute: ANALYTICS_METRICS[name] }))

export const getPostsAnalytics = defineOperation({
  id: 'getPostsAnalytics',
  route: 'GET /2/posts/analytics',
  tag: 'Posts',
  summary: 'Read what happened to own posts, by hour, day or week',
  auth: { oauth1: true, oauth2: ['post.read', 'users.read'] },
  limit: { app: '300/15m', user: '300/15m' },
  query: {
    ids: csv(PostId, { max: 100 }),
    ...timeBounds(undefined, { required: true }),
    granularity: granularityOf(['hourly', 'daily', 'weekly', 'total'], 'total'),
    'analytics.fields': csv(
      words([...ANALYTICS_NAMES.filter((name) => !NOT_SELECTABLE.includes(name)), 'id', 'timestamp']),
      { unique: true, required: false },
    ),
  },
  reply: seriesReply('Analytics', { id: optional(PostId) }, ['TimestampedMetrics', 'Metrics'], ANALYTICS_NAMES),
  handle: async ({ query, context, runtime }) => {
    const periods = requestedPeriods(query.granularity, query.bounds, runtime.clock.now(), query.ids.length)
    const posts = await findOwnPosts(context, query.ids, 'ids')
    const rowOf = await readSeries(runtime.database, postFactsRead, posts.own, periods)
    const metrics = renamedMetrics(context.naming, selected(ANALYTICS_NAMES, query['analytics.fields']))
    return answerSeries(context, posts, periods, 'id', (id, beginning) => {
      const counts: Partial<PostCountsRow> = rowOf(id, beginning) ?? {}
      return Object.fromEntries(metrics.map(({ name, compute }) => [name, compute(counts)]))
    })
  },
})

export const getMediaAnalytics = defineOperation({
  id: 'getMediaAnalytics',
  route: 'GET /2/media/analytics',
  tag: 'Media',
  summary: 'Read how own media items were played, by hour or day',
  auth: { oauth1: true, oauth2: ['post.read'] },
  query: {
    media_keys: csv(MediaKey, { max: 100 }),
    ...timeBounds(undefined, { required: true }),
    granularity: granularityOf(['hourly', 'daily', 'total'], 'daily'),
    'media_analytics.fields': csv(words([...MEDIA_COUNTS, 'media_key', 'timestamp']), {
      unique: true,
      required: false,
    }),
  },
  reply: seriesReply(
    'MediaAnalytics',
    { media_key: optional(MediaKey) },
    ['MediaTimestampedMetrics', 'MediaMetrics'],
    MEDIA_COUNTS,
  ),
  handle: async ({ query, context, runtime }) => {
    const periods = requestedPeriods(query.granularity, query.bounds, runtime.clock.now(), query.media_keys.length)
    const items = await findOwnMedia(context, query.media_keys, 'media_keys')
    const rowOf = await readSeries(runtime.database, mediaFactsRead, items.own, periods)
    const names: MediaCount[] = selected(MEDIA_COUNTS, query['media_analytics.fields'])
    return answerSeries(context, items, periods, 'media_key', (key, beginning) => {
      const counts: Partial<MediaCountsRow> = rowOf(key, beginning) ?? {}
      return Object.fromEntries(names.map((name) => [name, counts[name] ?? 0]))
    })
  },
})
