// Trends and news on seeded worlds of two sizes: what the work costs when it reads the past for the first time, and when it runs
// again after 1,000 more posts. Usage: node bench/topics.js [posts posts]
import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { createClock } from '../dist/modules/process/clock.js'
import { createIdMaker, timeOfId } from '../dist/modules/process/ids.js'
import { makeNews } from '../dist/modules/social/news/make-news.js'
import { countTopics } from '../dist/modules/social/trends/count-topics.js'
import { makeTrends } from '../dist/modules/social/trends/make-trends.js'
import { openDatabase } from '../dist/modules/storage/database.js'
import { connectionOf, startRostra, temporaryFolder } from './processes.js'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const sizes = process.argv.slice(2).map(Number)
const SIZES = sizes.length > 0 ? sizes : [100_000, 1_000_000]
const ADDED = 1_000
const NEVER = new AbortController().signal

const timed = async (work) => {
  const start = performance.now()
  const result = await work()
  return { result, ms: performance.now() - start }
}

async function measure(posts) {
  const { folder, remove } = temporaryFolder()
  const server = await startRostra(folder)
  try {
    const users = Math.max(1_000, Math.round(posts / 50))
    const args = ['seed', '--seed', '1', '--users', users, '--follows', users, '--posts', posts, '--data-dir', folder]
    const { result: seeded, ms } = await timed(async () =>
      spawnSync(process.execPath, [path.join(root, 'bin/rostra.js'), ...args.map(String)], { encoding: 'utf8' }),
    )
    if (seeded.status !== 0) throw new Error(seeded.stderr)
    console.log(`\n${posts} posts seeded in ${(ms / 1000).toFixed(0)} s`)
    const database = openDatabase(connectionOf(folder), { connections: 2, name: 'bench' })
    const clock = createClock()
    // What the work uses of a runtime.
    const runtime = { database, clock, ids: createIdMaker(clock, 511), bus: { wake() {} } }
    const run = async (name, now) => {
      const counted = await timed(() => countTopics(runtime, now, NEVER))
      const trends = await timed(() => makeTrends(runtime, now))
      const news = await timed(() => makeNews(runtime, now))
      console.log(
        `${name.padEnd(8)} ${counted.result} posts counted in ${counted.ms.toFixed(0)} ms, ` +
          `${trends.result} trends made in ${trends.ms.toFixed(0)} ms, ${news.result} stories in ${news.ms.toFixed(0)} ms`,
      )
    }
    // The server may have counted some of them already.
    await database.pool.query('truncate topic_count, topic_state')
    // The last posts are left for the second run.
    const { rows } = await database.pool.query(`select id from post order by id desc offset ${ADDED} limit 1`)
    await run('first', timeOfId(rows[0].id))
    await run('again', Date.now())
    const { rows: kept } = await database.pool.query('select count(*)::int as n from topic_count')
    console.log(`${kept[0].n} counts are kept`)
    await database.close()
  } finally {
    await server.stop()
    remove()
  }
}

for (const posts of SIZES) await measure(posts)
