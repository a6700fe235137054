import http from 'node:http'
import type { AddressInfo } from 'node:net'
import pg from 'pg'
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest'
import { type ChildServer, onFirstWorld, startChildServer } from '../support/child-server.ts'
import { workersOf } from '../support/processes.ts'
import { correctAnswer } from '../webhooks/receiver.ts'

// Fewer unless every case runs: what is killed and refused is the same.
const EVENTS = { some: 3_000, rest: 8_000, all: 100_000 }[inject('sampling').cases]
const AT_A_TIME = EVENTS / 5

let server: ChildServer
let database: pg.Client
let receiver: http.Server
/** How often each event came, by its number. */
const came = new Uint8Array(EVENTS + 1)
let mood: 'well' | 'failing' | 'stalling' | 'late' | 'gone' = 'well'
let answered = 0

beforeAll(async () => {
  server = await startChildServer({ flags: [...(await onFirstWorld()), '--workers', '2', '--rate-limits', 'off'] })
  database = new pg.Client(server.connection)
  await database.connect()
  receiver = http.createServer(receive)
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
})
afterAll(async () => {
  receiver.closeAllConnections()
  receiver.close()
  await database.end()
  await server.stop()
})

function receive(request: http.IncomingMessage, response: http.ServerResponse): void {
  if (request.method === 'GET') {
    const token = new URL(request.url ?? '/', 'http://receiver').searchParams.get('crc_token') ?? ''
    response.end(correctAnswer(server.credentials.apps[0]!.api_key_secret, token))
    return
  }
  let body = ''
  request.on('data', (chunk) => {
    body += chunk
  })
  request.on('end', () => {
    if (mood === 'gone') return void request.socket.destroy()
    if (mood === 'failing') return void response.writeHead(500).end()
    // Received, but never answered: at-least-once means that this one comes again.
    const number = Number(JSON.parse(body).data.payload.after)
    came[number]! += 1
    if (mood === 'stalling') return
    answered += 1
    if (mood === 'late') setTimeout(() => response.end(), 100)
    else response.end()
  })
}

async function call(path: string, body: unknown): Promise<Record<string, never>> {
  const admin = path.startsWith('/_rostra')
  const bearer = admin ? server.credentials.admin_key : server.credentials.apps[0]!.bearer_token
  const attempt = () =>
    fetch(server.baseUrl + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  // Just after both workers were killed nothing listens for a moment, which is long on a busy machine.
  const answer = await vi.waitFor(attempt, { timeout: 60_000, interval: 100 })
  expect(answer.status, path).toBe(200)
  return (await answer.json()) as Record<string, never>
}

const count = async (sql: string): Promise<number> => Number((await database.query(sql)).rows[0].n)

const isFailureNoted = async (): Promise<boolean> =>
  (await count(`select count(*) as n from webhook_delivery where state = 'pending' and attempts > 0`)) > 0

/** Kills one of the two workers; the supervisor starts another. */
function killWorker(number: number): void {
  process.kill(workersOf(server)[number % 2]!, 'SIGKILL')
}

test(`${EVENTS} events reach a receiver that fails, stalls, answers late and goes away, while workers are killed`, async () => {
  const { port } = receiver.address() as AddressInfo
  const webhook = (await call('/2/webhooks', { url: `http://127.0.0.1:${port}/hook` })) as unknown as { id: string }
  const user = server.credentials.users[0]!.id
  await call('/2/activity/subscriptions', {
    event_type: 'profile.update.bio',
    filter: { user_id: user },
    webhook_id: webhook.id,
  })
  const moods = ['well', 'failing', 'well', 'stalling', 'late', 'gone', 'well'] as const
  let written = 0
  let round = 0
  const deadline = performance.now() + 400_000
  for (;;) {
    if (written < EVENTS) {
      // As profile changes write them, many in one transaction.
      await database.query(
        `insert into event_outbox (type, actor_id, payload, happened_at)
         select 'user.update', $1::bigint, jsonb_build_object('field', 'description', 'before', '', 'after', n::text), now()
           from generate_series($2::int, $3::int) n`,
        [user, written + 1, written + AT_A_TIME],
      )
      written += AT_A_TIME
    }
    // Each mood twice: what is left is delivered without them, since a stalled attempt holds its place for long.
    const isMoody = round < 2 * moods.length
    mood = isMoody ? moods[round % moods.length]! : 'well'
    await new Promise((resolve) => setTimeout(resolve, isMoody && mood === 'well' ? 2_000 : 400))
    // While a worker is being replaced nothing is sent, and one that is killed notes nothing: until then it fails on.
    while (mood === 'failing' && round < moods.length && !(await isFailureNoted()) && performance.now() < deadline)
      await new Promise((resolve) => setTimeout(resolve, 50))
    mood = 'well'
    round += 1
    if (round <= 6) killWorker(round)
    const open = await count(
      `select (select count(*) from event_outbox) + (select place from event_head) - (select place from event_reader where name = 'webhooks')
         + (select count(*) from webhook_delivery where state = 'pending') as n`,
    )
    if (written === EVENTS && open === 0) break
    // What failed once is due again: the waits between attempts follow product time.
    if (round > 6) await call('/_rostra/commands/clock', { advance_ms: 60_000 })
    if (performance.now() > deadline) throw new Error(`${open} are still open, ${answered} were answered`)
  }
  const missing = []
  for (let number = 1; number <= EVENTS; number++) if (came[number] === 0) missing.push(number)
  expect(missing).toEqual([])
  expect(await count(`select count(*) as n from webhook_delivery`)).toBe(EVENTS)
  expect(await count(`select count(*) as n from webhook_delivery where state = 'delivered'`)).toBe(EVENTS)
  // Every event that was planned has one row, and a second copy on the wire only after an attempt that the record calls
  // failed, or one whose result a killed worker could not note.
  expect(await count(`select count(distinct event_place) as n from webhook_delivery`)).toBe(EVENTS)
  const repeated = came.filter((times) => times > 1).length
  const failedOnce = await count(`select count(*) as n from webhook_delivery where attempts > 1`)
  expect(failedOnce).toBeGreaterThan(0)
  expect(repeated).toBeLessThan(failedOnce + 6 * 600)
}, 450_000)
