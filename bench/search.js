// Search and counts over HTTP at two sizes of the world: how the cost of a query grows with the number of posts.
import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { startRostra, temporaryFolder } from './processes.js'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const SIZES = process.argv.slice(2).length === 2 ? process.argv.slice(2).map(Number) : [100_000, 1_000_000]
const REPEATS = 40

const QUERIES = [
  'garden',
  'garden rain',
  'garden OR train OR river',
  '"small program"',
  '#music',
  '#music -rain',
  'from:alice',
  'train lang:en',
  'garden has:links',
  '@seed1_1 garden',
  '(rain OR sun) (train OR river) -has:links',
  'unfindableword',
]

const at = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]

async function measure(baseUrl, headers, address) {
  const times = []
  for (let round = 0; round < REPEATS; round++) {
    const started = performance.now()
    const answer = await fetch(baseUrl + address, { headers })
    await answer.text()
    if (answer.status !== 200) throw new Error(`${address}: ${answer.status}`)
    times.push(performance.now() - started)
  }
  times.sort((left, right) => left - right)
  return { p50: at(times, 0.5), p99: at(times, 0.99) }
}

async function measureSize(posts) {
  const { folder, remove } = temporaryFolder()
  try {
    const server = await startRostra(folder)
    // Posts end now, so recent search has the last seven of thirty days.
    const seeded = spawnSync(
      process.execPath,
      [
        path.join(root, 'bin/rostra.js'),
        'seed',
        '--seed',
        '1',
        '--users',
        '5000',
        '--posts',
        String(posts),
        '--until',
        'now',
        '--data-dir',
        folder,
      ],
      { encoding: 'utf8' },
    )
    if (seeded.status !== 0) throw new Error(seeded.stderr)
    const { base_url, apps } = server.credentials
    const headers = { authorization: `Bearer ${apps[0].bearer_token}` }
    const results = []
    for (const query of QUERIES) {
      results.push([
        query,
        await measure(base_url, headers, `/2/posts/search/all?max_results=100&query=${encodeURIComponent(query)}`),
      ])
    }
    results.push([
      'counts by hour over 7 days: garden',
      await measure(base_url, headers, '/2/posts/counts/recent?query=garden'),
    ])
    await server.stop()
    return results
  } finally {
    remove()
  }
}

const [small, large] = [await measureSize(SIZES[0]), await measureSize(SIZES[1])]
const cell = (number) => number.toFixed(1).padStart(9)
console.log(`\n${'milliseconds'.padEnd(46)}${SIZES.map((size) => `${size} posts`.padStart(18)).join('')}    growth`)
console.log(`${''.padEnd(46)}${'p50'.padStart(9)}${'p99'.padStart(9)}${'p50'.padStart(9)}${'p99'.padStart(9)}`)
for (const [index, [name, before]] of small.entries()) {
  const after = large[index][1]
  console.log(
    `${name.padEnd(46)}${cell(before.p50)}${cell(before.p99)}${cell(after.p50)}${cell(after.p99)}${cell(after.p50 / before.p50)}`,
  )
}
