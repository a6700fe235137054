import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseBase36 } from '../../../src/ads/kit/values.ts'
import { serveLooks } from '../../../src/ads/serving/ad-server.ts'
import type { Look } from '../../../src/ads/serving/look.ts'
import { idAt } from '../../../src/process/ids.ts'
import { makePost } from '../../social/acting.ts'
import { sampleOf } from '../../support/sampling.ts'
import { openAdvertiser } from './random-advertisers.ts'
import { type ServingScene, startServingScene } from './serving-scene.ts'

// Two whole days take some seconds: only runs of all cases and of the rest make them.
const isAsked = sampleOf('pacing of whole days', ['two days'], 0).length > 0

const DAY_ONE = Date.parse('2026-11-17T00:00:00Z')
const MINUTE_MS = 60_000
const DAY_MINUTES = 1_440
const TURN_MINUTES = 15
const DAILY = 3_000_000

/** Looks of a minute: few at night, many in the evening. */
const rateAt = (minute: number): number => 10 * (1.2 + Math.sin(((minute / 60 - 9) / 24) * 2 * Math.PI))

let scene: ServingScene
beforeAll(async () => {
  if (isAsked) scene = await startServingScene(300)
})
afterAll(() => scene?.close())

test.runIf(isAsked)(
  'items with 500 charges a day follow the traffic of the day within a quarter, do not end early, and others spend at once',
  async () => {
    const { server, viewers } = scene
    await server.command('clock', { set: '2026-11-16T20:00:00Z' })
    const of = await openAdvertiser(server, { timezone: 'UTC', currency: 'USD', dollars: 900 })
    const promote = async (name: string, standard_delivery: boolean): Promise<string> => {
      const { id: campaign } = await of.made('campaigns', {
        funding_instrument_id: of.fundings[0],
        name,
        daily_budget_amount_local_micro: 500_000_000,
      })
      const { id } = await of.made('line_items', {
        campaign_id: campaign,
        objective: 'REACH',
        goal: 'MAX_REACH',
        product_type: 'PROMOTED_POSTS',
        placements: 'ALL_ON_TWITTER',
        bid_strategy: 'TARGET',
        bid_amount_local_micro: 5_000_000,
        daily_budget_amount_local_micro: DAILY,
        standard_delivery,
        start_time: '2026-11-01T00:00:00Z',
        end_time: '2030-01-01T00:00:00Z',
      })
      const post = await makePost(server, 'alice', { text: `An offer called ${name} for everybody who reads` })
      await of.made('promoted_posts', { line_item_id: id, post_ids: post })
      return parseBase36(id)!
    }
    const paced = [await promote('first', true), await promote('second', true), await promote('third', true)]
    const fast = await promote('fast', false)

    const looksByHour = Array.from({ length: 48 }, () => 0)
    const chargesByHour = new Map([...paced, fast].map((id) => [id, Array.from({ length: 48 }, () => 0)]))
    const countOf = new Map<string, number>()
    let number = 0
    let owed = 0
    for (let minute = 0; minute < 2 * DAY_MINUTES; minute += TURN_MINUTES) {
      const looks: Look[] = []
      for (let within = minute; within < minute + TURN_MINUTES; within++) {
        const at = DAY_ONE + within * MINUTE_MS
        owed += rateAt(within % DAY_MINUTES)
        for (; owed >= 1; owed--) {
          // Numbers that share no factor with the number of viewers mix them.
          const viewer = viewers[(number++ * 97) % viewers.length]!
          looks.push({
            id: idAt(at, 900, (looks.length % 400) * 8),
            at,
            viewer,
            placement: 'PLATFORM_TIMELINE',
            slots: 1,
          })
        }
      }
      const hour = Math.floor(minute / 60)
      looksByHour[hour]! += looks.length
      for (const ad of (await serveLooks(server.runtime, looks, { responds: 'model' })).flat()) {
        chargesByHour.get(ad.lineItemId)![hour]! += ad.charge
        if (minute >= DAY_MINUTES && ad.charge > 0) countOf.set(ad.lineItemId, (countOf.get(ad.lineItemId) ?? 0) + 1)
      }
    }

    const looks = looksByHour.slice(24)
    const total = looks.reduce((sum, one) => sum + one, 0)
    const gone = looks.map((_, hour) => looks.slice(0, hour + 1).reduce((sum, one) => sum + one, 0) / total)
    const spentBy = (id: string) => {
      const hours = chargesByHour.get(id)!.slice(24)
      return hours.map((_, hour) => hours.slice(0, hour + 1).reduce((sum, one) => sum + one, 0))
    }
    const fastSpent = spentBy(fast)
    for (const id of paced) {
      expect(countOf.get(id)).toBeGreaterThanOrEqual(500)
      const hours = chargesByHour.get(id)!.slice(24)
      const deviation =
        hours.reduce((sum, spent, hour) => sum + Math.abs(spent - (DAILY * looks[hour]!) / total), 0) / DAILY
      expect(deviation).toBeLessThan(0.25)
      const spent = spentBy(id)
      for (const [hour, all] of spent.entries()) {
        if (gone[hour]! < 0.9) expect(all).toBeLessThan(DAILY)
        expect(fastSpent[hour]).toBeGreaterThanOrEqual(all)
      }
      expect(spent.at(-1)).toBeGreaterThan(0.9 * DAILY)
      expect(spent.at(-1)).toBeLessThanOrEqual(DAILY)
    }
  },
)
