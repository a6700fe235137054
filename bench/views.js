// Adding views by the control interface and reading analytics, at two sizes of the stored counts: views per second, milliseconds
// per read, and how both change with ten times the data. A request adds 1,000 views of random posts, some of which are seen far more often.
//   npm run bench:views                   300,000 and 3,000,000 rows of hours
//   npm run bench:views -- 100000 5       other sizes (and ten times that), seconds of each measurement
import pg from 'pg'
import { connectionOf, startRostra, temporaryFolder } from './processes.js'
import { signer } from './sign.js'

const STORED = Number(process.argv[2] ?? 300_000)
const SECONDS = Number(process.argv[3] ?? 8)
const HOURS_OF_POST = 100
const VIEWS_OF_REQUEST = 1_000
const AT_ONCE = 2
const READS = 100
const HOUR_MS = 3600_000
const EPOCH_MS = 1288834974657n

const idAt = (ms, number) => (((BigInt(ms) - EPOCH_MS) << 22n) | BigInt(number)).toString()

/** Copies a post of alice, a thousand in each second of the last days. */
async function makePosts(database, pattern, from, to) {
  const begin = Date.now() - 29 * 24 * HOUR_MS
  const ids = Array.from({ length: to - from }, (_item, index) =>
    idAt(begin + Math.floor((from + index) / 1_000) * 1_000, (from + index) % 1_000),
  )
  await database.query(
    `insert into post select (jsonb_populate_record(p, jsonb_build_object('id', n.id, 'conversation_id', n.id, 'first_version_id', n.id))).*
       from post p, unnest($2::bigint[]) as n (id) where p.id = $1`,
    [pattern, ids],
  )
  return ids
}

/** Stores counts of the last hours of posts at once, because filling is not measured. */
const fill = (database, ids) =>
  database.query(
    `with hours as (
       insert into post_hour (post_id, promoted, period, impressions, likes)
       select p.id, false, date_trunc('hour', now()) - make_interval(hours => h * 7), 20, case when h % 10 = 0 then 1 end
         from unnest($1::bigint[]) as p (id), generate_series(0, $2::int - 1) h
       returning post_id, impressions
     )
     insert into post_total (post_id, promoted, impressions) select post_id, false, sum(impressions) from hours group by 1`,
    [ids, HOURS_OF_POST],
  )

const at = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]

const { folder, remove } = temporaryFolder()
const server = await startRostra(folder)
const { base_url: baseUrl, apps, users, admin_key: admin } = server.credentials
const database = new pg.Client(connectionOf(folder))
try {
  await database.connect()
  const alice = users.find((user) => user.username === 'alice')
  const { rows } = await database.query(
    'select p.id from post p join user_account u on u.id = p.author_id where u.username = $1 and reposted_post_id is null limit 1',
    ['alice'],
  )
  const ids = []

  // Half of the views are of a hundredth of the posts.
  const randomPost = () => {
    const among = Math.random() < 0.5 ? Math.max(1, Math.floor(ids.length / 100)) : ids.length
    return ids[Math.floor(Math.random() * among)]
  }
  const addViews = async () => {
    const views = Array.from({ length: VIEWS_OF_REQUEST }, () => ({ post: randomPost() }))
    const answer = await fetch(`${baseUrl}/_rostra/commands/views.add`, {
      method: 'POST',
      headers: { authorization: `Bearer ${admin}`, 'content-type': 'application/json' },
      body: JSON.stringify({ views }),
    })
    if (!answer.ok) throw new Error(await answer.text())
    await answer.arrayBuffer()
  }
  const viewsPerSecond = async () => {
    const started = performance.now()
    let added = 0
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        while (performance.now() - started < SECONDS * 1000) {
          await addViews()
          added += VIEWS_OF_REQUEST
        }
      }),
    )
    return added / ((performance.now() - started) / 1000)
  }
  const read = async (count, granularity, hours) => {
    const some = Array.from({ length: count }, randomPost).join()
    const times = `start_time=${new Date(Date.now() - hours * HOUR_MS).toISOString()}&end_time=${new Date().toISOString()}`
    const url = `${baseUrl}/2/posts/analytics?ids=${some}&granularity=${granularity}&${times}`
    const headers = { authorization: signer('GET', url, apps[0], alice)() }
    const started = performance.now()
    const answer = await fetch(url, { headers })
    const body = await answer.json()
    if (!body.data) throw new Error(JSON.stringify(body))
    return performance.now() - started
  }
  const milliseconds = async (...shape) => {
    const times = []
    for (let round = 0; round < READS; round++) times.push(await read(...shape))
    return at(
      times.sort((left, right) => left - right),
      0.5,
    )
  }

  const measured = []
  for (const size of [STORED, STORED * 10]) {
    const fresh = await makePosts(database, rows[0].id, ids.length, size / HOURS_OF_POST)
    await fill(database, fresh)
    ids.push(...fresh)
    await database.query('vacuum analyze post, post_hour, post_total')
    await addViews()
    const result = {
      views: await viewsPerSecond(),
      week: await milliseconds(1, 'hourly', 24 * 7),
      month: await milliseconds(1, 'daily', 24 * 29),
      many: await milliseconds(100, 'total', 24 * 29),
    }
    const { rows: sizes } = await database.query(
      `select pg_total_relation_size('post_hour') / greatest(1, (select count(*) from post_hour)) as bytes`,
    )
    measured.push(result)
    console.log(
      `${size} rows of ${ids.length} posts: ${Math.round(result.views)} views/s; a post by the hour of a week ${result.week.toFixed(1)} ms, ` +
        `by the day of a month ${result.month.toFixed(1)} ms; totals of 100 posts ${result.many.toFixed(1)} ms; ${sizes[0].bytes} bytes per row`,
    )
  }
  const [small, large] = measured
  console.log(
    `ten times the data: ${(large.views / small.views).toFixed(2)} of the rate, reads ${(large.week / small.week).toFixed(2)}, ` +
      `${(large.month / small.month).toFixed(2)} and ${(large.many / small.many).toFixed(2)} times as long`,
  )
  console.log(`10,000,000 views a day are 116 per second: ${(large.views / 116).toFixed(0)} times that`)
} finally {
  await database.end()
  await server.stop()
  remove()
}
