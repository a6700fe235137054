import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseBase36 } from '../../../src/ads/kit/values.ts'
import { adServer } from '../../../src/ads/serving/ad-server.ts'
import type { Look } from '../../../src/ads/serving/look.ts'
import { idAt } from '../../../src/process/ids.ts'
import { makePost } from '../../social/acting.ts'
import { type AdsScene, createAdsScene } from '../ads-scene.ts'
import { type ServingScene, startServingScene } from './serving-scene.ts'

const LIMIT = 60_000
const START = Date.parse('2026-11-20T06:00:00Z')

let scene: ServingScene
let other: AdsScene
/** Instruments of two accounts that use one credit line. */
let line: string
let shared: string

beforeAll(async () => {
  scene = await startServingScene(60)
  await scene.server.command('clock', { set: '2026-11-20T05:00:00Z' })
  other = await createAdsScene(scene.server, 'production')
  const { id } = await scene.server.command('ads.funding.create', { account: scene.account, amount_local_micro: LIMIT })
  line = id
})
afterAll(() => scene.close())

const instrument = async (of: AdsScene, id: string) => (await of.get(`funding_instruments/${id}`)).body.data

/** An item that pays for each impression. */
async function promote(of: AdsScene, funding: string): Promise<string> {
  const campaign = await of.campaign({ funding_instrument_id: funding, daily_budget_amount_local_micro: 900_000_000 })
  const lineItem = await of.lineItem({
    campaign_id: campaign,
    objective: 'REACH',
    goal: 'MAX_REACH',
    bid_strategy: 'TARGET',
    bid_amount_local_micro: 8_000_000,
    standard_delivery: false,
  })
  const post = await makePost(scene.server, 'alice', { text: `An offer of ${campaign} for everybody` })
  await of.made('promoted_posts', { line_item_id: lineItem, post_ids: post })
  return campaign
}

let rounds = 0
/** Everybody looks, with several ad servers at once. */
async function look(turns: number): Promise<void> {
  const servers = [900, 901, 902].map((machine) => ({ machine, server: adServer.create(scene.server.runtime) }))
  await Promise.all(
    servers.map(async ({ machine, server }) => {
      for (let turn = 0; turn < turns; turn++) {
        const looks = scene.viewers.map((viewer, at): Look => {
          const moment = START + rounds * 3_600_000 + (turn * 100 + at) * 1_000
          return { id: idAt(moment, machine), at: moment, viewer, placement: 'PLATFORM_TIMELINE', slots: 2 }
        })
        await server.serve(looks, { responds: 'model' })
      }
    }),
  )
  for (const { server } of servers) await server.stop()
  rounds += 1
}

const chargesOf = async (campaigns: string[]): Promise<number[]> => {
  const text = 'select coalesce(sum(charge), 0)::int as charge from ads_event where campaign_id = $1'
  const { database } = scene.server.runtime
  const read = (id: string) => database.query<{ charge: number }>({ text, values: [parseBase36(id)] })
  return (await Promise.all(campaigns.map(read))).map(({ rows }) => rows[0]!.charge)
}

test('what one account spent of a credit line is gone for an account that shares it later', async () => {
  const first = await promote(scene, line)
  await look(1)
  const [before] = await chargesOf([first])
  expect(before).toBeGreaterThan(0)
  expect(before).toBeLessThan(LIMIT)
  const made = await scene.server.command('ads.funding.create', { account: other.account, shares: line })
  shared = made.id
  expect(made).toEqual({ id: shared, type: 'CREDIT_LINE', currency: 'USD' })
  for (const [of, id] of [
    [scene, line],
    [other, shared],
  ] as const)
    expect(await instrument(of, id)).toMatchObject({
      account_id: of.account,
      type: 'CREDIT_LINE',
      credit_limit_local_micro: LIMIT,
      credit_remaining_local_micro: LIMIT - before!,
      able_to_fund: true,
    })
  expect((await other.get(`funding_instruments/${line}`)).status).toBe(404)
})

test('accounts that share a credit line spend it together to the last micro, and both cannot fund then', async () => {
  const first = await scene.get('campaigns', { funding_instrument_ids: line })
  const campaigns = [first.body.data[0].id, await promote(other, shared)]
  await look(3)
  const charges = await chargesOf(campaigns)
  for (const charge of charges) expect(charge).toBeGreaterThan(0)
  expect(charges[0]! + charges[1]!).toBe(LIMIT)
  for (const [of, id, campaign] of [
    [scene, line, campaigns[0]],
    [other, shared, campaigns[1]],
  ] as const) {
    expect(await instrument(of, id)).toMatchObject({
      credit_remaining_local_micro: 0,
      able_to_fund: false,
      reasons_not_able_to_fund: ['BUDGET_EXHAUSTED'],
    })
    expect((await of.get(`campaigns/${campaign}`)).body.data.reasons_not_servable).toEqual(['FUNDING_PROBLEM'])
  }
  await look(1)
  expect(await chargesOf(campaigns)).toEqual(charges)
})

test('only a credit line of another account of the same environment can be shared, as it is', async () => {
  const { server } = scene
  const refused = async (args: object, parameter: string) => {
    const { status, body } = await server.tryCommand('ads.funding.create', { account: other.account, ...args })
    expect(status).toBe(400)
    expect(Object.keys(body.errors[0].parameters)).toEqual([parameter])
    return body.errors[0].message
  }
  const order = await server.command('ads.funding.create', { account: scene.account, type: 'INSERTION_ORDER' })
  const sandbox = await createAdsScene(server)
  for (const shares of ['zz9', order.id, sandbox.funding, shared])
    expect(await refused({ shares }, 'shares')).toBe(
      `shares [${shares}] is not the id of a CREDIT_LINE of another account of the same environment`,
    )
  expect(await refused({ shares: line, amount_local_micro: 5 }, 'amount_local_micro')).toBe(
    'amount_local_micro cannot be used together with shares',
  )
  expect(await refused({ shares: line, currency: 'EUR' }, 'currency')).toContain('cannot be used together')
})
