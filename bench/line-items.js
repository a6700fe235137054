// Lists of line items over HTTP: 1,000 of many, with and without filters, at two sizes of an account.
import pg from 'pg'
import { connectionOf, startRostra, temporaryFolder } from './processes.js'
import { signer } from './sign.js'

const SIZES = process.argv.slice(2).length === 2 ? process.argv.slice(2).map(Number) : [100_000, 1_000_000]
const REPEATS = 30

const at = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]

async function call(credentials, method, url) {
  const sign = signer(method, url, credentials.apps[0], credentials.users[0])
  const answer = await fetch(url, { method, headers: { authorization: sign() } })
  const text = await answer.text()
  if (answer.status !== 200) throw new Error(`${method} ${url}: ${answer.status} ${text.slice(0, 300)}`)
  return JSON.parse(text)
}

async function measure(credentials, url) {
  const times = []
  let answer
  for (let round = 0; round < REPEATS; round++) {
    const started = performance.now()
    answer = await call(credentials, 'GET', url)
    times.push(performance.now() - started)
  }
  times.sort((left, right) => left - right)
  return { p50: at(times, 0.5), p99: at(times, 0.99), records: answer.data.length }
}

/** Fills an account with line items in campaigns of a hundred, by SQL: making them one by one would take the morning. */
async function fill(folder, account, funding, count) {
  const client = new pg.Client(connectionOf(folder))
  await client.connect()
  await client.query(
    `insert into ads_campaign (id, account_id, funding_instrument_id, name, budget_optimization, entity_status, daily_budget_amount_local_micro, created_at, updated_at)
     select $1::bigint + 1000000000 + n, $1, $2, 'Campaign ' || n, 'LINE_ITEM', 'ACTIVE', 1000000, timestamptz '2026-01-01', timestamptz '2026-01-01' from generate_series(1, $3::int) n`,
    [account, funding, Math.ceil(count / 100)],
  )
  await client.query(
    `insert into ads_line_item (id, account_id, campaign_id, name, objective, goal, product_type, placements, bid_strategy, bid_amount_local_micro, pay_by, standard_delivery, entity_status, created_at, updated_at)
     select $1::bigint + 2000000000 + n, $1, $1::bigint + 1000000000 + (n + 99) / 100, 'Line item ' || n, 'ENGAGEMENTS', 'ENGAGEMENT', 'PROMOTED_POSTS', '{PLATFORM_TIMELINE}', 'MAX', (n * 7919::bigint % 1000) * 10000, 'ENGAGEMENT', true, 'ACTIVE', timestamptz '2026-01-01', timestamptz '2026-01-01' + n * interval '1 second' from generate_series(1, $2::int) n`,
    [account, count],
  )
  await client.query('analyze ads_line_item, ads_campaign')
  await client.end()
}

async function measureSize(count) {
  const { folder, remove } = temporaryFolder()
  try {
    const server = await startRostra(folder)
    const { credentials } = server
    const base = `${credentials.ads_url}/12/accounts/${credentials.ads_account_id}`
    const funding = (await call(credentials, 'GET', `${base}/funding_instruments`)).data[0].id
    await fill(folder, decimal(credentials.ads_account_id), decimal(funding), count)
    const first = await call(credentials, 'GET', `${base}/line_items?count=1000`)
    let cursor = first.next_cursor
    // A cursor in the middle of the first ten thousand, which is as deep as people page by hand.
    for (let page = 0; page < 5; page++)
      cursor = (await call(credentials, 'GET', `${base}/line_items?count=1000&cursor=${cursor}`)).next_cursor
    const campaign = first.data[500].campaign_id
    const ids = first.data.slice(0, 200).map((item) => item.id)
    const addresses = {
      'first page of 1,000': 'line_items?count=1000',
      'sixth page of 1,000': `line_items?count=1000&cursor=${cursor}`,
      '1,000, newest first': 'line_items?count=1000&sort_by=created_at-desc',
      '200 by last change': 'line_items?count=200&sort_by=updated_at-desc',
      '1,000 by bid': 'line_items?count=1000&sort_by=bid_amount_local_micro-desc',
      'those of one campaign': `line_items?count=1000&campaign_ids=${campaign}`,
      '200 by id': `line_items?count=1000&line_item_ids=${encodeURIComponent(ids.join(','))}`,
      'by the beginning of the name': 'line_items?count=1000&q=line%20item%2099',
      'first page of 200 with the total': 'line_items?count=200&with_total_count=true',
    }
    const results = []
    for (const [name, path] of Object.entries(addresses))
      results.push([name, await measure(credentials, `${base}/${path}`)])
    await server.stop()
    return results
  } finally {
    remove()
  }
}

const decimal = (id) => [...id].reduce((sum, sign) => sum * 36n + BigInt(Number.parseInt(sign, 36)), 0n).toString()

const [small, large] = [await measureSize(SIZES[0]), await measureSize(SIZES[1])]
console.log(
  `Lists of line items of one account, ${SIZES.map((size) => size.toLocaleString('en')).join(' and ')} in it (ms, one client)`,
)
for (const [index, [name, few]] of small.entries()) {
  const [, many] = large[index]
  const growth = (many.p50 / few.p50).toFixed(1)
  console.log(
    `${name.padEnd(34)} ${String(few.records).padStart(5)} records  p50 ${few.p50.toFixed(1).padStart(7)}  p99 ${few.p99.toFixed(1).padStart(7)}   p50 ${many.p50.toFixed(1).padStart(7)}  p99 ${many.p99.toFixed(1).padStart(7)}   grows ${growth}`,
  )
}
