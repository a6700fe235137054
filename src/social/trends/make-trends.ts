import type { Runtime } from '../../api-kit/runtime.ts'
import { transaction } from '../../storage/database.ts'
import { categoryOf, OTHER_CATEGORY } from '../annotations/category.ts'
import { tagKey } from '../annotations/dictionary.ts'
import { HOUR_MS } from './count-topics.ts'
import { risingTopics, trendsAdd, trendsMade, trendsOfAll, trendsRemove } from './topic.statements.ts'

/** How many trends a place has at most. */
export const MOST_TRENDS = 50

/** Replaces the trends of all places by those of now. Returns how many there are. */
export async function makeTrends(runtime: Runtime, now: number): Promise<number> {
  return transaction(runtime.database, async (tx) => {
    // First, because it locks the state: two runs at once would both add their trends.
    await trendsMade.count(tx, new Date(now))
    const rising = await risingTopics.all(tx, Math.floor(now / HOUR_MS))
    const since = new Map(
      (await trendsOfAll.all(tx)).map((trend) => [`${trend.woeid} ${trend.term}`, trend.trending_since]),
    )
    const byPlace = new Map<number, { topics: typeof rising; keys: Set<string> }>()
    for (const topic of rising) {
      const place = byPlace.get(topic.woeid) ?? { topics: [], keys: new Set<string>() }
      byPlace.set(topic.woeid, place)
      // A name and the hashtag of it are one trend.
      const key = topic.entity_id ?? tagKey(topic.shown)
      if (place.topics.length >= MOST_TRENDS || place.keys.has(key)) continue
      place.keys.add(key)
      place.topics.push(topic)
    }
    const trends = [...byPlace.values()].flatMap(({ topics }) =>
      topics.map((topic, at) => ({ ...topic, rank: at + 1 })),
    )
    await trendsRemove.count(tx)
    if (trends.length > 0)
      await trendsAdd.count(
        tx,
        trends.map((item) => item.woeid),
        trends.map((item) => item.rank),
        trends.map((item) => item.term),
        trends.map((item) => item.shown),
        trends.map((item) => (item.entity_id === null ? OTHER_CATEGORY : categoryOf([item.entity_id]))),
        trends.map((item) => item.posts),
        trends.map((item) => since.get(`${item.woeid} ${item.term}`) ?? new Date(now)).map((at) => at.toISOString()),
      )
    return trends.length
  })
}
