import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { tailOf } from '../../src/events/runtime-tail.ts'
import { openStream, type ReadStream } from '../support/read-stream.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { arrived, linesOf } from './stream-lines.ts'

const STREAM = '/2/posts/search/stream'

/** While it is closed, `passed()` does not resolve. */
class Barrier {
  #opened: Promise<void> = Promise.resolve()
  #open = () => {}

  close(): void {
    this.#opened = new Promise((resolve) => {
      this.#open = resolve
    })
  }
  open(): void {
    this.#open()
  }
  passed(): Promise<void> {
    return this.#opened
  }
}

let server: TestServer
const batches = new Barrier()
const pages = new Barrier()
beforeAll(async () => {
  server = await startTestServer([], { events: true })
  const { runtime } = server
  // The batches of the log reach the streams when the test lets them.
  const tail = await tailOf(runtime)
  const listen = tail.listen
  tail.listen = (listener) => listen((events) => void batches.passed().then(() => listener(events)))
  // So do the pages of the log that a backfill has read.
  const { database } = runtime
  const query = database.query
  database.query = async (statement) => {
    const result = await query<never>(statement)
    if (statement.name?.startsWith('events_after') && statement.values?.[1] === BACKFILL_PAGE) await pages.passed()
    return result
  }
  await server.post(`${STREAM}/rules`, { add: [{ value: 'joining' }] })
})
afterAll(() => server.close())
beforeEach(() => {
  batches.open()
  pages.open()
})

const BACKFILL_PAGE = 500

let written = 0
async function write(): Promise<string> {
  written += 1
  const answer = await server.post('/2/posts', { text: `joining ${written}` }, { user: 'bob' })
  expect(answer.status, answer.text).toBe(201)
  return answer.body.data.id
}

/** An app has few connections: the next test waits until those of this one are gone. */
async function connectionsGone(): Promise<void> {
  const find = () => server.runtime.database.pool.query('select from stream_connection where disconnected_at is null')
  await expect.poll(async () => (await find()).rowCount).toBe(0)
}

const idsOf = (lines: { data: { id: string } }[]) => lines.map((line) => line.data.id)

async function logged(postId: string): Promise<void> {
  const find = () => server.runtime.database.pool.query('select from event_log where post_id = $1', [postId])
  await expect.poll(async () => (await find()).rowCount).toBe(1)
}

test('a stream that joins after its backfill does not get events of a later batch again', async () => {
  // The first stream makes its process follow the log.
  const other = await openStream(server, STREAM)
  batches.close()
  const first = await write()
  await logged(first)
  const stream = await openStream(server, `${STREAM}?backfill_minutes=5`)
  expect((await stream.next()).data.id).toBe(first)
  batches.open()
  const second = await write()
  expect((await stream.next()).data.id).toBe(second)
  expect(idsOf(linesOf(stream))).toEqual([first, second])
  expect(idsOf(await arrived([other], 2))).toEqual([first, second])
  for (const one of [other, stream]) one.close()
  await connectionsGone()
})

test('a stream that joins after its backfill gets the events that others got during the backfill', async () => {
  const other = await openStream(server, STREAM)
  pages.close()
  const stream: ReadStream = await openStream(server, `${STREAM}?backfill_minutes=5`)
  const missed = await write()
  // The other stream has the post already; the backfill read its page before the post was written.
  expect((await other.next()).data.id).toBe(missed)
  pages.open()
  const last = await write()
  await arrived([stream], 4)
  expect(idsOf(linesOf(stream)).slice(-2)).toEqual([missed, last])
  expect(new Set(idsOf(linesOf(stream))).size).toBe(linesOf(stream).length)
  for (const one of [other, stream]) one.close()
})
