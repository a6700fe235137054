import { afterAll, beforeAll, expect, test } from 'vitest'
import { tidy } from '../../src/world/housekeeping.ts'
import type { Browser } from '../support/browser.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { askTokens, basicOf, grantOauth2, refresh, SCOPE } from './pkce.steps.ts'
import { type MadeApp, makeApp, signedInBrowser } from './steps.ts'

let server: TestServer
let app: MadeApp
let browser: Browser
beforeAll(async () => {
  server = await startTestServer()
  app = await makeApp(server)
  browser = await signedInBrowser(server, app, 'bob')
})
afterAll(() => server.close())

const grants = async (): Promise<number> => {
  const query = { text: 'select count(*)::int as count from oauth2_grant where app_id = $1', values: [app.id] }
  return (await server.runtime.database.query<{ count: number }>(query)).rows[0]!.count
}
// The second run begins again after the last page.
const tidyTwice = async () => {
  await tidy(server.runtime)
  await tidy(server.runtime)
}

test('grants that nothing can use any more are removed, and the others keep working', async () => {
  // Signing in again and again, as apps without refresh tokens do.
  for (let times = 0; times < 4; times++) await grantOauth2(server, app, browser)
  const narrow = await grantOauth2(server, app, browser, 'users.read')
  const revoked = await grantOauth2(server, app, browser, `${SCOPE} offline.access`)
  const kept = await grantOauth2(server, app, browser, `${SCOPE} offline.access`)
  await server.request('POST', '/2/oauth2/revoke', {
    as: { header: basicOf(app) },
    form: { token: revoked.access_token },
  })
  expect(await grants()).toBe(7)
  await tidyTwice()
  // A token that is used late is refused as expired, not as unknown: its grant is needed for that.
  expect(await grants()).toBe(7)
  await server.command('clock', { advance_ms: 32 * 24 * 3600_000 })
  await tidyTwice()
  // The newest one, and the revoked one whose refresh token has not reached its end.
  expect(await grants()).toBe(2)
  expect((await server.get('/2/users/me', { bearer: narrow.access_token })).status).toBe(401)
  const renewed = await refresh(server, app, kept.refresh_token!)
  expect(renewed.status).toBe(200)
  expect((await server.get('/2/users/me', { bearer: renewed.body.access_token })).status).toBe(200)
  expect(
    (await askTokens(server, app, { grant_type: 'refresh_token', refresh_token: revoked.refresh_token })).status,
  ).toBe(400)
})
