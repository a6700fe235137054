import { defineOperation, userOf } from '../../api-kit/declaring/operation.ts'
import { csv, wholeNumber } from '../../api-kit/declaring/parameters.ts'
import { ErrorsSchema } from '../../api-kit/declaring/reply.ts'
import { component, fixedName, Type, words } from '../../api-kit/declaring/schema.ts'
import type { Runtime } from '../../api-kit/runtime.ts'
import { resourceNotFound } from '../../api-kit/writing/partial-errors.ts'
import { forbidden, invalidParameter, objectNotFound } from '../../api-kit/writing/problems.ts'
import { wireTime } from '../../process/clock.ts'
import { idAt } from '../../process/ids.ts'
import { cutTerm, quote } from '../../search/post-terms.ts'
import { fold, tokenize } from '../../search/tokenize.ts'
import { userRow } from '../users/user.parts.ts'
import { MOST_TRENDS } from './make-trends.ts'
import { talkAround, trendsOfPlaces } from './topic.statements.ts'
import { isTrendPlace, placesOfLocation } from './trend-places.ts'

const Name = Type.Optional(Type.String())
const Meta = Type.Optional(Type.Object({ result_count: Type.Optional(Type.Integer({ format: 'int32' })) }))
const counted = (trends: readonly unknown[]) => ({ meta: { result_count: trends.length } })
const NO_TRENDS = counted([])

export const getTrendsByWoeid = defineOperation({
  id: 'getTrendsByWoeid',
  route: 'GET /2/trends/by/woeid/{woeid}',
  tag: 'Trends',
  summary: 'List the trends of a place',
  auth: { app: true },
  limit: { app: '75/15m' },
  path: { woeid: Type.Integer({ format: 'int32' }) },
  query: {
    max_trends: wholeNumber({ min: 1, max: MOST_TRENDS }, { initial: 20 }),
    // Both members are always sent; the parameter exists for compatibility.
    'trend.fields': csv(words(['trend_name', 'post_count']), { unique: true, required: false }),
  },
  reply: component(
    'Get2TrendsByWoeidWoeidResponse',
    Type.Object({
      data: Type.Optional(
        Type.Array(
          component(
            'Trend',
            Type.Object({ trend_name: Name, post_count: Type.Optional(Type.Integer({ format: 'int32' })) }),
          ),
          { minItems: 1 },
        ),
      ),
      errors: ErrorsSchema,
      meta: Meta,
    }),
  ),
  handle: async ({ path, query, runtime }) => {
    const woeid = Number(path.woeid)
    if (!Number.isInteger(woeid))
      throw invalidParameter('woeid', String(path.woeid), 'The `woeid` path parameter must be a whole number.')
    if (!isTrendPlace(woeid)) throw objectNotFound(resourceNotFound('place', 'woeid', String(path.woeid)))
    const trends = await trendsOfPlaces.all(runtime.database, [woeid], query.max_trends)
    if (trends.length === 0) return NO_TRENDS
    return { ...counted(trends), data: trends.map(({ name, post_count }) => ({ trend_name: name, post_count })) }
  },
})

const PERSONAL_FIELDS = ['category', 'post_count', 'trend_name', 'trending_since'] as const
const MOST_PERSONAL = 20
const DAY_MS = 24 * 3600_000

export const getTrendsPersonalizedTrends = defineOperation({
  id: 'getTrendsPersonalizedTrends',
  route: 'GET /2/users/personalized_trends',
  tag: 'Trends',
  summary: 'List the trends for the authenticated user',
  auth: { oauth1: true, oauth2: ['post.read', 'users.read'] },
  limit: { app: '200/15m + 200/24h', user: '10/15m + 100/24h' },
  query: { 'personalized_trend.fields': csv(fixedName(words(PERSONAL_FIELDS)), { unique: true, required: false }) },
  reply: component(
    'Get2UsersPersonalizedTrendsResponse',
    Type.Object({
      data: Type.Optional(
        Type.Array(
          component(
            'PersonalizedTrend',
            Type.Object({
              category: Name,
              // The reference has this name in both namings here, unlike in trends of places.
              post_count: Type.Optional(fixedName(Type.Integer())),
              trend_name: Name,
              trending_since: Name,
            }),
          ),
          { minItems: 1 },
        ),
      ),
      errors: ErrorsSchema,
      meta: Meta,
    }),
  ),
  handle: async ({ query, caller, runtime }) => {
    const user = (await runtime.parts.one(userRow, userOf(caller).id))!
    if (user.subscription_type === 'None')
      throw forbidden('Personalized trends need a paid subscription.', 'the user has no subscription')
    const asked = query['personalized_trend.fields']
    const shows = (field: string) => asked.length === 0 || (asked as readonly string[]).includes(field)
    const trends = await personalTrends(runtime, user)
    if (trends.length === 0) return NO_TRENDS
    return {
      ...counted(trends),
      data: trends.map((trend) => ({
        ...(shows('category') ? { category: trend.category } : {}),
        ...(shows('post_count') ? { post_count: trend.post_count } : {}),
        trend_name: trend.name,
        ...(shows('trending_since') ? { trending_since: wireTime(trend.trending_since.getTime()) } : {}),
      })),
    }
  },
})

/** The trends of the user's city, country and of the world, first those that the user and the followed users talk about. */
async function personalTrends(runtime: Runtime, user: { id: string; location: string }) {
  const woeids = placesOfLocation(user.location).toReversed()
  const found = await trendsOfPlaces.all(runtime.database, woeids, MOST_TRENDS)
  const seen = new Set<string>()
  const trends = found
    .sort((one, other) => woeids.indexOf(one.woeid) - woeids.indexOf(other.woeid))
    .filter(({ term }) => !seen.has(term) && seen.add(term))
    .map((trend) => ({ ...trend, post_count: mostPosts(found, trend.term) }))
  if (trends.length === 0) return []
  const around = await talkAround.all(
    runtime.database,
    user.id,
    idAt(runtime.clock.now() - DAY_MS),
    trends.map((trend) => queryOf(trend)),
  )
  const posts = new Map(around.map((row) => [trends[row.position - 1]!.term, row.posts]))
  const rank = new Map(trends.map((trend, at) => [trend.term, at]))
  return trends
    .sort(
      (one, other) =>
        (posts.get(other.term) ?? 0) - (posts.get(one.term) ?? 0) || rank.get(one.term)! - rank.get(other.term)!,
    )
    .slice(0, MOST_PERSONAL)
}

/** A place counts its own posts. The largest number is that of the widest place in which it is a trend. */
const mostPosts = (trends: readonly { term: string; post_count: number }[], term: string): number =>
  Math.max(...trends.filter((trend) => trend.term === term).map((trend) => trend.post_count))

/** The posts of a trend, as a query of the text index. */
function queryOf({ term, name }: { term: string; name: string }): string {
  if (term.startsWith('#')) return quote(cutTerm(fold(name)))
  const phrase = tokenize(name).map((word) => quote(cutTerm(word)))
  return [`(${phrase.join(' <-> ')})`, quote(cutTerm(`entity:${fold(name)}`))].join(' | ')
}
