import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Browser, Page } from '../support/browser.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { authorizeAddress, exchangeCode } from './pkce.steps.ts'
import {
  appKeys,
  exchangeRequestToken,
  grantOauth1,
  type MadeApp,
  makeApp,
  person,
  requestToken,
  signedInBrowser,
} from './steps.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

/** Signs somebody else in with another tab of the same browser. */
async function signInElsewhere(browser: Browser, app: MadeApp, username: string): Promise<void> {
  const { oauth_token } = await requestToken(server, appKeys(app), 'oob')
  const page = await browser.open(`/oauth/authorize?oauth_token=${oauth_token}&force_login=true`)
  expect((await browser.signIn(page, person(server, username))).text).toContain(`@${username}`)
}

/** Approves the page of chika after dario has signed in; the page that comes then is approved too. */
async function approveAfterSwitch(browser: Browser, app: MadeApp, consent: Page): Promise<URL> {
  expect(consent.text).toContain('@chika')
  await signInElsewhere(browser, app, 'dario')
  const again = await browser.decide(consent, 'approve')
  expect([again.status, again.leftFor]).toEqual([200, undefined])
  expect(again.text).toContain('@dario')
  expect(again.text).not.toContain('@chika')
  return (await browser.decide(again, 'approve')).leftFor!
}

test.each(['/oauth/authorize', '/oauth/authenticate', '/i/oauth/authenticate'])(
  'on %s an approval for another account does not count: the page is shown again for the account that is signed in now',
  async (door) => {
    const app = await makeApp(server)
    // An earlier grant, which authenticate would renew in silence.
    await grantOauth1(server, app, await signedInBrowser(server, app, 'dario'))
    const browser = await signedInBrowser(server, app, 'chika')
    const asked = await requestToken(server, appKeys(app))
    const back = await approveAfterSwitch(browser, app, await browser.open(`${door}?oauth_token=${asked.oauth_token}`))
    const verifier = back.searchParams.get('oauth_verifier')!
    const answer = await exchangeRequestToken(server, appKeys(app), asked, verifier)
    expect(answer.pairs.screen_name).toBe('dario')
  },
)

test.each(['/i/oauth2/authorize', '/2/oauth2/authorize'])(
  'on %s an approval for another account does not count, and the page that is shown again works',
  async (path) => {
    const app = await makeApp(server)
    const browser = await signedInBrowser(server, app, 'chika')
    const back = await approveAfterSwitch(browser, app, await browser.open(authorizeAddress(app, {}, path)))
    expect(back.searchParams.get('state')).toBe('my state')
    const { access_token } = (await exchangeCode(server, app, back.searchParams.get('code')!)).body
    const me = await server.get('/2/users/me', { bearer: access_token })
    expect(me.body.data.username).toBe('dario')
  },
)

test('the page of OAuth 2.0 that came again can be left for another account', async () => {
  const app = await makeApp(server)
  const browser = await signedInBrowser(server, app, 'chika')
  const consent = await browser.open(authorizeAddress(app))
  await signInElsewhere(browser, app, 'dario')
  const again = await browser.decide(consent, 'approve')
  const signOut = again.forms.find((form) => form.action === '/i/sign-out')!
  const signIn = await browser.post(signOut.action, signOut.fields)
  expect((await browser.signIn(signIn, person(server, 'bob'))).text).toContain('@bob')
})
