import http from 'node:http'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { FAILURE_NAMES } from '../../src/api-kit/faults/failure.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

const as = { user: 'alice' }
let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())
afterEach(() => server.command('fault.clear'))

let written = 0
const write = (path = '/2/posts', who: Parameters<TestServer['post']>[2] = as) => {
  written += 1
  return server.post(path, { text: `Post ${written}` }, who)
}
const add = (fault: object) => server.command('fault.add', { match: 'POST /2/posts', ...fault })
const problem = (status: number, title: string) => ({ title, type: 'about:blank', status, detail: title })
const postCount = async () =>
  (await server.get('/2/users/me?user.fields=public_metrics', as)).body.data.public_metrics.post_count
const appOf = async (index: number): Promise<{ id: string; name: string }> => {
  const { name } = server.credentials.apps[index]!
  return (await server.command('app.list')).apps.find((app: { name: string }) => app.name === name)
}
const lastRequest = async () => {
  const admin = { bearer: server.credentials.admin_key }
  return (await server.get('/_rostra/requests?limit=1', admin)).body.requests.at(-1)
}

describe('a fault with a status', () => {
  test('happens as often as it says, then requests succeed', async () => {
    const before = await postCount()
    const fault = await add({ status: 503, times: 2 })
    expect(fault).toMatchObject({ match: 'POST /2/posts', status: 503, times: 2, used: 0, active: true })
    const answers = [await write(), await write(), await write()]
    expect(answers.map((answer) => answer.status)).toEqual([503, 503, 201])
    expect(answers[0]!.body).toEqual(problem(503, 'Service Unavailable'))
    expect(answers[0]!.headers.get('content-type')).toBe('application/problem+json; charset=utf-8')
    expect(await postCount()).toBe(before + 1)
    const { faults } = await server.command('fault.list')
    expect(faults).toMatchObject([{ id: fault.id, used: 2, active: false }])
  })

  test('leaves other methods and paths alone', async () => {
    await add({ status: 500 })
    expect((await server.get('/2/users/me', as)).status).toBe(200)
    expect((await server.get('/2/posts?ids=1', as)).status).toBe(200)
  })

  test('fits the path in the other naming', async () => {
    await add({ status: 500, times: 1 })
    const legacy = await write('/2/tweets')
    expect(legacy.status).toBe(500)
    await server.command('fault.add', { match: 'POST /2/tweets', status: 500, times: 1 })
    expect((await write()).status).toBe(500)
  })

  test.each([
    ['/2/users/{id}', [200, 500]],
    ['GET /2/users/*', [500, 500]],
    ['get /2/users/me', [500, 200]],
    ['*', [500, 500]],
    ['* *', [500, 500]],
    ['POST *', [200, 200]],
  ])('%s fits the requests that it names', async (match, statuses) => {
    await add({ match, status: 500 })
    const answers = [await server.get('/2/users/me', as), await server.get(`/2/users/${server.userId('bob')}`, as)]
    expect(answers.map((answer) => answer.status)).toEqual(statuses)
  })

  test('never keeps the operator out', async () => {
    await add({ match: '*', status: 500 })
    expect((await server.get('/health', 'nobody')).status).toBe(200)
    expect((await server.command('fault.list')).faults).toHaveLength(1)
  })

  test('has the body of each status', async () => {
    const bodies: Record<number, unknown> = {}
    for (const status of [400, 401, 403, 404, 409, 429, 500, 502, 504]) {
      await add({ status, times: 1 })
      const answer = await write()
      expect(answer.status).toBe(status)
      bodies[status] = answer.body
    }
    expect(bodies[400]).toMatchObject({ title: 'Invalid Request', errors: [{ message: 'The request is not valid.' }] })
    expect(bodies[404]).toEqual(problem(404, 'Not Found'))
    expect(bodies[409]).toMatchObject({ title: 'Conflict', status: 409 })
    expect(bodies[502]).toEqual(problem(502, 'Bad Gateway'))
  })
})

describe('a fault with a rate', () => {
  const pattern = async (seed: string) => {
    const fault = await add({ match: 'GET /2/users/me', status: 500, rate: 0.5, seed })
    const statuses: number[] = []
    for (let count = 0; count < 20; count++) statuses.push((await server.get('/2/users/me', as)).status)
    await server.command('fault.clear', { id: fault.id })
    return statuses.join()
  }

  test('happens to a share of the requests, and a seed chooses the same ones again', async () => {
    const first = await pattern('a')
    expect(new Set(first.split(','))).toEqual(new Set(['200', '500']))
    expect(await pattern('a')).toBe(first)
    expect(await pattern('b')).not.toBe(first)
  })

  test('says its seed, and counts only what failed', async () => {
    const fault = await add({ match: 'GET /2/users/me', status: 500, rate: 0.5, times: 3 })
    expect(fault.seed).toMatch(/^.{12}$/)
    let failed = 0
    for (let count = 0; count < 40; count++) if ((await server.get('/2/users/me', as)).status === 500) failed += 1
    expect(failed).toBe(3)
  })
})

describe('a fault for a caller', () => {
  test('happens only to the user, whose signature is checked once', async () => {
    await add({ user: '@Alice', status: 500 })
    expect((await server.command('fault.list')).faults.at(-1)).toMatchObject({
      user: 'alice',
      user_id: server.userId('alice'),
    })
    expect((await write('/2/posts', { user: 'bob' })).status).toBe(201)
    expect((await write()).status).toBe(500)
    expect(await lastRequest()).toMatchObject({ user: 'alice', status: 500 })
  })

  test('happens only to the app, by name or id', async () => {
    const second = await appOf(1)
    await add({ match: '*', app: second.name, status: 500, times: 1 })
    await add({ match: '*', app: second.id, status: 502, times: 1 })
    const read = async (who: 'app' | 'second-app') => (await server.get('/2/users/by/username/bob', who)).status
    expect([await read('app'), await read('second-app'), await read('second-app'), await read('second-app')]).toEqual([
      200, 500, 502, 200,
    ])
  })

  test('does not happen to a caller with wrong credentials', async () => {
    await add({ user: 'alice', status: 500 })
    expect((await write('/2/posts', { bearer: 'wrong' })).status).toBe(401)
    expect((await server.command('fault.list')).faults[0].used).toBe(0)
  })
})

describe('a named fault', () => {
  test('has a refusal of version 2 for every name', async () => {
    const statuses: Record<string, number> = {}
    for (const named of FAILURE_NAMES) {
      await add({ named, times: 1 })
      const answer = await write()
      expect(answer.body, named).toBeTypeOf('object')
      statuses[named] = answer.status
    }
    expect(statuses).toMatchInlineSnapshot(`
      {
        "app-suspended": 403,
        "bad-gateway": 502,
        "client-not-enrolled": 403,
        "conflict": 409,
        "duplicate": 403,
        "forbidden": 403,
        "gateway-timeout": 504,
        "internal-error": 500,
        "invalid-request": 400,
        "invalid-token": 401,
        "locked": 403,
        "not-found": 404,
        "oauth1-permissions": 403,
        "over-capacity": 503,
        "rate-limited": 429,
        "suspended": 403,
        "too-many-connections": 429,
        "unauthorized": 401,
        "unavailable": 503,
        "usage-capped": 429,
      }
    `)
  })

  test('rate-limited has the limit headers, with nothing remaining', async () => {
    await add({ named: 'rate-limited', times: 1 })
    const { status, headers, body } = await write()
    expect([status, body]).toEqual([429, problem(429, 'Too Many Requests')])
    expect(headers.get('x-rate-limit-remaining')).toBe('0')
    expect(Number(headers.get('x-rate-limit-limit'))).toBeGreaterThan(0)
    expect(Number(headers.get('x-rate-limit-reset'))).toBeGreaterThan(Date.now() / 1000)
  })

  test('rate-limited shows the limit of the user or of the app', async () => {
    const limits = async (who: Parameters<TestServer['get']>[1]) =>
      (await server.get('/2/users/by/username/bob', who)).headers.get('x-rate-limit-limit')
    const usual = [await limits('app'), await limits(as)]
    expect(usual[0]).not.toBe(usual[1])
    await add({ match: '/2/users/by/username/{username}', named: 'rate-limited', times: 2 })
    expect([await limits('app'), await limits(as)]).toEqual(usual)
  })

  test.each([{ status: 503 }, { named: 'usage-capped' }])('%o has the limit headers of the caller', async (fault) => {
    const limits = async (who: Parameters<TestServer['get']>[1]) =>
      (await server.get('/2/users/by/username/bob', who)).headers.get('x-rate-limit-limit')
    const usual = [await limits('app'), await limits(as)]
    await add({ match: '/2/users/by/username/{username}', ...fault, times: 2 })
    expect([await limits('app'), await limits(as)]).toEqual(usual)
  })

  test('about the caller names the app', async () => {
    const { id } = await appOf(0)
    await add({ named: 'client-not-enrolled', times: 1 })
    expect((await write()).body).toMatchObject({
      client_id: id,
      reason: 'client-not-enrolled',
      title: 'Client Forbidden',
      detail: 'The app is not enrolled for this endpoint or option.',
    })
    await add({ named: 'usage-capped', times: 1 })
    expect((await write()).body).toMatchObject({ title: 'UsageCapExceeded', period: 'Monthly', scope: 'Product' })
  })

  test('duplicate says it in the words of the naming', async () => {
    await add({ named: 'duplicate', times: 2 })
    expect((await write()).body.detail).toBe('You are not allowed to create a Post with duplicate content.')
    expect((await write('/2/tweets')).body.detail).toBe('You are not allowed to create a Tweet with duplicate content.')
  })

  test('not-found names the object of the path, as a lookup of a missing one does', async () => {
    const { id } = (await write()).body.data
    await add({ match: '/2/posts/{id}', named: 'not-found', times: 2 })
    const read = await server.get(`/2/posts/${id}`, as)
    expect(read.status).toBe(200)
    expect(read.body.errors).toMatchObject([{ resource_type: 'post', resource_id: id, title: 'Not Found Error' }])
    const missing = await server.delete(`/2/posts/${id}`, as)
    expect(missing.status).toBe(404)
    expect((await server.get(`/2/posts/${id}`, as)).body.data.id).toBe(id)
  })
})

describe('other interfaces fail in their own shape:', () => {
  test('advertising', async () => {
    await add({ match: 'GET /12/accounts', named: 'over-capacity', times: 1 })
    const { status, body } = await server.get('/ads/12/accounts', as)
    expect([status, body.errors[0].code, body.request]).toEqual([503, 'OVER_CAPACITY', { params: {} }])
    await add({ match: '/ads/*', named: 'rate-limited', times: 1 })
    const limited = await server.get('/ads/12/accounts', as)
    expect([limited.status, limited.body.errors[0].code]).toEqual([429, 'TOO_MANY_REQUESTS'])
    expect(limited.headers.get('x-rate-limit-remaining')).toBe('0')
    expect((await server.get('/ads/12/accounts', as)).status).toBe(200)
  })

  test('advertising, for every name and for a record', async () => {
    const account = server.credentials.ads_account_id
    for (const named of FAILURE_NAMES) {
      await add({ match: '/12/accounts/{account_id}', named, times: 1 })
      const answer = await server.get(`/ads/12/accounts/${account}`, as)
      expect(answer.status, named).toBeGreaterThanOrEqual(400)
      expect(answer.body.errors[0].code, named).toMatch(/^[A-Z_]+$/)
    }
    await add({ match: '/12/accounts/{account_id}/campaigns/{campaign_id}', status: 404, times: 1 })
    const missing = await server.get(`/ads/12/accounts/${account}/campaigns/abc`, as)
    expect([missing.status, missing.body.errors[0].code]).toEqual([404, 'CAMPAIGN_NOT_FOUND'])
  })

  test('the sign-in endpoints of OAuth 1.0a', async () => {
    await add({ match: 'POST /oauth/request_token', named: 'rate-limited', times: 1 })
    const limited = await server.request('POST', '/oauth/request_token', { as: 'nobody' })
    expect([limited.status, limited.body]).toEqual([429, { errors: [{ code: 88, message: 'Rate limit exceeded' }] }])
    expect(limited.headers.get('x-rate-limit-remaining')).toBe('0')
    await add({ match: '/oauth2/token', status: 503, times: 1 })
    const away = await server.request('POST', '/oauth2/token', { as: 'nobody' })
    expect([away.status, away.body]).toEqual([503, { errors: [{ code: 130, message: 'Over capacity' }] }])
  })

  test('version 1.1', async () => {
    const path = '/1.1/account/verify_credentials.json'
    const codes: Record<string, number> = {}
    for (const named of FAILURE_NAMES) {
      await add({ match: path, named, times: 1 })
      const answer = await server.get(path, as)
      expect(answer.status, named).toBeGreaterThanOrEqual(400)
      codes[named] = answer.body.errors[0].code
    }
    expect(codes).toMatchObject({
      'rate-limited': 88,
      'over-capacity': 130,
      suspended: 64,
      locked: 326,
      duplicate: 187,
    })
    await add({ match: 'GET /1.1/users/show.json', named: 'not-found', times: 1 })
    const missing = await server.get('/1.1/users/show.json?screen_name=bob', as)
    expect(missing.body).toEqual({ errors: [{ code: 50, message: 'User not found.' }] })
    await add({ match: '/1.1/*', status: 502, times: 1 })
    expect((await server.get(path, as)).body).toEqual({ errors: [{ code: 131, message: 'Internal error' }] })
    expect((await server.get(path, as)).status).toBe(200)
  })

  test('every name on an endpoint that is written like version 2', async () => {
    for (const named of FAILURE_NAMES) {
      await add({ match: '/2/oauth2/*', named, times: 1 })
      const answer = await server.request('POST', '/2/oauth2/token', { as: 'nobody' })
      expect(answer.status, named).toBeGreaterThanOrEqual(400)
      expect(answer.status === 500, named).toBe(named === 'internal-error')
    }
  })

  test('the sign-in endpoints, for the app that a request names', async () => {
    const [first, second] = server.credentials.apps
    await add({ match: 'POST /oauth2/*', app: second!.name, status: 503 })
    const ask = (app: typeof first) =>
      server.request('POST', '/oauth2/token', {
        as: { header: `Basic ${Buffer.from(`${app!.api_key}:${app!.api_key_secret}`).toString('base64')}` },
        form: { grant_type: 'client_credentials' },
      })
    expect((await ask(first)).status).toBe(200)
    expect((await ask(second)).status).toBe(503)
    await add({ match: '/oauth/*', app: second!.name, status: 503 })
    const { consumerKey, consumerSecret } = server.keysOf('alice')
    const keys = { consumerKey, consumerSecret, token: '', tokenSecret: '' }
    const asked = await server.request('POST', '/oauth/request_token?oauth_callback=oob', { as: { keys } })
    expect(asked.text).toContain('oauth_callback_confirmed=true')
  })

  test('the token endpoint of OAuth 2.0', async () => {
    await add({ match: 'POST /2/oauth2/token', status: 401, times: 1 })
    const refused = await server.request('POST', '/2/oauth2/token', { as: 'nobody' })
    expect([refused.status, refused.body.error]).toEqual([401, 'unauthorized_client'])
  })
})

describe('a fault of the connection', () => {
  const me = (signal?: AbortSignal) =>
    fetch(`${server.baseUrl}/2/users/by/username/bob`, {
      signal: signal ?? null,
      headers: { authorization: `Bearer ${server.credentials.apps[0]!.bearer_token}` },
    })
  const match = 'GET /2/users/by/username/{username}'

  test('delay serves the request late, and the log says so', async () => {
    await add({ match, delay_ms: 200, times: 1 })
    const started = performance.now()
    expect((await me()).status).toBe(200)
    expect(performance.now() - started).toBeGreaterThan(190)
    expect(await lastRequest()).toMatchObject({ status: 200, fault: { effect: 'delay', value: '200' } })
  })

  test('a delay and a failure happen to the same request', async () => {
    await add({ match, delay_ms: 50, times: 1 })
    await add({ match, status: 500, times: 1 })
    expect((await me()).status).toBe(500)
    expect((await me()).status).toBe(200)
  })

  test('drop cuts the answer after so many bytes', async () => {
    await add({ match, drop_after_bytes: 1_000, times: 1 })
    const answer = await me()
    expect(answer.status).toBe(200)
    let bytes = 0
    const read = async () => {
      for await (const chunk of answer.body!) bytes += chunk.length
    }
    await expect(read()).rejects.toThrow()
    expect(bytes).toBe(1_000)
    expect((await me()).status).toBe(200)
  })

  test('drop after no byte sends nothing', async () => {
    await add({ match, drop_after_bytes: 0, times: 1 })
    await expect(me()).rejects.toThrow()
    await expect.poll(lastRequest).toMatchObject({ status: 0, fault: { effect: 'drop', value: '0' } })
  })

  test('stall sends nothing for that time, then cuts the connection', async () => {
    await add({ match, stall_ms: 150, times: 1 })
    const started = performance.now()
    await expect(me()).rejects.toThrow()
    expect(performance.now() - started).toBeGreaterThan(140)
    const logged = await lastRequest()
    expect(logged).toMatchObject({ status: 0, fault: { effect: 'stall' } })
    expect(logged.reason).toBe(`fault ${logged.fault.id}, stall 150 ms`)
  })

  test('a stalled request ends when its client goes away', async () => {
    await add({ match, stall_ms: 60_000, times: 1 })
    await expect(me(AbortSignal.timeout(100))).rejects.toThrow()
    await expect.poll(async () => (await lastRequest()).fault?.effect).toBe('stall')
  })

  test('malformed is 200 with text that is not JSON', async () => {
    await add({ match, malformed: true, times: 1 })
    const answer = await me()
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8')
    await expect(answer.json()).rejects.toThrow()
  })
})

test.each([
  { stall_ms: 1 },
  { drop_after_bytes: 0 },
  { drop_after_bytes: 100 },
  { malformed: true },
  { named: 'not-found' },
])('%j does not execute the operation', async (effect) => {
  const before = await postCount()
  await add({ ...effect, times: 1 })
  await write().catch(() => undefined)
  expect(await postCount()).toBe(before)
})

test('a server that stops does not wait for stalled and delayed requests', async () => {
  const own = await startTestServer()
  await own.command('fault.add', { match: '/2/users/me', stall_ms: 300_000 })
  await own.command('fault.add', { match: '/2/users/by/username/{username}', delay_ms: 300_000 })
  // On connections of their own: the server would keep others open for a while.
  const ask = (path: string) =>
    new Promise<number>((resolve, reject) => {
      const headers = { authorization: `Bearer ${own.credentials.apps[0]!.bearer_token}` }
      http
        .get(own.baseUrl + path, { agent: false, headers }, (answer) => resolve(answer.resume().statusCode!))
        .on('error', reject)
    })
  const waiting = Promise.allSettled([ask('/2/users/me'), ask('/2/users/by/username/bob')])
  await expect
    .poll(async () => (await own.command('fault.list')).faults.map((item: { used: number }) => item.used))
    .toEqual([1, 1])
  await own.close()
  expect(await waiting).toMatchObject([{ status: 'rejected' }, { status: 'fulfilled', value: 200 }])
})

test('the request log marks the requests that failed on purpose, and lists them as refused', async () => {
  const fault = await add({ status: 503, times: 1 })
  await write()
  const admin = { bearer: server.credentials.admin_key }
  const { requests } = (await server.get('/_rostra/requests?refused=true&limit=1', admin)).body
  expect(requests).toMatchObject([
    {
      status: 503,
      operation: 'createPosts',
      reason: `fault ${fault.id}, status 503`,
      fault: { id: fault.id },
      app: server.credentials.apps[0]!.name,
    },
  ])
})

test('a reset clears all faults', async () => {
  await add({ status: 503 })
  const admin = { bearer: server.credentials.admin_key }
  expect((await server.post('/_rostra/reset', {}, admin)).body).toEqual({ reset: true })
  expect((await write()).status).toBe(201)
  expect((await server.command('fault.list')).faults).toEqual([])
})

test.each([
  ['POST /2/post', true],
  ['DELETE /2/posts', true],
  ['/2/users/{id}/tweets/none', true],
  ['/2/none/*', true],
  ['/2/us*', false],
  ['/2/users/12/tweets', false],
  ['POST /2/tweets', false],
  ['/2/users/{id}/tweets', false],
  ['POST /oauth/request_token', false],
  ['/1.1/statuses/show/{id}.json', false],
  ['/ads/12/accounts', false],
  ['*', false],
])('fault.add warns of a match that fits no route: %s %s', async (match, warns) => {
  expect('warning' in (await add({ match, status: 500 }))).toBe(warns)
})

test('fault.clear removes one or all, and says how many', async () => {
  const first = await add({ status: 500 })
  await add({ status: 502 })
  expect(await server.command('fault.clear', { id: first.id })).toEqual({ cleared: 1 })
  expect((await write()).status).toBe(502)
  expect(await server.command('fault.clear')).toEqual({ cleared: 1 })
  expect((await server.tryCommand('fault.clear', { id: first.id })).status).toBe(404)
})

describe('fault.add refuses', () => {
  test.each([
    [{ match: 'posts', status: 500 }, 'match', 'GET, POST, PUT, DELETE'],
    [{ match: 'PATCH /2/posts', status: 500 }, 'match', 'GET, POST, PUT, DELETE'],
    [{ match: '/*/*/*/*/*/*', status: 500 }, 'match', 'at most 5'],
    [{ match: '/2/posts' }, 'status', 'status, named, delay_ms, drop_after_bytes, stall_ms, malformed'],
    [{ match: '/2/posts', status: 500, malformed: true }, 'malformed', 'Only one of'],
    [{ match: '/2/posts', status: 200 }, 'status', '400'],
    [{ match: '/2/posts', status: 600 }, 'status', '599'],
    [{ match: '/2/posts', named: 'broken' }, 'named', 'rate-limited'],
    [{ match: '/2/posts', delay_ms: 300_001 }, 'delay_ms', '300000'],
    [{ match: '/2/posts', stall_ms: 0 }, 'stall_ms', '1'],
    [{ match: '/2/posts', drop_after_bytes: 2_000_000 }, 'drop_after_bytes', '1048576'],
    [{ match: '/2/posts', status: 500, rate: 0 }, 'rate', '0'],
    [{ match: '/2/posts', status: 500, rate: 1.5 }, 'rate', '1'],
    [{ match: '/2/posts', status: 500, times: 0 }, 'times', '1'],
    [{ match: '/2/posts', status: 500, seed: 'a' }, 'seed', 'rate'],
    [{ match: '/2/posts', status: 500, user: 'nobody_here' }, 'user', 'nobody_here'],
    [{ match: '/2/posts', status: 500, app: 'No such app' }, 'app', 'No such app'],
  ])('%j, naming the parameter and what is allowed', async (args, parameter, words) => {
    const { status, text } = await server.tryCommand('fault.add', args)
    expect(status).toBeGreaterThanOrEqual(400)
    expect(status).toBeLessThan(500)
    expect(text).toContain(parameter)
    expect(text).toContain(words)
    expect((await server.command('fault.list')).faults.filter((item: { active: boolean }) => item.active)).toEqual([])
  })

  test('more than 100 faults', async () => {
    await add({ match: '/2/none', status: 500 })
    await server.runtime.database.query({
      text: `insert into fault (target, match, effect, value, seed, created_at)
             select target, match, effect, value, seed, created_at from fault, generate_series(2, 100) where times is null`,
    })
    const { status, body } = await server.tryCommand('fault.add', { match: '/2/none', status: 500 })
    expect([status, body.detail]).toEqual([409, expect.stringContaining('100 faults')])
  })
})
