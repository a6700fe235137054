import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseBase36 } from '../../../src/ads/kit/values.ts'
import { connect } from '../../../src/testing/connect.ts'
import type { Rostra } from '../../../src/testing/types.ts'
import { Browser } from '../../support/browser.ts'
import { type ChildServer, rostraJson, runRostra, startChildServer } from '../../support/child-server.ts'
import { workersOf } from '../../support/processes.ts'
import { sign } from '../../support/sign.ts'
import { queryOf } from '../ads-scene.ts'

const LIMIT = 4_000_000
let server: ChildServer
let rostra: Rostra
let client: pg.Client

beforeAll(async () => {
  server = await startChildServer({ flags: ['--workers', '2', '--rate-limits', 'off'] })
  rostra = await connect({ url: server.baseUrl, adminKey: server.credentials.admin_key })
  client = new pg.Client({ ...server.connection, ssl: false })
  await client.connect()
})
afterAll(async () => {
  await client?.end()
  await rostra?.stop()
  await server?.stop()
})

/** A request of alice, who owns the accounts. */
async function call(method: string, path: string, values: Record<string, string | number | boolean> = {}) {
  const { users, apps } = server.credentials
  const alice = users.find((user) => user.username === 'alice')!
  const url = `${server.baseUrl}${path}?${queryOf(values)}`
  const keys = {
    consumerKey: apps[0]!.api_key,
    consumerSecret: apps[0]!.api_key_secret,
    token: alice.access_token,
    tokenSecret: alice.access_token_secret,
  }
  const isPost = path.startsWith('/2/')
  const answer = await fetch(isPost ? server.baseUrl + path : url, {
    method,
    headers: {
      authorization: sign(method, isPost ? server.baseUrl + path : url, keys),
      ...(isPost ? { 'content-type': 'application/json' } : {}),
    },
    ...(isPost ? { body: JSON.stringify(values) } : {}),
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
  return JSON.parse(text).data
}

/** Campaigns with line items that show new posts, below an account. */
async function promote(below: string, funding: string, items: Record<string, string | number | boolean>[]) {
  const money = { funding_instrument_id: funding, daily_budget_amount_local_micro: 3_000_000 }
  const campaign = await call('POST', `${below}/campaigns`, { name: 'Spring', ...money })
  for (const item of items) {
    const made = await call('POST', `${below}/line_items`, {
      campaign_id: campaign.id,
      objective: 'REACH',
      product_type: 'PROMOTED_POSTS',
      placements: 'ALL_ON_TWITTER',
      bid_strategy: 'AUTO',
      standard_delivery: false,
      start_time: '2026-01-01T00:00:00Z',
      end_time: '2032-01-01T00:00:00Z',
      ...item,
    })
    const post = await call('POST', '/2/posts', { text: `An offer of ${made.id} for everybody who reads this` })
    await call('POST', `${below}/promoted_posts`, { line_item_id: made.id, post_ids: post.id })
  }
  return campaign.id as string
}

const rows = async <T extends object>(sql: string, values: unknown[] = []): Promise<T[]> =>
  (await client.query<T>(sql, values)).rows

/** Opens home pages again and again, as real people do, and notes the ads that arrived. */
async function readPages(username: string, arrived: Set<string>, isOver: () => boolean): Promise<void> {
  const { password } = server.credentials.users.find((user) => user.username === username)!
  const browser = new Browser(server.baseUrl)
  await browser.signIn(await browser.open('/i/sign-in?return_to=/home'), { username, password: password! })
  while (!isOver()) {
    const page = await browser.open('/home').catch(() => undefined)
    if (page?.status === 200) for (const [, id] of page.text.matchAll(/id="ad-(\d+)"/g)) arrived.add(id!)
    await sleep(30)
  }
}

test('processes that are killed while they serve lose nothing that arrived, and money and counts agree', async () => {
  await rostra.clock.set('2030-01-07T19:00:00Z')
  const { id: account } = await rostra.command<{ id: string }>('ads.account.create', {
    owner: 'alice',
    timezone: 'UTC',
  })
  const { id: other } = await rostra.command<{ id: string }>('ads.account.create', { owner: 'alice', timezone: 'UTC' })
  const line = await rostra.command<{ id: string }>('ads.funding.create', { account, amount_local_micro: LIMIT })
  const shared = await rostra.command<{ id: string }>('ads.funding.create', { account: other, shares: line.id })
  const capped = { frequency_cap: 2, duration_in_days: 7 }
  const small = { daily_budget_amount_local_micro: 300_000 }
  await promote(`/ads/12/accounts/${account}`, line.id, [capped, small, {}])
  await promote(`/ads/12/accounts/${other}`, shared.id, [{ ...capped, ...small }, {}])

  const { id } = await rostra.command<{ id: string }>('live.start', {
    personas: 200,
    seed: 3,
    for: '90m',
    speed: 'max',
  })
  let isOver = false
  const arrived = new Set<string>()
  const readers = ['bob', 'chika'].map((name) => readPages(name, arrived, () => isOver))
  let kills = 0
  for (let ticks = 0; ; ) {
    const life = await rostra
      .command<{ ticks: number; state: string; reason?: string }>('live.show', { id })
      .catch(() => undefined)
    if (life?.state === 'failed') throw new Error(life.reason)
    if (life?.state === 'ended') break
    if (life && kills < 3 && life.ticks >= ticks + 15) {
      ticks = life.ticks
      for (const pid of workersOf(server)) process.kill(pid, 'SIGKILL')
      kills += 1
    }
    await sleep(20)
  }
  isOver = true
  await Promise.all(readers)
  expect(kills).toBeGreaterThan(0)
  expect(arrived.size).toBeGreaterThan(0)

  const stored = await rows<{ id: string }>('select id from ads_event where id = any($1::bigint[])', [[...arrived]])
  expect(new Set(stored.map((row) => row.id))).toEqual(arrived)
  // What each record spent and what its hours count is what its events say.
  const different = await rows(
    `with e as (
       select k.id, sum(coalesce(e.charge, 0)) as charge, count(*) filter (where e.impression_id is null) as shown
         from ads_event e join ads_campaign c on c.id = e.campaign_id join ads_funding_instrument f on f.id = c.funding_instrument_id
        cross join lateral (values (e.line_item_id), (c.id), (f.id), (f.credit_line_id), (e.promoted_id), (c.account_id)) k (id)
        group by 1
     )
     select e.id, e.charge, e.shown, s.spent, h.charge as hour_charge, h.shown as hour_shown
       from e
       left join ads_spend s on s.entity_id = e.id and s.day = 'infinity'
       left join (select entity_id, sum(billed_charge) as charge, sum(impressions) as shown from ads_hour group by 1) h on h.entity_id = e.id
      where s.spent <> e.charge or h.charge <> e.charge or h.shown <> e.shown or coalesce(s.spent, h.charge) is null`,
  )
  expect(different).toEqual([])
  const over = await rows(
    `select l.id from ads_line_item l join ads_spend s on s.entity_id = l.id and s.day < 'infinity' and s.spent > l.daily_budget_amount_local_micro
     union all select c.id from ads_campaign c join ads_spend s on s.entity_id = c.id and s.day < 'infinity' and s.spent > c.daily_budget_amount_local_micro
     union all select f.id from ads_funding_instrument f join ads_spend s on s.entity_id = coalesce(f.credit_line_id, f.id) and s.day = 'infinity' and s.spent > f.credit_limit_local_micro
     union all select e.line_item_id from ads_event e join ads_line_item l on l.id = e.line_item_id and l.frequency_cap is not null
                where e.impression_id is null group by e.line_item_id, e.viewer, l.frequency_cap having count(*) > l.frequency_cap`,
  )
  expect(over).toEqual([])
  const [sums] = await rows<{ charge: string; spent: string }>(
    `select sum(e.charge) as charge, (select spent from ads_spend s join ads_funding_instrument f on f.credit_line_id = s.entity_id where f.id = $1 and s.day = 'infinity') as spent from ads_event e`,
    [parseBase36(line.id)],
  )
  expect(Number(sums!.charge)).toBeGreaterThan(0)
  expect(sums!.spent).toBe(sums!.charge)
})

test('rostra live --sandbox lives a dry life, and says what it cannot take', async () => {
  const [{ id: account }] = await call('POST', '/ads-sandbox/12/accounts')
  const below = `/ads-sandbox/12/accounts/${account}`
  const line = { type: 'CREDIT_LINE', currency: 'USD', start_time: '2026-01-01', credit_limit_local_micro: 900_000_000 }
  const funding = await call('POST', `${below}/funding_instruments`, line)
  await promote(below, funding.id, [{}])
  const where = ['--data-dir', server.dataDir]
  const asked = ['live', '--personas', '100', '--seed', '3', '--for', '10m', '--speed', 'max', '--quiet', ...where]
  const life = await rostraJson([...asked, '--sandbox', account])
  expect(life).toMatchObject({ state: 'ended', sandbox: account })
  expect(life.ads.impressions).toBeGreaterThan(0)
  const refused = await runRostra([...asked, '--sandbox', 'zz9'])
  expect(refused.code).not.toBe(0)
  expect(refused.stderr).toContain('sandbox [zz9] is not the id of an advertising account')
})
