import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AdsScene, ALICE, startAdsScene } from './ads-scene.ts'

let scene: AdsScene
beforeAll(async () => {
  scene = await startAdsScene()
})
afterAll(() => scene.close())

const batch = (plural: string, json: unknown) =>
  scene.server.request('POST', `/ads-sandbox/12/batch/accounts/${scene.account}/${plural}`, { as: ALICE, json })
const errorCodes = (answer: { body: { operation_errors: { code: string }[][] } }) =>
  answer.body.operation_errors.map((errors) => errors.map((item) => item.code))
const lineItem = (campaign_id: string, values: Record<string, string> = {}) => ({
  operation_type: 'Create',
  params: {
    campaign_id,
    objective: 'ENGAGEMENTS',
    product_type: 'PROMOTED_POSTS',
    placements: 'PLATFORM_TIMELINE',
    ...values,
  },
})
const deletion = (name: string, id: string) => ({ operation_type: 'Delete', params: { [name]: id } })

describe('what a batch deletes leaves room for what it creates', () => {
  test('among the campaigns of the account, in any order', async () => {
    const create = {
      operation_type: 'Create',
      params: { funding_instrument_id: scene.funding, name: 'New', daily_budget_amount_local_micro: 1_000_000 },
    }
    const [one, two] = [await scene.campaign(), await scene.campaign()]
    await scene.server.command('ads.account.set', { account: scene.account, campaign_cap: 2 })
    expect(errorCodes(await batch('campaigns', [create, deletion('campaign_id', one), create]))).toEqual([
      [],
      [],
      ['TOO_MANY_CAMPAIGNS'],
    ])
    expect((await batch('campaigns', [deletion('campaign_id', one), create])).status).toBe(200)
    expect((await batch('campaigns', [create, deletion('campaign_id', two)])).status).toBe(200)
    await scene.server.command('ads.account.set', { account: scene.account, campaign_cap: 200 })
  })

  test('among the line items of a campaign, whose objective is free once none is left', async () => {
    const campaign = await scene.campaign()
    const first = await scene.lineItem({ campaign_id: campaign })
    const second = await scene.lineItem({ campaign_id: campaign })
    const other = lineItem(campaign, { objective: 'VIDEO_VIEWS' })
    const one = await batch('line_items', [deletion('line_item_id', first), other])
    expect(errorCodes(one)).toEqual([[], ['INVALID_PARAMETER']])
    const both = [deletion('line_item_id', first), deletion('line_item_id', second), other]
    expect((await batch('line_items', both)).status).toBe(200)
  })
})

test('an account has at most 4000 active line items: drafts do not count before they are used', async () => {
  const campaign = await scene.campaign()
  const first = await scene.lineItem({ campaign_id: campaign })
  const drafts = [
    await scene.lineItem({ campaign_id: campaign, entity_status: 'DRAFT' }),
    await scene.lineItem({ campaign_id: campaign, entity_status: 'DRAFT' }),
  ]
  const held = await scene.server.runtime.database.query<{ active: string }>({
    text: `select count(*) as active from ads_line_item where not deleted and entity_status <> 'DRAFT'`,
  })
  // Copies, since as many requests would take minutes.
  await scene.server.runtime.database.query({
    text: `insert into ads_line_item select (jsonb_populate_record(l, jsonb_build_object('id', l.id + at))).*
             from ads_line_item l, generate_series(1, $2::int) at where l.id = $1`,
    values: [String(idOf(first)), 3_999 - Number(held.rows[0]!.active)],
  })
  const fresh = await scene.campaign()
  expect((await batch('line_items', [lineItem(fresh, { entity_status: 'DRAFT' })])).status).toBe(200)
  expect((await scene.put(`line_items/${drafts[0]}`, { entity_status: 'PAUSED' })).status).toBe(200)
  for (const full of [
    await scene.put(`line_items/${drafts[1]}`, { entity_status: 'PAUSED' }),
    await scene.put(`line_items/${drafts[1]}/activate`),
  ]) {
    expect(full.status, full.text).toBe(400)
    expect(full.body.errors[0].code).toBe('TOO_MANY_LINE_ITEMS')
  }
  expect(errorCodes(await batch('line_items', [lineItem(fresh)]))).toEqual([['TOO_MANY_LINE_ITEMS']])
  expect((await batch('line_items', [lineItem(fresh, { entity_status: 'DRAFT' })])).status).toBe(200)
  expect((await scene.put(`line_items/${drafts[1]}`, { name: 'Still a draft' })).status).toBe(200)
  const exchange = [deletion('line_item_id', first), lineItem(fresh)]
  expect((await batch('line_items', exchange)).status).toBe(200)
})

/** The number of an id in base 36. */
const idOf = (text: string): bigint =>
  [...text].reduce((number, sign) => number * 36n + BigInt(Number.parseInt(sign, 36)), 0n)
