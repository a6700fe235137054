import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { Browser, formWith } from '../support/browser.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { sign } from '../support/sign.ts'
import {
  appKeys,
  askRequestToken,
  CALLBACK,
  coded,
  exchangeRequestToken,
  grantOauth1,
  type MadeApp,
  makeApp,
  person,
  requestToken,
  signedInBrowser,
} from './steps.ts'

let server: TestServer
let app: MadeApp
beforeAll(async () => {
  server = await startTestServer()
  app = await makeApp(server, { callback_urls: [CALLBACK, 'myapp://done'] })
})
afterAll(() => server.close())
beforeEach(() => server.command('limits.clear'))

const authorize = (token: string, more = '') => `/oauth/authorize?oauth_token=${token}${more}`
const authenticate = (token: string, more = '') => `/oauth/authenticate?oauth_token=${token}${more}`

describe('request_token', () => {
  test('answers a token, its secret and that the callback is confirmed, as form text', async () => {
    const answer = await askRequestToken(server, appKeys(app), CALLBACK)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(answer.text).toMatch(/^oauth_token=[\w-]+&oauth_token_secret=\w+&oauth_callback_confirmed=true$/)
  })

  test.each([
    ['another address', 'https://client.example/other'],
    ['a trailing slash more', `${CALLBACK}/`],
    ['another query', 'https://client.example/done'],
    ['a scheme that runs code', 'javascript:alert(1)'],
  ])('refuses a callback that is not registered with code 415: %s', async (_, callback) => {
    const answer = await askRequestToken(server, appKeys(app), callback)
    expect(answer.status).toBe(403)
    expect(answer.body).toEqual(coded(415, 'Callback URL not approved for this client application.'))
  })

  test('refuses any address with code 417 when the app has no callback, but takes oob', async () => {
    const desktop = await makeApp(server, { name: 'Desktop', callback_urls: [] })
    const answer = await askRequestToken(server, appKeys(desktop), CALLBACK)
    expect(answer.status).toBe(403)
    expect(answer.body).toEqual(coded(417, "Desktop applications only support the oauth_callback value 'oob'"))
    expect((await askRequestToken(server, appKeys(desktop), 'oob')).status).toBe(200)
  })

  test('refuses a request without a callback', async () => {
    const answer = await server.request('POST', '/oauth/request_token', { as: { keys: appKeys(app) } })
    expect(answer.status).toBe(400)
    expect(answer.body).toEqual(coded(215, 'Bad Authentication data.'))
  })

  test('takes the callback in a form body too', async () => {
    const form = { oauth_callback: CALLBACK }
    const answer = await server.request('POST', '/oauth/request_token', { as: { keys: appKeys(app) }, form })
    expect(answer.status).toBe(200)
  })
})

describe('a person who allows the app', () => {
  test('signs in, sees what is asked for, comes back with a verifier, and the app gets a token that works', async () => {
    const keys = appKeys(app)
    const asked = await requestToken(server, keys)
    const browser = new Browser(server.baseUrl)
    const signIn = await browser.open(authorize(asked.oauth_token))
    expect(signIn.status).toBe(200)
    expect(signIn.text).toContain('Sign in')
    const consent = await browser.signIn(signIn, person(server, 'bob'))
    expect(consent.address).toBe(authorize(asked.oauth_token))
    expect(consent.text).toContain('Allow <bdi>Reader</bdi> to use your account?')
    expect(consent.text).toContain('Post and repost in your name')
    expect(consent.text).toContain('Read, send and delete your direct messages.')
    const back = (await browser.decide(consent, 'approve')).leftFor!
    expect(back.origin + back.pathname).toBe('https://client.example/done')
    expect([...back.searchParams.keys()]).toEqual(['kept', 'oauth_token', 'oauth_verifier'])
    expect(back.searchParams.get('kept')).toBe('1')
    expect(back.searchParams.get('oauth_token')).toBe(asked.oauth_token)
    const answer = await exchangeRequestToken(server, keys, asked, back.searchParams.get('oauth_verifier')!)
    expect(answer.status).toBe(200)
    expect(Object.keys(answer.pairs)).toEqual(['oauth_token', 'oauth_token_secret', 'user_id', 'screen_name'])
    expect(answer.pairs).toMatchObject({ user_id: server.userId('bob'), screen_name: 'bob' })
    expect(answer.pairs.oauth_token).toMatch(new RegExp(`^${server.userId('bob')}-\\w+$`))
    const token = { token: answer.pairs.oauth_token!, tokenSecret: answer.pairs.oauth_token_secret! }
    const me = await server.get('/2/users/me', { keys: { ...keys, ...token } })
    expect(me.status).toBe(200)
    expect(me.body.data.username).toBe('bob')
  })

  test('comes back to the scheme of a phone app', async () => {
    const browser = await signedInBrowser(server, app, 'dario')
    const asked = await requestToken(server, appKeys(app), 'myapp://done')
    const back = (await browser.decide(await browser.open(authorize(asked.oauth_token)), 'approve')).leftFor!
    expect(back.href).toMatch(/^myapp:\/\/done\?oauth_token=\w+&oauth_verifier=\w+$/)
  })

  test('gets a PIN of seven digits where the callback is oob, and the app can exchange it', async () => {
    const browser = await signedInBrowser(server, app, 'dario')
    const asked = await requestToken(server, appKeys(app), 'oob')
    const page = await browser.decide(await browser.open(authorize(asked.oauth_token)), 'approve')
    expect(page.status).toBe(200)
    expect(page.leftFor).toBeUndefined()
    const pin = /<code>(\d{7})<\/code>/.exec(page.text)![1]!
    const answer = await exchangeRequestToken(server, appKeys(app), asked, pin)
    expect(answer.status).toBe(200)
    expect(answer.pairs.screen_name).toBe('dario')
  })

  test('who allows a second time gives the app the same pair', async () => {
    const browser = await signedInBrowser(server, app, 'chika')
    const first = await grantOauth1(server, app, browser)
    expect(await grantOauth1(server, app, browser)).toEqual(first)
  })

  test('who is asked for reading only gives no more than that', async () => {
    const lower = await makeApp(server, { name: 'Lower' })
    const browser = await signedInBrowser(server, lower, 'chika')
    const asked = await requestToken(server, appKeys(lower), CALLBACK, { x_auth_access_type: 'read' })
    const consent = await browser.open(authorize(asked.oauth_token))
    expect(consent.text).not.toContain('Post and repost in your name')
    const keys = await grantOauth1(server, lower, browser, { x_auth_access_type: 'read' })
    const read = await server.get('/2/users/me', { keys })
    expect(read.status).toBe(200)
    expect(read.headers.get('x-access-level')).toBe('read')
    const write = await server.post('/2/posts', { text: 'More than I may' }, { keys })
    expect(write.status).toBe(403)
    expect(write.body.type).toMatch(/oauth1-permissions$/)
  })

  test('who is asked for writing gives no messages', async () => {
    const lower = await makeApp(server, { name: 'Lower still' })
    const browser = await signedInBrowser(server, lower, 'chika')
    const keys = await grantOauth1(server, lower, browser, { x_auth_access_type: 'write' })
    expect((await server.get('/2/users/me', { keys })).headers.get('x-access-level')).toBe('read-write')
  })

  test('cannot give more than the setting of the app', async () => {
    const reader = await makeApp(server, { name: 'Reads only', permission_level: 'read' })
    const browser = await signedInBrowser(server, reader, 'chika')
    const keys = await grantOauth1(server, reader, browser, { x_auth_access_type: 'write' })
    expect((await server.get('/2/users/me', { keys })).headers.get('x-access-level')).toBe('read')
  })

  test('is asked for nothing when x_auth_access_type is neither read nor write', async () => {
    const answer = await askRequestToken(server, appKeys(app), CALLBACK, { x_auth_access_type: 'everything' })
    expect(answer.status).toBe(401)
  })
})

describe('a person who does not allow the app', () => {
  test('goes back with denied and without a verifier, and the request token is not valid any more', async () => {
    const browser = await signedInBrowser(server, app, 'dario')
    const asked = await requestToken(server, appKeys(app))
    const back = (await browser.decide(await browser.open(authorize(asked.oauth_token)), 'deny')).leftFor!
    expect([...back.searchParams]).toEqual([
      ['kept', '1'],
      ['denied', asked.oauth_token],
    ])
    expect((await browser.open(authorize(asked.oauth_token))).status).toBe(403)
    expect((await exchangeRequestToken(server, appKeys(app), asked, 'x')).status).toBe(401)
  })

  test('stays on a page when there is no callback', async () => {
    const browser = await signedInBrowser(server, app, 'dario')
    const asked = await requestToken(server, appKeys(app), 'oob')
    const page = await browser.decide(await browser.open(authorize(asked.oauth_token)), 'deny')
    expect(page.status).toBe(200)
    expect(page.text).toContain('Access not allowed')
    expect(page.text).not.toContain('PIN')
  })
})

describe('the pages', () => {
  test('authorize asks every time, also after an earlier grant', async () => {
    const browser = await signedInBrowser(server, app, 'chika')
    await grantOauth1(server, app, browser)
    const asked = await requestToken(server, appKeys(app))
    const page = await browser.open(authorize(asked.oauth_token))
    expect(page.status).toBe(200)
    expect(formWith(page, 'decision').action).toBe('/oauth/authorize')
  })

  test('authenticate asks the first time and is silent the second time', async () => {
    const fresh = await makeApp(server, { name: 'Sign in with us' })
    const browser = await signedInBrowser(server, fresh, 'chika')
    const first = await requestToken(server, appKeys(fresh))
    const consent = await browser.open(authenticate(first.oauth_token))
    expect(consent.status).toBe(200)
    const back = (await browser.decide(consent, 'approve')).leftFor!
    await exchangeRequestToken(server, appKeys(fresh), first, back.searchParams.get('oauth_verifier')!)
    const second = await requestToken(server, appKeys(fresh))
    const silent = (await browser.open(authenticate(second.oauth_token))).leftFor!
    const answer = await exchangeRequestToken(
      server,
      appKeys(fresh),
      second,
      silent.searchParams.get('oauth_verifier')!,
    )
    expect(answer.pairs.screen_name).toBe('chika')
  })

  test('authenticate asks again when the sign-in setting of the app is off, or more is asked for than was given', async () => {
    const fresh = await makeApp(server, { name: 'No sign-in' })
    const browser = await signedInBrowser(server, fresh, 'chika')
    await grantOauth1(server, fresh, browser, { x_auth_access_type: 'read' })
    const more = await requestToken(server, appKeys(fresh))
    expect((await browser.open(authenticate(more.oauth_token))).leftFor).toBeUndefined()
    const same = await requestToken(server, appKeys(fresh), CALLBACK, { x_auth_access_type: 'read' })
    await server.command('app.update', { app: fresh.id, sign_in_enabled: false })
    const page = await browser.open(authenticate(same.oauth_token))
    expect(page.leftFor).toBeUndefined()
    expect(formWith(page, 'decision').action).toBe('/oauth/authenticate')
    await server.command('app.update', { app: fresh.id, sign_in_enabled: true })
    expect((await browser.open(authenticate(same.oauth_token))).leftFor?.host).toBe('client.example')
  })

  test('authenticate is silent only for the person who granted access', async () => {
    const fresh = await makeApp(server, { name: 'One grant' })
    await grantOauth1(server, fresh, await signedInBrowser(server, fresh, 'chika'))
    const other = await signedInBrowser(server, fresh, 'dario')
    const asked = await requestToken(server, appKeys(fresh))
    expect((await other.open(authenticate(asked.oauth_token))).leftFor).toBeUndefined()
  })

  test.each([
    ['authorize', authorize],
    ['authenticate', authenticate],
  ])(
    'force_login on %s asks for the password though somebody is signed in, and prefills screen_name',
    async (_, door) => {
      const browser = await signedInBrowser(server, app, 'chika')
      await grantOauth1(server, app, browser)
      const asked = await requestToken(server, appKeys(app))
      const page = await browser.open(door(asked.oauth_token, '&force_login=true&screen_name=alice'))
      expect(formWith(page, 'password').fields.username).toBe('alice')
      const consent = await browser.signIn(page, person(server, 'alice'))
      expect(consent.text).toContain('@alice')
      expect(consent.text).not.toContain('@chika')
    },
  )

  test('screen_name prefills the name of somebody who is not signed in', async () => {
    const asked = await requestToken(server, appKeys(app))
    const page = await new Browser(server.baseUrl).open(authorize(asked.oauth_token, '&screen_name=chika'))
    expect(formWith(page, 'password').fields).toMatchObject({ username: 'chika', password: '' })
  })

  test('another account can be used: the first one is signed out and the flow goes on', async () => {
    const browser = await signedInBrowser(server, app, 'chika')
    const asked = await requestToken(server, appKeys(app))
    const consent = await browser.open(authorize(asked.oauth_token))
    const signOut = consent.forms.find((form) => form.action === '/i/sign-out')!
    const signIn = await browser.post(signOut.action, signOut.fields)
    expect(signIn.address).toBe(authorize(asked.oauth_token))
    const back = (await browser.decide(await browser.signIn(signIn, person(server, 'dario')), 'approve')).leftFor!
    const answer = await exchangeRequestToken(server, appKeys(app), asked, back.searchParams.get('oauth_verifier')!)
    expect(answer.pairs.screen_name).toBe('dario')
  })

  test.each(['', 'unknown'])('say so when the request token is %j', async (token) => {
    const page = await new Browser(server.baseUrl).open(authorize(token))
    expect(page.status).toBe(403)
    expect(page.text).toContain('This link cannot be used')
  })

  test('are closed for a suspended app', async () => {
    const fresh = await makeApp(server, { name: 'Gone soon' })
    const asked = await requestToken(server, appKeys(fresh))
    await server.command('app.update', { app: fresh.id, suspended: true })
    expect((await new Browser(server.baseUrl).open(authorize(asked.oauth_token))).status).toBe(403)
  })
})

test('a request token is not an access token', async () => {
  const asked = await requestToken(server, appKeys(app))
  const keys = { ...appKeys(app), token: asked.oauth_token, tokenSecret: asked.oauth_token_secret }
  const header = sign('GET', `${server.baseUrl}/2/users/me`, keys)
  expect((await server.get('/2/users/me', { header })).status).toBe(401)
})
