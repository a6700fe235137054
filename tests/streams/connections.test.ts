import type { AddressInfo } from 'node:net'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createServer, disconnectStreams, singletons } from '../../src/app.ts'
import { createLogger } from '../../src/process/logger.ts'
import { createLocalBus } from '../../src/process/process-bus.ts'
import { readSettings } from '../../src/settings.ts'
import { createRuntime } from '../../src/start/create-runtime.ts'
import { openDatabase } from '../../src/storage/database.ts'
import { type ChildServer, onFirstWorld, startChildServer } from '../support/child-server.ts'
import { TEST_SECRET_KEY } from '../support/facts.ts'
import { workersOf } from '../support/processes.ts'
import { openStream, type ReadStream } from '../support/read-stream.ts'
import { type As, startTestServer, type TestServer } from '../support/server.ts'

const LIST = '/2/connections'
const LABELS = '/2/posts/label/stream'
const LIKES = '/2/likes/compliance/stream'
const NOT_THERE = 'The app has no active connection with this uuid.'
const MOMENT = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const NOBODY = '6f1cbb4a-51e9-4d5b-8a36-0f5e0a4f2b5e'

describe('the connections of an app', () => {
  let server: TestServer
  const open: ReadStream[] = []
  beforeAll(async () => {
    server = await startTestServer([], { events: true })
  })
  afterAll(() => server.close())
  afterEach(async () => {
    for (const stream of open.splice(0)) stream.close()
    await expect.poll(async () => (await list('', 'app')).meta.result_count).toBe(0)
    await server.runtime.database.pool.query('delete from stream_connection')
  })

  async function connect(path: string, as: 'app' | 'second-app' = 'app'): Promise<string> {
    const before = new Set((await rows()).map((row) => row.id))
    const stream = await openStream(server, path, as)
    expect(stream.status, stream.text).toBe(200)
    open.push(stream)
    return (await rows()).find((row) => !before.has(row.id))!.id
  }
  const rows = async (): Promise<{ id: string }[]> =>
    (await server.runtime.database.pool.query('select id from stream_connection')).rows
  const list = async (query = '', as: As = 'app') => {
    const answer = await server.get(`${LIST}${query}`, as)
    expect(answer.status, answer.text).toBe(200)
    return answer.body
  }
  const kill = async (uuids: string[], as: As = 'app') => {
    const answer = await server.request('DELETE', LIST, { as, json: { uuids } })
    expect(answer.status, answer.text).toBe(200)
    return answer.body.data
  }
  const killed = (...uuids: string[]) => ({
    successful_kills: uuids.length,
    failed_kills: 0,
    results: expect.arrayContaining(uuids.map((uuid) => ({ uuid, success: true }))),
  })

  test('are listed while they are open, with the requested fields', async () => {
    expect(await list()).toEqual({ meta: { result_count: 0 } })
    const id = await connect(LABELS)
    expect(await list()).toEqual({
      data: [{ connected_at: MOMENT, endpoint_name: 'post_label_stream', id }],
      meta: { result_count: 1 },
    })
    expect((await list('?connection.fields=client_ip,disconnected_at')).data).toEqual([
      { client_ip: '127.0.0.1', connected_at: MOMENT, endpoint_name: 'post_label_stream', id },
    ])
  })

  test('become inactive with a time and a reason', async () => {
    const id = await connect(LABELS)
    await kill([id])
    expect(await list()).toEqual({ meta: { result_count: 0 } })
    const fields = 'connection.fields=disconnected_at,disconnect_reason'
    const ended = {
      connected_at: MOMENT,
      disconnect_reason: 'operator_disconnect',
      disconnected_at: MOMENT,
      endpoint_name: 'post_label_stream',
      id,
    }
    expect((await list(`?status=inactive&${fields}`)).data).toEqual([ended])
    expect((await list(`?status=all&${fields}`)).data).toEqual([ended])
  })

  test('have the names of their streams in both namings, recoveries the same as live ones', async () => {
    const start = new Date(server.runtime.clock.now() - 3600_000).toISOString()
    await connect('/2/posts/compliance/stream?partition=1')
    await connect(LIKES)
    await connect(`/2/posts/compliance/stream?partition=1&start_time=${start}`)
    const names = async (query: string) =>
      (await list(`?status=all&${query}`)).data.map((item: { endpoint_name: string }) => item.endpoint_name).sort()
    expect(await names('endpoints=posts_compliance_stream')).toEqual([
      'posts_compliance_stream',
      'posts_compliance_stream',
    ])
    expect(await names('endpoints=likes_compliance_stream,filtered_stream')).toEqual(['likes_compliance_stream'])
    expect(await names('endpoints=tweets_compliance_stream')).toEqual([
      'tweets_compliance_stream',
      'tweets_compliance_stream',
    ])
  })

  test('are listed in pages, newest first, which new connections do not shift', async () => {
    const made: string[] = []
    for (let partition = 1; partition <= 5; partition++)
      made.unshift(await connect(`/2/posts/firehose/stream?partition=${partition}`))
    // Ids order connections that began at the same moment.
    await server.runtime.database.pool.query(
      `update stream_connection set connected_at = (select min(connected_at) from stream_connection) where id = any($1)`,
      [made.slice(1, 4)],
    )
    const order = [made[0]!, ...[...made.slice(1)].sort()]
    const ids: string[] = []
    let query = '?max_results=2'
    for (let pages = 1; pages <= 3; pages++) {
      const page = await list(query)
      ids.push(...page.data.map((item: { id: string }) => item.id))
      expect(page.meta).toEqual(pages < 3 ? { result_count: 2, next_token: expect.any(String) } : { result_count: 1 })
      query = `?max_results=2&pagination_token=${page.meta.next_token}`
      if (pages === 1) await connect(LABELS)
    }
    expect(ids).toEqual(order)
  })

  test.each([
    ['pagination_token=x', 'pagination_token'],
    [`pagination_token=${'f'.repeat(44)}`, 'pagination_token'],
    ['status=gone', 'status'],
    ['endpoints=no_stream', 'endpoints'],
    ['max_results=101', 'max_results'],
    ['connection.fields=machine', 'connection.fields'],
  ])('are not listed for %s', async (query, name) => {
    const answer = await server.get(`${LIST}?${query}`)
    expect(answer.status).toBe(400)
    expect(Object.keys(answer.body.errors[0].parameters)).toEqual([name])
  })

  test('of a stopped process are inactive since it was last seen, and do not count', async () => {
    const [lost, other] = [await connect(LABELS), await connect(LABELS)]
    const seen = new Date(Date.now() - 25_000)
    const setSeen = 'update stream_connection set seen_at = $2 where id = $1'
    await server.runtime.database.pool.query(setSeen, [lost, seen])
    expect((await list()).data.map((item: { id: string }) => item.id)).toEqual([other])
    const fields = 'connection.fields=disconnected_at,disconnect_reason'
    const [shown] = (await list(`?status=inactive&${fields}`)).data
    expect(shown).toMatchObject({ id: lost, disconnect_reason: 'UpstreamUncleanDisconnect' })
    expect(Date.parse(shown.disconnected_at)).toBe(seen.getTime() + server.runtime.clock.offsetMs())
    expect(await kill([lost])).toEqual({
      successful_kills: 0,
      failed_kills: 1,
      results: [{ uuid: lost, success: false, error_message: NOT_THERE }],
    })
  })

  describe('are ended', () => {
    test('by their ids in upper or lower case; unknown ids are reported', async () => {
      const [first, second] = [await connect(LABELS), await connect(LIKES)]
      expect(await kill([first.toUpperCase(), NOBODY, 'no uuid', first.toUpperCase()])).toEqual({
        successful_kills: 1,
        failed_kills: 2,
        results: [
          { uuid: first.toUpperCase(), success: true },
          { uuid: NOBODY, success: false, error_message: NOT_THERE },
          { uuid: 'no uuid', success: false, error_message: NOT_THERE },
        ],
      })
      expect((await open[0]!.next()).errors[0].disconnect_type).toBe('ForceDisconnect')
      expect(await open[0]!.next()).toBeUndefined()
      expect((await list()).data.map((item: { id: string }) => item.id)).toEqual([second])
      expect((await kill([first])).failed_kills).toBe(1)
    })

    test('by the name of their stream in both namings, including recoveries', async () => {
      const path = '/2/posts/compliance/stream?partition=1'
      const stays = await connect(LABELS)
      for (const name of ['posts_compliance_stream', 'tweets_compliance_stream']) {
        const live = await connect(path)
        expect((await server.delete(`${LIST}/${name}`)).body.data).toEqual(killed(live))
      }
      // A recovery ends by itself, so an open one is inserted by hand.
      const id = await connect(path)
      const rename = `update stream_connection set endpoint_name = endpoint_name || '_recovery' where id = $1`
      await server.runtime.database.pool.query(rename, [id])
      expect((await server.delete(`${LIST}/posts_compliance_stream`)).body.data).toEqual(killed(id))
      expect((await list()).data.map((item: { id: string }) => item.id)).toEqual([stays])
      expect((await server.delete(`${LIST}/no_stream`)).status).toBe(400)
    })

    test('of the activity stream, which the list can be filtered by', async () => {
      const [stays, ends] = [await connect(LABELS), await connect('/2/activity/stream')]
      const found = (await list('?endpoints=activity_stream')).data
      expect(found).toEqual([{ connected_at: MOMENT, endpoint_name: 'activity_stream', id: ends }])
      expect((await server.delete(`${LIST}/activity_stream`)).body.data).toEqual(killed(ends))
      expect((await list()).data.map((item: { id: string }) => item.id)).toEqual([stays])
    })

    test('all together, without those of other apps', async () => {
      const mine = [await connect(LABELS), await connect(LIKES)]
      const theirs = await connect('/2/posts/sample/stream', 'second-app')
      expect((await kill([theirs])).failed_kills).toBe(1)
      expect((await server.delete(`${LIST}/sample_stream`)).body.data.results).toEqual([])
      expect((await server.delete(`${LIST}/all`)).body.data).toEqual(killed(...mine))
      expect((await server.delete(`${LIST}/all`)).body.data).toEqual({
        successful_kills: 0,
        failed_kills: 0,
        results: [],
      })
      expect((await list('', 'second-app')).data).toEqual([
        { connected_at: MOMENT, endpoint_name: 'sample_stream', id: theirs },
      ])
      await kill([theirs], 'second-app')
    })

    test('and new ones can be opened at once', async () => {
      await connect(LABELS)
      await connect(LABELS)
      expect((await openStream(server, LABELS)).status).toBe(429)
      await server.delete(`${LIST}/all`)
      await connect(LABELS)
    })

    test('by a server on another machine, within seconds', async () => {
      const id = await connect(LABELS)
      const second = await startSecondServer(server)
      try {
        const { bearer_token } = server.credentials.apps[0]!
        const answer = await fetch(`${second.url}${LIST}/all`, {
          method: 'DELETE',
          headers: { authorization: `Bearer ${bearer_token}` },
        })
        expect(((await answer.json()) as { data: unknown }).data).toEqual(killed(id))
        expect((await open[0]!.next()).errors[0].disconnect_type).toBe('ForceDisconnect')
      } finally {
        await second.close()
      }
    })

    test.each([[[]], [Array.from({ length: 101 }, () => NOBODY)], ['x'], [[1]]])(
      'not by an invalid list of ids',
      async (uuids) => {
        expect((await server.request('DELETE', LIST, { json: { uuids } })).status).toBe(400)
      },
    )
  })
})

/** Another machine on the same database, without a shared bus. */
async function startSecondServer(first: TestServer): Promise<{ url: string; close(): Promise<void> }> {
  const { host, port, user, database: name } = first.runtime.database.pool.options
  const settings = readSettings(['--secret-key', TEST_SECRET_KEY, '--rate-limits', 'off'], {})
  const runtime = createRuntime({
    settings,
    database: openDatabase({ host, port, user, database: name, ssl: false } as never, {
      connections: 2,
      name: 'second',
    }),
    bus: createLocalBus(),
    log: createLogger('fatal', 'tests'),
    machine: 2,
    secretKey: TEST_SECRET_KEY,
    singletons,
  })
  const http = createServer(runtime, settings)
  await http.listen({ port: 0, host: '127.0.0.1' })
  return {
    url: `http://127.0.0.1:${(http.server.address() as AddressInfo).port}`,
    close: async () => {
      disconnectStreams(runtime)
      await http.close()
      await runtime.close()
    },
  }
}

describe('the connections of a server with several workers', () => {
  let server: ChildServer
  let database: pg.Client
  beforeAll(async () => {
    server = await startChildServer({ flags: [...(await onFirstWorld()), '--workers', '3', '--rate-limits', 'off'] })
    database = new pg.Client(server.connection)
    await database.connect()
  })
  afterAll(async () => {
    await database.end()
    await server.stop()
  })

  const call = async (method: string, path: string) => {
    const authorization = `Bearer ${server.credentials.apps[0]!.bearer_token}`
    // A connection that is being handed to a killed worker gets no answer and does not close.
    const signal = AbortSignal.timeout(2_000)
    const answer = await fetch(server.baseUrl + path, {
      method,
      signal,
      headers: { authorization, connection: 'close' },
    })
    expect(answer.status).toBe(200)
    // biome-ignore lint/suspicious/noExplicitAny: tests look at members of answers whose shape they assert.
    return (await answer.json()) as any
  }
  const activeIds = async (): Promise<string[]> =>
    ((await call('GET', `${LIST}?max_results=100`)).data ?? []).map((item: { id: string }) => item.id).sort()
  const connect = () =>
    Promise.all(
      Array.from({ length: 9 }, (_, index) => openStream(server, `/2/posts/firehose/stream?partition=${index + 1}`)),
    )
  const byMachine = async (): Promise<Map<number, string[]>> => {
    const { rows } = await database.query('select machine, id from stream_connection where disconnected_at is null')
    const found = new Map<number, string[]>()
    for (const row of rows) found.set(row.machine, [...(found.get(row.machine) ?? []), row.id])
    return found
  }

  test('are listed and ended in any worker', async () => {
    const streams = await connect()
    const machines = await byMachine()
    expect(machines.size).toBe(3)
    expect(await activeIds()).toEqual([...machines.values()].flat().sort())
    const { data } = await call('DELETE', `${LIST}/firehose_stream`)
    expect(data).toMatchObject({ successful_kills: 9, failed_kills: 0 })
    for (const stream of streams) {
      expect((await stream.next()).errors[0].disconnect_type).toBe('ForceDisconnect')
      expect(await stream.next()).toBeUndefined()
    }
    expect(await activeIds()).toEqual([])
  })

  test('are limited across all workers', async () => {
    const streams = await Promise.all(Array.from({ length: 9 }, () => openStream(server, LABELS)))
    expect(streams.filter((stream) => stream.status === 200)).toHaveLength(2)
    expect(streams.filter((stream) => stream.status === 429)).toHaveLength(7)
    await call('DELETE', `${LIST}/all`)
  })

  test('end with the worker that served them, and new ones can be opened', async () => {
    const streams = await connect()
    const machines = [...(await byMachine()).values()].map((ids) => ids.sort())
    const all = machines.flat().sort()
    const [victim] = workersOf(server)
    process.kill(victim!, 'SIGKILL')
    await expect.poll(async () => (await activeIds()).length, { interval: 100 }).toBeLessThan(9)
    const left = await activeIds()
    const lost = all.filter((id) => !left.includes(id))
    expect(machines).toContainEqual(lost)
    const inactive = (await call('GET', `${LIST}?status=inactive&connection.fields=disconnect_reason`)).data
    const ended = inactive.filter((item: { id: string }) => lost.includes(item.id))
    expect(ended.map((item: { disconnect_reason: string }) => item.disconnect_reason)).toEqual(
      lost.map(() => 'UpstreamUncleanDisconnect'),
    )
    const { data } = await call('DELETE', `${LIST}/all`)
    expect(data.results.map((result: { uuid: string }) => result.uuid).sort()).toEqual(left)
    for (const stream of streams) stream.close()
  })
})
