// Search, counts and users search over HTTP at two sizes of the world, and the rate of creating posts.
//   npm run bench:search                                  100,000 and 1,000,000 posts
//   npm run bench:search -- 20000 100000                  other sizes
//   npm run bench:search -- 100000 1000000 --no-previous  without the comparison with the previous storage
// Every answer is compared id by id with a query that knows nothing of slices.
import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { idAt } from '../dist/modules/process/ids.js'
import { postTerms } from '../dist/modules/search/post-terms.js'
import { insertPosts } from '../dist/modules/social/posts/insert-posts.js'
import { allStatements } from '../dist/modules/storage/statement.js'
import { connectionOf, startRostra, temporaryFolder } from './processes.js'
import { makePosts, makePreviousPosts, previousInsert } from './search-world.js'
import { signer } from './sign.js'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const numbers = process.argv.slice(2).filter((text) => /^\d+$/.test(text))
const SIZES = numbers.length === 2 ? numbers.map(Number) : [100_000, 1_000_000]
const COMPARES = !process.argv.includes('--no-previous')
const REPEATS = 60
const COUNT_REPEATS = 12

// Shapes with the goal of their p50 in milliseconds. The terms are what the naive query asks for.
const LINEAR_MS = 60
const FLAT_MS = 15
const SHAPES = [
  ['even', `'even'`],
  ['gone', `'gone'`],
  ['fresh', `'fresh'`],
  ['burst', `'burst'`],
  ['rareword', `'rareword'`],
  ['absentword', `'absentword'`],
  ['even steady', `'even' & 'steady'`],
  ['gone away', `'gone' & 'away'`],
  ['even rareword', `'even' & 'rareword'`, LINEAR_MS],
  ['gone fresh', `'gone' & 'fresh'`],
  [
    'even OR steady OR gone OR small OR w1 OR w2 OR w3 OR w4 OR w5 OR fresh',
    `'even'|'steady'|'gone'|'small'|'w1'|'w2'|'w3'|'w4'|'w5'|'fresh'`,
  ],
  ['"small program"', `'small' <-> 'program'`],
  ['"gone away"', `'gone' <-> 'away'`],
  ['"alpha omega"', `'alpha' <-> 'omega'`, LINEAR_MS],
  ['gone -away', `'gone' & !'away'`],
  ['#music lang:fi', `'#music'`, LINEAR_MS, `p.lang = 'fi'`],
]
const AUTHOR_SHAPES = (author, rareAuthor) => [
  [`even from:${author}`, `'even'`, FLAT_MS, `p.author_id = ${author}`],
  [`gone from:${rareAuthor}`, `'gone'`, FLAT_MS, `p.author_id = ${rareAuthor}`],
]
const COUNTED = [
  ['even', `'even'`],
  ['gone', `'gone'`],
  ['rareword', `'rareword'`],
  ['"small program"', `'small' <-> 'program'`],
]
const GRAINS = { minute: 60_000, hour: 3600_000, day: 24 * 3600_000 }
const REPEATED_MS = 20
const USERS = ['s', 'seed1', 'a', 'an', 'anna', 'coffee', 'seed1_1', 'zzzz']

const at = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
const summary = (times) => {
  const sorted = times.toSorted((left, right) => left - right)
  return { p50: at(sorted, 0.5), p99: at(sorted, 0.99), max: sorted.at(-1) }
}

async function readText(server, address, headers) {
  const answer = await fetch(server.credentials.base_url + address, { headers: headers ?? server.headers })
  const text = await answer.text()
  if (answer.status !== 200) throw new Error(`${address}: ${answer.status} ${text}`)
  return text
}

const readJson = async (server, address, headers) => JSON.parse(await readText(server, address, headers))

async function measure(server, address, repeats, headers) {
  const times = []
  for (let round = 0; round < repeats; round++) {
    const sent = headers?.()
    const started = performance.now()
    await readText(server, address, sent)
    times.push(performance.now() - started)
  }
  return summary(times)
}

const secondsAgo = (seconds) => Math.floor(Date.now() / 1000 - seconds) * 1000

const MATCHES = `from post_terms t join post p on p.id = t.id join user_account u on u.id = t.author_id
  where t.terms @@ $1::tsquery and p.reposted_post_id is null and not p.superseded and not u.protected and not u.suspended`

async function compareIds(client, server, [query, terms, , condition], address) {
  const naive = await client.query(
    `select p.id ${MATCHES} ${condition ? `and ${condition}` : ''} order by p.id desc limit 100`,
    [terms],
  )
  const { data = [] } = await readJson(server, address)
  const [expected, found] = [naive.rows.map((row) => row.id), data.map((item) => item.id)]
  if (expected.join() !== found.join())
    throw new Error(`${query}: ${found.length} ids differ from the naive query's ${expected.length}`)
}

async function searchShapes(client, server, shapes) {
  const results = []
  for (const shape of shapes) {
    const address = `/2/posts/search/all?max_results=100&query=${encodeURIComponent(shape[0])}`
    await compareIds(client, server, shape, address)
    results.push({
      name: shape[0].slice(0, 40),
      goal: shape[2] ?? FLAT_MS,
      ...(await measure(server, address, REPEATS)),
    })
  }
  return results
}

async function countShapes(client, server) {
  const results = []
  for (const [query, terms] of COUNTED)
    for (const [granularity, grainMs] of Object.entries(GRAINS)) {
      // A week by minutes and hours, all 30 days by days.
      const isAll = granularity === 'day'
      const [start, end] = isAll ? [0, Date.now()] : [secondsAgo(6.9 * 24 * 3600), secondsAgo(60)]
      const times = isAll ? '' : `&start_time=${new Date(start).toISOString()}&end_time=${new Date(end).toISOString()}`
      const address = `/2/posts/counts/${isAll ? 'all' : 'recent'}?granularity=${granularity}${times}&query=${encodeURIComponent(query)}`
      const name = `count ${query} by ${granularity}`
      const first = performance.now()
      const answer = await readJson(server, address)
      results.push({ name: `${name}, first`, goal: undefined, ...summary([performance.now() - first]) })
      const naive = await client.query(
        `select count(*)::int as posts, count(distinct ((p.id >> 22) + 1288834974657) / ${grainMs})::int as periods ${MATCHES}
           and p.id >= $2 and p.id < $3`,
        [terms, idAt(start), idAt(end)],
      )
      const periods = answer.data.filter((item) => item.post_count > 0).length
      if (answer.meta.total_post_count !== naive.rows[0].posts || periods !== naive.rows[0].periods)
        throw new Error(
          `${name}: ${answer.meta.total_post_count} in ${periods}, not ${naive.rows[0].posts} in ${naive.rows[0].periods}`,
        )
      results.push({ name: `${name}, again`, goal: REPEATED_MS, ...(await measure(server, address, COUNT_REPEATS)) })
    }
  return results
}

async function userShapes(client, server) {
  const [app] = server.credentials.apps
  const [user] = server.credentials.users
  const results = []
  for (const query of USERS) {
    const address = `/2/users/search?max_results=100&query=${query}`
    const sign = signer('GET', server.credentials.base_url + address, app, user)
    const headers = () => ({ authorization: sign() })
    const { data = [] } = await readJson(server, address, headers())
    const naive = await client.query(
      `select id from (
         select case when lower(u.username) = $1 then 2 when starts_with(lower(u.username), $1) then 1 else 0 end as fit, m.followers_count, u.id
           from user_account u join user_metrics m on m.user_id = u.id where u.search @@ ($2)::tsquery and not u.suspended) f
       order by fit desc, followers_count desc, id desc limit 100`,
      [
        query,
        query
          .match(/[a-z0-9]+/g)
          .map((word) => `'${word}':*`)
          .join(' & '),
      ],
    )
    if (naive.rows.map((row) => row.id).join() !== data.map((item) => item.id).join())
      throw new Error(`users ${query}: ids differ from the naive query's`)
    results.push({ name: `users ${query}`, goal: FLAT_MS, ...(await measure(server, address, REPEATS, headers)) })
  }
  return results
}

let made = 0
function newPosts(authors, count) {
  return Array.from({ length: count }, () => {
    made += 1
    const text = `even steady w${made % 97} w${made % 1_009} w${made % 4_999} small program n${made}`
    const id = idAt(Date.now(), 901, made & 4_095)
    const none = {
      entities: null,
      note_text: null,
      note_entities: null,
      in_reply_to_post_id: null,
      in_reply_to_user_id: null,
      quoted_post_id: null,
      community_id: null,
      place_id: null,
      poll_id: null,
      card_uri: null,
      poll_minutes: null,
      poll_ends_at: null,
    }
    const off = {
      share_with_followers: false,
      nullcast: false,
      made_with_ai: false,
      paid_partnership: false,
      possibly_sensitive: false,
      hidden: false,
    }
    const empty = { mentioned_user_ids: [], media_keys: [], link_codes: [], link_urls: [], poll_options: [] }
    return {
      ...none,
      ...off,
      ...empty,
      id,
      author_id: authors[made % authors.length],
      digest: made.toString(16).padStart(64, '0'),
      text,
      display_start: 0,
      display_end: text.length,
      lang: 'en',
      conversation_id: id,
      first_version_id: id,
      reply_settings: 'everyone',
      source_app_id: '1',
      source: 'bench',
      search: postTerms({ words: text.split(' '), hashtags: [], cashtags: [], mentions: [], urls: [] }),
      happened_at: new Date(),
    }
  })
}

/** Stores posts in statements of 1, 20 and 50, in turn as now and as before. */
async function createPosts(client, folder) {
  const { rows } = await client.query(
    `select id from user_account where username like 'seed%' order by random() limit 2000`,
  )
  const authors = rows.map((row) => row.id)
  const sides = { now: { query: (query) => client.query(query) } }
  let other
  if (COMPARES) {
    await makePreviousPosts(client)
    other = new pg.Client(connectionOf(folder))
    await other.connect()
    const text = previousInsert(allStatements().find((item) => item.name === 'posts_insert').sql)
    sides.before = { query: (query) => other.query({ ...query, text }) }
  }
  for (const [size, rounds] of [
    [1, 1_000],
    [20, 500],
    [50, 500],
  ]) {
    const times = Object.fromEntries(Object.keys(sides).map((name) => [name, []]))
    for (let round = 0; round < rounds; round++)
      for (const [name, db] of Object.entries(sides)) {
        const posts = newPosts(authors, size)
        const started = performance.now()
        await insertPosts(db, posts)
        times[name].push(performance.now() - started)
      }
    for (const [name, list] of Object.entries(times)) {
      const { p50, p99, max } = summary(list)
      const rate = (size * rounds * 1000) / list.reduce((sum, time) => sum + time, 0)
      console.log(
        `create, ${size} in a statement, ${name.padEnd(6)}: ${rate.toFixed(0).padStart(6)} posts/s, p50 ${p50.toFixed(1)}, p99 ${p99.toFixed(1)}, longest ${max.toFixed(1)} ms`,
      )
    }
  }
  await other?.end()
}

/** Waits until all slices but the newest are settled, which takes ten seconds, and the pairs of their words are known. */
async function slicesSettled(client) {
  for (;;) {
    const { rows } = await client.query(
      `select count(*)::int as slices from search_slice where not settled or no not in (select slice from search_pairs)`,
    )
    if (rows[0].slices <= 1) return
    await new Promise((resolve) => setTimeout(resolve, 1_000))
  }
}

async function measureSize(posts, isLast) {
  const { folder, remove } = temporaryFolder()
  try {
    const server = await startRostra(folder)
    server.headers = { authorization: `Bearer ${server.credentials.apps[0].bearer_token}` }
    const users = Math.max(1_000, Math.round(posts / 20))
    const seeded = spawnSync(
      process.execPath,
      [
        path.join(root, 'bin/rostra.js'),
        'seed',
        '--seed',
        '1',
        '--users',
        String(users),
        '--follows',
        String(users * 5),
        '--posts',
        '1',
        '--data-dir',
        folder,
      ],
      { encoding: 'utf8' },
    )
    if (seeded.status !== 0) throw new Error(seeded.stderr)
    const client = new pg.Client(connectionOf(folder))
    await client.connect()
    const started = performance.now()
    const { author, rareAuthor } = await makePosts(client, posts)
    console.log(`${posts} posts and ${users} users stored in ${((performance.now() - started) / 1000).toFixed(0)} s`)
    await slicesSettled(client)
    const results = [
      ...(await searchShapes(client, server, [...SHAPES, ...AUTHOR_SHAPES(author, rareAuthor)])),
      ...(await countShapes(client, server)),
      ...(await userShapes(client, server)),
    ]
    if (isLast) await createPosts(client, folder)
    await client.end()
    await server.stop()
    return results
  } finally {
    remove()
  }
}

const [small, large] = [await measureSize(SIZES[0], false), await measureSize(SIZES[1], true)]
const cell = (number) => number.toFixed(1).padStart(9)
console.log(`\n${'milliseconds'.padEnd(46)}${SIZES.map((size) => `${size} posts`.padStart(18)).join('')}    growth`)
console.log(`${''.padEnd(46)}${'p50'.padStart(9)}${'p99'.padStart(9)}${'p50'.padStart(9)}${'p99'.padStart(9)}`)
for (const [index, after] of large.entries()) {
  const before = small[index]
  const missed =
    after.goal !== undefined && (after.p50 > after.goal || after.p99 > 100) ? `   goal ${after.goal}, p99 100` : ''
  console.log(
    `${before.name.padEnd(46)}${cell(before.p50)}${cell(before.p99)}${cell(after.p50)}${cell(after.p99)}${cell(after.p50 / before.p50)}${missed}`,
  )
}
