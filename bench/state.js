// Reset and snapshots beside a lookup of a post, measured in one run.
//   npm run bench:state            with 20,000 seeded posts for the snapshots
//   npm run bench:state -- 50000   another number
// A lookup is measured as a new user would: one request at a time, with and without keep-alive.
import { execFileSync } from 'node:child_process'
import http from 'node:http'
import path from 'node:path'
import { startRostra, temporaryFolder } from './processes.js'

const POSTS = Number(process.argv[2] ?? 20_000)
const ROUNDS = 15
const FEW = 7

const median = (times) => times.toSorted((left, right) => left - right)[Math.floor(times.length / 2)]
const shown = (ms) => `${ms.toFixed(ms < 10 ? 2 : 0)} ms`

function call(server, agent, method, address, key, body) {
  const text = body === undefined ? undefined : JSON.stringify(body)
  const headers = {
    authorization: `Bearer ${key}`,
    ...(text === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
  }
  return new Promise((resolve, reject) => {
    const request = http.request(server.credentials.base_url + address, { method, agent, headers }, (answer) => {
      const parts = []
      answer.on('data', (part) => parts.push(part))
      answer.on('end', () => {
        const words = Buffer.concat(parts).toString()
        if (answer.statusCode >= 300) reject(new Error(`${address}: ${answer.statusCode} ${words.slice(0, 300)}`))
        else resolve(JSON.parse(words))
      })
    })
    request.on('error', reject)
    request.end(text)
  })
}

async function timed(work) {
  const started = performance.now()
  await work()
  return performance.now() - started
}

const { folder, remove } = temporaryFolder()
const dataDir = path.join(folder, 'data')
const server = await startRostra(dataDir, ['--rate-limits', 'off'])
try {
  const { admin_key: adminKey, apps } = server.credentials
  const bearer = apps[0].bearer_token
  const command = (name, args = {}) => call(server, false, 'POST', `/_rostra/commands/${name}`, adminKey, args)
  const reset = (agent) => call(server, agent, 'POST', '/_rostra/reset', adminKey)
  const found = await call(server, false, 'GET', '/2/posts/search/recent?query=from:alice', bearer)
  const lookup = (agent) => call(server, agent, 'GET', `/2/posts/${found.data[0].id}`, bearer)
  let made = 0
  const change = async () => {
    for (let count = 0; count < 2; count++)
      await command('user.create', { username: `bench_${++made}`, name: 'Bench', password: 'secret words' })
  }

  const keepAlive = new http.Agent({ keepAlive: true })
  const results = {}
  for (const [name, agent] of [
    ['keep-alive off', false],
    ['keep-alive on', keepAlive],
  ]) {
    const [lookups, resets, unchanged] = [[], [], []]
    for (let round = 0; round < 200; round++) await lookup(agent)
    for (let round = 0; round < ROUNDS; round++) {
      for (let count = 0; count < 5; count++) lookups.push(await timed(() => lookup(agent)))
      await change()
      resets.push(await timed(() => reset(agent)))
      unchanged.push(await timed(() => reset(agent)))
    }
    results[name] = { lookup: median(lookups), reset: median(resets), unchanged: median(unchanged) }
  }
  for (const [name, { lookup: one, reset: changed, unchanged }] of Object.entries(results)) {
    console.log(`${name}: lookup ${shown(one)}`)
    console.log(`  reset after 2 changes ${shown(changed)}, ${(changed / one).toFixed(1)} lookups`)
    console.log(`  reset without changes ${shown(unchanged)}, ${(unchanged / one).toFixed(1)} lookups`)
  }

  execFileSync(process.execPath, ['bin/rostra.js', 'seed', '--posts', String(POSTS), '--data-dir', dataDir], {
    stdio: 'pipe',
  })
  const saves = []
  const restores = []
  const switches = []
  for (let round = 0; round < FEW; round++) {
    saves.push(await timed(() => command('snapshot.save', { name: 'a' })))
    await change()
    restores.push(await timed(() => command('snapshot.restore', { name: 'a' })))
  }
  for (let round = 0; round < 3; round++) {
    await reset(false)
    switches.push(await timed(() => command('snapshot.restore', { name: 'a' })))
  }
  const one = results['keep-alive off'].lookup
  console.log(`snapshots of ${POSTS} posts:`)
  for (const [name, times] of [
    ['save', saves],
    ['restore after 2 changes', restores],
    ['restore after a reset', switches],
  ])
    console.log(
      `  ${name} ${shown(median(times))}, ${(median(times) / one).toFixed(0)} lookups (worst ${shown(Math.max(...times))})`,
    )
} finally {
  await server.stop()
  remove()
}
