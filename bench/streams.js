// Open filtered streams: lines per second over all streams, the time from a post to the client's socket, and what a burst leaves of
// its memory.
import http from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { memoryOf, startRostra, temporaryFolder } from './processes.js'
import { signer } from './sign.js'

const STREAMS = Number(process.argv[2] ?? 1_000)
const POSTS = Number(process.argv[3] ?? 300)
const CONNECTIONS_OF_AN_APP = 2
const IDLE_MS = 60_000
const FIRST_MS = 1288834974657n

const at = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
const madeAt = (id) => Number((BigInt(id) >> 22n) + FIRST_MS)

const { folder, remove } = temporaryFolder()
const server = await startRostra(folder)
const { base_url: base, admin_key: adminKey, apps, users } = server.credentials
const send = async (path, bearer, body) => {
  const answer = await fetch(base + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
  return answer.json()
}

const memories = []
/** Notes how much memory the processes of the server have now, PostgreSQL not counted. */
function noteMemory(when) {
  if (process.platform === 'linux') memories.push(`${when} ${Math.round(memoryOf(server.pid).node)} MB`)
}

let lines = 0
let delays = []
let done = () => {}
let wanted = Number.POSITIVE_INFINITY

function open(bearer) {
  return new Promise((resolve, reject) => {
    const request = http.get(`${base}/2/posts/search/stream?expansions=author_id`, {
      agent: false,
      headers: { authorization: `Bearer ${bearer}` },
    })
    request.on('error', reject)
    request.on('response', (answer) => {
      if (answer.statusCode !== 200) return reject(new Error(`A stream was refused with ${answer.statusCode}`))
      resolve(request)
      let rest = ''
      answer.setEncoding('utf8')
      answer.on('data', (text) => {
        const now = Date.now()
        const parts = (rest + text).split('\r\n')
        rest = parts.pop()
        for (const part of parts) {
          if (part === '') continue
          lines += 1
          delays.push(now - madeAt(/"id":"(\d+)"/.exec(part)[1]))
        }
        if (lines >= wanted) done()
      })
    })
  })
}

try {
  const bearers = []
  for (let count = 0; count < STREAMS / CONNECTIONS_OF_AN_APP; count += 20) {
    const made = await Promise.all(
      Array.from({ length: Math.min(20, STREAMS / CONNECTIONS_OF_AN_APP - count) }, (_, index) =>
        send('/_rostra/commands/app.create', adminKey, {
          name: `Reader ${count + index}`,
          owner: users[0].username,
          tier: 'enterprise',
        }),
      ),
    )
    bearers.push(...made.map((app) => app.bearer_token))
  }
  for (const bearer of bearers) await send('/2/posts/search/stream/rules', bearer, { add: [{ value: '#bench' }] })
  noteMemory('without streams')
  const streams = []
  for (const bearer of bearers) streams.push(...(await Promise.all([open(bearer), open(bearer)])))

  noteMemory('opened')
  const sign = signer('POST', `${base}/2/posts`, apps[0], users[0])
  const post = async (number) => {
    const answer = await fetch(`${base}/2/posts`, {
      method: 'POST',
      headers: { authorization: sign(), 'content-type': 'application/json' },
      body: JSON.stringify({ text: `#bench number ${number} of this run` }),
    })
    if (answer.status !== 201) throw new Error(`A post was refused with ${answer.status}`)
    await answer.text()
  }
  const arrived = (count) =>
    new Promise((resolve) => {
      wanted = count
      done = resolve
      if (lines >= wanted) resolve()
    })

  // One post at a time shows the latency without load. The first post also reads the rules of all apps.
  const oneByOne = async (from, to) => {
    lines = 0
    delays = []
    for (let number = from; number < to; number++) {
      await post(number)
      await arrived((number - from + 1) * streams.length)
    }
  }
  await oneByOne(0, 3)
  const first = delays.reduce((most, delay) => Math.max(most, delay), 0)
  await oneByOne(3, 53)
  const calm = delays.sort((left, right) => left - right)
  noteMemory('after single posts')
  lines = 0
  delays = []
  const started = performance.now()
  for (let number = 0; number < POSTS; number += 10)
    await Promise.all(Array.from({ length: 10 }, (_, index) => post(1_000 + number + index)))
  await arrived(POSTS * streams.length)
  const seconds = (performance.now() - started) / 1000
  noteMemory('after the burst')
  const busy = delays.sort((left, right) => left - right)
  console.log(`${streams.length} open streams, one worker, clients on the same machine`)
  console.log(`first post, which also reads the rules of all apps: ${first} ms`)
  console.log(
    `one post at a time: ${at(calm, 0.5)} ms p50, ${at(calm, 0.99)} ms p99 from the time of the post to the client`,
  )
  console.log(
    `${POSTS} posts as fast as the server accepts them: ${Math.round((POSTS * streams.length) / seconds)} lines/s, ${at(busy, 0.5)} ms p50, ${at(busy, 0.99)} ms p99`,
  )
  await pause(IDLE_MS)
  noteMemory('a minute later')
  for (const stream of streams) stream.destroy()
  await pause(IDLE_MS)
  noteMemory('a minute after they were closed')
  console.log(`memory of Node: ${memories.join(', ')}`)
} finally {
  await server.stop()
  remove()
}
