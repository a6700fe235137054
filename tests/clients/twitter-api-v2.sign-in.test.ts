import { TwitterApi } from 'twitter-api-v2'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type LegacyHost, startLegacyHost } from '../support/legacy-host.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

const CALLBACK = 'http://127.0.0.1:3000/callback'

let server: TestServer
let host: LegacyHost
beforeAll(async () => {
  server = await startTestServer()
  host = await startLegacyHost(server)
})
afterAll(async () => {
  await host.close()
  await server.close()
})

const settings = () => ({ httpAgent: host.agent })
const person = (username: string) => server.credentials.users.find((user) => user.username === username)!
const appKeys = () => ({
  appKey: server.credentials.apps[0]!.api_key,
  appSecret: server.credentials.apps[0]!.api_key_secret,
})
const confidential = () => ({
  clientId: server.credentials.apps[0]!.client_id,
  clientSecret: server.credentials.apps[0]!.client_secret,
})
/** The library's client for the second step: the request token with its secret. */
const holding = (link: { oauth_token: string; oauth_token_secret: string }) =>
  new TwitterApi(
    { ...appKeys(), accessToken: link.oauth_token, accessSecret: link.oauth_token_secret },
    { httpAgent: host.agent },
  )

test('the library signs a user in with OAuth 1.0a at its built-in address', async () => {
  const link = await new TwitterApi(appKeys(), settings()).generateAuthLink(CALLBACK)
  expect(link.oauth_callback_confirmed).toBe('true')
  expect(link.url).toBe(`https://api.x.com/oauth/authenticate?oauth_token=${link.oauth_token}`)
  const approved = await host.visitor().decide(link.url, person('bob'), 'approve')
  expect(approved.status).toBe(302)
  const back = new URL(approved.location!)
  expect(back.origin + back.pathname).toBe(CALLBACK)
  expect(back.searchParams.get('oauth_token')).toBe(link.oauth_token)

  const login = await holding(link).login(back.searchParams.get('oauth_verifier')!)
  expect({ id: login.userId, name: login.screenName }).toEqual({ id: server.userId('bob'), name: 'bob' })
  expect(login.accessToken).toMatch(new RegExp(`^${server.userId('bob')}-`))
  const me = await login.client.v2.me()
  expect(me).toEqual({ data: { id: server.userId('bob'), name: 'Bob Okafor', username: 'bob' } })
  expect((await login.client.currentUserV2()).data.username).toBe('bob')
})

test('the library accepts the PIN from the page', async () => {
  const link = await new TwitterApi(appKeys(), settings()).generateAuthLink('oob', { linkMode: 'authorize' })
  const page = await host.visitor().decide(link.url, person('dario'), 'approve')
  expect(page.status).toBe(200)
  const pin = /<code>(\d{7})<\/code>/.exec(page.text)![1]!
  const login = await holding(link).login(pin)
  expect(login.screenName).toBe('dario')
  expect((await login.client.v2.tweet('Typed a PIN today.')).data.text).toBe('Typed a PIN today.')
})

test('a second visit through the sign-in link skips the page and gives a working token again', async () => {
  const visitor = host.visitor()
  const first = await new TwitterApi(appKeys(), settings()).generateAuthLink(CALLBACK)
  const approved = await visitor.decide(first.url, person('chika'), 'approve')
  await holding(first).login(new URL(approved.location!).searchParams.get('oauth_verifier')!)
  const second = await new TwitterApi(appKeys(), settings()).generateAuthLink(CALLBACK)
  const silent = await visitor.open(second.url)
  expect(silent.status).toBe(302)
  const login = await holding(second).login(new URL(silent.location!).searchParams.get('oauth_verifier')!)
  expect((await login.client.v2.me()).data.username).toBe('chika')
})

test('the library passes forced sign-in, a prefilled username and a lower access type', async () => {
  const link = await new TwitterApi(appKeys(), settings()).generateAuthLink(CALLBACK, {
    authAccessType: 'read',
    linkMode: 'authorize',
    forceLogin: true,
    screenName: 'alice',
  })
  const visitor = host.visitor()
  const page = await visitor.open(link.url)
  expect(page.text).toContain('name="username" type="text" value="alice"')
  const approved = await visitor.decide(link.url, person('alice'), 'approve')
  const login = await holding(link).login(new URL(approved.location!).searchParams.get('oauth_verifier')!)
  expect((await login.client.v2.me()).data.username).toBe('alice')
  await expect(login.client.v2.tweet('I may only read.')).rejects.toMatchObject({
    code: 403,
    data: { type: expect.stringMatching(/\/oauth1-permissions$/) },
  })
})

test('a user who declines is redirected with denied, and the request token is invalid', async () => {
  const link = await new TwitterApi(appKeys(), settings()).generateAuthLink(CALLBACK, { linkMode: 'authorize' })
  const declined = await host.visitor().decide(link.url, person('erin'), 'deny')
  expect(declined.location).toBe(`${CALLBACK}?denied=${link.oauth_token}`)
  await expect(holding(link).login('whatever')).rejects.toMatchObject({ code: 401, isAuthError: true })
})

test('the library gets the reason why a callback is not allowed', async () => {
  const refused = new TwitterApi(appKeys(), settings()).generateAuthLink('https://elsewhere.example/cb')
  await expect(refused).rejects.toMatchObject({
    code: 403,
    errors: [{ code: 415, message: 'Callback URL not approved for this client application.' }],
  })
})

test('the library gets the app-only token with its keys and reads with it', async () => {
  const app = await new TwitterApi(appKeys(), settings()).appLogin()
  expect(app.getActiveTokens()).toEqual({ type: 'oauth2', bearerToken: server.credentials.apps[0]!.bearer_token })
  expect((await app.v2.userByUsername('alice')).data.id).toBe(server.userId('alice'))
  await expect(app.v2.me()).rejects.toMatchObject({
    code: 403,
    data: { title: 'Unsupported Authentication', type: expect.stringMatching(/\/unsupported-authentication$/) },
  })
})

test('the library reads code 99 for wrong app keys', async () => {
  const stranger = new TwitterApi({ appKey: 'nobody', appSecret: 'nothing' }, settings())
  await expect(stranger.appLogin()).rejects.toMatchObject({
    code: 403,
    errors: [{ code: 99, label: 'authenticity_token_error', message: 'Unable to verify your credentials' }],
  })
})

/** Runs the code flow of the library and returns the login. */
async function codeLogin(client: TwitterApi, scope: string[], username: string) {
  const link = client.generateOAuth2AuthLink(CALLBACK, { scope })
  const approved = await host.visitor().decide(link.url, person(username), 'approve')
  const back = new URL(approved.location!)
  expect(back.searchParams.get('error_description')).toBeNull()
  expect(back.searchParams.get('state')).toBe(link.state)
  const code = back.searchParams.get('code')!
  return {
    code,
    link,
    login: await client.loginWithOAuth2({ code, codeVerifier: link.codeVerifier, redirectUri: CALLBACK }),
  }
}

test('a confidential client completes the code flow, refreshes its token and revokes it', async () => {
  const client = new TwitterApi(confidential(), settings())
  const scope = ['tweet.read', 'tweet.write', 'users.read', 'offline.access']
  const { login } = await codeLogin(client, scope, 'alice')
  expect({ expiresIn: login.expiresIn, scope: [...login.scope].sort() }).toEqual({
    expiresIn: 7200,
    scope: [...scope].sort(),
  })
  expect((await login.client.v2.me()).data.username).toBe('alice')
  expect((await login.client.v2.tweet('Written with a code flow.')).data.text).toBe('Written with a code flow.')

  const renewed = await client.refreshOAuth2Token(login.refreshToken!)
  expect(renewed.accessToken).not.toBe(login.accessToken)
  expect(renewed.refreshToken).not.toBe(login.refreshToken)
  expect((await renewed.client.v2.me()).data.username).toBe('alice')

  expect(await client.revokeOAuth2Token(renewed.accessToken, 'access_token')).toEqual({ revoked: true })
  await expect(renewed.client.v2.me()).rejects.toMatchObject({ code: 401, isAuthError: true })
})

test('a used refresh token is refused with a sentence that the library shows', async () => {
  const client = new TwitterApi(confidential(), settings())
  const { login } = await codeLogin(client, ['tweet.read', 'users.read', 'offline.access'], 'bob')
  await client.refreshOAuth2Token(login.refreshToken!)
  await expect(client.refreshOAuth2Token(login.refreshToken!)).rejects.toMatchObject({
    code: 400,
    data: { error: 'invalid_request', error_description: 'Value passed for the token was invalid.' },
  })
})

test('a public client completes the code flow with only its client id', async () => {
  const app = await server.command('app.create', {
    name: 'Pocket app',
    owner: 'dario',
    client_type: 'public',
    callback_urls: [CALLBACK],
  })
  const client = new TwitterApi({ clientId: app.client_id }, settings())
  const { login, code, link } = await codeLogin(client, ['tweet.read', 'users.read'], 'dario')
  expect(login.refreshToken).toBeUndefined()
  expect((await login.client.v2.me()).data.username).toBe('dario')
  await expect(login.client.v2.tweet('No write scope.')).rejects.toMatchObject({ code: 403 })
  const again = client.loginWithOAuth2({ code, codeVerifier: link.codeVerifier, redirectUri: CALLBACK })
  await expect(again).rejects.toMatchObject({
    code: 400,
    data: { error_description: 'Value passed for the authorization code was invalid.' },
  })
})

test('a user who declines the code flow is redirected with access_denied and the state', async () => {
  const client = new TwitterApi(confidential(), settings())
  const link = client.generateOAuth2AuthLink(CALLBACK, { scope: ['tweet.read', 'users.read'] })
  const declined = await host.visitor().decide(link.url, person('bob'), 'deny')
  const back = new URL(declined.location!)
  expect(Object.fromEntries(back.searchParams)).toEqual({ error: 'access_denied', state: link.state })
})
