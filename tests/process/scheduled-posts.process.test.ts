import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ChildServer, onFirstWorld, startChildServer } from '../support/child-server.ts'
import { workersOf } from '../support/processes.ts'

const POSTS = 150
const KILLS = 3

let server: ChildServer
let database: pg.Client
beforeAll(async () => {
  server = await startChildServer({ flags: [...(await onFirstWorld()), '--workers', '2'] })
  database = new pg.Client(server.connection)
  await database.connect()
})
afterAll(async () => {
  await database.end()
  await server.stop()
})

const count = async (sql: string): Promise<number> => Number((await database.query(sql)).rows[0].n)
const published = () => count(`select count(*) as n from ads_scheduled_post where scheduled_status = 'SUCCESS'`)

/** Kills both workers; false while the next ones have not started yet. */
function killWorkers(): boolean {
  const workers = workersOf(server)
  for (const pid of workers) process.kill(pid, 'SIGKILL')
  return workers.length > 0
}

test('scheduled posts are published and promoted once each while the workers are killed', async () => {
  // Written by SQL as the interface writes them, because requests would take too long.
  const { rows } = await database.query(`select f.account_id, f.id from ads_funding_instrument f limit 1`)
  const [account, user, app] = [rows[0].account_id, server.credentials.users[0]!.id, 1]
  await database.query(
    `insert into ads_campaign (id, account_id, funding_instrument_id, name, budget_optimization, entity_status, created_at, updated_at)
     values (1, $1, $2, 'Scheduled', 'LINE_ITEM', 'ACTIVE', now(), now())`,
    [account, rows[0].id],
  )
  await database.query(
    `insert into ads_line_item (id, account_id, campaign_id, name, objective, goal, product_type, placements, bid_strategy, pay_by,
       standard_delivery, entity_status, created_at, updated_at)
     values (1, $1, 1, 'Scheduled', 'ENGAGEMENTS', 'ENGAGEMENT', 'PROMOTED_POSTS', '{PLATFORM_TIMELINE}', 'AUTO', 'ENGAGEMENT', true, 'ACTIVE', now(), now())`,
    [account],
  )
  await database.query(
    `with posts as (
       insert into ads_scheduled_post (id, account_id, user_id, text, nullcast, has_mentions, scheduled_at, scheduled_status, app_id, app_name, created_at, updated_at)
       select n, $1, $2, 'on time ' || n, true, false, now(), 'SCHEDULED', $3, 'First app', now(), now() from generate_series(1, ${POSTS}) n
       returning id)
     insert into ads_scheduled_promoted_post (id, account_id, line_item_id, scheduled_post_id, created_at, updated_at)
     select id, $1, 1, id, now(), now() from posts`,
    [account, user, app],
  )
  let kills = 0
  for (let seen = 0; (await published()) < POSTS; ) {
    await sleep(20)
    const done = await published()
    // In the middle of the work: as soon as more of it is done.
    if (kills < KILLS && done > seen && killWorkers()) {
      kills += 1
      seen = done
    }
  }
  expect(kills).toBeGreaterThan(0)
  expect(await count(`select count(*) as n from post where text like 'on time %'`)).toBe(POSTS)
  expect(await count(`select count(distinct text) as n from post where text like 'on time %'`)).toBe(POSTS)
  expect(await count('select count(*) as n from ads_promoted_post where line_item_id = 1')).toBe(POSTS)
  expect(await count('select count(distinct post_id) as n from ads_promoted_post where line_item_id = 1')).toBe(POSTS)
  expect(await count(`select count(*) as n from ads_history where entity = 'PROMOTED_POST'`)).toBe(POSTS)
})
