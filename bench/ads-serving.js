// Looks served per second with 100, 10,000 and 100,000 line items: targeting, auction, response, and the transaction that pays and counts.
import pg from 'pg'
import { adServer } from '../dist/modules/ads/serving/ad-server.js'
import { readViewers } from '../dist/modules/ads/serving/viewers.js'
import { INTEREST_OPTIONS } from '../dist/modules/ads/targeting-options/topics.js'
import { idAt } from '../dist/modules/process/ids.js'
import { openDatabase } from '../dist/modules/storage/database.js'
import { connectionOf, startRostra, temporaryFolder } from './processes.js'

const SIZES = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [100, 10_000, 100_000]
const VIEWERS = 20_000
const LOOKS = 20_000
const BATCH = 1_000
const START = Date.parse('2026-11-20T06:00:00Z')

const COUNTRIES = [
  '96683cc9126741d1',
  '6416b8512febefc9',
  '3376992a082d67c7',
  'f3bfc7dcc928977f',
  'fdcd221ac44fa326',
  'ecdce75d48b13b64',
]
const AGES = ['AGE_13_TO_34', 'AGE_18_TO_49', 'AGE_OVER_21', 'AGE_25_TO_49', 'AGE_OVER_35', 'AGE_OVER_50']
const interests = INTEREST_OPTIONS.map((option) => option.value)
const list = (values) => `'{${values.join(',')}}'::text[]`

/** Line items with a country or two, an age, often a gender and a platform, and up to five interests; a tenth reaches everyone. */
async function fill(client, account, funding, items) {
  const at = "timestamptz '2026-01-01'"
  await client.query(
    `insert into ads_campaign (id, account_id, funding_instrument_id, name, budget_optimization, entity_status, daily_budget_amount_local_micro, created_at, updated_at)
     select 1000000000 + n, $1, $2, 'Campaign ' || n, 'LINE_ITEM', 'ACTIVE', 500000000, ${at}, ${at} from generate_series(0, $3::int) n`,
    [account, funding, Math.ceil(items / 20)],
  )
  await client.query(
    `insert into ads_line_item (id, account_id, campaign_id, name, objective, goal, product_type, placements, bid_strategy, bid_amount_local_micro, pay_by, standard_delivery, daily_budget_amount_local_micro, start_time, entity_status, created_at, updated_at)
     select 2000000000 + n, $1, 1000000000 + n / 20, 'Item ' || n, 'ENGAGEMENTS', 'ENGAGEMENT', 'PROMOTED_POSTS', '{PLATFORM_TIMELINE}', 'MAX', 200000 + (n * 7919::bigint % 1000) * 1000, 'ENGAGEMENT', n % 4 > 0, 20000000, ${at}, 'ACTIVE', ${at}, ${at} from generate_series(1, $2::int) n`,
    [account, items],
  )
  await client.query(
    `insert into post (id, author_id, text, display_end, lang, conversation_id, first_version_id, nullcast)
     select 5000000000 + n, (select id from user_account order by id limit 1), 'An offer for readers, number ' || n, 30, 'en', 5000000000 + n, 5000000000 + n, true from generate_series(0, 999) n`,
  )
  await client.query(
    `insert into ads_promoted_post (id, account_id, line_item_id, post_id, entity_status, approval_status, created_at, updated_at)
     select 3000000000 + n, $1, 2000000000 + n, 5000000000 + n % 1000, 'ACTIVE', 'ACCEPTED', ${at}, ${at} from generate_series(1, $2::int) n`,
    [account, items],
  )
  const criterion = (number, type, value, every) =>
    client.query(
      `insert into ads_targeting_criterion (id, account_id, line_item_id, targeting_type, targeting_value, operator_type, created_at, updated_at)
       select 4000000000 + n * 20 + ${number}, $1, 2000000000 + n, '${type}', ${value}, 'EQ', ${at}, ${at}
         from generate_series(1, $2::int) n where n % 10 > 0 and n % ${every} = 0`,
      [account, items],
    )
  await criterion(0, 'LOCATION', `(${list(COUNTRIES)})[1 + n * 31 % ${COUNTRIES.length}]`, 1)
  await criterion(1, 'LOCATION', `(${list(COUNTRIES)})[1 + (n * 31 + 1) % ${COUNTRIES.length}]`, 3)
  await criterion(2, 'AGE', `(${list(AGES)})[1 + n * 17 % ${AGES.length}]`, 1)
  await criterion(3, 'GENDER', `(1 + n % 2)::text`, 2)
  await criterion(4, 'PLATFORM', `(n % 2)::text`, 3)
  for (let one = 0; one < 5; one++)
    await criterion(
      5 + one,
      'INTEREST',
      `(${list(interests)})[1 + (n * 7919 + ${one * 104_729}) % ${interests.length}]`,
      1,
    )
  await client.query('analyze')
}

async function fillViewers(client) {
  await client.query(
    `insert into user_account (id, username, name, created_at) select 7000000000 + n, 'v' || n, 'V', '2026-01-01' from generate_series(1, ${VIEWERS}) n`,
  )
  await client.query(
    `insert into ads_viewer (user_id, language, locations, age, gender, platform, interests)
     select 7000000000 + n, 'en', array[(${list(COUNTRIES)})[1 + n * 13 % ${COUNTRIES.length}]], 15 + n % 50, 1 + n % 2, (n % 5)::text,
            array(select (${list(interests)})[1 + (n * 31 + k * 977) % ${interests.length}] from generate_series(1, 8) k)
       from generate_series(1, ${VIEWERS}) n`,
  )
}

const decimal = (text) => [...text].reduce((sum, sign) => sum * 36n + BigInt(Number.parseInt(sign, 36)), 0n).toString()

for (const items of SIZES) {
  const { folder, remove } = temporaryFolder()
  try {
    const server = await startRostra(folder)
    const client = new pg.Client(connectionOf(folder))
    await client.connect()
    const account = decimal(server.credentials.ads_account_id)
    const funding = (await client.query('select id from ads_funding_instrument where account_id = $1', [account]))
      .rows[0].id
    await fill(client, account, funding, items)
    await fillViewers(client)
    const database = openDatabase(connectionOf(folder), { connections: 2, name: 'bench' })
    // Metrics of posts are added up in memory and stored elsewhere: not part of this.
    const served = adServer.create({
      database,
      log: console,
      parts: { onInvalidate: () => () => {}, many: async () => new Map() },
      singleton: () => ({ add() {} }),
    })
    const ids = Array.from({ length: VIEWERS }, (_, at) => String(7_000_000_001 + at))
    const viewers = [...(await readViewers(database, ids)).values()]
    const serve = async (from, count) => {
      let ads = 0
      for (let at = from; at < from + count; at += BATCH) {
        const looks = Array.from({ length: BATCH }, (_, one) => {
          const moment = START + (at + one) * 40
          return {
            id: idAt(moment, 1000),
            at: moment,
            viewer: viewers[((at + one) * 7919) % VIEWERS],
            placement: 'PLATFORM_TIMELINE',
            slots: 1,
          }
        })
        ads += (await served.serve(looks, { responds: 'model' })).flat().length
      }
      return ads
    }
    const read = performance.now()
    await serve(0, BATCH)
    const first = performance.now() - read
    const before = process.cpuUsage()
    const started = performance.now()
    const ads = await serve(BATCH, LOOKS)
    const seconds = (performance.now() - started) / 1000
    const { user, system } = process.cpuUsage(before)
    const cpu = (user + system) / 1e6
    console.log(
      `${items.toLocaleString('en')} line items: ${Math.round(LOOKS / seconds).toLocaleString('en')} looks/s (${Math.round(LOOKS / cpu).toLocaleString('en')} for each second of this process), ` +
        `${ads.toLocaleString('en')} ads of ${LOOKS.toLocaleString('en')} looks; the first batch with reading the items ${Math.round(first)} ms; ${Math.round(process.memoryUsage().rss / 1e6)} MB`,
    )
    await served.stop()
    await database.close()
    await client.end()
    await server.stop()
  } finally {
    remove()
  }
}
