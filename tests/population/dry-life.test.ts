import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AdsScene, createAdsScene, startAdsScene } from '../ads/ads-scene.ts'
import { signedIn } from '../pages/signed-in.ts'
import { makePost, readPost } from '../social/acting.ts'

const FROM = '2027-03-02T19:00:00Z'
const UNTIL = '2027-03-02T20:00:00Z'

let sandbox: AdsScene
let production: AdsScene
let post: string
let life: { state: string; reason?: string; sandbox: string; ads: { impressions: number; engagements: number } }

/** A line item that shows the post, of the account of a scene. */
async function promote(scene: AdsScene, postId: string): Promise<{ campaign: string; lineItem: string }> {
  const campaign = await scene.campaign({ daily_budget_amount_local_micro: 900_000_000 })
  const how = { objective: 'REACH', bid_strategy: 'AUTO', standard_delivery: false }
  const lineItem = await scene.lineItem({ campaign_id: campaign, ...how })
  await scene.made('promoted_posts', { line_item_id: lineItem, post_ids: postId })
  return { campaign, lineItem }
}

let own: { campaign: string; lineItem: string }
let others: { campaign: string; lineItem: string }

beforeAll(async () => {
  sandbox = await startAdsScene([], { events: true })
  const { server } = sandbox
  await server.command('clock', { set: '2027-03-02T18:59:30Z' })
  production = await createAdsScene(server, 'production')
  post = await makePost(server, 'alice', { text: 'An offer that is tried out first' })
  own = await promote(sandbox, post)
  others = await promote(production, post)
  const asked = { personas: 100, seed: 6, for: '1h', speed: 'max', sandbox: sandbox.account }
  const { id } = await server.command('live.start', asked)
  for (;;) {
    life = await server.command('live.show', { id })
    if (['ended', 'failed'].includes(life.state)) break
    await sleep(20)
  }
})
afterAll(() => sandbox.close())

/** What was counted for a campaign, from the interface of its environment. */
async function countsOf(scene: AdsScene, campaign: string) {
  const { status, body, text } = await scene.call('GET', `stats/accounts/${scene.account}`, {
    entity: 'CAMPAIGN',
    entity_ids: campaign,
    start_time: FROM,
    end_time: UNTIL,
    granularity: 'TOTAL',
    placement: 'ALL_ON_TWITTER',
    metric_groups: 'ENGAGEMENT,BILLING',
  })
  expect(status, text).toBe(200)
  const { impressions, engagements, billed_charge_local_micro: charge } = body.data[0].id_data[0].metrics
  return { impressions: impressions?.[0] ?? 0, engagements: engagements?.[0] ?? 0, charge: charge?.[0] ?? 0 }
}

test('a dry life fills the statistics of the sandbox account, and nothing of production accounts', async () => {
  expect(life).toMatchObject({ state: 'ended', sandbox: sandbox.account })
  expect(life.ads.impressions).toBeGreaterThan(0)
  const counted = await countsOf(sandbox, own.campaign)
  expect(counted).toMatchObject(life.ads)
  expect(counted.charge).toBeGreaterThan(0)
  const { credit_limit_local_micro: limit, credit_remaining_local_micro: left } = (
    await sandbox.get(`funding_instruments/${sandbox.funding}`)
  ).body.data
  expect(limit - left).toBe(counted.charge)
  expect(await countsOf(production, others.campaign)).toEqual({ impressions: 0, engagements: 0, charge: 0 })
  const untouched = (await production.get(`funding_instruments/${production.funding}`)).body.data
  expect(untouched.credit_remaining_local_micro).toBe(untouched.credit_limit_local_micro)
})

test('nobody sees what a dry life counts: neither the metrics of the post nor home timelines have it', async () => {
  await production.put(`line_items/${others.lineItem}`, { entity_status: 'PAUSED' })
  await sandbox.server.command('clock', { advance_ms: 5_000 })
  const metrics = await readPost(sandbox.server, post, 'promoted_metrics', { user: 'alice' })
  expect(metrics).not.toHaveProperty('promoted_metrics')
  const bob = await signedIn(sandbox.server, 'bob')
  for (let at = 0; at < 3; at++) await makePost(sandbox.server, 'bob', { text: `An own post ${at}` })
  const { text } = await bob.open('/home')
  expect(text).toContain('An own post 2')
  expect(text).not.toContain('id="ad-')
})

test('a dry life needs a sandbox account that exists', async () => {
  const refused = async (value: string) => {
    const { status, body } = await sandbox.server.tryCommand('live.start', { sandbox: value })
    expect(status).toBe(400)
    expect(body.errors[0].parameters).toEqual({ sandbox: [value] })
    return body.errors[0].message
  }
  expect(await refused('zz9')).toBe('sandbox [zz9] is not the id of an advertising account')
  expect(await refused('not an id')).toBe('sandbox [not an id] is not the id of an advertising account')
  expect(await refused(production.account)).toContain('is the id of a production account')
  const spare = (await sandbox.call('POST', 'accounts')).body.data[0].id
  await sandbox.call('DELETE', `accounts/${spare}`)
  expect(await refused(spare)).toContain('is not the id of an advertising account')
})
