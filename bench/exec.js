// What `rostra exec` costs per request, beside the base address without TLS: in one run, in turns, medians and ratios.
//   npm run bench:exec            300 requests each way and round, 5 rounds
//   npm run bench:exec -- 100 3
import { spawn } from 'node:child_process'
import http from 'node:http'
import https from 'node:https'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { ProxyAgent, request } from 'undici'
import { startRostra, temporaryFolder } from './processes.js'

const REQUESTS = Number(process.argv[2] ?? 300)
const ROUNDS = Number(process.argv[3] ?? 5)
const NAME = 'https://api.x.com'
const PATH = '/2/users/by/username/alice'
const self = fileURLToPath(import.meta.url)

const median = (numbers) => numbers.toSorted((left, right) => left - right)[Math.floor(numbers.length / 2)]

/** One request with Node's own client; the time until the whole answer is there. */
const byNode = (module, agent) => (base, headers) =>
  new Promise((resolve, reject) => {
    module
      .get(`${base}${PATH}`, { agent, headers }, (answer) => {
        if (answer.statusCode !== 200) reject(new Error(`status ${answer.statusCode}`))
        answer.resume()
        answer.on('end', resolve)
      })
      .on('error', reject)
  })

const byProxy = (proxy) => async (base, headers) => {
  const answer = await request(`${base}${PATH}`, { dispatcher: proxy, headers })
  await answer.body.dump()
}

/** Runs inside `rostra exec`. */
async function measure() {
  const headers = { authorization: `Bearer ${process.env.ROSTRA_BEARER_TOKEN}` }
  const direct = process.env.ROSTRA_URL.replace('localhost', '127.0.0.1')
  const proxy = new ProxyAgent(process.env.HTTPS_PROXY)
  const ways = [
    ['kept connection', 'base address', direct, byNode(http, new http.Agent({ keepAlive: true, maxSockets: 1 }))],
    ['kept connection', 'preload', NAME, byNode(https, new https.Agent({ keepAlive: true, maxSockets: 1 }))],
    ['kept connection', 'proxy', NAME, byProxy(proxy)],
    ['new connection', 'base address', direct, byNode(http, new http.Agent({ keepAlive: false }))],
    ['new connection', 'preload', NAME, byNode(https, new https.Agent({ keepAlive: false, maxCachedSessions: 0 }))],
  ]
  const times = ways.map(() => [])
  for (let round = 0; round < ROUNDS; round++)
    for (const [index, [kind, , base, ask]] of ways.entries()) {
      const count = kind === 'new connection' ? Math.ceil(REQUESTS / 3) : REQUESTS
      for (let sent = 0; sent < count; sent++) {
        const begun = performance.now()
        await ask(base, headers)
        if (sent > 10) times[index].push(performance.now() - begun)
      }
    }
  for (const [index, [kind, way]] of ways.entries()) {
    const plain = median(times[ways.findIndex((item) => item[0] === kind)])
    const own = median(times[index])
    console.log(
      `${kind.padEnd(16)} ${way.padEnd(13)} ${own.toFixed(2)} ms  ${(own / plain).toFixed(2)} of the base address`,
    )
  }
  process.exit(0)
}

const run = (args) =>
  new Promise((resolve, reject) => {
    const begun = performance.now()
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'ignore'] })
    child.once('exit', (code) =>
      code === 0 ? resolve(performance.now() - begun) : reject(new Error(`ended with ${code}`)),
    )
  })

async function main() {
  const { folder, remove } = temporaryFolder()
  const server = await startRostra(folder)
  try {
    const program = path.join(path.dirname(self), '..', 'bin', 'rostra.js')
    const exec = [program, 'exec', '--data-dir', folder, '--', process.execPath]
    await run([...exec, self, String(REQUESTS), String(ROUNDS), 'inside'])
    const bare = []
    const wrapped = []
    for (let round = 0; round < 7; round++) {
      bare.push(await run(['-e', '0']))
      wrapped.push(await run([...exec, '-e', '0']))
    }
    console.log(
      `exec -- node -e 0 on a running server: ${median(wrapped).toFixed(0)} ms, ${(median(wrapped) / median(bare)).toFixed(1)} of node -e 0`,
    )
  } finally {
    await server.stop()
    remove()
  }
}

await (process.argv[4] === 'inside' ? measure() : main())
