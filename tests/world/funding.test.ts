import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseBase36 } from '../../src/ads/kit/values.ts'
import { type AdsScene, createAdsScene } from '../ads/ads-scene.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

let server: TestServer
let scenes: AdsScene[]
beforeAll(async () => {
  server = await startTestServer()
  scenes = [await createAdsScene(server, 'production'), await createAdsScene(server, 'production')]
})
afterAll(() => server.close())

type Account = { id: string; funding_instruments?: Record<string, unknown>[] }
const apply = (world: object, more: object = {}) => server.command('world.apply', { world, ...more })
const exported = async () => (await server.command('world.export')).world
const resetWorld = async () => {
  const answer = await server.request('POST', '/_rostra/reset', { as: { bearer: server.credentials.admin_key } })
  expect(answer.body).toEqual({ reset: true })
}
const fund = async (account: string, args: object): Promise<string> =>
  (await server.command('ads.funding.create', { account, ...args })).id

/** What clients see of an instrument, without the time at which it was last stored. */
async function shown(of: AdsScene, id: string) {
  const { updated_at, ...rest } = (await of.get(`funding_instruments/${id}`)).body.data
  return rest
}
const remaining = async (of: AdsScene, id: string) => (await shown(of, id)).credit_remaining_local_micro

/** Spends of an instrument as the ad server does: under its id, and under that of its line. */
async function spend(id: string, micros: number): Promise<void> {
  await server.runtime.database.query({
    text: `insert into ads_spend as s (entity_id, day, spent)
           select unnest(array[id, credit_line_id]), 'infinity', $2 from ads_funding_instrument where id = $1 and credit_line_id is not null
           on conflict (entity_id, day) do update set spent = s.spent + excluded.spent`,
    values: [parseBase36(id), micros],
  })
}

test('an export that is applied after a reset has the same funding and the same remaining credit', async () => {
  const [one, two] = scenes as [AdsScene, AdsScene]
  const line = await fund(one.account, { amount_local_micro: 60_000 })
  const shared = await fund(two.account, { shares: line })
  const again = await fund(one.account, { shares: shared })
  await spend(line, 10_000)
  await spend(shared, 5_000)
  const order = await fund(two.account, { type: 'INSERTION_ORDER', currency: 'EUR', amount_local_micro: 7_000 })
  await server.runtime.database.query({
    text: `update ads_funding_instrument set entity_status = 'PAUSED', description = 'An order', created_at = '2020-01-31T08:00:00Z', end_time = '2200-01-31T08:00:00Z' where id = $1`,
    values: [parseBase36(order)],
  })
  const places: [AdsScene, string][] = [
    [one, line],
    [two, shared],
    [one, again],
    [two, order],
  ]
  const before = await Promise.all(places.map(([of, id]) => shown(of, id)))
  expect(before[0]).toMatchObject({ credit_limit_local_micro: 60_000, credit_remaining_local_micro: 45_000 })
  expect(before[3].created_at).toBe('2020-01-31T08:00:00Z')
  expect(before.map((item) => item.credit_remaining_local_micro)).toEqual([45_000, 45_000, 45_000, null])

  const world = await exported()
  const instruments = (world.ads_accounts as Account[]).flatMap((account) => account.funding_instruments ?? [])
  const written = (id: string) => instruments.find((item) => item.id === id)
  expect(written(line)).toMatchObject({ amount_local_micro: 60_000, spent_local_micro: 15_000 })
  expect(written(shared)).toEqual({
    id: shared,
    type: 'CREDIT_LINE',
    currency: 'USD',
    shares: line,
    start_time: expect.any(String),
    created_at: expect.any(String),
  })
  expect(written(again)).toMatchObject({ shares: shared })
  expect(await apply(world)).toMatchObject({ created: {}, changed: {} })

  await resetWorld()
  const planned = await apply(world, { dry_run: true })
  expect((await apply(world)).created).toEqual(planned.created)
  expect(await Promise.all(places.map(([of, id]) => shown(of, id)))).toEqual(before)
  expect(await exported()).toEqual(world)

  await spend(again, 1_000)
  expect(await Promise.all(places.slice(0, 3).map(([of, id]) => remaining(of, id)))).toEqual([44_000, 44_000, 44_000])
  // What was spent since stays spent.
  expect(await apply(world)).toMatchObject({ created: {}, changed: {} })
  expect(await remaining(one, line)).toBe(44_000)
})

const account = (name: string, instruments: object[]) => ({ name, owner: 'alice', funding_instruments: instruments })
const credit = { type: 'CREDIT_LINE', currency: 'USD' }

test('a file names a credit line by key, in any order, and a changed limit is that of all who share it', async () => {
  const file = (limit: number) => ({
    ads_accounts: [
      account('Third', [{ ...credit, key: 'third', shares: 'second' }]),
      account('Second', [{ ...credit, key: 'second', shares: 'first' }]),
      account('First', [{ ...credit, key: 'first', amount_local_micro: limit, spent_local_micro: 400 }]),
    ],
  })
  expect(await apply(file(1_000))).toMatchObject({ created: { 'ads account': 3, 'funding instrument': 3 } })
  expect(await apply(file(1_000))).toMatchObject({ created: {}, changed: {} })
  expect(await apply(file(2_000))).toMatchObject({ created: {}, changed: { 'funding instrument': 1 } })
  const made = ((await exported()).ads_accounts as (Account & { name: string })[]).filter((item) =>
    ['First', 'Second', 'Third'].includes(item.name),
  )
  for (const item of made) {
    const { body } = await server.get(`/ads/12/accounts/${item.id}/funding_instruments`, { user: 'alice' })
    expect(body.data).toMatchObject([{ credit_limit_local_micro: 2_000, credit_remaining_local_micro: 1_600 }])
  }
})

test('funding that cannot be is refused at its place, and nothing is made', async () => {
  const [first] = (await scenes[0]!.get('funding_instruments')).body.data
  const cases: [object[], string][] = [
    [[{ ...credit, shares: 'nowhere' }], 'shares'],
    [[{ ...credit, key: 'a', shares: 'a' }], 'shares'],
    [
      [
        { ...credit, key: 'line' },
        { ...credit, shares: 'line' },
      ].reverse(),
      'shares',
    ],
    [[{ ...credit, type: 'CREDIT_CARD', shares: first.id }], 'type'],
    [[{ ...credit, currency: 'EUR', shares: first.id }], 'currency'],
    [[{ ...credit, amount_local_micro: 5, shares: first.id }], 'amount_local_micro'],
    [[{ ...credit, spent_local_micro: 5, shares: first.id }], 'spent_local_micro'],
    [[{ ...credit, amount_local_micro: 1e300 }], 'amount_local_micro'],
    [[{ ...credit, id: first.id }], 'id'],
    [[{ ...credit, end_time: '-1d' }], 'end_time'],
    [[{ ...credit, start_time: '+999999999w' }], 'start_time'],
  ]
  for (const [instruments, member] of cases) {
    const world = { ads_accounts: [account('Refused', instruments)] }
    const { status, body } = await server.tryCommand('world.apply', { world })
    expect(status, JSON.stringify(instruments)).toBe(400)
    expect(Object.keys(body.errors[0].parameters)[0], JSON.stringify(body)).toBe(
      `$.world.ads_accounts[0].funding_instruments[0].${member}`,
    )
  }
  const twice = { id: 'twice1', name: 'Twice', owner: 'alice' }
  expect((await server.tryCommand('world.apply', { world: { ads_accounts: [twice, twice] } })).status).toBe(400)
  const names = ((await exported()).ads_accounts as { name: string }[]).map((item) => item.name)
  expect(names).not.toContain('Refused')
})

test('a deleted funding instrument is not exported, and does not come back', async () => {
  const sandbox = await createAdsScene(server)
  expect((await sandbox.delete(`funding_instruments/${sandbox.funding}`)).status).toBe(200)
  const world = await exported()
  expect(JSON.stringify(world.ads_accounts)).not.toContain(`"${sandbox.funding}"`)
  const of = (world.ads_accounts as Account[]).find((item) => item.id === sandbox.account)!
  of.funding_instruments = [{ ...credit, id: sandbox.funding }]
  expect((await server.tryCommand('world.apply', { world })).status).toBe(400)
})

test('an amount that no column can have is refused', async () => {
  const args = { account: scenes[0]!.account, amount_local_micro: 1e300 }
  expect((await server.tryCommand('ads.funding.create', args)).status).toBe(400)
})
