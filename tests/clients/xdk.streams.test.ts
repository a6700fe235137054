import type * as Xdk from '@xdevplatform/xdk'
import { ApiError, Client } from '@xdevplatform/xdk'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { makePost } from '../social/acting.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'
import { refusalOf } from './refusal.ts'

let server: TestServer
const leaving: AbortController[] = []

beforeAll(async () => {
  server = await startTestServer([], { events: true })
  // The library prints every end of a stream, also those that the test causes.
  vi.spyOn(console, 'error').mockImplementation(() => {})
})
afterAll(async () => {
  vi.restoreAllMocks()
  await server.close()
})
beforeEach(async () => {
  for (const as of ['app', 'second-app'] as const)
    expect((await server.request('POST', '/2/posts/search/stream/rules?delete_all=true', { as })).status).toBe(200)
})
afterEach(async () => {
  for (const one of leaving.splice(0)) one.abort()
  for (const app of [0, 1] as const) await until(async () => (await activeConnections(app)).length === 0)
})

const clientOf = (app: 0 | 1 = 0) =>
  new Client({ baseUrl: server.baseUrl, bearerToken: server.credentials.apps[app]!.bearer_token })
const activeConnections = async (app: 0 | 1 = 0) =>
  (await clientOf(app).connections.getConnectionHistory({ maxResults: 100 })).data ?? []

const refusal = (call: Promise<unknown>) => refusalOf(ApiError, call)

type Stream = Awaited<ReturnType<Xdk.StreamClient['posts']>>
type Options = { signal: AbortSignal }

/** Opens a stream and records its lines. The signal ends it: `close()` of the library stops reading, but does not disconnect. */
async function listen(open: (options: Options) => Promise<Stream>) {
  const leave = new AbortController()
  leaving.push(leave)
  const stream = await open({ signal: leave.signal })
  // biome-ignore lint/suspicious/noExplicitAny: tests look at members of lines whose shape they assert.
  const lines: any[] = []
  let isClosed = false
  // biome-ignore lint/suspicious/noExplicitAny: see above.
  stream.on('data', (line: any) => lines.push(line))
  stream.on('close', () => {
    isClosed = true
  })
  return {
    stream,
    lines,
    leave: () => leave.abort(),
    isClosed: () => isClosed,
    line: async (count: number) => {
      await until(() => lines.length >= count)
      return lines[count - 1]
    },
  }
}

describe('rules through the library', () => {
  test('are added, listed in pages, counted, tested in a dry run, and deleted by id and by value', async () => {
    const { stream } = clientOf()
    const made = await stream.updateRules({
      add: [{ value: 'cats', tag: 'pets' }, { value: 'dogs' }, { value: 'cows' }],
    })
    expect(made.meta).toEqual({
      sent: expect.any(String),
      summary: { created: 3, notCreated: 0, valid: 3, invalid: 0 },
    })
    const rules = made.data!
    expect(rules).toMatchObject([{ value: 'cats', tag: 'pets' }, { value: 'dogs' }, { value: 'cows' }])
    const first = await stream.getRules({ maxResults: 2 })
    const second = await stream.getRules({ maxResults: 2, paginationToken: first.meta?.nextToken })
    expect([...first.data!, ...second.data!]).toEqual(rules)
    expect((await stream.getRules({ ids: [rules[1]!.id!] })).data).toEqual([rules[1]])
    const tried = await stream.updateRules({ add: [{ value: 'hens' }, { value: 'cats' }] }, { dryRun: true })
    expect(tried.meta?.summary).toMatchObject({ created: 1, notCreated: 1 })
    expect(tried.errors).toMatchObject([{ title: 'DuplicateRule', value: 'cats', id: rules[0]!.id }])
    const counts = await stream.getRuleCounts({
      rulesCountFields: 'client_app_rules_count,project_rules_count,cap_per_client_app',
    })
    expect(counts.data).toMatchObject({ clientAppRulesCount: { ruleCount: 3 }, projectRulesCount: 3 })
    const byId = await stream.updateRules({ delete: { ids: [rules[0]!.id!] } })
    expect(byId.meta?.summary).toEqual({ deleted: 1, notDeleted: 0 })
    const byValue = await stream.updateRules({ delete: { values: ['dogs', 'geese'] } })
    expect(byValue.meta?.summary).toEqual({ deleted: 1, notDeleted: 1 })
    expect((await stream.getRules()).data).toEqual([rules[2]])
  })

  // The library requires a body, but the interface allows none with this parameter.
  test('are deleted all at once with an empty body', async () => {
    const { stream } = clientOf()
    await stream.updateRules({ add: [{ value: 'cats' }, { value: 'dogs' }] })
    const gone = await stream.updateRules({} as never, { deleteAll: true })
    expect(gone.meta?.summary).toEqual({ deleted: 2, notDeleted: 0 })
    expect((await stream.getRules()).data ?? []).toEqual([])
  })
})

describe('the filtered stream through the library', () => {
  test('delivers matching posts with rules, fields and included users', async () => {
    const client = clientOf()
    const { data: rules } = await client.stream.updateRules({ add: [{ value: 'marble from:bob', tag: 'stones' }] })
    const heard = await listen((options) =>
      client.stream.posts({
        ...options,
        tweetFields: ['author_id', 'public_metrics', 'edit_history_tweet_ids'],
        expansions: ['author_id'],
        userFields: ['username', 'public_metrics'],
      }),
    )
    await makePost(server, 'alice', { text: 'Marble of somebody else' })
    const id = await makePost(server, 'bob', { text: 'Marble is a stone' })
    // The library passes lines on unchanged, without its own spelling of names.
    expect(await heard.line(1)).toMatchObject({
      data: {
        id,
        text: 'Marble is a stone',
        author_id: server.userId('bob'),
        edit_history_tweet_ids: [id],
        public_metrics: { retweet_count: 0 },
      },
      includes: { users: [{ username: 'bob', public_metrics: { tweet_count: expect.any(Number) } }] },
      matching_rules: [{ id: rules![0]!.id, tag: 'stones' }],
    })
  })

  test('supports async iteration, and ends with the reason when the app ends its connections', async () => {
    const client = clientOf()
    await client.stream.updateRules({ add: [{ value: 'granite' }] })
    const heard = await listen((options) => client.stream.posts(options))
    const seen: string[] = []
    const reading = (async () => {
      for await (const line of heard.stream) if (line.data) seen.push(line.data.id)
    })()
    const ids = [
      await makePost(server, 'bob', { text: 'Granite one' }),
      await makePost(server, 'bob', { text: 'Granite two' }),
    ]
    await until(() => seen.length === 2)
    expect(seen).toEqual(ids)
    const killed = await client.connections.deleteAll()
    expect(killed.data).toMatchObject({ successfulKills: 1, failedKills: 0, results: [{ success: true }] })
    await reading
    expect(heard.lines.at(-1)).toMatchObject({
      errors: [{ title: 'operational-disconnect', disconnect_type: 'ForceDisconnect' }],
    })
    expect(heard.isClosed()).toBe(true)
  })

  test('sends earlier posts with backfill and for a time range', async () => {
    const client = clientOf()
    await client.stream.updateRules({ add: [{ value: 'basalt' }] })
    const live = await listen((options) => client.stream.posts(options))
    const id = await makePost(server, 'bob', { text: 'Basalt before' })
    await live.line(1)
    const late = await listen((options) => client.stream.posts({ ...options, backfillMinutes: 1 }))
    expect((await late.line(1)).data.id).toBe(id)
    await server.command('clock', { advance_ms: 30_000 })
    const startTime = `${new Date(server.runtime.clock.now() - 60_000).toISOString().slice(0, 19)}Z`
    const endTime = `${new Date(server.runtime.clock.now() - 11_000).toISOString().slice(0, 19)}Z`
    const again = await listen((options) => client.stream.posts({ ...options, startTime, endTime }))
    await until(() => again.isClosed())
    expect(again.lines.map((line) => line.data.id)).toEqual([id])
  })

  test('is refused without rules and beyond the limit, with the problem in the error of the library', async () => {
    const client = clientOf(1)
    const without = await refusal(client.stream.posts())
    expect({ status: without.status, data: without.data }).toMatchObject({
      status: 409,
      data: { title: 'ConnectionException', connection_issue: 'RuleConfigurationIssue' },
    })
    await client.stream.updateRules({ add: [{ value: 'slate' }] })
    await listen((options) => client.stream.posts(options))
    const twice = await refusal(client.stream.posts())
    expect({ status: twice.status, data: twice.data }).toMatchObject({
      status: 429,
      data: { title: 'ConnectionException', connection_issue: 'TooManyConnections' },
    })
  })
})

describe('connections through the library', () => {
  test('are listed, ended by uuid and by endpoint, and kept with their end', async () => {
    const client = clientOf()
    await client.stream.updateRules({ add: [{ value: 'clay' }] })
    const filtered = await listen((options) => client.stream.posts(options))
    const sample = await listen((options) => client.stream.postsSample(options))
    const compliance = await listen((options) => client.stream.postsCompliance(2, options))
    const active = await client.connections.getConnectionHistory({
      status: 'active',
      connectionFields: ['id', 'client_ip', 'connected_at', 'endpoint_name'],
    })
    expect(active.meta).toMatchObject({ resultCount: 3 })
    const idOf = (endpoint: string) =>
      (active.data as { id: string; endpointName: string }[]).find((item) => item.endpointName === endpoint)!.id
    expect(active.data).toContainEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      clientIp: '127.0.0.1',
      connectedAt: expect.stringMatching(/Z$/),
      endpointName: 'filtered_stream',
    })
    const byUuid = await client.connections.deleteByUuids({ uuids: [idOf('filtered_stream'), 'not-one'] })
    expect(byUuid.data).toMatchObject({
      successfulKills: 1,
      failedKills: 1,
      results: [
        { uuid: idOf('filtered_stream'), success: true },
        { uuid: 'not-one', success: false, errorMessage: expect.any(String) },
      ],
    })
    // The only spelling that the library has.
    const byEndpoint = await client.connections.deleteByEndpoint('tweets_compliance_stream')
    expect(byEndpoint.data).toMatchObject({ successfulKills: 1 })
    await until(() => filtered.isClosed() && compliance.isClosed())
    expect(sample.isClosed()).toBe(false)
    sample.leave()
    await until(async () => (await activeConnections()).length === 0)
    const past = await client.connections.getConnectionHistory({
      status: 'inactive',
      maxResults: 2,
      endpoints: ['sample_stream', 'tweets_compliance_stream'],
      connectionFields: ['disconnect_reason', 'disconnected_at'],
    })
    expect(past.data).toMatchObject([
      { disconnectReason: 'operator_disconnect', disconnectedAt: expect.stringMatching(/Z$/) },
      { endpointName: 'sample_stream', disconnectReason: 'client_disconnect' },
    ])
  })

  test('are listed in pages', async () => {
    const client = clientOf()
    for (const partition of [1, 2, 3]) await listen((options) => client.stream.postsFirehose(partition, options))
    const seen: string[] = []
    let paginationToken: string | undefined
    do {
      const page = await client.connections.getConnectionHistory({ maxResults: 2, paginationToken })
      seen.push(...(page.data as { id: string }[]).map((item) => item.id))
      paginationToken = page.meta?.nextToken
    } while (paginationToken !== undefined)
    expect(seen).toHaveLength(3)
    expect(new Set(seen).size).toBe(3)
  })
})

describe('the volume and compliance streams through the library', () => {
  const WORDS = {
    en: 'The weather is lovely today and everybody walks in the park with friends',
    ja: '今日はとても良い天気なので、みんなで公園を散歩しています',
    ko: '오늘은 날씨가 아주 좋아서 모두 공원에서 산책을 하고 있습니다',
    pt: 'Hoje o tempo está muito bonito e toda a gente passeia no parque com os amigos',
  }

  test('deliver posts as samples, as the firehose, and by language', async () => {
    const { stream } = clientOf()
    const tweetFields: ('lang' | 'author_id')[] = ['lang', 'author_id']
    const heard = {
      sample: await listen((options) => stream.postsSample({ ...options, tweetFields })),
      tenth: await listen((options) => stream.postsSample10(1, { ...options, tweetFields })),
      whole: await listen((options) => stream.postsFirehose(1, { ...options, tweetFields })),
      en: await listen((options) => stream.postsFirehoseEn(1, { ...options, tweetFields })),
      ja: await listen((options) => stream.postsFirehoseJa(1, { ...options, tweetFields })),
      ko: await listen((options) => stream.postsFirehoseKo(1, { ...options, tweetFields })),
      pt: await listen((options) => stream.postsFirehosePt(1, { ...options, tweetFields })),
    }
    const written = new Map<string, string>()
    while (Object.values(heard).some(({ lines }) => lines.length === 0)) {
      if (written.size > 4_000) throw new Error('no post of 4000 was in a stream')
      const texts = Array.from({ length: 5 }, (_, index) => index).flatMap((index) =>
        Object.values(WORDS).map((words) => `${words} ${written.size + index}`),
      )
      const ids = await Promise.all(texts.map((text) => makePost(server, 'bob', { text })))
      for (const [index, id] of ids.entries()) written.set(id, texts[index]!)
    }
    for (const [name, { lines }] of Object.entries(heard)) {
      const ids = lines.map((line) => line.data.id)
      expect(new Set(ids).size, name).toBe(ids.length)
      for (const { data } of lines) {
        expect(data).toMatchObject({ text: written.get(data.id), author_id: server.userId('bob') })
        if (name in WORDS) expect(data.lang).toBe(name)
      }
    }
  })

  test('deliver likes and removed likes', async () => {
    const { stream } = clientOf()
    const fields = {
      likeWithTweetAuthorFields: ['id', 'created_at', 'liked_tweet_id', 'liked_tweet_author_id'],
      expansions: ['liked_tweet_id', 'liked_tweet_author_id'],
      userFields: ['username'],
    } as const
    const [whole, tenth, back] = [
      await listen((options) => stream.likesFirehose(1, { ...options, ...fields } as never)),
      await listen((options) => stream.likesSample10(1, { ...options, ...fields } as never)),
      await listen((options) => stream.likesCompliance(options)),
    ]
    const posts: string[] = []
    const like = async (user: string, post: string) => {
      const liked = await server.post(`/2/users/${server.userId(user)}/likes`, { post_id: post }, { user })
      expect(liked.body, liked.text).toEqual({ data: { liked: true } })
    }
    while (whole.lines.length === 0 || tenth.lines.length === 0) {
      if (posts.length > 500) throw new Error('no like of 1500 was in a stream')
      const texts = Array.from({ length: 5 }, (_, index) => `Please like number ${posts.length + index}`)
      const more = await Promise.all(texts.map((text) => makePost(server, 'alice', { text })))
      await Promise.all(more.flatMap((post) => ['bob', 'chika', 'dario'].map((user) => like(user, post))))
      posts.push(...more)
    }
    for (const line of [...whole.lines, ...tenth.lines]) {
      const post = line.data.liked_tweet_id
      expect(posts).toContain(post)
      expect(line).toMatchObject({
        data: { id: expect.any(String), liked_tweet_author_id: server.userId('alice') },
        includes: { tweets: [{ id: post }], users: [{ username: 'alice' }] },
      })
    }
    const bob = server.userId('bob')
    await server.delete(`/2/users/${bob}/likes/${posts[0]}`, { user: 'bob' })
    expect(await back.line(1)).toEqual({
      data: { delete: { event_at: expect.stringMatching(/Z$/), favorite: { id: posts[0], user_id: bob } } },
    })
  })

  test('deliver changes to posts and users, and no labels', async () => {
    const { stream } = clientOf()
    const posts = await Promise.all(
      [1, 2, 3, 4].map((part) => listen((options) => stream.postsCompliance(part, options))),
    )
    const users = await Promise.all(
      [1, 2, 3, 4].map((part) => listen((options) => stream.usersCompliance(part, options))),
    )
    const labels = await listen((options) => stream.labelsCompliance(options))
    const linesOf = (all: { lines: unknown[] }[]) => all.flatMap(({ lines }) => lines)
    const first = await makePost(server, 'alice', { text: 'Soon edited' })
    const second = await makePost(server, 'alice', { text: 'Edited', edit_options: { previous_post_id: first } })
    await server.delete(`/2/posts/${second}`, { user: 'alice' })
    await server.command('user.update', { user: 'dario', protected: true })
    await server.command('user.update', { user: 'dario', protected: false })
    await server.command('user.update', { user: 'dario', location: 'Bari' })
    await until(() => linesOf(posts).length >= 3 && linesOf(users).length >= 3)
    expect(linesOf(posts)).toHaveLength(3)
    const at = { event_at: expect.stringMatching(/Z$/) }
    const [alice, dario] = [server.userId('alice'), server.userId('dario')]
    expect(linesOf(posts)).toContainEqual({
      data: {
        tweet_edit: { ...at, tweet: { id: second }, initial_tweet_id: first, edit_tweet_ids: [first, second] },
      },
    })
    for (const id of [first, second])
      expect(linesOf(posts)).toContainEqual({ data: { delete: { ...at, tweet: { id, author_id: alice } } } })
    expect(linesOf(users)).toEqual([
      { data: { user_protect: { ...at, user: { id: dario } } } },
      { data: { user_unprotect: { ...at, user: { id: dario } } } },
      {
        data: {
          user_profile_modification: { ...at, user: { id: dario }, profile_field: 'location', new_value: 'Bari' },
        },
      },
    ])
    expect(labels.lines).toEqual([])
  })
})

// When a fetch is aborted, Node opens a new connection at once and sends nothing on it.
test('a stream that the library disconnected does not prevent the server from stopping', async () => {
  const other = await startTestServer([], { events: true })
  const client = new Client({ baseUrl: other.baseUrl, bearerToken: other.credentials.apps[0]!.bearer_token })
  const leave = new AbortController()
  await client.stream.postsSample({ signal: leave.signal })
  leave.abort()
  await until(async () => {
    const { rows } = await other.runtime.database.pool.query(
      'select from stream_connection where disconnected_at is null',
    )
    return rows.length === 0
  })
  const stopped = other.close().then(() => 'stopped')
  const late = new Promise((resolve) => setTimeout(() => resolve('still open after 5 s'), 5_000))
  expect(await Promise.race([stopped, late])).toBe('stopped')
})
