import { createHmac } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../support/server.ts'
import { encode, sign } from '../support/sign.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

const asAdmin = (path: string) => server.get(path, { bearer: server.credentials.admin_key })
async function lastRequest() {
  const { requests } = (await asAdmin('/_rostra/requests?limit=1')).body
  return (await asAdmin(`/_rostra/requests/${requests[0].seq}`)).body
}

describe('a request of the log', () => {
  test('keeps headers and bodies of at most 200 answers in a second, and of every refusal', async () => {
    const began = Date.now()
    await Promise.all(Array.from({ length: 500 }, () => server.get('/2/users/me', { user: 'bob' })))
    expect((await server.get('/2/users/by/username/no-name', { user: 'bob' })).status).toBe(400)
    const seconds = Math.floor(Date.now() / 1000) - Math.floor(began / 1000) + 1
    const { requests } = (await asAdmin('/_rostra/requests?limit=501')).body
    const shown = await Promise.all(
      requests.map(async ({ seq }: { seq: string }) => (await asAdmin(`/_rostra/requests/${seq}`)).body),
    )
    const kept = shown.filter(({ exchange }) => exchange)
    expect(kept.length).toBeGreaterThan(200 / 2)
    expect(kept.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(200 * seconds)
    expect(kept.filter(({ status }) => status === 400)).toHaveLength(1)
  })

  test('has the headers and bodies of request and answer', async () => {
    const made = await server.post('/2/posts', { text: 'Kept in the log' }, { user: 'alice' })
    const { exchange, ...facts } = await lastRequest()
    expect(facts).toMatchObject({ operation: 'createPosts', status: 201, user: 'alice', credential: 'oauth1' })
    expect(exchange).toMatchObject({
      request_headers: {
        'content-type': 'application/json',
        authorization: expect.stringContaining('oauth_consumer_key'),
      },
      request_body: '{"text":"Kept in the log"}',
      request_bytes: 26,
      response_headers: { 'content-type': 'application/json; charset=utf-8' },
      response_body: made.text,
    })
  })

  test('has no secret, neither in headers nor in bodies', async () => {
    const [app] = server.credentials.apps
    const { access_token, access_token_secret, password } = server.credentials.users[0]!
    await server.get('/2/users/me', { user: 'alice' })
    const signed = JSON.stringify(await lastRequest())
    expect(signed).not.toContain(access_token)
    await server.get('/2/users/by/username/alice')
    expect((await lastRequest()).exchange.request_headers.authorization).toBe('Bearer …')
    // A client that forgot the word before its token.
    await server.request('GET', '/2/users/me', { as: { header: app!.bearer_token! } })
    expect((await lastRequest()).exchange.request_headers.authorization).toBe('…')
    const basic = Buffer.from(`${app!.api_key}:${app!.api_key_secret}`).toString('base64')
    await server.request('POST', '/oauth2/token', {
      as: { header: `Basic ${basic}` },
      form: { grant_type: 'client_credentials' },
    })
    const token = await lastRequest()
    expect(token).toMatchObject({
      status: 200,
      exchange: { response_body: expect.stringContaining('"access_token":"…"') },
    })
    await server.request('POST', '/2/oauth2/token', {
      as: 'nobody',
      form: { grant_type: 'refresh_token', refresh_token: 'r-secret', client_secret: 'c-secret', code: 'k-secret' },
    })
    await server.request('POST', '/i/flow/login', { as: 'nobody', form: { username: 'alice', password: password! } })
    await server.request('POST', '/2/posts', { as: { user: 'alice' }, json: { password: 'p-"secret', text: 'x' } })
    await server.request('GET', '/2/users/me', {
      as: 'nobody',
      headers: { cookie: 'rostra_session=s-secret; a=b-secret' },
    })
    const { requests } = (await asAdmin('/_rostra/requests?limit=50')).body
    const all = await Promise.all(
      requests.map(async ({ seq }: { seq: string }) => (await asAdmin(`/_rostra/requests/${seq}`)).text),
    )
    const secrets = [
      basic,
      app!.api_key_secret,
      app!.bearer_token!,
      access_token!,
      access_token_secret!,
      password!,
      server.credentials.admin_key,
    ]
    for (const secret of [...secrets, 'r-secret', 'c-secret', 'k-secret', 'p-\\\\', '-secret'])
      expect(
        all.filter((text) => text.includes(secret)),
        secret,
      ).toEqual([])
  })

  test('has only the beginning of a long body, and nothing of one that is not text', async () => {
    await server.request('POST', '/2/posts', { as: { user: 'alice' }, json: { text: 'y'.repeat(50_000) } })
    const { exchange } = await lastRequest()
    expect(exchange.request_bytes).toBe(50_011)
    expect(exchange.request_body.length).toBe(4_096)
    await server.request('POST', '/2/posts', {
      as: { user: 'alice' },
      raw: 'bytes',
      headers: { 'content-type': 'image/png' },
    })
    expect((await lastRequest()).exchange.request_body).toBeUndefined()
  })

  test('is not found by another number', async () => {
    for (const seq of ['1', '000000000000000000000', 'x', `${'9'.repeat(21)}`])
      expect((await asAdmin(`/_rostra/requests/${seq}`)).status).toBe(404)
  })

  test.each([
    ['an app', () => server.get('/2/users/by/username/alice?user.fields=name'), 200],
    ['a user who signs', () => server.get('/2/users/me?user.fields=name,url', { user: 'alice' }), 200],
    [
      'a user with a token',
      () => server.get('/2/users/me', { bearer: server.credentials.users[1]!.oauth2_access_token! }),
      200,
    ],
    ['a user who writes', () => server.post('/2/posts', { text: "It's sent again" }, { user: 'bob' }), 201],
    ['nobody', () => server.get('/2/users/me', 'nobody'), 401],
  ])('of %s can be sent again, with a new credential of the same kind', async (_name, send, status) => {
    expect((await send()).status).toBe(status)
    const before = await lastRequest()
    const { method, path, headers, body, curl } = await server.command('request.repeat', { seq: before.seq })
    // The same post is not written twice.
    const changed = body?.replace('again', 'once more')
    const again = await fetch(server.baseUrl + path, { method, headers, body: changed ?? undefined })
    expect(again.status).toBe(status)
    const after = await lastRequest()
    const who = ({ app, user, credential }: Record<string, unknown>) => ({ app, user, credential })
    expect(who(after)).toEqual(who(before))
    expect(curl.startsWith(`curl -i -X ${method} '${server.baseUrl}${path}'`)).toBe(true)
  })

  test('whose body was cut cannot be sent again', async () => {
    await server.request('POST', '/2/posts', { as: { user: 'alice' }, json: { text: 'z'.repeat(9_000) } })
    const { seq } = await lastRequest()
    expect((await server.tryCommand('request.repeat', { seq })).status).toBe(409)
  })
})

test('the calls of each operation are counted by app, with how they fared', async () => {
  const find = async () => {
    const { calls } = (await asAdmin('/_rostra/calls')).body
    return calls.find(
      (item: { operation: string; app?: string }) => item.operation === 'getUsersByUsername' && item.app,
    )
  }
  const before = (await find()) ?? { calls: 0, refused: 0 }
  await server.get('/2/users/by/username/alice')
  await server.get('/2/users/by/username/!!!')
  expect(await find()).toMatchObject({
    app: 'First app',
    calls: before.calls + 2,
    refused: before.refused + 1,
    last_status: 400,
    last_reason: expect.stringContaining('username'),
  })
})

describe('a wrong signature is explained by what the client signed instead', () => {
  const path = '/2/users/me?user.fields=name,url'
  const url = () => `${server.baseUrl}${path}`
  const refusal = async (header: string) => {
    // Explaining takes time, so it is not done for many at once.
    await pause(110)
    expect((await server.get(path, { header })).status).toBe(401)
    const { reason, details } = await lastRequest()
    return { reason, details }
  }

  test.each<[string, () => string, string]>([
    [
      'no query',
      () => sign('GET', url().split('?')[0]!, server.keysOf('alice')),
      'it did not sign the parameters of the query',
    ],
    [
      'no token secret',
      () => sign('GET', url(), { ...server.keysOf('alice'), tokenSecret: '' }),
      'it signed without the token secret',
    ],
    [
      'no port and no query',
      () => sign('GET', url().split('?')[0]!.replace(/:\d+/, ''), server.keysOf('alice')),
      'it left the port out of the address, and it did not sign the parameters of the query',
    ],
  ])('with %s', async (_name, header, mistake) => {
    const { reason, details } = await refusal(header())
    expect(details.signature_mistake).toBe(mistake)
    expect(reason).toContain(mistake)
    expect(details.signature_base_string_received).toMatch(/^GET&http/)
  })

  test('and only says that it does not match when nothing fits', async () => {
    const { details, reason } = await refusal(sign('GET', url(), { ...server.keysOf('alice'), tokenSecret: 'wrong' }))
    expect(details.signature_mistake).toBeUndefined()
    expect(reason).toMatch(/the signature does not match the base string that the server built$/)
  })

  test('with the base string that has the signature that was sent', async () => {
    const keys = server.keysOf('alice')
    const { details } = await refusal(sign('GET', url().split('?')[0]!, keys))
    const key = `${encode(keys.consumerSecret)}&${encode(keys.tokenSecret!)}`
    const signature = createHmac('sha1', key).update(details.signature_base_string_received).digest('base64')
    expect(signature).toBe(details.oauth_signature_sent)
  })
})
