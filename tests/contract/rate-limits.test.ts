import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { parseWindows } from '../../src/api-kit/limits/rate-limiter.ts'
import { createServer, families, singletons } from '../../src/app.ts'
import { createLogger } from '../../src/process/logger.ts'
import { createLocalBus } from '../../src/process/process-bus.ts'
import { readSettings } from '../../src/settings.ts'
import { createRuntime } from '../../src/start/create-runtime.ts'
import { openDatabase } from '../../src/storage/database.ts'
import { TEST_SECRET_KEY } from '../support/facts.ts'
import { startTestServer, type TestAnswer, type TestServer } from '../support/server.ts'

const { operations } = families[0]

interface ReferenceLimit {
  method: string
  path: string
  per_app: { limit: number; window_s: number } | null
  per_user: { limit: number; window_s: number } | null
  tier_notes?: string
  extra_windows?: { scope: 'app' | 'user'; limit: number; window_s: number }[]
}

const table: ReferenceLimit[] = JSON.parse(
  readFileSync(path.join(import.meta.dirname, '../reference/v2-rate-limits.json'), 'utf8'),
)

/** Limits that the reference has in the text below its table, and that of chat keys, a few each day (docs/choices.md). */
const BELOW_THE_TABLE: ReferenceLimit[] = [
  ...['GET', 'POST', 'DELETE'].map((method) => ({
    method,
    path: '/2/powerstream/rules',
    per_app: { limit: 50, window_s: 86_400 },
    per_user: null,
  })),
  ...[
    ['POST', '/2/evaluate_note'],
    ['DELETE', '/2/notes/{id}'],
    ['GET', '/2/notes/search/notes_written'],
    ['GET', '/2/notes/search/posts_eligible_for_notes'],
  ].map(([method, route]) => ({
    method: method!,
    path: route!,
    per_app: null,
    per_user: { limit: 90, window_s: 900 },
  })),
  {
    method: 'POST',
    path: '/2/notes',
    per_app: null,
    per_user: { limit: 90, window_s: 900 },
    extra_windows: [{ scope: 'user', limit: 250, window_s: 86_400 }],
  },
  {
    method: 'POST',
    path: '/2/users/{id}/public_keys',
    per_app: null,
    per_user: { limit: 5, window_s: 900 },
    extra_windows: [{ scope: 'user', limit: 10, window_s: 86_400 }],
  },
]

/** Operations beyond the reference choose their limits themselves. */
const referencePaths: Record<string, Record<string, unknown>> = JSON.parse(
  readFileSync(path.join(import.meta.dirname, '../reference/v2.openapi.json'), 'utf8'),
).paths
const inReference = operations.filter(({ method, path: route }) => referencePaths[route]?.[method.toLowerCase()])

describe('the declared limits', () => {
  test.each(inReference.map((operation) => ({ id: operation.id, operation })))(
    'of $id are those of the reference',
    ({ operation }) => {
      const row = [...table, ...BELOW_THE_TABLE].find(
        (item) => item.method === operation.method && item.path === operation.path,
      )
      const windows = (scope: 'app' | 'user') =>
        [row?.[`per_${scope}`] ?? [], (row?.extra_windows ?? []).filter((item) => item.scope === scope)]
          .flat()
          .map((item) => ({ limit: item.limit, seconds: item.window_s }))
      const declared = (scope: 'app' | 'user') =>
        operation.limits[scope].map(({ limit, seconds }) => ({ limit, seconds }))
      expect({ app: declared('app'), user: declared('user') }).toEqual({ app: windows('app'), user: windows('user') })
    },
  )

  test('are counted together where the reference says that a window is shared, and nowhere else', () => {
    const shared = table.filter((row) => row.tier_notes?.includes('the 24 h window is shared with'))
    const pools = operations.flatMap((operation) =>
      [...operation.limits.app, ...operation.limits.user].flatMap(({ pool, seconds }) =>
        pool === undefined ? [] : [{ method: operation.method, path: operation.path, pool, seconds }],
      ),
    )
    expect(pools).toEqual(shared.map(({ method, path }) => ({ method, path, pool: 'likes', seconds: 86_400 })))
  })

  test('of several windows are read from one line', () => {
    expect(parseWindows('50/15m + 1000/24h of likes + 1/1s')).toEqual([
      { limit: 50, seconds: 900 },
      { limit: 1000, seconds: 86_400, pool: 'likes' },
      { limit: 1, seconds: 1 },
    ])
    expect(() => parseWindows('50 per minute')).toThrow('Not a limit')
  })
})

let server: TestServer
beforeAll(async () => {
  server = await startTestServer(['--rate-limits', 'on'])
})
afterAll(() => server.close())
beforeEach(async () => {
  await server.command('limits.clear')
})

const limitHeaders = (answer: TestAnswer) => ({
  limit: answer.headers.get('x-rate-limit-limit'),
  remaining: answer.headers.get('x-rate-limit-remaining'),
})
const reset = (answer: TestAnswer) => Number(answer.headers.get('x-rate-limit-reset'))
const remaining = (answer: TestAnswer) => Number(limitHeaders(answer).remaining)

const ME_LIMIT = 75
const readMe = (user = 'alice') => server.get('/2/users/me', { user })
const useUpMe = async () => {
  for (let used = 0; used < ME_LIMIT; used++) expect((await readMe()).status).toBe(200)
}

describe('a client of a server with limits', () => {
  test('reads limit, remaining requests and reset in three headers, and each request takes one', async () => {
    const before = Math.floor(Date.now() / 1000)
    const path = `/2/users/${server.userId('bob')}`
    const first = await server.get(path)
    expect(limitHeaders(first)).toEqual({ limit: '300', remaining: '299' })
    expect(reset(first)).toBeGreaterThanOrEqual(before + 900)
    expect(reset(first)).toBeLessThanOrEqual(Math.floor(Date.now() / 1000) + 900)
    const second = await server.get(path)
    expect(limitHeaders(second)).toEqual({ limit: '300', remaining: '298' })
    expect(reset(second)).toBe(reset(first))
  })

  test('gets the limit headers on a request without a result and a refused one too', async () => {
    const missing = await server.get('/2/users/1')
    expect(missing.status).toBe(200)
    expect(remaining(missing)).toBe(299)
    const wrong = await server.get('/2/users/1?no_such_name=1')
    expect(wrong.status).toBe(400)
    expect(remaining(wrong)).toBe(298)
  })

  test('reads an unused window where the credentials are refused', async () => {
    for (const [as, status] of [
      ['nobody', 401],
      ['app', 403],
    ] as const) {
      const refused = await server.get('/2/users/me', as)
      expect(refused.status).toBe(status)
      expect(limitHeaders(refused)).toEqual({ limit: '75', remaining: '75' })
    }
  })

  test.each([
    ['an operation without a limit', '/2/openapi.json'],
    ['an unknown path', '/2/no/such/path'],
    ['a malformed path', '/2/%zz'],
    ['an unknown path of the advertising interface', '/ads/12/nothing'],
    ['a refused call of the advertising interface', '/ads/12/accounts'],
    ['a step of signing in', '/oauth2/token'],
  ])('reads the three headers on the answer of %s', async (_what, path) => {
    const answer = await server.get(path)
    expect(limitHeaders(answer)).toEqual({ limit: expect.stringMatching(/^\d+$/), remaining: expect.any(String) })
    expect(reset(answer)).toBeGreaterThan(Date.now() / 1000)
  })

  test('is refused with 429 when the window is used up, until the window ends', async () => {
    await useUpMe()
    const refused = await readMe()
    expect(refused.status).toBe(429)
    expect(refused.headers.get('content-type')).toBe('application/problem+json; charset=utf-8')
    expect(refused.body).toEqual({
      title: 'Too Many Requests',
      type: 'about:blank',
      status: 429,
      detail: 'Too Many Requests',
    })
    expect(limitHeaders(refused)).toEqual({ limit: '75', remaining: '0' })
    expect(reset(refused)).toBeGreaterThan(Date.now() / 1000)
    // Windows are real time; instead of waiting, the window is made to end now.
    await server.runtime.database.query({
      text: 'update rate_counter set resets_at = $1',
      values: [Math.floor(Date.now() / 1000)],
    })
    const again = await readMe()
    expect(again.status).toBe(200)
    expect(limitHeaders(again)).toEqual({ limit: '75', remaining: '74' })
  })

  test('is accepted again after the command limits.clear', async () => {
    await useUpMe()
    expect((await readMe()).status).toBe(429)
    expect(await server.command('limits.clear')).toEqual({ cleared: true })
    expect(limitHeaders(await readMe())).toEqual({ limit: '75', remaining: '74' })
  })

  test('is not slowed by a moved product clock', async () => {
    const first = await readMe()
    await server.command('clock', { advance_ms: 3_600_000 })
    const second = await readMe()
    await server.command('clock', { reset: true })
    expect(remaining(second)).toBe(remaining(first) - 1)
    expect(reset(second)).toBe(reset(first))
  })

  test('has one pool for the app and another for each user', async () => {
    const path = `/2/posts?ids=1`
    expect(limitHeaders(await server.get(path, 'app'))).toEqual({ limit: '3500', remaining: '3499' })
    expect(limitHeaders(await server.get(path, { user: 'alice' }))).toEqual({ limit: '5000', remaining: '4999' })
    expect(limitHeaders(await server.get(path, { user: 'alice' }))).toEqual({ limit: '5000', remaining: '4998' })
    expect(limitHeaders(await server.get(path, { user: 'bob' }))).toEqual({ limit: '5000', remaining: '4999' })
    expect(limitHeaders(await server.get(path, 'app'))).toEqual({ limit: '3500', remaining: '3498' })
    expect(limitHeaders(await server.get(path, 'second-app'))).toEqual({ limit: '3500', remaining: '3499' })
  })

  test('has a pool of its own for each operation, and one for both namings of it', async () => {
    expect(remaining(await server.get('/2/posts?ids=1'))).toBe(3499)
    expect(remaining(await server.get('/2/tweets?ids=1'))).toBe(3498)
    expect(remaining(await server.get(`/2/users?ids=1`))).toBe(299)
  })

  test('reads the day limit of creating posts for the whole app beside the window of the user', async () => {
    const made = await server.post('/2/posts', { text: 'Counted twice' }, { user: 'alice' })
    expect(made.status).toBe(201)
    expect(limitHeaders(made)).toEqual({ limit: '100', remaining: '99' })
    expect(made.headers.get('x-app-limit-24hour-limit')).toBe('10000')
    expect(made.headers.get('x-app-limit-24hour-remaining')).toBe('9999')
  })

  test('has one day for likes and for taking them back, and a shorter window for each', async () => {
    const { id } = (await server.post('/2/posts', { text: 'Liked and not' }, { user: 'bob' })).body.data
    const likes = `/2/users/${server.userId('alice')}/likes`
    const day = (answer: TestAnswer) => answer.headers.get('x-user-limit-24hour-remaining')
    const liked = await server.post(likes, { post_id: id }, { user: 'alice' })
    expect(liked.status).toBe(200)
    expect([remaining(liked), day(liked)]).toEqual([49, '999'])
    const unliked = await server.delete(`${likes}/${id}`, { user: 'alice' })
    expect([remaining(unliked), day(unliked)]).toEqual([49, '998'])
    await server.runtime.database.query({ text: `update rate_counter set used = 1000 where name like 'likes:%'` })
    for (const refused of [
      await server.post(likes, { post_id: id }, { user: 'alice' }),
      await server.delete(`${likes}/${id}`, { user: 'alice' }),
    ]) {
      expect(refused.status).toBe(429)
      expect(limitHeaders(refused)).toEqual({ limit: '1000', remaining: '0' })
      expect(day(refused)).toBe('0')
      expect(reset(refused)).toBe(Number(refused.headers.get('x-user-limit-24hour-reset')))
    }
  })

  test('registers chat keys ten times a day at most, and reads when the day ends', async () => {
    const keys = `/2/users/${server.userId('alice')}/public_keys`
    const first = await server.post(keys, {}, { user: 'alice' })
    expect([first.status, remaining(first)]).toEqual([400, 4])
    await server.runtime.database.query({
      text: `update rate_counter set used = 10 where name like 'addUserPublicKey:%:86400'`,
    })
    const refused = await server.post(keys, {}, { user: 'alice' })
    expect(refused.status).toBe(429)
    expect(limitHeaders(refused)).toEqual({ limit: '10', remaining: '0' })
    expect(Number(refused.headers.get('x-user-limit-24hour-reset'))).toBeGreaterThan(Date.now() / 1000)
  })

  test('reads on a refusal the window that refused', async () => {
    const path = '/2/posts/search/all?query=cat'
    expect(limitHeaders(await server.get(path))).toEqual({ limit: '300', remaining: '299' })
    // The window of a second is made to last, however slow the test is.
    const { rows } = await server.runtime.database.query<{ resets_at: string }>({
      text: `update rate_counter set used = 1, resets_at = resets_at + 600 where name like 'searchPostsAll:app:%:1' returning resets_at`,
    })
    const refused = await server.get(path)
    expect(refused.status).toBe(429)
    expect(limitHeaders(refused)).toEqual({ limit: '1', remaining: '0' })
    expect(reset(refused)).toBe(Number(rows[0]!.resets_at))
  })

  test('loses exactly one for each of many requests at once', async () => {
    const answers = await Promise.all(Array.from({ length: 30 }, () => server.get('/2/users/by?usernames=bob')))
    const left = answers.map(remaining).sort((left, right) => right - left)
    expect(left).toEqual(Array.from({ length: 30 }, (_item, index) => 299 - index))
  })

  test('shares its pool between two servers on one database', async () => {
    const second = await startSecondServer()
    try {
      const [path, headers] = [
        '/2/users/by/username/bob',
        { authorization: `Bearer ${server.credentials.apps[0]!.bearer_token}` },
      ]
      const here = await server.get(path)
      const there = await fetch(second.url + path, { headers })
      expect(there.status).toBe(200)
      expect(there.headers.get('x-rate-limit-remaining')).toBe(String(remaining(here) - 1))
      expect(there.headers.get('x-rate-limit-reset')).toBe(String(reset(here)))
      expect(remaining(await server.get(path))).toBe(remaining(here) - 2)
    } finally {
      await second.close()
    }
  })
})

test('a server with limits off counts nothing, and sends the headers of unused windows', async () => {
  const free = await startTestServer()
  try {
    const answer = await free.get('/2/users/me', { user: 'alice' })
    expect(answer.status).toBe(200)
    expect(limitHeaders(answer)).toEqual({ limit: '75', remaining: '75' })
    expect(reset(answer)).toBeGreaterThan(Date.now() / 1000)
    const made = await free.post('/2/posts', { text: 'Not counted' }, { user: 'alice' })
    expect(limitHeaders(made)).toEqual({ limit: '100', remaining: '100' })
    expect(made.headers.get('x-app-limit-24hour-remaining')).toBe('10000')
    const accounts = await free.get('/ads/12/accounts', { user: 'alice' })
    expect(limitHeaders(accounts)).toEqual({ limit: '2000', remaining: '2000' })
    const rows = await free.runtime.database.query({ text: 'select from rate_counter' })
    expect(rows.rowCount).toBe(0)
  } finally {
    await free.close()
  }
})

/** A server that the database takes for one of another process. */
async function startSecondServer(): Promise<{ url: string; close(): Promise<void> }> {
  const { host, port, user, database: name } = server.runtime.database.pool.options
  const settings = readSettings(['--secret-key', TEST_SECRET_KEY, '--rate-limits', 'on'], {})
  const database = openDatabase({ host, port, user, database: name, ssl: false } as never, {
    connections: 2,
    name: 'second server',
  })
  const runtime = createRuntime({
    settings,
    database,
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
      await http.close()
      await database.close()
    },
  }
}
