import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { openStream, type ReadStream } from '../support/read-stream.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { arrived, linesOf } from './stream-lines.ts'

const POSTS = '/2/posts/compliance/stream'
const USERS = '/2/users/compliance/stream'
const LIKES = '/2/likes/compliance/stream'
const LABELS = '/2/posts/label/stream'
const MOMENT = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

let server: TestServer
const open: ReadStream[] = []
beforeAll(async () => {
  server = await startTestServer([], { events: true })
})
afterAll(() => server.close())
afterEach(async () => {
  for (const stream of open.splice(0)) stream.close()
  const rows = 'select from stream_connection where disconnected_at is null'
  while ((await server.runtime.database.pool.query(rows)).rowCount !== 0)
    await new Promise((resolve) => setTimeout(resolve, 10))
})

async function connect(path: string): Promise<ReadStream> {
  const stream = await openStream(server, path)
  expect(stream.status, stream.text).toBe(200)
  open.push(stream)
  return stream
}
const partitions = (path: string, more = '') =>
  Promise.all([1, 2, 3, 4].map((partition) => connect(`${path}?partition=${partition}${more}`)))

let written = 0
async function write(user = 'bob', more: object = {}): Promise<string> {
  written += 1
  const answer = await server.post('/2/posts', { text: `To be followed ${written}`, ...more }, { user })
  expect(answer.status, answer.text).toBe(201)
  return answer.body.data.id
}
const remove = (id: string, user = 'bob') => server.delete(`/2/posts/${id}`, { user })

describe('the compliance stream of posts', () => {
  test('reports a deletion', async () => {
    const streams = await partitions(POSTS)
    const id = await write()
    await remove(id)
    const post = { id, author_id: server.userId('bob') }
    expect(await arrived(streams, 1)).toEqual([{ data: { delete: { event_at: MOMENT, post } } }])
  })

  test('reports an edit with all versions so far, and the deletion of each version', async () => {
    const streams = await partitions(POSTS)
    const first = await write('chika')
    const second = await write('chika', { edit_options: { previous_post_id: first } })
    const third = await write('chika', { edit_options: { previous_post_id: second } })
    const edits = await arrived(streams, 2)
    const edit = (id: string, versions: string[]) => ({
      data: { post_edit: { edit_post_ids: versions, event_at: MOMENT, initial_post_id: first, post: { id } } },
    })
    expect(edits).toHaveLength(2)
    expect(edits).toEqual(expect.arrayContaining([edit(second, [first, second]), edit(third, [first, second, third])]))
    await remove(third, 'chika')
    const gone = (await arrived(streams, 5)).flatMap((line) => line.data.delete ?? [])
    expect(gone.map((item) => item.post.id).sort()).toEqual([first, second, third])
    expect(new Set(gone.map((item) => item.post.author_id))).toEqual(new Set([server.userId('chika')]))
  })

  test('reports a removed repost as a deleted post', async () => {
    const streams = await partitions(POSTS)
    const id = await write()
    const path = `/2/users/${server.userId('alice')}/reposts`
    const made = await server.post(path, { post_id: id }, { user: 'alice' })
    await server.delete(`${path}/${id}`, { user: 'alice' })
    const post = { id: made.body.data.id, author_id: server.userId('alice') }
    expect(await arrived(streams, 1)).toEqual([{ data: { delete: { event_at: MOMENT, post } } }])
  })

  test('reports deletions of protected accounts too, for clients that stored their posts before', async () => {
    const streams = await partitions(POSTS)
    const id = await write('erin')
    await remove(id, 'erin')
    expect((await arrived(streams, 1))[0].data.delete.post.id).toBe(id)
  })

  test('does not report edits of protected accounts', async () => {
    const streams = await partitions(POSTS)
    await server.command('user.update', { user: 'chika', protected: true })
    const first = await write('chika')
    const second = await write('chika', { edit_options: { previous_post_id: first } })
    const id = await write()
    await remove(id)
    const lines = await arrived(streams, 1)
    await server.command('user.update', { user: 'chika', protected: false })
    expect(lines.map((line) => Object.keys(line.data))).toEqual([['delete']])
    expect(JSON.stringify(lines)).not.toContain(second)
  })

  test('has each notice in exactly one partition', async () => {
    const streams = await partitions(POSTS)
    const ids = await Promise.all(Array.from({ length: 40 }, () => write()))
    await Promise.all(ids.map((id) => remove(id)))
    const lines = await arrived(streams, ids.length)
    expect(lines.map((line) => line.data.delete.post.id).sort()).toEqual(ids.sort())
    expect(streams.map((stream) => linesOf(stream).length > 0)).toEqual([true, true, true, true])
  })

  test('uses the legacy naming on the legacy path', async () => {
    const streams = await partitions('/2/tweets/compliance/stream')
    const first = await write('chika')
    const second = await write('chika', { edit_options: { previous_post_id: first } })
    expect(await arrived(streams, 1)).toEqual([
      {
        data: {
          tweet_edit: {
            edit_tweet_ids: [first, second],
            event_at: MOMENT,
            initial_tweet_id: first,
            tweet: { id: second },
          },
        },
      },
    ])
  })

  test('sends the last minutes first with backfill, and a time range again', async () => {
    const id = await write()
    const start = new Date(server.runtime.clock.now() - 60_000).toISOString()
    const live = await partitions(POSTS)
    await remove(id)
    await arrived(live, 1)
    const backfilled = await partitions(POSTS, '&backfill_minutes=5')
    const withId = async (streams: ReadStream[]) =>
      (await arrived(streams, 1)).filter((line) => line.data.delete?.post.id === id)
    await expect.poll(() => withId(backfilled)).toHaveLength(1)
    await server.command('clock', { advance_ms: 20_000 })
    const part = live.findIndex((stream) => linesOf(stream).length === 1) + 1
    const recovered = await connect(`${POSTS}?partition=${part}&start_time=${start}`)
    await expect.poll(() => withId([recovered])).toHaveLength(1)
    let line = await recovered.next()
    while (line !== undefined) line = await recovered.next()
  })
})

describe('the compliance stream of users', () => {
  test('reports protection, suspension and their ends in order', async () => {
    const streams = await partitions(USERS)
    const changes = [{ protected: true }, { protected: false }, { suspended: true }, { suspended: false }]
    for (const change of changes) await server.command('user.update', { user: 'dario', ...change })
    const facts = { event_at: MOMENT, user: { id: server.userId('dario') } }
    expect(await arrived(streams, 4)).toEqual([
      { data: { user_protect: facts } },
      { data: { user_unprotect: facts } },
      { data: { user_suspend: facts } },
      { data: { user_unsuspend: facts } },
    ])
    expect(streams.filter((stream) => linesOf(stream).length > 0)).toHaveLength(1)
  })

  test('reports each changed member of a profile', async () => {
    const streams = await partitions(USERS)
    const after = { name: 'Dario again', location: 'Porto', profile_banner_url: 'https://example.com/banner.png' }
    await server.command('user.update', { user: 'dario', ...after })
    const lines = await arrived(streams, 3)
    const facts = { event_at: MOMENT, user: { id: server.userId('dario') } }
    expect(lines).toHaveLength(3)
    expect(lines).toEqual(
      expect.arrayContaining(
        Object.entries(after).map(([profile_field, new_value]) => ({
          data: { user_profile_modification: { ...facts, profile_field, new_value } },
        })),
      ),
    )
  })

  test('has each user in exactly one partition', async () => {
    const streams = await partitions(USERS)
    const users = await Promise.all(
      Array.from({ length: 16 }, (_, index) => server.command('user.create', { username: `complied${index}` })),
    )
    for (const user of users) await server.command('user.update', { user: user.username, location: 'Here' })
    for (const user of users) await server.command('user.update', { user: user.username, location: 'There' })
    const lines = await arrived(streams, 32)
    expect(lines).toHaveLength(32)
    const idsOf = (stream: ReadStream) =>
      new Set(linesOf(stream).map((line) => line.data.user_profile_modification.user.id as string))
    const perStream = streams.map(idsOf)
    expect(perStream.map((ids) => ids.size).reduce((sum, size) => sum + size)).toBe(16)
    expect(new Set(perStream.flatMap((ids) => [...ids])).size).toBe(16)
  })
})

describe('the compliance stream of likes', () => {
  test('reports a removed like by post and user', async () => {
    const stream = await connect(LIKES)
    const id = await write()
    const path = `/2/users/${server.userId('alice')}/likes`
    await server.post(path, { post_id: id }, { user: 'alice' })
    await server.delete(`${path}/${id}`, { user: 'alice' })
    expect(await stream.next()).toEqual({
      data: { delete: { event_at: MOMENT, favorite: { id, user_id: server.userId('alice') } } },
    })
  })
})

describe('the stream of labels', () => {
  test('opens, sends nothing without labels, and ends with a last line', async () => {
    const stream = await connect(LABELS)
    const id = await write()
    await remove(id)
    expect((await server.delete('/2/connections/post_label_stream')).body.data.successful_kills).toBe(1)
    expect((await stream.next()).errors[0].disconnect_type).toBe('ForceDisconnect')
    expect(await stream.next()).toBeUndefined()
  })
})

test.each([`${LIKES}`, `${LABELS}`, `${POSTS}?partition=1`])('%s is not for self-serve apps', async (path) => {
  const refused = await server.get(path, 'second-app')
  expect(refused.status).toBe(403)
  expect(refused.body.type).toBe(`${server.runtime.problemBase}/client-forbidden`)
})

test.each([LIKES, LABELS])('%s has no partitions', async (path) => {
  const refused = await server.get(`${path}?partition=1`)
  expect(refused.status).toBe(400)
  expect(refused.body.errors[0].parameters).toEqual({ partition: ['1'] })
})
