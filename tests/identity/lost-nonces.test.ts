import { afterAll, beforeAll, expect, test } from 'vitest'
import { NonceGuard } from '../../src/identity/oauth1/nonce-guard.ts'
import { tidy } from '../../src/world/housekeeping.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { sign } from '../support/sign.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer([], { newDatabase: true })
})
afterAll(() => server.close())

const signed = (laterS = 0) =>
  sign('GET', `${server.baseUrl}/2/users/me`, server.keysOf('alice'), {
    oauth: { oauth_timestamp: String(Math.floor(Date.now() / 1000) + laterS) },
  })
const getMe = (header: string) => server.get('/2/users/me', { header })

test('a new database accepts the first request', async () => {
  expect((await getMe(signed(-60))).status).toBe(200)
})

test('housekeeping keeps the marker of complete nonces', async () => {
  await tidy(server.runtime)
  expect((await getMe(signed())).status).toBe(200)
})

const SERVICE_UNAVAILABLE = {
  title: 'Service Unavailable',
  detail: 'Service Unavailable',
  type: 'about:blank',
  status: 503,
}

test('a request signed before the database lost the nonces, as it does in a crash, gets 503 however often it is sent', async () => {
  const header = signed()
  const unused = signed()
  expect((await getMe(header)).status).toBe(200)
  await server.runtime.database.query({ text: 'truncate oauth1_nonce' })
  const answers = [...(await Promise.all([getMe(header), getMe(unused), getMe(header)])), await getMe(header)]
  for (const answer of answers) {
    expect([answer.status, answer.body]).toEqual([503, SERVICE_UNAVAILABLE])
    expect(answer.headers.get('retry-after')).toBe('1')
  }
  const record = await server.get('/_rostra/requests?refused=true', { bearer: server.credentials.admin_key })
  const reasons = record.body.requests.map((item: { reason: string }) => item.reason)
  expect(reasons).toContainEqual(expect.stringContaining('the database lost the used nonces'))
})

test('the sign-in paths and advertising answer 503 too', async () => {
  const lost = async (path: string) => {
    const header = sign('GET', server.baseUrl + path, server.keysOf('alice'))
    await server.runtime.database.query({ text: 'truncate oauth1_nonce' })
    return server.get(path, { header })
  }
  const ads = await lost('/12/accounts')
  expect([ads.status, ads.headers.get('retry-after')]).toEqual([503, '1'])
  expect(ads.body.errors[0].code).toBe('SERVICE_UNAVAILABLE')
  const keys = { ...server.keysOf('alice'), token: '', tokenSecret: '' }
  await server.runtime.database.query({ text: 'truncate oauth1_nonce' })
  const header = sign('POST', `${server.baseUrl}/oauth/request_token`, keys, { oauth: { oauth_callback: 'oob' } })
  const signIn = await server.request('POST', '/oauth/request_token', { as: { header } })
  expect([signIn.status, signIn.headers.get('retry-after')]).toEqual([503, '1'])
})

test('requests that are signed after the loss are accepted, each once', async () => {
  await server.runtime.database.query({ text: 'truncate oauth1_nonce' })
  await tidy(server.runtime)
  const header = signed(30)
  expect((await getMe(header)).status).toBe(200)
  expect((await getMe(header)).status).toBe(401)
})

test('a reset does not accept a request a second time', async () => {
  const header = signed(60)
  expect((await getMe(header)).status).toBe(200)
  const reset = await server.request('POST', '/_rostra/reset', { as: { bearer: server.credentials.admin_key } })
  expect(reset.status).toBe(200)
  expect((await getMe(header)).status).toBe(401)
  expect((await getMe(signed(60))).status).toBe(200)
})

test('a process that finds the nonces lost when it starts accepts requests that are signed from then on', async () => {
  await server.runtime.database.query({ text: 'truncate oauth1_nonce' })
  const earlier = signed()
  await new NonceGuard(server.runtime.database).prepare()
  expect((await getMe(signed())).status).toBe(200)
  expect((await getMe(earlier)).status).toBe(503)
})
