import { afterAll, beforeAll, expect, test } from 'vitest'
import { Throttle } from '../../src/streams/throttle.ts'
import { openStream } from '../support/read-stream.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

const STREAM = '/2/posts/search/stream'
const POSTS = 600

let server: TestServer
beforeAll(async () => {
  server = await startTestServer(['--rate-limits', 'off'], { events: true })
})
afterAll(() => server.close())

test('a throttle lets at most its number of items pass in any second, the first of them at once', () => {
  const throttle = new Throttle(3)
  expect(throttle.take(2, 0)).toBe(2)
  expect(throttle.take(5, 400)).toBe(1)
  expect(throttle.take(5, 900)).toBe(0)
  expect(throttle.waitMs(900)).toBe(100)
  expect(throttle.take(5, 1_000)).toBe(2)
  expect(throttle.take(5, 1_399)).toBe(0)
  expect(throttle.take(5, 1_400)).toBe(1)
})

test('a self-serve app gets 250 lines of a burst per second, in order', async () => {
  for (let from = 0; from < POSTS; from += 50) {
    const texts = Array.from({ length: 50 }, (_, at) => `burst ${from + at}`)
    const made = await Promise.all(texts.map((text) => server.post('/2/posts', { text }, { user: 'bob' })))
    expect(made.map((answer) => answer.status)).toEqual(made.map(() => 201))
  }
  for (const as of ['app', 'second-app'] as const)
    expect((await server.post(`${STREAM}/rules`, { add: [{ value: 'burst' }] }, as)).status).toBe(201)
  const full = await openStream(server, STREAM, 'app')
  const throttled = await openStream(server, STREAM, 'second-app')
  // Emits the same events again at one moment, because posting takes too long for a burst.
  await server.runtime.database.pool.query(
    `insert into event_outbox (type, actor_id, post_id, payload, happened_at)
     select type, actor_id, post_id, payload, happened_at from event_log where type = 'post.create' order by place desc limit $1`,
    [POSTS],
  )
  const ids: string[] = []
  for (let count = 0; count < POSTS; count++) ids.push((await full.next()).data.id)
  const received = [(await throttled.next()).data.id]
  const firstMs = performance.now()
  while (received.length < POSTS) received.push((await throttled.next()).data.id)
  expect(received).toEqual(ids)
  // 250 at once, 250 after one second and 100 after two.
  expect(performance.now() - firstMs).toBeGreaterThan(1_000)
  full.close()
  throttled.close()
})
