import https from 'node:https'
import net from 'node:net'
import {
  ApiResponseError,
  ETwitterStreamEvent,
  type StreamingV2DeleteRulesParams,
  type TweetStream,
  TwitterApi,
} from 'twitter-api-v2'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { makePost } from '../social/acting.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'
import { refusalOf } from './refusal.ts'

let server: TestServer
let agent: https.Agent
/** Stays open during all tests, and no event concerns it. */
let quiet: Followed<unknown>
const open: TweetStream<unknown>[] = []

/** Reaches the server under the library's built-in host name. It has no TLS, so the server sees when the library disconnects. */
class StraightAgent extends https.Agent {
  override createConnection() {
    return net.connect(Number(new URL(server.baseUrl).port), '127.0.0.1') as never
  }
}

beforeAll(async () => {
  server = await startTestServer([], { events: true })
  agent = new StraightAgent({ keepAlive: false })
  quiet = follow(await clientOf(1).v2.getStream<unknown>('activity/stream'))
})
afterAll(async () => {
  quiet.stream.destroy()
  await server.close()
  agent.destroy()
})
beforeEach(async () => {
  for (const as of ['app', 'second-app'] as const)
    expect((await server.request('POST', '/2/posts/search/stream/rules?delete_all=true', { as })).status).toBe(200)
})
afterEach(async () => {
  for (const stream of open.splice(0)) stream.destroy()
  await until(async () => (await activeConnections(0)) + (await activeConnections(1)) === 0)
})

const clientOf = (app: 0 | 1 = 0) => new TwitterApi(server.credentials.apps[app]!.bearer_token!, { httpAgent: agent })

// The library's type of an empty body is not among the overloads of its own method.
const NO_BODY = {} as StreamingV2DeleteRulesParams

const connections = (app: 0 | 1, status: string) =>
  clientOf(app).v2.get('connections', {
    status,
    endpoints: 'filtered_stream,sample_stream,sample10_stream',
    'connection.fields': 'id,disconnect_reason,disconnected_at',
  })
const activeConnections = async (app: 0 | 1): Promise<number> =>
  (await connections(app, 'active')).meta.result_count as number

/** Follows a stream that ends with the test. */
function watch<T>(stream: TweetStream<T>): Followed<T> {
  open.push(stream as TweetStream<unknown>)
  return follow(stream)
}

const refusal = (call: Promise<unknown>) => refusalOf(ApiResponseError, call)

type Followed<T> = ReturnType<typeof follow<T>>

/** Records all events that a stream of the library emits. */
function follow<T>(stream: TweetStream<T>) {
  const data: T[] = []
  const events: [event: string, value: unknown][] = []
  for (const event of Object.values(ETwitterStreamEvent)) {
    if (event === ETwitterStreamEvent.Data) stream.on(event, (line) => data.push(line))
    else stream.on(event as ETwitterStreamEvent.ConnectionError, (value: unknown) => events.push([event, value]))
  }
  return {
    stream,
    data,
    events,
    names: () => events.map(([event]) => event),
    line: async (count: number) => {
      await until(() => data.length >= count)
      return data[count - 1]!
    },
    emitted: (event: ETwitterStreamEvent) => until(() => events.some(([name]) => name === event)),
  }
}

describe('the library changes rules', () => {
  test('adds them, lists them in pages and by id, and deletes them', async () => {
    const { v2 } = clientOf()
    expect((await v2.streamRules()).data).toBeUndefined()
    const values = ['cats -is:retweet', 'from:alice has:links', '"good morning" lang:en']
    const made = await v2.updateStreamRules({ add: values.map((value, index) => ({ value, tag: `tag ${index}` })) })
    expect(made.data).toEqual(values.map((value, index) => ({ id: expect.any(String), value, tag: `tag ${index}` })))
    expect(made.meta).toEqual({
      sent: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      summary: { created: 3, not_created: 0, valid: 3, invalid: 0 },
    })
    const ids = made.data.map((rule) => rule.id)
    expect(await v2.streamRules()).toEqual({
      data: made.data,
      meta: { sent: expect.any(String), result_count: 3 },
    })
    expect((await v2.streamRules({ ids: `${ids[2]},${ids[0]}` })).data).toEqual([made.data[0], made.data[2]])

    const first = await v2.streamRules({ max_results: 2 })
    expect(first.data).toEqual(made.data.slice(0, 2))
    const second = await v2.streamRules({ max_results: 2, pagination_token: first.meta.next_token })
    expect(second.data).toEqual(made.data.slice(2))
    expect(second.meta.next_token).toBeUndefined()

    const gone = await v2.updateStreamRules({ delete: { ids: ids.slice(0, 2) } })
    expect(gone.meta.summary).toEqual({ deleted: 2, not_deleted: 0 })
    expect((await v2.streamRules()).data.map((rule) => rule.id)).toEqual([ids[2]])
  })

  test('changes nothing in a dry run', async () => {
    const { v2 } = clientOf()
    const tried = await v2.updateStreamRules({ add: [{ value: 'dry', tag: 'run' }] }, { dry_run: true })
    expect(tried.data).toMatchObject([{ value: 'dry', tag: 'run' }])
    expect(tried.meta.summary).toMatchObject({ created: 1, not_created: 0 })
    expect((await v2.streamRules()).data).toBeUndefined()
    const made = await v2.updateStreamRules({ add: [{ value: 'wet' }] }, { dry_run: false })
    const spared = await v2.updateStreamRules({ delete: { ids: [made.data[0]!.id] } }, { dry_run: true })
    expect(spared.meta.summary).toEqual({ deleted: 1, not_deleted: 0 })
    expect((await v2.streamRules()).data).toEqual([{ id: made.data[0]!.id, value: 'wet' }])
  })

  test('gets errors for duplicates and invalid rules along with the new rules', async () => {
    const { v2 } = clientOf()
    const before = await v2.updateStreamRules({ add: [{ value: 'from:bob', tag: 'first' }] })
    const mixed = await v2.updateStreamRules({
      add: [{ value: 'from:bob', tag: 'second' }, { value: 'cats colour:red' }, { value: 'dogs' }],
    })
    expect(mixed.data).toEqual([{ id: expect.any(String), value: 'dogs' }])
    expect(mixed.meta.summary).toMatchObject({ created: 1, not_created: 2, valid: 1, invalid: 2 })
    expect(mixed.errors).toEqual([
      {
        value: 'from:bob',
        id: before.data[0]!.id,
        title: 'DuplicateRule',
        type: expect.stringMatching(/\/duplicate-rules$/),
      },
      {
        value: 'cats colour:red',
        details: [expect.stringContaining("Reference to invalid operator 'colour'")],
        title: 'UnprocessableEntity',
        type: expect.stringMatching(/\/invalid-rules$/),
      },
    ])
    const none = await v2.updateStreamRules({ add: [{ value: 'dogs' }] })
    expect(none.data).toBeUndefined()
    expect(none.errors).toHaveLength(1)
    const unknown = await v2.updateStreamRules({ delete: { ids: ['12', before.data[0]!.id] } })
    expect(unknown.meta.summary).toEqual({ deleted: 1, not_deleted: 1 })
    expect(unknown.errors).toHaveLength(1)
  })

  test('deletes all of them with its empty body', async () => {
    const { v2 } = clientOf()
    await v2.updateStreamRules({ add: [{ value: 'one' }, { value: 'two' }] })
    const gone = await v2.updateStreamRules(NO_BODY, { delete_all: true })
    expect(gone.meta.summary).toEqual({ deleted: 2, not_deleted: 0 })
    expect((await v2.streamRules()).data).toBeUndefined()
  })

  test('gets its own error class as a user and with an empty body', async () => {
    const keys = server.keysOf('alice')
    const alice = new TwitterApi(
      {
        appKey: keys.consumerKey,
        appSecret: keys.consumerSecret,
        accessToken: keys.token!,
        accessSecret: keys.tokenSecret!,
      },
      { httpAgent: agent },
    )
    const asUser = await refusal(alice.v2.streamRules())
    expect({ code: asUser.code, title: asUser.data.title }).toEqual({ code: 403, title: 'Unsupported Authentication' })
    expect((await refusal(clientOf().v2.updateStreamRules(NO_BODY))).code).toBe(400)
  })
})

describe('the search stream of the library', () => {
  test('delivers matching posts with rules, fields and included objects in the legacy naming', async () => {
    const client = clientOf()
    const { data: rules } = await client.v2.updateStreamRules({
      add: [{ value: 'lighthouse', tag: 'towers' }, { value: 'from:alice lighthouse' }, { value: 'harbour' }],
    })
    const followed = watch(
      await client.v2.searchStream({
        expansions: ['author_id', 'referenced_tweets.id', 'referenced_tweets.id.author_id', 'edit_history_tweet_ids'],
        'tweet.fields': ['created_at', 'public_metrics', 'referenced_tweets', 'conversation_id'],
        'user.fields': ['username', 'public_metrics'],
      }),
    )
    const root = await makePost(server, 'bob', { text: 'A boat without a light' })
    const quote = await makePost(server, 'alice', { text: 'The lighthouse shines', quote_post_id: root })
    const line = await followed.line(1)
    expect(line.data).toMatchObject({
      id: quote,
      text: expect.stringMatching(/^The lighthouse shines/),
      author_id: server.userId('alice'),
      conversation_id: quote,
      created_at: expect.stringMatching(/\.\d{3}Z$/),
      edit_history_tweet_ids: [quote],
      public_metrics: expect.objectContaining({ retweet_count: 0, like_count: 0 }),
      referenced_tweets: [{ type: 'quoted', id: root }],
    })
    expect(line.includes!.tweets!.map((post) => post.id)).toContain(root)
    expect(line.includes!.users!.map((user) => user.username).sort()).toEqual(['alice', 'bob'])
    expect(line.includes!.users![0]!.public_metrics).toHaveProperty('tweet_count')
    expect(line.matching_rules).toEqual([
      { id: rules[0]!.id, tag: 'towers' },
      { id: rules[1]!.id, tag: '' },
    ])
    expect(JSON.stringify(line)).not.toMatch(/"[a-z_]*post[a-z_]*":/)
  })

  test('supports async iteration in the order of the posts', async () => {
    const client = clientOf()
    await client.v2.updateStreamRules({ add: [{ value: 'queue' }] })
    const stream = await client.v2.searchStream()
    open.push(stream as TweetStream<unknown>)
    const writing = (async () => {
      const ids: string[] = []
      for (let number = 0; number < 25; number++)
        ids.push(await makePost(server, 'bob', { text: `Number ${number} in the queue 🚀 日本` }))
      return ids
    })()
    const seen: string[] = []
    for await (const { data } of stream) {
      expect(data.text).toBe(`Number ${seen.length} in the queue 🚀 日本`)
      if (seen.push(data.id) === 25) break
    }
    expect(seen).toEqual(await writing)
  })

  test('is refused without rules with the problem in the error of the library', async () => {
    const refused = await refusal(clientOf().v2.searchStream())
    expect(refused.code).toBe(409)
    expect(refused.data).toMatchObject({
      title: 'ConnectionException',
      connection_issue: 'RuleConfigurationIssue',
      type: expect.stringMatching(/\/streaming-connection$/),
    })
  })

  test('no longer counts when the library closes it', async () => {
    const client = clientOf(1)
    await client.v2.updateStreamRules({ add: [{ value: 'places' }] })
    const first = await client.v2.searchStream()
    const refused = await refusal(client.v2.searchStream())
    expect({ code: refused.code, data: refused.data }).toMatchObject({
      code: 429,
      data: { title: 'ConnectionException', connection_issue: 'TooManyConnections' },
    })
    first.close()
    await until(async () => (await activeConnections(1)) === 0)
    watch(await client.v2.searchStream())
    const history = await connections(1, 'inactive')
    expect(history.data[0]).toMatchObject({ endpoint_name: 'filtered_stream', disconnect_reason: 'client_disconnect' })
  })
})

describe('a connection that the server ends', () => {
  test('is reported with the reason, opened again by autoReconnect, and delivers later posts', async () => {
    const client = clientOf()
    await client.v2.updateStreamRules({ add: [{ value: 'phoenix' }] })
    const followed = watch(client.v2.searchStream({ autoConnect: false }))
    await followed.stream.connect({ autoReconnect: true, autoReconnectRetries: 3 })
    const before = await makePost(server, 'bob', { text: 'The phoenix sings' })
    await followed.line(1)
    const killed = await client.v2.delete('connections/all')
    expect(killed.data).toMatchObject({ successful_kills: 1, failed_kills: 0 })
    await followed.emitted(ETwitterStreamEvent.Reconnected)
    expect(followed.names()).toEqual([
      ETwitterStreamEvent.Connected,
      ETwitterStreamEvent.DataError,
      ETwitterStreamEvent.Error,
      ETwitterStreamEvent.ConnectionError,
      ETwitterStreamEvent.Error,
      ETwitterStreamEvent.ReconnectAttempt,
      ETwitterStreamEvent.Reconnected,
    ])
    expect(followed.events[1]![1]).toEqual({
      errors: [
        {
          title: 'operational-disconnect',
          disconnect_type: 'ForceDisconnect',
          detail: expect.any(String),
          type: expect.stringMatching(/\/operational-disconnect$/),
        },
      ],
    })
    const after = await makePost(server, 'bob', { text: 'The phoenix sings again' })
    await followed.line(2)
    expect(followed.data.map((line) => line.data.id)).toEqual([before, after])
  })

  test('ends the stream without autoReconnect, and async iteration with an error', async () => {
    const client = clientOf()
    await client.v2.updateStreamRules({ add: [{ value: 'curtain' }] })
    const followed = watch(await client.v2.searchStream())
    const reading = (async () => {
      for await (const _line of followed.stream) throw new Error('nothing was written')
    })()
    const ended = expect(reading).rejects.toThrow('Connection closed by Twitter.')
    await client.v2.delete('connections/all')
    await ended
    await followed.emitted(ETwitterStreamEvent.ConnectionClosed)
    expect(followed.names()).not.toContain(ETwitterStreamEvent.ReconnectAttempt)
  })

  test('is retried while too many others are open, until one of them is closed', async () => {
    const client = clientOf(1)
    await client.v2.updateStreamRules({ add: [{ value: 'patience' }] })
    const holder = await client.v2.searchStream()
    const waiting = watch(client.v2.searchStream({ autoConnect: false }))
    const errors: number[] = []
    await waiting.stream.connect({
      autoReconnect: true,
      autoReconnectRetries: 'unlimited',
      nextRetryTimeout: (_try, error) => {
        errors.push((error as ApiResponseError).code)
        return 20
      },
    })
    await until(() => errors.length >= 3)
    holder.close()
    await waiting.emitted(ETwitterStreamEvent.Connected)
    expect(new Set(errors)).toEqual(new Set([429]))
    const id = await makePost(server, 'dario', { text: 'Patience is rewarded' })
    expect((await waiting.line(1)).data.id).toBe(id)
  })

  test('fails after the retries that the library allows', async () => {
    const client = clientOf(1)
    await client.v2.updateStreamRules({ add: [{ value: 'stubborn' }] })
    const holder = watch(await client.v2.searchStream())
    const losing = watch(client.v2.searchStream({ autoConnect: false }))
    await losing.stream.connect({ autoReconnect: true, autoReconnectRetries: 2, nextRetryTimeout: () => 10 })
    await losing.emitted(ETwitterStreamEvent.ReconnectLimitExceeded)
    await losing.emitted(ETwitterStreamEvent.ConnectionClosed)
    const id = await makePost(server, 'dario', { text: 'A stubborn goat' })
    expect((await holder.line(1)).data.id).toBe(id)
    expect(losing.data).toEqual([])
  })
})

describe('the other streams of the library', () => {
  // One post in a hundred is in the sample, and one in twenty in half of the sample of ten.
  test('sampleStream and sample10Stream deliver a part of all posts', async () => {
    const { v2 } = clientOf()
    const fields = { expansions: ['author_id'], 'tweet.fields': ['author_id'] } as const
    const sample = watch(await v2.sampleStream(fields as never))
    const tenth = watch(await v2.sample10Stream({ ...fields, partition: 1 } as never))
    const written = new Map<string, string>()
    while (sample.data.length === 0 || tenth.data.length === 0) {
      if (written.size > 3_000) throw new Error('no post of 3000 was in a sample')
      const texts = Array.from({ length: 20 }, (_, index) => `Sampled number ${written.size + index}`)
      const ids = await Promise.all(texts.map((text) => makePost(server, 'bob', { text })))
      for (const [index, id] of ids.entries()) written.set(id, texts[index]!)
    }
    for (const line of [...sample.data, ...tenth.data]) {
      expect(line.data.text).toBe(written.get(line.data.id))
      expect(line.includes!.users![0]!.username).toBe('bob')
      expect(line).not.toHaveProperty('matching_rules')
    }
  })

  test('a stream without events sends the library a blank line', async () => {
    await until(() => quiet.events.length > 0)
    // More than one may have arrived on a slow machine.
    expect(new Set(quiet.names())).toEqual(new Set([ETwitterStreamEvent.DataKeepAlive]))
    expect(quiet.data).toEqual([])
  })
})
