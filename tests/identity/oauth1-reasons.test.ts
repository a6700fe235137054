import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Browser } from '../support/browser.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { type SigningKeys, sign } from '../support/sign.ts'
import {
  appKeys,
  askRequestToken,
  CALLBACK,
  COULD_NOT_AUTHENTICATE,
  coded,
  exchangeRequestToken,
  grantOauth1,
  INVALID_TOKEN,
  type MadeApp,
  makeApp,
  requestToken,
  sendExactly,
  signedInBrowser,
} from './steps.ts'

let server: TestServer
let app: MadeApp
let browser: Browser
let alice: SigningKeys
beforeAll(async () => {
  server = await startTestServer()
  app = await makeApp(server)
  browser = await signedInBrowser(server, app, 'bob')
  alice = server.keysOf('alice')
})
afterAll(() => server.close())
afterEach(() => server.command('clock', { reset: true }))

const INVALIDATE = '/1.1/oauth/invalidate_token'

/** What the request log says of the last request that was refused. */
async function lastRefusal(): Promise<{ operation: string; app?: string; reason: string; details?: unknown }> {
  const path = '/_rostra/requests?refused=true&limit=1'
  return (await server.get(path, { bearer: server.credentials.admin_key })).body.requests[0]
}

/** A signed call; `change` edits its header after signing. */
const invalidate = (oauth: Record<string, string>, change = (header: string) => header, keys = alice) =>
  server.request('POST', INVALIDATE, {
    as: { header: change(sign('POST', server.baseUrl + INVALIDATE, keys, { oauth })) },
  })

describe('the request log says why a signed request was refused', () => {
  test.each<[string, () => ReturnType<typeof invalidate>, number, object, string]>([
    [
      'for its signature method',
      () => invalidate({ oauth_signature_method: 'PLAINTEXT' }),
      401,
      COULD_NOT_AUTHENTICATE,
      'oauth_signature_method is not HMAC-SHA1',
    ],
    [
      'for its version',
      () => invalidate({ oauth_version: '1.1' }),
      401,
      COULD_NOT_AUTHENTICATE,
      'oauth_version is not 1.0 or 1.0A',
    ],
    [
      'for a nonce outside ASCII',
      () => invalidate({ oauth_nonce: 'ñ' }),
      401,
      COULD_NOT_AUTHENTICATE,
      'oauth_nonce is not ASCII',
    ],
    [
      'for a nonce of which only a part is ASCII',
      () => invalidate({ oauth_nonce: 'añb' }),
      401,
      COULD_NOT_AUTHENTICATE,
      'oauth_nonce is not ASCII',
    ],
    [
      'for an empty nonce',
      () => invalidate({ oauth_nonce: '' }),
      400,
      coded(215, 'Bad Authentication data.'),
      'oauth_nonce is missing',
    ],
    [
      'for a key with a zero byte',
      () => invalidate({ oauth_consumer_key: 'a\0b' }),
      400,
      coded(215, 'Bad Authentication data.'),
      'oauth_consumer_key is missing',
    ],
    [
      'for the key of no app',
      () => invalidate({}, undefined, { ...alice, consumerKey: 'unknown' }),
      401,
      COULD_NOT_AUTHENTICATE,
      'no app has this oauth_consumer_key',
    ],
    [
      'for an empty token',
      () => invalidate({}, undefined, { ...alice, token: '' }),
      400,
      coded(215, 'Bad Authentication data.'),
      'oauth_token is missing',
    ],
    [
      'for an unknown token',
      () => invalidate({}, undefined, { ...alice, token: 'unknown' }),
      401,
      INVALID_TOKEN,
      'the access token is unknown or was invalidated',
    ],
    [
      'for a header that cannot be read',
      () => invalidate({}, (header) => `${header} and more`),
      400,
      coded(215, 'Bad Authentication data.'),
      'the Authorization header cannot be parsed',
    ],
  ])('%s', async (_name, send, status, body, reason) => {
    const answer = await send()
    expect([answer.status, answer.body]).toEqual([status, body])
    expect(await lastRefusal()).toMatchObject({ operation: 'oauth1InvalidateToken', reason })
  })

  test('for a nonce that was used before', async () => {
    const header = sign('GET', `${server.baseUrl}/2/users/me`, alice)
    expect((await server.get('/2/users/me', { header })).status).toBe(200)
    expect((await server.get('/2/users/me', { header })).status).toBe(401)
    expect((await lastRefusal()).reason).toBe('code 32: this oauth_nonce was used before')
  })

  test.each(['12345', '1e9', '-5', ' 1', '1234567890123', 'now'])('for the timestamp %o', async (oauth_timestamp) => {
    const answer = await invalidate({ oauth_timestamp })
    expect([answer.status, answer.body]).toEqual([401, coded(135, 'Timestamp out of bounds.')])
    expect((await lastRefusal()).reason).toMatch(
      new RegExp(`^oauth_timestamp ${oauth_timestamp} is more than 300 s from the server's \\d{10}$`),
    )
  })

  test('for a parameter with an invalid escape', async () => {
    const authorization = sign('POST', `${server.baseUrl}/oauth/request_token`, appKeys(app))
    const answer = await sendExactly(server, {
      method: 'POST',
      path: '/oauth/request_token?x=%zz',
      headers: { authorization, 'content-length': '0' },
    })
    expect([answer.status, answer.body]).toEqual([400, coded(215, 'Bad Authentication data.')])
    expect((await lastRefusal()).reason).toBe('a parameter has an invalid percent escape')
  })

  test('for a wrong signature, with what the server signed and without secrets', async () => {
    const answer = await invalidate({}, (header) =>
      header.replace(/oauth_signature="[^"]*"/, 'oauth_signature="wrong"'),
    )
    expect(answer.body).toEqual(COULD_NOT_AUTHENTICATE)
    const refusal = await lastRefusal()
    expect(refusal.reason).toBe('the signature does not match the base string that the server built')
    const text = JSON.stringify(refusal)
    expect(text).toContain('POST&http')
    expect(text).toContain('oauth_consumer_key')
    expect(text).toContain('secret of the token sent')
    expect(text).toContain('"oauth_signature_sent":"wrong"')
    for (const secret of [alice.consumerSecret, alice.tokenSecret!]) expect(text).not.toContain(secret)
    const url = `${server.baseUrl}/oauth/request_token`
    const keys = { ...appKeys(app), consumerSecret: 'wrong' }
    const header = sign('POST', url, keys, { oauth: { oauth_callback: 'oob' } })
    await server.request('POST', '/oauth/request_token', { as: { header } })
    expect(JSON.stringify(await lastRefusal())).toContain(
      'consumer secret of the app \\"Reader\\" + \\"&\\" + (no token secret)',
    )
  })
})

describe('the request log says why the flow was refused', () => {
  test('for the callback', async () => {
    const wrong = await askRequestToken(server, appKeys(app), 'https://other.example/')
    expect([wrong.status, wrong.body]).toEqual([
      403,
      coded(415, 'Callback URL not approved for this client application.'),
    ])
    expect(await lastRefusal()).toMatchObject({
      operation: 'oauth1RequestToken',
      app: 'Reader',
      reason: `oauth_callback is https://other.example/, but the app has registered ${CALLBACK}`,
    })
    const plain = await makeApp(server, { name: 'Plain', callback_urls: [] })
    const desktop = await askRequestToken(server, appKeys(plain), CALLBACK)
    expect(desktop.body).toEqual(coded(417, "Desktop applications only support the oauth_callback value 'oob'"))
    expect((await lastRefusal()).reason).toBe('the app has no callback URL')
    const empty = await askRequestToken(server, appKeys(app), '')
    expect([empty.status, empty.body]).toEqual([400, coded(215, 'Bad Authentication data.')])
    expect((await lastRefusal()).reason).toBe('oauth_callback is missing')
  })

  test('for an unknown kind of access', async () => {
    const answer = await askRequestToken(server, appKeys(app), CALLBACK, { x_auth_access_type: 'all' })
    expect([answer.status, answer.body]).toEqual([401, COULD_NOT_AUTHENTICATE])
    expect((await lastRefusal()).reason).toBe('x_auth_access_type is neither read nor write')
  })

  test('for a request token that is not approved, and for a wrong verifier', async () => {
    const asked = await requestToken(server, appKeys(app))
    await exchangeRequestToken(server, appKeys(app), asked, 'early')
    expect(await lastRefusal()).toMatchObject({
      operation: 'oauth1AccessToken',
      reason: 'the user has not approved the request token yet',
    })
    const page = await browser.open(`/oauth/authorize?oauth_token=${asked.oauth_token}`)
    await browser.decide(page, 'approve')
    await exchangeRequestToken(server, appKeys(app), asked, 'wrong')
    expect((await lastRefusal()).reason).toBe('oauth_verifier is missing or wrong')
  })

  test('for an unknown request token', async () => {
    const unknown = { oauth_token: 'unknown', oauth_token_secret: 'x' }
    const answer = await exchangeRequestToken(server, appKeys(app), unknown, '1')
    expect([answer.status, answer.body]).toEqual([401, INVALID_TOKEN])
    expect((await lastRefusal()).reason).toBe('the request token is unknown, used or expired')
  })

  test('for a user who was suspended after approving', async () => {
    const asked = await requestToken(server, appKeys(app))
    const page = await browser.open(`/oauth/authorize?oauth_token=${asked.oauth_token}`)
    const verifier = (await browser.decide(page, 'approve')).leftFor!.searchParams.get('oauth_verifier')!
    await server.command('user.update', { user: 'bob', suspended: true })
    const answer = await exchangeRequestToken(server, appKeys(app), asked, verifier)
    expect(answer.status).toBe(403)
    expect(answer.body).toEqual(coded(64, 'Your account is suspended and is not permitted to access this feature.'))
    expect((await lastRefusal()).reason).toBe('the user is suspended')
    await server.command('user.update', { user: 'bob', suspended: false })
    expect((await exchangeRequestToken(server, appKeys(app), asked, verifier)).status).toBe(200)
  })
})

describe('a token that ends itself', () => {
  test('is refused with a bearer token, which belongs to no user who signs', async () => {
    const unknown = await server.request('POST', INVALIDATE, { as: { bearer: 'unknown' } })
    expect([unknown.status, unknown.body]).toEqual([401, coded(89, 'Invalid or expired token')])
    expect((await lastRefusal()).reason).toBe('the bearer token is unknown')
    const known = await server.request('POST', INVALIDATE, { as: 'app' })
    expect([known.status, known.body]).toEqual([
      403,
      coded(220, 'Your credentials do not allow access to this resource'),
    ])
    expect((await lastRefusal()).reason).toBe(
      'a bearer token cannot be used here; the request must be signed for the user',
    )
  })

  test('ends once when the same is asked several times at once', async () => {
    const keys = await grantOauth1(server, app, browser)
    const answers = await Promise.all([1, 2, 3].map(() => server.request('POST', INVALIDATE, { as: { keys } })))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401])
    const [won] = answers.filter(({ status }) => status === 200)
    expect(won!.body).toEqual({ access_token: keys.token })
  })

  test('is not ended by a suspended user', async () => {
    const keys = await grantOauth1(server, app, browser)
    await server.command('user.update', { user: 'bob', suspended: true })
    expect((await server.request('POST', INVALIDATE, { as: { keys } })).status).toBe(403)
    await server.command('user.update', { user: 'bob', suspended: false })
    expect((await server.get('/2/users/me', { keys })).status).toBe(200)
  })
})
