// Pages of list timelines, and searches in lists, over HTTP at two sizes of the world.
//   npm run bench:lists                  100,000 and 1,000,000 posts
//   npm run bench:lists -- 20000 200000  other sizes
// Every first page is compared id by id with a query that reads all posts of the members.
import pg from 'pg'
import { idAt } from '../dist/modules/process/ids.js'
import { connectionOf, startRostra, temporaryFolder } from './processes.js'

const SIZES = process.argv.slice(2).length === 2 ? process.argv.slice(2).map(Number) : [100_000, 1_000_000]
const REPEATS = 40
const MEMBERS = 5_000
const DAY_MS = 24 * 3600_000
const DEEP = 5

// Users by number: quiet ones, busy ones, one who writes a tenth of everything, and others who are in no list.
const QUIET = [1, MEMBERS]
const BUSY = [MEMBERS + 1, 2 * MEMBERS]
const BUSIEST = 2 * MEMBERS + 1
const OTHERS = [BUSIEST + 1, BUSIEST + 1_000]
const LISTS = {
  '5,000 quiet members': `n between ${QUIET[0]} and ${QUIET[1]}`,
  '5,000 busy members': `n between ${BUSY[0]} and ${BUSY[1]}`,
  '4,999 quiet, one busy': `n between ${QUIET[0] + 1} and ${QUIET[1]} or n = ${BUSIEST}`,
  '50 busy members': `n between ${BUSY[0]} and ${BUSY[0] + 49}`,
}

const at = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]

async function read(server, path) {
  const { base_url, apps } = server.credentials
  const answer = await fetch(base_url + path, { headers: { authorization: `Bearer ${apps[0].bearer_token}` } })
  const text = await answer.text()
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${text.slice(0, 300)}`)
  return JSON.parse(text)
}

async function measure(server, path) {
  const times = []
  for (let round = 0; round < REPEATS; round++) {
    const started = performance.now()
    await read(server, path)
    times.push(performance.now() - started)
  }
  times.sort((left, right) => left - right)
  return at(times, 0.5)
}

async function makeUsers(client) {
  await client.query(
    `insert into user_account (id, username, name, created_at) select n, 'bench' || n, 'Bench', timestamptz '2020-01-01' from generate_series(1, $1::int) n`,
    [OTHERS[1]],
  )
  await client.query('insert into user_metrics (user_id) select n from generate_series(1, $1::int) n', [OTHERS[1]])
  const ids = {}
  for (const [name, members] of Object.entries(LISTS)) {
    const id = 1_000_000 + Object.keys(ids).length
    ids[name] = id
    await client.query(
      `insert into list (id, owner_id, name, created_at) values ($1, ${OTHERS[0]}, 'Bench', timestamptz '2020-01-01')`,
      [id],
    )
    await client.query('insert into list_metrics (list_id) values ($1)', [id])
    await client.query(
      `insert into list_member (list_id, user_id, id, private, since_id) select $1, n, n, false, n from generate_series(1, $2::int) n where ${members}`,
      [id, BUSIEST],
    )
  }
  return ids
}

/** Stores posts number `from` to `to` between two moments; `author` is SQL that may use the number n. */
async function makePosts(client, { from, to, start, end, author }) {
  await client.query(
    `insert into post (id, author_id, text, display_end, lang, conversation_id, first_version_id, source)
     select p.id, ${author}, 'Bench ' || n, 8, 'en', p.id, p.id, 'bench'
       from generate_series($1::int, $2::int) n
      cross join lateral (select $3::bigint + ((n - $1)::numeric * ($4::bigint - $3::bigint) / ($2 - $1 + 1))::bigint as id) p`,
    [from, to, idAt(start), idAt(end)],
  )
}

async function compare(client, server, name, id) {
  const naive = await client.query(
    `select p.id from post p where p.author_id in (select user_id from list_member where list_id = $1) order by p.id desc limit 100`,
    [id],
  )
  const { data } = await read(server, `/2/lists/${id}/posts`)
  if (naive.rows.map((row) => row.id).join() !== data.map((item) => item.id).join())
    throw new Error(`${name}: the ids differ from the naive query's`)
}

async function measureLists(client, server, ids) {
  const results = {}
  for (const [name, id] of Object.entries(ids)) {
    await compare(client, server, name, id)
    results[`${name}, first page`] = await measure(server, `/2/lists/${id}/posts`)
    let deep = `/2/lists/${id}/posts`
    for (let page = 0; page < DEEP; page++) {
      const next = (await read(server, deep)).meta.next_token
      if (next) deep = `/2/lists/${id}/posts?pagination_token=${next}`
    }
    results[`${name}, a later page`] = await measure(server, deep)
    results[`${name}, search`] = await measure(
      server,
      `/2/posts/search/all?max_results=100&start_time=2011-01-01T00:00:00Z&query=list:${id}`,
    )
  }
  return results
}

const { folder, remove } = temporaryFolder()
const server = await startRostra(folder)
const client = new pg.Client(connectionOf(folder))
try {
  await client.connect()
  const ids = await makeUsers(client)
  const now = Date.now()
  const old = { start: now - 400 * DAY_MS, end: now - 300 * DAY_MS }
  await makePosts(client, { from: 1, to: 2 * MEMBERS, ...old, author: `1 + n * 7 % ${MEMBERS}` })
  // A tenth is by one author, half by the busy members, the rest by the others.
  const author = `case when n % 10 = 0 then ${BUSIEST} when n % 2 = 0 then ${BUSY[0]} + n / 2 % ${MEMBERS} else ${OTHERS[0]} + n / 2 % 1000 end`
  const found = []
  let made = 0
  for (const size of SIZES) {
    const span = { start: now - 30 * DAY_MS, end: now - 60_000 }
    const half = (made / SIZES[1]) * (span.end - span.start)
    const until = size === SIZES[1] ? span.end : span.start + (size / SIZES[1]) * (span.end - span.start)
    await makePosts(client, { from: made + 1, to: size, start: span.start + half, end: until, author })
    made = size
    await client.query('vacuum analyze post, list_member, user_account, user_metrics')
    found.push(await measureLists(client, server, ids))
  }
  const [small, large] = found
  console.log(
    `p50 in ms of ${REPEATS} requests with ${SIZES.map((size) => size.toLocaleString('en')).join(' and ')} posts`,
  )
  for (const name of Object.keys(small)) {
    const [before, after] = [small[name], large[name]]
    console.log(
      `${name.padEnd(36)} ${before.toFixed(1).padStart(8)} ${after.toFixed(1).padStart(8)}   x ${(after / before).toFixed(2)}`,
    )
  }
} finally {
  await client.end()
  await server.stop()
  remove()
}
