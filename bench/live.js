// Open pages: the memory of each, the time from a post to every page that shows it, and the time from a request to the first
// row of the console.
import http from 'node:http'
import { memoryOf, startRostra, temporaryFolder } from './processes.js'
import { signer } from './sign.js'

const PAGES = Number(process.argv[2] ?? 1_000)
const READERS = 50
const ROUNDS = 40

const at = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

const { folder, remove } = temporaryFolder()
const server = await startRostra(folder)
const { base_url: base, admin_key: adminKey, apps, users } = server.credentials
const command = async (name, body) => {
  const answer = await fetch(`${base}/_rostra/commands/${name}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(`${name}: ${answer.status} ${await answer.text()}`)
  return answer.json()
}

/** Opens an event stream and calls back with the name and the time of each event. */
function open(path, headers, onEvent = () => {}) {
  return new Promise((resolve, reject) => {
    const request = http.get(base + path, { agent: false, headers })
    request.on('error', reject)
    request.on('response', (answer) => {
      if (answer.statusCode !== 200) return reject(new Error(`${path} was refused with ${answer.statusCode}`))
      resolve(request)
      answer.setEncoding('utf8')
      answer.on('data', (text) => {
        for (const [, name] of text.matchAll(/^event: (.*)$/gm)) onEvent(name, performance.now(), text)
      })
    })
  })
}

/** The session cookie of a user. */
async function signIn({ username, password }) {
  const page = await fetch(`${base}/i/sign-in?return_to=/home`)
  const cookies = page.headers.getSetCookie().map((line) => line.split(';')[0])
  const csrf = /name="csrf" value="([^"]+)"/.exec(await page.text())[1]
  const answer = await fetch(`${base}/i/sign-in`, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie: cookies.join('; ') },
    body: new URLSearchParams({ csrf, return_to: '/home', username, password }),
  })
  const session = answer.headers.getSetCookie().find((line) => line.startsWith('rostra_session='))
  if (!session) throw new Error(`@${username} could not sign in: ${answer.status}`)
  return session.split(';')[0]
}

try {
  const author = users[0]
  const sign = signer('POST', `${base}/2/posts`, apps[0], author)
  const post = (text) =>
    fetch(`${base}/2/posts`, {
      method: 'POST',
      headers: { authorization: sign(), 'content-type': 'application/json' },
      body: JSON.stringify({ text }),
    })
  const readers = []
  for (let number = 0; number < Math.min(READERS, PAGES); number++) {
    const username = `reader_${number}`
    const { password } = await command('user.create', { username, name: username, password: 'bench-password-1' })
    await command('relation.add', { kind: 'follow', source: username, target: author.username })
    readers.push(await signIn({ username, password: password ?? 'bench-password-1' }))
  }
  await post('The first post warms everything up')
  await pause(1_000)
  const before = memoryOf(server.pid).node
  const arrivals = []
  const pages = []
  for (let number = 0; number < PAGES; number += READERS)
    pages.push(
      ...(await Promise.all(
        readers
          .slice(0, PAGES - number)
          .map((cookie) =>
            open('/i/live?page=home', { cookie }, (name, time) => name === 'arrivals' && arrivals.push(time)),
          ),
      )),
    )
  await pause(2_000)
  const after = memoryOf(server.pid).node
  const delays = []
  for (let round = 0; round < ROUNDS; round++) {
    arrivals.length = 0
    const started = performance.now()
    await post(`Post ${round} for everybody`)
    for (let waits = 0; arrivals.length < pages.length && waits < 500; waits++) await pause(10)
    delays.push(...arrivals.map((time) => time - started))
  }
  delays.sort((left, right) => left - right)
  for (const page of pages) page.destroy()
  await pause(500)

  const rows = []
  let sent = 0
  const console_ = await open(
    '/_rostra/live?topics=requests',
    { authorization: `Bearer ${adminKey}` },
    (name, time, text) => name === 'requests' && text.includes(`number=${sent}`) && rows.push(time - sentAt),
  )
  let sentAt = 0
  for (sent = 1; sent <= ROUNDS; sent++) {
    sentAt = performance.now()
    await fetch(`${base}/health?number=${sent}`)
    for (let waits = 0; rows.length < sent && waits < 200; waits++) await pause(5)
    await pause(120)
  }
  console_.destroy()
  rows.sort((left, right) => left - right)

  console.log(`${pages.length} open pages of ${readers.length} readers, one worker`)
  console.log(`memory: ${Math.round(((after - before) * 1024) / pages.length)} kB for each open page`)
  console.log(`a post reaches the pages: ${Math.round(at(delays, 0.5))} ms p50, ${Math.round(at(delays, 0.99))} ms p99`)
  console.log(
    `a request is a row of the console: ${Math.round(at(rows, 0.5))} ms p50, ${Math.round(at(rows, 0.99))} ms p99`,
  )
} finally {
  await server.stop()
  remove()
}
