// A life at full speed: looks and actions per second, and memory, without ads and with some active line items.
//   npm run bench:life                       20,000 personas, two hours in the evening, 0 and 100 line items
//   npm run bench:life -- 100000 1d 0 10000  personas, how long, and the numbers of line items
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { connectionOf, memoryOf, processorOf, startRostra, temporaryFolder } from './processes.js'

const [personas = '20000', duration = '2h', ...sizes] = process.argv.slice(2)
const ITEMS = sizes.length > 0 ? sizes.map(Number) : [0, 100]
const MOST_MS = 30 * 60_000

/** Line items for the posts of the first users, with large budgets and bids around 2 in the currency of the account. */
async function addItems(folder, count) {
  const client = new pg.Client(connectionOf(folder))
  await client.connect()
  const { rows } = await client.query(
    `select a.id as account, f.id as funding, (select min(p.id) from post p where p.reposted_post_id is null and not p.nullcast) as post
       from ads_account a join ads_funding_instrument f on f.account_id = a.id where not a.sandbox limit 1`,
  )
  const { account, funding, post } = rows[0]
  await client.query(
    'update ads_funding_instrument set credit_limit_local_micro = 1000000000000000 where id = $1 and credit_limit_local_micro is not null',
    [funding],
  )
  await client.query(
    `insert into ads_campaign (id, account_id, funding_instrument_id, name, budget_optimization, entity_status, daily_budget_amount_local_micro, created_at, updated_at)
     select $1::bigint + 1000000000 + n, $1, $2, 'Campaign ' || n, 'LINE_ITEM', 'ACTIVE', 100000000000, now(), now() from generate_series(1, $3::int) n`,
    [account, funding, Math.ceil(count / 100)],
  )
  await client.query(
    `insert into ads_line_item (id, account_id, campaign_id, name, objective, goal, product_type, placements, bid_strategy, bid_amount_local_micro, pay_by, standard_delivery, entity_status, start_time, created_at, updated_at)
     select $1::bigint + 2000000000 + n, $1, $1::bigint + 1000000000 + (n + 99) / 100, 'Line item ' || n, 'ENGAGEMENTS', 'ENGAGEMENT', 'PROMOTED_POSTS', '{PLATFORM_TIMELINE}', 'MAX', 1000000 + n * 7919::bigint % 2000000, 'ENGAGEMENT', true, 'ACTIVE', timestamptz '2026-01-01', now(), now() from generate_series(1, $2::int) n`,
    [account, count],
  )
  // Each wants people of some ages, as most line items want somebody.
  await client.query(
    `insert into ads_promoted_post (id, account_id, line_item_id, post_id, entity_status, approval_status, created_at, updated_at)
     select $1::bigint + 3000000000 + n, $1, $1::bigint + 2000000000 + n, $3, 'ACTIVE', 'ACCEPTED', now(), now() from generate_series(1, $2::int) n`,
    [account, count, post],
  )
  await client.query('analyze ads_line_item, ads_campaign, ads_promoted_post')
  await client.end()
}

const total = (counts) => Object.values(counts).reduce((sum, count) => sum + count, 0)

const phases = (ms = {}) =>
  Object.entries(ms)
    .map(([name, value]) => `${name} ${(value / 1_000).toFixed(1)}`)
    .join(', ')

for (const items of ITEMS) {
  const { folder, remove } = temporaryFolder()
  const server = await startRostra(folder, ['--workers', '1'])
  const { base_url: baseUrl, admin_key: key } = server.credentials
  const command = async (name, args = {}) => {
    const answer = await fetch(`${baseUrl}/_rostra/commands/${name}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(args),
    })
    const body = await answer.json()
    if (answer.status !== 200) throw new Error(`${name}: ${JSON.stringify(body)}`)
    return body
  }
  try {
    if (items > 0) await addItems(folder, items)
    await command('clock', {
      set: new Date(Math.ceil(Date.now() / 86_400_000) * 86_400_000 + 18 * 3600_000).toISOString(),
    })
    const begun = performance.now()
    let life = await command('live.start', { personas: Number(personas), for: duration, speed: 'max' })
    let memory = { node: 0, postgres: 0 }
    let madeMs
    let usedBefore = processorOf(server.pid)
    while (!['ended', 'failed', 'stopped'].includes(life.state) && performance.now() - begun < MOST_MS) {
      await sleep(500)
      life = await command('live.show', { id: life.id })
      if (madeMs === undefined && life.state !== 'making') {
        madeMs = performance.now() - begun
        usedBefore = processorOf(server.pid)
      }
      const now = memoryOf(server.pid)
      memory = { node: Math.max(memory.node, now.node), postgres: Math.max(memory.postgres, now.postgres) }
    }
    const seconds = (performance.now() - begun - (madeMs ?? 0)) / 1_000
    const used = processorOf(server.pid)
    const acts = total(life.actions)
    console.log(
      `${items} line items, ${personas} personas, ${duration}: ${life.state}${life.reason ? ` (${life.reason})` : ''}\n` +
        `  personas made in ${((madeMs ?? 0) / 1_000).toFixed(1)} s, lived in ${seconds.toFixed(1)} s\n` +
        `  looks ${life.looks} (${Math.round(life.looks / seconds)}/s), checked ${life.checked}, by the operation ${life.fallbacks}\n` +
        `  actions ${acts} (${Math.round(acts / seconds)}/s), refused ${total(life.refused)}, views ${life.views}, ads ${life.ads.impressions}\n` +
        `  at most ${Math.round(memory.node)} MB in Node, ${Math.round(memory.postgres)} MB in PostgreSQL`,
    )
    console.log(
      `  processor time of the life: ${Math.round(used.node - usedBefore.node)} s in Node, ${Math.round(used.postgres - usedBefore.postgres)} s in PostgreSQL`,
    )
    console.log(`  phases in s: ${phases(life.phase_ms)}`)
    console.log(`  ${JSON.stringify(life.actions)}`)
  } finally {
    await server.stop()
    remove()
  }
}
