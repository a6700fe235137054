import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Browser } from '../support/browser.ts'
import { waitingForLocks } from '../support/locks.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { exchangeCode, grantOauth2, obtainCode, refresh, SCOPE } from './pkce.steps.ts'
import {
  appKeys,
  exchangeRequestToken,
  grantOauth1,
  INVALID_TOKEN,
  type MadeApp,
  makeApp,
  requestToken,
  signedInBrowser,
} from './steps.ts'

let server: TestServer
let browser: Browser
let app: MadeApp
beforeAll(async () => {
  server = await startTestServer()
  browser = await signedInBrowser(server, await makeApp(server, { name: 'Door' }), 'bob')
})
afterAll(() => server.close())
beforeEach(async () => {
  app = await makeApp(server)
})

const OFFLINE = `${SCOPE} offline.access`
const rotate = (): Promise<MadeApp> => server.command('app.rotate', { app: app.id })
const me = (bearer: string) => server.get('/2/users/me', { bearer })

test('new keys end the OAuth 2.0 tokens of the app and no others', async () => {
  const other = await makeApp(server, { name: 'Other' })
  const kept = await grantOauth2(server, other, browser)
  const given = await grantOauth2(server, app, browser, OFFLINE)
  expect((await me(given.access_token)).status).toBe(200)
  const fresh = await rotate()
  const dead = await me(given.access_token)
  expect([dead.status, dead.body]).toEqual([401, INVALID_TOKEN])
  expect((await refresh(server, fresh, given.refresh_token!)).status).toBe(400)
  expect((await me(kept.access_token)).status).toBe(200)
  expect((await me((await grantOauth2(server, fresh, browser)).access_token)).status).toBe(200)
})

test('new keys end codes that were not exchanged yet', async () => {
  const code = await obtainCode(browser, app)
  expect((await exchangeCode(server, await rotate(), code)).status).toBe(400)
})

test('new keys end request tokens, before and after the approval', async () => {
  const waiting = await requestToken(server, appKeys(app))
  const asked = await requestToken(server, appKeys(app))
  const page = await browser.open(`/oauth/authorize?oauth_token=${asked.oauth_token}`)
  const verifier = (await browser.decide(page, 'approve')).leftFor!.searchParams.get('oauth_verifier')!
  const fresh = await rotate()
  expect((await browser.open(`/oauth/authorize?oauth_token=${waiting.oauth_token}`)).status).toBe(403)
  const answer = await exchangeRequestToken(server, appKeys(fresh), asked, verifier)
  expect([answer.status, answer.body]).toEqual([401, INVALID_TOKEN])
})

test('an exchange at the same moment leaves no token of the old keys alive', async () => {
  const asked = await requestToken(server, appKeys(app))
  const page = await browser.open(`/oauth/authorize?oauth_token=${asked.oauth_token}`)
  const verifier = (await browser.decide(page, 'approve')).leftFor!.searchParams.get('oauth_verifier')!
  // While the row is held, the exchange and then the new keys get as far as they can.
  const holder = await server.runtime.database.pool.connect()
  await holder.query('begin')
  await holder.query('select from oauth1_request_token where app_id = $1 for update', [app.id])
  const exchange = exchangeRequestToken(server, appKeys(app), asked, verifier)
  await expect.poll(() => waitingForLocks(server)).toBe(1)
  const rotated = rotate()
  await expect.poll(() => waitingForLocks(server)).toBe(2)
  await holder.query('rollback')
  holder.release()
  expect((await exchange).status).toBe(200)
  const fresh = await rotated
  const { oauth_token: token, oauth_token_secret: tokenSecret } = (await exchange).pairs
  const keys = { ...appKeys(fresh), token: token!, tokenSecret: tokenSecret! }
  expect((await server.get('/2/users/me', { keys })).body).toEqual(INVALID_TOKEN)
  expect((await grantOauth1(server, fresh, browser)).token).not.toBe(token)
})

test('the bearer token of the old keys is refused as an ended one, like every earlier one', async () => {
  const bearers = [app.bearer_token, (await rotate()).bearer_token]
  const { bearer_token } = await rotate()
  for (const bearer of bearers) {
    const answer = await server.get(`/2/users/${server.userId('bob')}`, { bearer })
    expect([answer.status, answer.body]).toEqual([401, INVALID_TOKEN])
  }
  expect((await server.get(`/2/users/${server.userId('bob')}`, { bearer: bearer_token })).status).toBe(200)
})

test('an app that invalidates its token all day long is remembered for the last hundred', async () => {
  await server.runtime.database.query({
    text: `insert into ended_bearer_token select sha256(n::text::bytea), $1, 'epoch'::timestamptz + n * interval '1 s' from generate_series(1, 150) n`,
    values: [app.id],
  })
  await rotate()
  const { rows } = await server.runtime.database.query<{ count: number }>({
    text: 'select count(*)::int as count from ended_bearer_token where app_id = $1',
    values: [app.id],
  })
  expect(rows[0]!.count).toBe(100)
  expect((await server.get(`/2/users/${server.userId('bob')}`, { bearer: app.bearer_token })).body).toEqual(
    INVALID_TOKEN,
  )
})
