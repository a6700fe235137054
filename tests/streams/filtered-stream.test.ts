import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openStream, type ReadStream } from '../support/read-stream.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

const RULES = '/2/posts/search/stream/rules'
const STREAM = '/2/posts/search/stream'

let server: TestServer
const open: ReadStream[] = []

beforeAll(async () => {
  server = await startTestServer([], { events: true })
})
afterAll(() => server.close())
beforeEach(async () => {
  for (const as of ['app', 'second-app'] as const)
    expect((await server.request('POST', `${RULES}?delete_all=true`, { as })).status).toBe(200)
})
afterEach(async () => {
  for (const stream of open.splice(0)) stream.close()
  await connectionsGone()
})

async function connectionsGone() {
  for (;;) {
    const { rows } = await server.runtime.database.pool.query(
      'select count(*)::int as n from stream_connection where disconnected_at is null',
    )
    if (rows[0].n === 0) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

async function connect(path = STREAM, as: 'app' | 'second-app' = 'app'): Promise<ReadStream> {
  const stream = await openStream(server, path, as)
  open.push(stream)
  return stream
}

async function addRule(value: string, tag?: string, as: 'app' | 'second-app' = 'app'): Promise<string> {
  const answer = await server.post(RULES, { add: [{ value, ...(tag ? { tag } : {}) }] }, as)
  expect(answer.status, answer.text).toBe(201)
  return answer.body.data[0].id
}

async function write(text: string, user = 'bob'): Promise<string> {
  const answer = await server.post('/2/posts', { text }, { user })
  expect(answer.status, answer.text).toBe(201)
  return answer.body.data.id
}

describe('connecting', () => {
  test('without rules is refused with the connection problem', async () => {
    const refused = await connect()
    expect(refused.status).toBe(409)
    expect(refused.body).toEqual({
      title: 'ConnectionException',
      detail:
        'You must define rules using the POST /2/posts/search/stream/rules endpoint before connecting to filtered stream.',
      connection_issue: 'RuleConfigurationIssue',
      type: `${server.runtime.problemBase}/streaming-connection`,
    })
  })

  test('without rules is refused to legacy clients in the legacy naming', async () => {
    const refused = await connect('/2/tweets/search/stream')
    expect(refused.status).toBe(409)
    expect(refused.body.detail).toContain('using the POST /2/tweets/search/stream/rules endpoint')
  })

  test('beyond the limit of the tier is refused, and allowed again when a connection ends', async () => {
    await addRule('limit', undefined, 'second-app')
    const first = await connect(STREAM, 'second-app')
    expect(first.status).toBe(200)
    const refused = await connect(STREAM, 'second-app')
    expect(refused.status).toBe(429)
    expect(refused.body).toEqual({
      title: 'ConnectionException',
      detail: 'This stream is currently at the maximum allowed connection limit.',
      connection_issue: 'TooManyConnections',
      type: `${server.runtime.problemBase}/streaming-connection`,
    })
    first.close()
    await connectionsGone()
    expect((await connect(STREAM, 'second-app')).status).toBe(200)
  })

  test('concurrently never exceeds the limit', async () => {
    await addRule('crowd')
    const streams = await Promise.all(Array.from({ length: 8 }, () => connect()))
    expect(streams.filter((stream) => stream.status === 200)).toHaveLength(2)
    expect(streams.filter((stream) => stream.status === 429)).toHaveLength(6)
  })

  test('with a user token is refused', async () => {
    expect((await server.get(STREAM, { user: 'alice' })).status).toBe(403)
  })

  test('with backfill is refused on the self-serve tier', async () => {
    await addRule('back', undefined, 'second-app')
    const refused = await connect(`${STREAM}?backfill_minutes=2`, 'second-app')
    expect(refused.status).toBe(403)
    expect(refused.body.type).toContain('client-forbidden')
  })
})

describe('the stream', () => {
  test('delivers a matching post with its matching rules', async () => {
    const cats = await addRule('cat', 'cats')
    const both = await addRule('cat dog')
    await addRule('bird')
    const stream = await connect()
    expect(stream.status).toBe(200)
    await write('no animal here')
    const id = await write('A cat and a dog walk in')
    expect(await stream.next()).toEqual({
      data: { id, text: 'A cat and a dog walk in', edit_history_post_ids: [id] },
      matching_rules: [
        { id: cats, tag: 'cats' },
        { id: both, tag: '' },
      ],
    })
  })

  test('shows the requested fields and expansions', async () => {
    await addRule('from:alice')
    const stream = await connect(`${STREAM}?post.fields=author_id,lang&expansions=author_id&user.fields=verified`)
    const id = await write('Fields, please', 'alice')
    const line = await stream.next()
    expect(line.data).toMatchObject({ id, author_id: server.userId('alice'), lang: 'en' })
    expect(line.includes.users[0]).toMatchObject({ username: 'alice', verified: expect.any(Boolean) })
  })

  test('matches the text of a quoted post only if the post is public', async () => {
    await addRule('secretword')
    const stream = await connect()
    const { id: authorId } = await server.command('user.create', { username: 'closing' })
    const { apps } = await server.command('app.list')
    const pair = await server.command('user.token', { user: 'closing', app: apps[0].id })
    const app = server.credentials.apps[0]!
    const keys = {
      consumerKey: app.api_key,
      consumerSecret: app.api_key_secret,
      token: pair.access_token,
      tokenSecret: pair.access_token_secret,
    }
    const quoted = (await server.post('/2/posts', { text: 'A secretword' }, { keys })).body.data.id
    await stream.next()
    const quote = async (text: string) =>
      (await server.post('/2/posts', { text, quote_post_id: quoted }, { user: 'bob' })).body.data.id
    const open = await quote('While it is open')
    expect((await stream.next()).data.id).toBe(open)
    const hide = (change: object) => server.command('user.update', { user: authorId, ...change })
    for (const [change, back] of [
      [{ protected: true }, { protected: false }],
      [{ suspended: true }, { suspended: false }],
    ] as const) {
      // The quoted post becomes protected before the stream reads it.
      const client = await server.runtime.database.pool.connect()
      await client.query('begin; select from event_head for update')
      await quote(`Before it is closed by ${Object.keys(change)[0]}`)
      await hide(change)
      await client.query('commit')
      client.release()
      const end = await write(`secretword of bob, ${Object.keys(change)[0]}`)
      expect((await stream.next()).data.id).toBe(end)
      await hide(back)
    }
  })

  test('always shows the history of an edited post', async () => {
    await addRule('typo')
    const stream = await connect()
    const first = await write('A tpyo and a typo', 'alice')
    const edit = { text: 'Just one typo', edit_options: { previous_post_id: first } }
    const second = (await server.post('/2/posts', edit, { user: 'alice' })).body.data.id
    expect((await stream.next()).data.id).toBe(first)
    expect((await stream.next()).data).toEqual({
      id: second,
      text: 'Just one typo',
      edit_history_post_ids: [first, second],
    })
  })

  test('uses the legacy naming for a legacy client', async () => {
    await addRule('legacywords')
    const stream = await connect('/2/tweets/search/stream?tweet.fields=conversation_id,edit_history_tweet_ids')
    const id = await write('legacywords are old')
    expect((await stream.next()).data).toMatchObject({ id, edit_history_tweet_ids: [id], conversation_id: id })
  })

  test('delivers reposts, replies, quotes and edits', async () => {
    await addRule('(walrus OR from:chika) -seal')
    const stream = await connect(`${STREAM}?post.fields=edit_history_post_ids`)
    const id = await write('A walrus!')
    expect((await stream.next()).data.id).toBe(id)
    const repost = await server.post(`/2/users/${server.userId('alice')}/reposts`, { post_id: id }, { user: 'alice' })
    expect(repost.status).toBe(200)
    expect((await stream.next()).data.text).toMatch(/^RT @bob: A walrus!/)
    const edited = await server.post(
      '/2/posts',
      { text: 'A walrus, edited', edit_options: { previous_post_id: (await writeOf('chika', 'first')) as string } },
      { user: 'chika' },
    )
    expect(edited.status, edited.text).toBe(201)
    expect((await stream.next()).data.text).toBe('first')
    const line = await stream.next()
    expect(line.data.text).toBe('A walrus, edited')
    expect(line.data.edit_history_post_ids).toHaveLength(2)
  })

  const writeOf = (user: string, text: string) => write(text, user)

  test('never delivers posts of protected accounts', async () => {
    await addRule('secretword')
    const stream = await connect()
    await write('secretword of a protected account', 'erin')
    const id = await write('secretword for all')
    expect((await stream.next()).data.id).toBe(id)
  })

  test('applies changed rules without a new connection', async () => {
    const first = await addRule('alpha')
    const stream = await connect()
    await addRule('beta')
    const id = await write('beta is new')
    expect((await stream.next()).data.id).toBe(id)
    await server.post(RULES, { delete: { ids: [first] } })
    await write('alpha is gone')
    const last = await write('beta stays')
    expect((await stream.next()).data.id).toBe(last)
  })

  test('keeps the rules of apps separate', async () => {
    await addRule('apart')
    await addRule('other', undefined, 'second-app')
    const [mine, theirs] = [await connect(), await connect(STREAM, 'second-app')]
    await write('apart from the rest')
    const id = await write('other things')
    expect((await theirs.next()).data.id).toBe(id)
    expect((await mine.next()).data.text).toBe('apart from the rest')
  })
})

describe('earlier posts', () => {
  test('come first with backfill, each exactly once', async () => {
    await addRule('backfilled')
    const before = await write('backfilled before')
    await eventLogged(before)
    const stream = await connect(`${STREAM}?backfill_minutes=5`)
    const after = await write('backfilled after')
    expect((await stream.next()).data.id).toBe(before)
    expect((await stream.next()).data.id).toBe(after)
    expect(stream.text.split('\r\n').filter((line) => line !== '')).toHaveLength(2)
  })

  test('are sent again for a time range, and then the stream ends', async () => {
    await addRule('recovered')
    const start = new Date(server.runtime.clock.now() - 60_000).toISOString()
    const id = await write('recovered once')
    await eventLogged(id)
    await server.command('clock', { advance_ms: 20_000 })
    const stream = await connect(`${STREAM}?start_time=${start}`)
    expect((await stream.next()).data.id).toBe(id)
    expect(await stream.next()).toBeUndefined()
  })

  test('are refused if the range is too old or reversed', async () => {
    await addRule('old')
    const old = new Date(server.runtime.clock.now() - 25 * 3600_000).toISOString()
    expect((await connect(`${STREAM}?start_time=${old}`)).status).toBe(400)
    const end = new Date(server.runtime.clock.now() - 3600_000).toISOString()
    const start = new Date(server.runtime.clock.now() - 1800_000).toISOString()
    expect((await connect(`${STREAM}?start_time=${start}&end_time=${end}`)).status).toBe(400)
    expect((await connect(`${STREAM}?end_time=${end}`)).status).toBe(400)
    expect((await connect(`${STREAM}?backfill_minutes=6`)).status).toBe(400)
  })
})

async function eventLogged(postId: string): Promise<void> {
  for (;;) {
    const { rowCount } = await server.runtime.database.pool.query('select from event_log where post_id = $1', [postId])
    if (rowCount === 1) return
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
