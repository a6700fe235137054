import { afterAll, beforeAll, expect, test } from 'vitest'
import { NonceGuard } from '../../src/identity/oauth1/nonce-guard.ts'
import { tidy } from '../../src/start/housekeeping.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { sign } from '../support/sign.ts'
import { UNAUTHORIZED } from './steps.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
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

test('a request comes through once though the database lost the nonces in between, as it does in a crash', async () => {
  const header = signed()
  expect((await getMe(header)).status).toBe(200)
  await server.runtime.database.query({ text: 'truncate oauth1_nonce' })
  const again = await Promise.all([getMe(header), getMe(header)])
  for (const answer of again) expect([answer.status, answer.body]).toEqual([401, UNAUTHORIZED])
  expect((await getMe(header)).status).toBe(401)
  const record = await server.get('/_rostra/requests?refused=true', { bearer: server.credentials.admin_key })
  const reasons = record.body.requests.map((item: { reason: string }) => item.reason)
  expect(reasons).toContainEqual(expect.stringContaining('the database lost the used nonces'))
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
  expect((await getMe(earlier)).status).toBe(401)
})
