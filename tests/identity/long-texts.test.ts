import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Browser, formWith } from '../support/browser.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { sign } from '../support/sign.ts'
import { appKeys, type MadeApp, makeApp, requestToken, UNVERIFIED } from './steps.ts'

let server: TestServer
let app: MadeApp
beforeAll(async () => {
  server = await startTestServer(['--trust-proxy', 'on'])
  app = await makeApp(server)
})
afterAll(() => server.close())

/** Text that cannot be compressed to the size of an index row. */
const long = () => randomBytes(3_000).toString('hex')

const getMe = async (nonce?: string) => {
  const oauth = nonce === undefined ? undefined : { oauth_nonce: nonce }
  const header = sign('GET', `${server.baseUrl}/2/users/me`, server.keysOf('alice'), { oauth })
  return { header, status: (await server.get('/2/users/me', { header })).status }
}

test('a very long nonce is accepted once, and does not fail other requests of the same moment', async () => {
  const asked = await Promise.all([getMe(long()), getMe(), getMe(long()), getMe()])
  expect(asked.map((answer) => answer.status)).toEqual([200, 200, 200, 200])
  expect((await server.get('/2/users/me', { header: asked[0]!.header })).status).toBe(401)
})

test('a very long address from the proxy is counted like any other', async () => {
  const browser = new Browser(server.baseUrl)
  const { oauth_token } = await requestToken(server, appKeys(app))
  const { fields } = formWith(await browser.open(`/oauth/authorize?oauth_token=${oauth_token}`), 'password')
  const guess = async (address: string) => {
    const answer = await server.request('POST', '/i/sign-in', {
      as: 'nobody',
      form: { ...fields, username: randomBytes(6).toString('hex'), password: 'x' },
      headers: { 'x-forwarded-for': address, cookie: `rostra_visitor=${browser.cookies.get('rostra_visitor')}` },
    })
    return answer.status
  }
  const address = long()
  expect(await Promise.all([guess(address), guess('203.0.113.5')])).toEqual([401, 401])
  const counted = await server.runtime.database.query({
    text: `update rate_counter set used = used + 99 where name like 'sign-in:address:%' and name not like '%203.0.113.5'`,
  })
  expect(counted.rowCount).toBe(1)
  expect(await Promise.all([guess(address), guess('203.0.113.5')])).toEqual([429, 401])
})

test('a Basic header with an escaped U+0000 is refused, and does not fail other requests of the same moment', async () => {
  const ask = (name: string, path = '/oauth2/token') =>
    server.request('POST', path, {
      as: { header: `Basic ${Buffer.from(`${name}:${app.api_key_secret}`).toString('base64')}` },
      form: { grant_type: 'client_credentials' },
    })
  await server.command('cache.forget')
  const [wrong, right] = await Promise.all([ask('a%00b'), ask(app.api_key)])
  expect([wrong.status, wrong.body]).toEqual([403, UNVERIFIED])
  expect(right.status).toBe(200)
  expect((await ask('a%00b', '/2/oauth2/token')).status).toBe(401)
})
