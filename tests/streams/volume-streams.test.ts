import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { shareOf } from '../../src/streams/share.ts'
import { openStream, type ReadStream } from '../support/read-stream.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

const POSTS = 300
const FIREHOSE = '/2/posts/firehose/stream'
const english = (number: number) => `The weather is lovely today and we walk along the river for the ${number}. time`

let server: TestServer
const streams = new Map<string, ReadStream[]>()
const written: { id: string; lang: 'en' | 'ja' }[] = []
let unseen: string[]
// The posts of the first world reach the log when the server starts, so streams may still deliver them.
let world: Set<string>

beforeAll(async () => {
  server = await startTestServer([], { events: true })
  const { rows } = await server.runtime.database.pool.query('select id from post')
  world = new Set(rows.map((row) => String(row.id)))
  await Promise.all([
    connect('firehose', FIREHOSE, 20),
    connect('en', `${FIREHOSE}/lang/en`, 8),
    connect('ja', `${FIREHOSE}/lang/ja`, 2),
    connect('ko', `${FIREHOSE}/lang/ko`, 2),
    connect('sample10', '/2/posts/sample10/stream', 2),
  ])
  streams.set('sample', [await openStream(server, '/2/posts/sample/stream')])
  unseen = [await write(english(-1), 'erin'), await write(english(-2), 'bob', { nullcast: true })]
  await atOnce(POSTS, async (number) => {
    const lang = number % 30 === 0 ? 'ja' : 'en'
    const text = lang === 'ja' ? `今日はとても良い天気なので川沿いを散歩します ${number}` : english(number)
    written.push({ id: await write(text, ['alice', 'bob', 'chika'][number % 3]!), lang })
  })
  // When the firehose has the last post, the other streams have theirs too.
  await arrived('firehose', written.length)
})
afterAll(() => server.close())

async function connect(name: string, path: string, partitions: number): Promise<void> {
  const opened = await Promise.all(
    Array.from({ length: partitions }, (_, index) => openStream(server, `${path}?partition=${index + 1}`)),
  )
  expect(opened.map((stream) => stream.status)).toEqual(opened.map(() => 200))
  streams.set(name, opened)
}

async function write(text: string, user: string, more: object = {}): Promise<string> {
  const answer = await server.post('/2/posts', { text, ...more }, { user })
  expect(answer.status, answer.text).toBe(201)
  return answer.body.data.id
}

/** Calls `act` many times, twenty at once. */
async function atOnce(count: number, act: (number: number) => Promise<void>): Promise<void> {
  let next = 0
  const worker = async () => {
    while (next < count) await act(next++)
  }
  await Promise.all(Array.from({ length: 20 }, worker))
}

const idsOf = (stream: ReadStream): string[] =>
  stream.text
    .split('\r\n')
    .slice(0, -1)
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line).data.id)
    .filter((id) => !world.has(id))

const received = (name: string): string[][] => streams.get(name)!.map(idsOf)

async function arrived(name: string, count: number): Promise<string[]> {
  const deadline = Date.now() + 60_000
  for (;;) {
    const ids = received(name).flat()
    if (ids.length >= count || Date.now() > deadline) return ids.sort()
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

const idsWhere = (test: (post: (typeof written)[number]) => boolean): string[] =>
  written
    .filter(test)
    .map((post) => post.id)
    .sort()

describe('the firehose', () => {
  test('has every public post in exactly one of its partitions', async () => {
    expect(await arrived('firehose', POSTS)).toEqual(idsWhere(() => true))
    expect(new Set(received('firehose').flat()).size).toBe(POSTS)
    expect(received('firehose').filter((ids) => ids.length > 0).length).toBeGreaterThan(15)
  })

  test('has no posts of protected accounts and no posts that are only advertisements', async () => {
    const seen = new Set(['firehose', 'en'].flatMap((name) => received(name).flat()))
    expect(unseen.filter((id) => seen.has(id))).toEqual([])
  })

  test('of a language has only posts in this language, each in one partition', async () => {
    const inEnglish = idsWhere((post) => post.lang === 'en')
    const inJapanese = idsWhere((post) => post.lang === 'ja')
    expect(inJapanese).toHaveLength(POSTS / 30)
    expect(await arrived('en', inEnglish.length)).toEqual(inEnglish)
    expect(await arrived('ja', inJapanese.length)).toEqual(inJapanese)
    expect(received('ko').flat()).toEqual([])
  })

  test('has reposts and edits in their own partitions', async () => {
    const id = await write(english(-3), 'chika')
    const repost = await server.post(`/2/users/${server.userId('alice')}/reposts`, { post_id: id }, { user: 'alice' })
    const edited = await write(english(-4), 'chika', { edit_options: { previous_post_id: id } })
    const seen = await arrived('firehose', POSTS + 3)
    expect([id, repost.body.data.id, edited].filter((item) => !seen.includes(item))).toEqual([])
  })
})

describe('a sample', () => {
  test('of one in ten has about a tenth of the posts, and its two partitions do not overlap', async () => {
    const expected = idsWhere((post) => shareOf(post.id, 10) === 0)
    expect(expected.length).toBeGreaterThan(POSTS * 0.03)
    expect(expected.length).toBeLessThan(POSTS * 0.2)
    const seen = (await arrived('sample10', expected.length)).filter((id) => written.some((post) => post.id === id))
    expect(seen).toEqual(expected)
    const [first, second] = received('sample10') as [string[], string[]]
    expect(first.length).toBeGreaterThan(0)
    expect(second.length).toBeGreaterThan(0)
    expect(first.filter((id) => second.includes(id))).toEqual([])
  })

  test('of one in a hundred has only posts that the larger sample also has', async () => {
    const expected = idsWhere((post) => shareOf(post.id, 100) === 0)
    expect(expected.length).toBeLessThan(POSTS * 0.05)
    const seen = (await arrived('sample', expected.length)).filter((id) => written.some((post) => post.id === id))
    expect(seen).toEqual(expected)
    expect(seen.filter((id) => !received('sample10').flat().includes(id))).toEqual([])
  })

  test('of one in a hundred is open to self-serve apps, one connection at a time', async () => {
    const open = await openStream(server, '/2/posts/sample/stream', 'second-app')
    expect(open.status).toBe(200)
    expect((await openStream(server, '/2/posts/sample/stream', 'second-app')).status).toBe(429)
    open.close()
  })

  test('of one in a hundred has no recovery', async () => {
    const start = new Date(server.runtime.clock.now() - 60_000).toISOString()
    const refused = await server.get(`/2/posts/sample/stream?start_time=${start}`)
    expect(refused.status).toBe(400)
    expect(refused.body.errors[0].parameters).toEqual({ start_time: [start] })
  })
})

const PARTITIONED = {
  '/2/posts/firehose/stream': 20,
  '/2/posts/firehose/stream/lang/en': 8,
  '/2/posts/firehose/stream/lang/ja': 2,
  '/2/posts/firehose/stream/lang/ko': 2,
  '/2/posts/firehose/stream/lang/pt': 2,
  '/2/posts/sample10/stream': 2,
  '/2/likes/firehose/stream': 20,
  '/2/likes/sample10/stream': 2,
  '/2/posts/compliance/stream': 4,
  '/2/users/compliance/stream': 4,
}

describe.each(Object.entries(PARTITIONED))('%s', (path, partitions) => {
  test('requires a partition', async () => {
    const refused = await server.get(path)
    expect(refused.status).toBe(400)
    expect(refused.body).toEqual({
      errors: [{ parameters: { partition: [] }, message: 'The `partition` query parameter can not be empty' }],
      title: 'Invalid Request',
      detail: 'One or more parameters to your request was invalid.',
      type: `${server.runtime.problemBase}/invalid-request`,
    })
  })

  test('has no partition beyond its last', async () => {
    for (const partition of ['0', String(partitions + 1), 'one'])
      expect((await server.get(`${path}?partition=${partition}`)).status, partition).toBe(400)
  })

  test('is not for self-serve apps', async () => {
    const refused = await server.get(`${path}?partition=1`, 'second-app')
    expect(refused.status).toBe(403)
    expect(refused.body.type).toBe(`${server.runtime.problemBase}/client-forbidden`)
  })
})
