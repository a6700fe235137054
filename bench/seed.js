// `rostra seed` into an empty embedded database, compared with a bare COPY of the same posts into a table without indexes.
import { execFileSync } from 'node:child_process'
import path from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'
import { connectionOf, startRostra, temporaryFolder } from './processes.js'

const POSTS = Number(process.argv[2] ?? 200_000)
const RUNS = Number(process.argv[3] ?? 5)
const rostra = path.join(path.dirname(path.dirname(fileURLToPath(import.meta.url))), 'bin', 'rostra.js')

function seed(folder) {
  const flags = ['--seed', '1', '--users', '1000', '--posts', String(POSTS), '--data-dir', folder, '--json']
  const text = execFileSync(process.execPath, [rostra, 'seed', ...flags], { stdio: ['ignore', 'pipe', 'ignore'] })
  return JSON.parse(text.toString().trim().split('\n').at(-1)).per_second.posts
}

async function bareCopy(folder) {
  const server = await startRostra(folder)
  const client = new pg.Client(connectionOf(folder))
  await client.connect()
  try {
    const rows = []
    for await (const chunk of client.query(copyTo('copy post to stdout'))) rows.push(chunk)
    await client.query('create table bare_post (like post)')
    const started = performance.now()
    await pipeline(Readable.from(rows), client.query(copyFrom('copy bare_post from stdin')))
    return Math.round(POSTS / ((performance.now() - started) / 1000))
  } finally {
    await client.end()
    await server.stop()
  }
}

for (let run = 1; run <= RUNS; run++) {
  const { folder, remove } = temporaryFolder()
  try {
    const seeded = seed(folder)
    const bare = await bareCopy(folder)
    console.log(
      `run ${run}: ${seeded} posts/s seeded, ${bare} rows/s by a bare COPY, ratio ${(seeded / bare).toFixed(2)}`,
    )
  } finally {
    remove()
  }
}
