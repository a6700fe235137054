import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { shareOf } from '../../src/streams/share.ts'
import { openStream, type ReadStream } from '../support/read-stream.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { arrived, linesOf } from './stream-lines.ts'

const FIREHOSE = '/2/likes/firehose/stream'
const SAMPLE = '/2/likes/sample10/stream'
const USERS = ['alice', 'bob', 'chika', 'dario']

let server: TestServer
const open: ReadStream[] = []
beforeAll(async () => {
  server = await startTestServer([], { events: true })
  await server.command('relation.add', { kind: 'follow', source: 'alice', target: 'erin' })
  await server.runtime.database.pool.query('delete from post_like')
})
afterAll(() => server.close())
afterEach(async () => {
  for (const stream of open.splice(0)) stream.close()
  const rows = 'select from stream_connection where disconnected_at is null'
  while ((await server.runtime.database.pool.query(rows)).rowCount !== 0)
    await new Promise((resolve) => setTimeout(resolve, 10))
})

let written = 0
async function write(user = 'bob'): Promise<string> {
  written += 1
  const answer = await server.post('/2/posts', { text: `Worth a like ${written}` }, { user })
  expect(answer.status, answer.text).toBe(201)
  return answer.body.data.id
}

async function like(user: string, post_id: string): Promise<void> {
  const answer = await server.post(`/2/users/${server.userId(user)}/likes`, { post_id }, { user })
  expect(answer.status, answer.text).toBe(200)
}
const unlike = (user: string, id: string) => server.delete(`/2/users/${server.userId(user)}/likes/${id}`, { user })

/** The lines of all partitions of a stream. */
async function connect(path: string, partitions: number, query = ''): Promise<ReadStream[]> {
  const streams = await Promise.all(
    Array.from({ length: partitions }, (_, index) => openStream(server, `${path}?partition=${index + 1}${query}`)),
  )
  open.push(...streams)
  expect(streams.map((stream) => stream.status)).toEqual(streams.map(() => 200))
  return streams
}

describe('a like on its stream', () => {
  test('has its id, the post and the author of the post', async () => {
    const streams = await connect(FIREHOSE, 20)
    const id = await write('bob')
    await like('alice', id)
    expect(await arrived(streams, 1)).toEqual([
      {
        data: {
          id: expect.stringMatching(/^[0-9a-f]{32}$/),
          liked_post_id: id,
          post_author_id: server.userId('bob'),
        },
      },
    ])
  })

  test('has the requested fields and expansions', async () => {
    const fields = 'created_at,timestamp_ms,liked_post_author_id'
    const streams = await connect(
      FIREHOSE,
      20,
      `&like_with_post_author.fields=${fields}&expansions=liked_post_id,liked_post_author_id&user.fields=verified`,
    )
    const id = await write('bob')
    const before = server.runtime.clock.now()
    await like('alice', id)
    const [line] = await arrived(streams, 1)
    const bob = server.userId('bob')
    expect(line.data).toEqual({
      id: expect.any(String),
      created_at: expect.stringMatching(/\.000Z$/),
      liked_post_author_id: bob,
      liked_post_id: id,
      post_author_id: bob,
      timestamp_ms: expect.any(Number),
    })
    expect(line.data.timestamp_ms).toBeGreaterThanOrEqual(before)
    expect(line.data.created_at).toBe(`${new Date(line.data.timestamp_ms).toISOString().slice(0, 19)}.000Z`)
    expect(line.includes).toEqual({
      posts: [{ id, text: expect.any(String) }],
      users: [{ id: bob, name: expect.any(String), username: 'bob', verified: expect.any(Boolean) }],
    })
  })

  test('has the legacy naming for a legacy client', async () => {
    const streams = await connect(FIREHOSE, 20, '&like_with_tweet_author.fields=liked_tweet_author_id')
    const id = await write('bob')
    await like('alice', id)
    const bob = server.userId('bob')
    expect((await arrived(streams, 1))[0].data).toEqual({
      id: expect.any(String),
      liked_tweet_id: id,
      liked_tweet_author_id: bob,
      tweet_author_id: bob,
    })
  })

  test('keeps its id when it is sent again', async () => {
    const streams = await connect(FIREHOSE, 20)
    const id = await write('bob')
    await like('alice', id)
    const [first] = await arrived(streams, 1)
    const again = await connect(FIREHOSE, 20, '&backfill_minutes=5')
    const ofPost = () => again.flatMap(linesOf).filter((line) => line.data.liked_post_id === id)
    await vi.waitFor(() => expect(ofPost()).toEqual([first]), { timeout: 60_000 })
  })

  test('is not delivered if the author or the user who likes is protected', async () => {
    const streams = await connect(FIREHOSE, 20)
    await like('alice', await write('erin'))
    await like('erin', await write('bob'))
    const open = await write('bob')
    await like('alice', open)
    const lines = await arrived(streams, 1)
    expect(lines.map((line) => line.data.liked_post_id)).toEqual([open])
  })

  test('is sent again on request, even if it was removed since', async () => {
    const [gone, stays] = [await write('bob'), await write('bob')]
    const live = await connect(FIREHOSE, 20)
    await like('alice', gone)
    await arrived(live, 1)
    await unlike('alice', gone)
    await like('alice', stays)
    await arrived(live, 2)
    const streams = await connect(FIREHOSE, 20, '&backfill_minutes=5')
    await like('chika', stays)
    const seen: string[] = []
    for (let round = 0; round < 500 && seen.filter((id) => id === stays).length < 2; round++) {
      seen.splice(0, seen.length, ...streams.flatMap(linesOf).map((line) => line.data.liked_post_id))
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
    expect(seen.filter((id) => id === stays)).toHaveLength(2)
    expect(seen.filter((id) => id === gone)).toHaveLength(1)
  })
})

describe('many likes', () => {
  test('are each in one partition of the firehose, and a tenth of them in the sample', async () => {
    const [firehose, sample] = [await connect(FIREHOSE, 20), await connect(SAMPLE, 2)]
    const posts = await Promise.all(Array.from({ length: 75 }, (_, index) => write(USERS[index % 3])))
    await Promise.all(
      USERS.map(async (user) => {
        for (const id of posts) await like(user, id)
      }),
    )
    const count = posts.length * USERS.length
    const lines = await arrived(firehose, count)
    expect(lines).toHaveLength(count)
    expect(new Set(lines.map((line) => line.data.id)).size).toBe(count)
    expect(new Set(lines.map((line) => line.data.liked_post_id))).toEqual(new Set(posts))
    expect(firehose.filter((stream) => linesOf(stream).length > 0).length).toBeGreaterThan(15)

    const { rows } = await server.runtime.database.pool.query('select id from post_like where post_id = any($1)', [
      posts,
    ])
    const expected = rows.filter((row) => shareOf(String(row.id), 10) === 0).length
    expect(expected).toBeGreaterThan(count * 0.03)
    expect(expected).toBeLessThan(count * 0.2)
    const sampled = await arrived(sample, expected)
    expect(sampled).toHaveLength(expected)
    expect(new Set(sampled.map((line) => line.data.id)).size).toBe(expected)
    expect(sample.map((stream) => linesOf(stream).length > 0)).toEqual([true, true])
  })
})

test('at most two connections to each partition are open at once', async () => {
  const opened = []
  for (const _ of [1, 2]) opened.push(await openStream(server, `${SAMPLE}?partition=1`))
  const refused = await openStream(server, `${SAMPLE}?partition=1`)
  expect(refused.status).toBe(429)
  expect(refused.body.connection_issue).toBe('TooManyConnections')
  opened.push(await openStream(server, `${SAMPLE}?partition=2`))
  expect(opened.map((stream) => stream.status)).toEqual([200, 200, 200])
  for (const stream of opened) stream.close()
})
