// Statistics over 10,000,000 impressions in 7 days of 1,000 line items, over HTTP: times, a job over 90 days, and storage.
import pg from 'pg'
import { connectionOf, startRostra, temporaryFolder } from './processes.js'
import { signer } from './sign.js'

const LINE_ITEMS = 1_000
const ITEMS_OF_CAMPAIGN = 20
const IMPRESSIONS = 10_000_000
const EVENTS = Number(process.argv[2] ?? 1_000_000)
const PEOPLE = 100_000
const DAYS = 7
const REPEATS = 20
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const EPOCH_MS = 1_288_834_974_657n

const at = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
const decimal = (id) => [...id].reduce((sum, sign) => sum * 36n + BigInt(Number.parseInt(sign, 36)), 0n).toString()
const base36 = (id) => BigInt(id).toString(36)
const iso = (ms) => new Date(ms).toISOString()
const idAt = (ms) => ((BigInt(ms) - EPOCH_MS) << 22n).toString()

async function call(credentials, method, url) {
  const sign = signer(method, url, credentials.apps[0], credentials.users[0])
  const answer = await fetch(url, { method, headers: { authorization: sign() } })
  const text = await answer.text()
  if (answer.status !== 200) throw new Error(`${method} ${url}: ${answer.status} ${text.slice(0, 300)}`)
  return { body: JSON.parse(text), bytes: text.length }
}

async function measure(credentials, name, url) {
  const times = []
  let bytes = 0
  for (let round = 0; round < REPEATS; round++) {
    const started = performance.now()
    bytes = (await call(credentials, 'GET', url)).bytes
    times.push(performance.now() - started)
  }
  times.sort((left, right) => left - right)
  const [p50, p99] = [at(times, 0.5), at(times, 0.99)]
  console.log(
    `${name.padEnd(46)} p50 ${p50.toFixed(1).padStart(7)} ms  p99 ${p99.toFixed(1).padStart(7)} ms  ${(bytes / 1024).toFixed(0).padStart(5)} KB`,
  )
  return p50
}

/** Campaigns and line items, the counts of all impressions by hour, and some of the events themselves. */
async function fill(client, account, funding, end) {
  const start = end - DAYS * DAY_MS
  const campaigns = LINE_ITEMS / ITEMS_OF_CAMPAIGN
  await client.query(
    `insert into ads_campaign (id, account_id, funding_instrument_id, name, budget_optimization, entity_status, daily_budget_amount_local_micro, created_at, updated_at)
     select 1000000 + n, $1, $2, 'Campaign ' || n, 'LINE_ITEM', 'ACTIVE', 1000000, timestamptz '2026-01-01', timestamptz '2026-01-01' from generate_series(1, $3::int) n`,
    [account, funding, campaigns],
  )
  await client.query(
    `insert into ads_line_item (id, account_id, campaign_id, name, objective, goal, product_type, placements, bid_strategy, bid_amount_local_micro, pay_by, standard_delivery, entity_status, created_at, updated_at)
     select 2000000 + n, $1, 1000000 + (n - 1) / $3::int + 1, 'Line item ' || n, 'ENGAGEMENTS', 'ENGAGEMENT', 'PROMOTED_POSTS', '{PLATFORM_TIMELINE}', 'MAX', 1000000, 'ENGAGEMENT', true, 'PAUSED', timestamptz '2026-01-01', timestamptz '2026-01-01' from generate_series(1, $2::int) n`,
    [account, LINE_ITEMS, ITEMS_OF_CAMPAIGN],
  )
  // Two placements in each hour of each line item.
  const each = IMPRESSIONS / (LINE_ITEMS * DAYS * 24 * 2)
  const counts = `impressions, engagements, likes, clicks, url_clicks, billed_engagements, billed_charge, video_total_views, first_at, last_at`
  await client.query(
    `insert into ads_hour (entity_id, hour, placement, ${counts})
     select 2000000 + n, h, p, i, i / 50, i / 200, i / 60, i / 80, i / 60, i * 1000, i / 10, h, h + interval '50 minutes'
       from generate_series(1, $1::int) n, generate_series($2::timestamptz, $3::timestamptz - interval '1 hour', '1 hour') h, generate_series(0, 1) p,
            lateral (select ($4::float8 * (0.5 + random()))::int as i where n > 0 and h is not null and p is not null) x`,
    [LINE_ITEMS, iso(start), iso(end), each],
  )
  const sums = counts
    .split(', ')
    .map((name) => (name === 'first_at' ? 'min(first_at)' : name === 'last_at' ? 'max(last_at)' : `sum(${name})`))
  await client.query(
    `insert into ads_hour (entity_id, hour, placement, ${counts})
     select l.campaign_id, h.hour, h.placement, ${sums.join(', ')} from ads_hour h join ads_line_item l on l.id = h.entity_id group by 1, 2, 3`,
  )
  await client.query(
    `insert into ads_viewer (age, gender, platform, metro)
     select 13 + (n % 60), 1 + n % 2, (n % 5)::text, (array['501', '803', '602', '504', null])[1 + n % 5] from generate_series(1, $1::int) n`,
    [PEOPLE],
  )
  await client.query(
    `insert into ads_event (viewer, id, campaign_id, line_item_id, promoted_id, outcomes, placement, charge)
     select (random() * ($1::int - 1))::int + 1, $2::bigint + (random() * ($3::bigint - $2::bigint - 1))::bigint, 1000000 + (l - 1) / $5::int + 1, 2000000 + l, 3000000 + l,
            case when random() < 0.02 then 3 else 1 end, 0, 1000
       from generate_series(1, $4::int) n, lateral (select 1 + (n::bigint * 7919 % ${LINE_ITEMS})::int as l) x`,
    [PEOPLE, idAt(start), idAt(end), EVENTS, ITEMS_OF_CAMPAIGN],
  )
  await client.query('vacuum analyze ads_hour, ads_event, ads_viewer, ads_campaign, ads_line_item')
}

async function runJob(credentials, base, query) {
  const started = performance.now()
  const { body } = await call(credentials, 'POST', `${base}?${query}`)
  for (;;) {
    const { body: found } = await call(credentials, 'GET', `${base}?job_ids=${body.data.id_str}`)
    const [job] = found.data
    if (job.status === 'FAILED') throw new Error('the job failed')
    if (job.status === 'SUCCESS') {
      const bytes = (await (await fetch(job.url)).arrayBuffer()).byteLength
      return { ms: performance.now() - started, bytes }
    }
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

const { folder, remove } = temporaryFolder()
try {
  const server = await startRostra(folder)
  const { credentials } = server
  const account = credentials.ads_account_id
  const base = `${credentials.ads_url}/12`
  const funding = (await call(credentials, 'GET', `${base}/accounts/${account}/funding_instruments`)).body.data[0].id
  const client = new pg.Client(connectionOf(folder))
  await client.connect()
  const end = Math.floor(Date.now() / DAY_MS) * DAY_MS
  const filling = performance.now()
  await fill(client, decimal(account), decimal(funding), end)
  console.log(
    `${IMPRESSIONS.toLocaleString('en')} impressions in ads_hour, ${EVENTS.toLocaleString('en')} events; filled in ${((performance.now() - filling) / 1000).toFixed(0)} s`,
  )
  const size = async (table) =>
    Number((await client.query('select pg_total_relation_size($1) as bytes', [table])).rows[0].bytes)
  console.log(
    `storage per million impressions: ads_event ${((await size('ads_event')) / EVENTS).toFixed(0)} MB, ads_hour ${((await size('ads_hour')) / IMPRESSIONS).toFixed(1)} MB`,
  )
  const items = (count) =>
    encodeURIComponent(Array.from({ length: count }, (_, n) => base36(2_000_001 + n * 37)).join(','))
  const range = (days) => `start_time=${iso(end - days * DAY_MS)}&end_time=${iso(end)}`
  const question = (count, days, granularity, groups = 'ENGAGEMENT,BILLING,VIDEO') =>
    `entity=LINE_ITEM&entity_ids=${items(count)}&${range(days)}&granularity=${granularity}&placement=ALL_ON_TWITTER&metric_groups=${encodeURIComponent(groups)}`
  const stats = `${base}/stats/accounts/${account}`
  const one = await measure(credentials, '1 line item, 7 days by hour', `${stats}?${question(1, 7, 'HOUR')}`)
  const all = await measure(
    credentials,
    '20 line items, 7 days by hour, three groups',
    `${stats}?${question(20, 7, 'HOUR')}`,
  )
  await measure(
    credentials,
    '20 line items, 7 days by hour, ENGAGEMENT',
    `${stats}?${question(20, 7, 'HOUR', 'ENGAGEMENT')}`,
  )
  await measure(credentials, '20 line items, 7 days, TOTAL', `${stats}?${question(20, 7, 'TOTAL')}`)
  console.log(`20 line items cost ${(all / one).toFixed(1)} times as much as one`)
  await measure(
    credentials,
    'active line items of an hour',
    `${stats}/active_entities?entity=LINE_ITEM&start_time=${iso(end - HOUR_MS)}&end_time=${iso(end)}`,
  )
  await measure(credentials, 'active line items of 7 days', `${stats}/active_entities?entity=LINE_ITEM&${range(7)}`)
  const campaigns = encodeURIComponent(Array.from({ length: 20 }, (_, n) => base36(1_000_001 + n)).join(','))
  await measure(
    credentials,
    'reach of 20 campaigns, 7 days',
    `${stats}/reach/campaigns?campaign_ids=${campaigns}&${range(7)}`,
  )
  const jobs = `${base}/stats/jobs/accounts/${account}`
  for (const [name, query] of [
    ['job: 20 line items, 90 days by hour', question(20, 90, 'HOUR')],
    ['job: 20 line items, 45 days by hour, AGE', `${question(20, 45, 'HOUR')}&segmentation_type=AGE`],
    [
      'job: 20 campaigns, 45 days by day, PLATFORMS',
      `${question(1, 45, 'HOUR').replace(/entity=LINE_ITEM&entity_ids=[^&]*/, `entity=CAMPAIGN&entity_ids=${campaigns}`)}&segmentation_type=PLATFORMS`,
    ],
  ]) {
    const { ms, bytes } = await runJob(credentials, jobs, query)
    console.log(
      `${name.padEnd(46)} ${(ms / 1000).toFixed(2)} s until it is found done, file of ${(bytes / 1024).toFixed(0)} KB`,
    )
  }
  await client.end()
  await server.stop()
} finally {
  remove()
}
