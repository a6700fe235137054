import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseBase36 } from '../../../src/ads/kit/values.ts'
import { adServer } from '../../../src/ads/serving/ad-server.ts'
import type { Look } from '../../../src/ads/serving/look.ts'
import { idAt } from '../../../src/process/ids.ts'
import { type ServingScene, startServingScene } from './serving-scene.ts'

const MICROS = 1_000_000
const START = Date.parse('2026-11-20T06:00:00Z')

let scene: ServingScene
beforeAll(async () => {
  scene = await startServingScene(90)
})
afterAll(() => scene.close())

// biome-ignore lint/suspicious/noExplicitAny: rows of whatever a test asks for.
const rows = async (text: string): Promise<any[]> => (await scene.server.runtime.database.query({ text })).rows

test('several ad servers at once spend no budget twice, and sums agree at every level', async () => {
  const reach = { objective: 'REACH', goal: 'MAX_REACH', bid_strategy: 'TARGET', standard_delivery: false }
  const campaign = await scene.campaign({ daily_budget_amount_local_micro: 60_000 })
  const second = await scene.campaign({ daily_budget_amount_local_micro: 40 * MICROS })
  for (const [at, of] of [campaign, campaign, second, second].entries()) {
    const lineItem = await scene.lineItem({
      ...reach,
      campaign_id: of,
      bid_amount_local_micro: (5 + at) * MICROS,
      daily_budget_amount_local_micro: 40_000,
    })
    const post = (await scene.server.post('/2/posts', { text: `Offer ${at}` }, { user: 'alice' })).body.data.id
    await scene.made('promoted_posts', { line_item_id: lineItem, post_ids: post })
  }
  const servers = Array.from({ length: 3 }, () => adServer.create(scene.server.runtime))
  await Promise.all(
    servers.map(async (server, number) => {
      for (let turn = 0; turn < 6; turn++) {
        const looks = scene.viewers.map((viewer, at): Look => {
          const moment = START + (turn * 100 + at) * 1000 + number
          return { id: idAt(moment, 900 + number), at: moment, viewer, placement: 'PLATFORM_TIMELINE', slots: 1 }
        })
        await server.serve(looks, { responds: 'model' })
      }
    }),
  )
  for (const server of servers) await server.stop()

  const spent = await rows(`select entity_id, spent::int from ads_spend where day = 'infinity'`)
  const spentBy = new Map(spent.map((row) => [row.entity_id, row.spent]))
  expect(spentBy.get(parseBase36(campaign)!)).toBe(60_000)
  const items = await rows('select line_item_id as id, sum(charge)::int as charge from ads_event group by 1')
  for (const { id, charge } of items) {
    expect(charge).toBeLessThanOrEqual(40_000)
    expect(spentBy.get(id)).toBe(charge)
  }
  const levels = await rows(
    `select h.sum = e.sum as charges, h.n = e.n as impressions from
       (select entity_id, sum(billed_charge) as sum, sum(impressions) as n from ads_hour group by 1) h
       join (select campaign_id as id, sum(charge) as sum, count(*) as n from ads_event group by 1
             union all select line_item_id, sum(charge), count(*) from ads_event group by 1
             union all select promoted_id, sum(charge), count(*) from ads_event group by 1) e on e.id = h.entity_id`,
  )
  expect(levels).toHaveLength(10)
  for (const row of levels) expect(row).toEqual({ charges: true, impressions: true })
  const [whole] = await rows(`select sum(charge)::int as charge, count(*)::int as shown from ads_event`)
  expect(spentBy.get(parseBase36(scene.funding)!)).toBe(whole.charge)
  const [account] = await rows(
    `select sum(billed_charge)::int as charge, sum(impressions)::int as shown from ads_hour where entity_id = ${parseBase36(scene.account)}`,
  )
  expect(account).toEqual(whole)
})

test('several ad servers at once keep a frequency cap', async () => {
  const campaign = await scene.campaign({ daily_budget_amount_local_micro: 900 * MICROS })
  const lineItem = await scene.lineItem({
    campaign_id: campaign,
    objective: 'REACH',
    bid_strategy: 'TARGET',
    bid_amount_local_micro: 50 * MICROS,
    standard_delivery: false,
    frequency_cap: 1,
    duration_in_days: 7,
  })
  const post = (await scene.server.post('/2/posts', { text: 'An offer to be seen once' }, { user: 'alice' })).body.data
    .id
  await scene.made('promoted_posts', { line_item_id: lineItem, post_ids: post })
  const servers = Array.from({ length: 3 }, () => adServer.create(scene.server.runtime))
  await Promise.all(
    servers.map((server, number) =>
      server.serve(
        scene.viewers.map((viewer, at): Look => {
          const moment = START + 7_200_000 + at * 1000
          return { id: idAt(moment, 900 + number), at: moment, viewer, placement: 'PLATFORM_TIMELINE', slots: 1 }
        }),
        { responds: 'model' },
      ),
    ),
  )
  for (const server of servers) await server.stop()
  const [seen] = await rows(
    `select max(n)::int as most, count(*)::int as people from
       (select count(*) as n from ads_event where line_item_id = ${parseBase36(lineItem)} group by viewer) v`,
  )
  expect(seen).toEqual({ most: 1, people: 90 })
})
