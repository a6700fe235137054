import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Browser } from '../support/browser.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import {
  askTokens,
  authorizeAddress,
  basicOf,
  CHALLENGE,
  exchangeCode,
  grantOauth2,
  obtainCode,
  refresh,
  SCOPE,
  VERIFIER,
} from './pkce.steps.ts'
import { CALLBACK, type MadeApp, makeApp, signedInBrowser } from './steps.ts'

let server: TestServer
let app: MadeApp
let browser: Browser
beforeAll(async () => {
  server = await startTestServer()
  app = await makeApp(server)
  browser = await signedInBrowser(server, app, 'bob')
})
afterAll(() => server.close())
afterEach(() => server.command('clock', { reset: true }))

const OFFLINE = `${SCOPE} offline.access`

/** What the request log says of the last request that was refused. */
async function lastRefusal(): Promise<{ operation: string; app: string | null; reason: string }> {
  const { requests } = (
    await server.get('/_rostra/requests?refused=true&limit=1', { bearer: server.credentials.admin_key })
  ).body
  const { operation, app: name = null, reason } = requests[0]
  return { operation, app: name, reason }
}

const ask = (as: { header: string } | 'nobody', form: Record<string, string>) =>
  server.request('POST', '/2/oauth2/token', { as, form: { grant_type: 'refresh_token', ...form } })

describe('the request log says why a code was refused', () => {
  test.each<[string, () => Promise<{ status: number }>, () => string]>([
    [
      'unknown',
      () => exchangeCode(server, app, 'unknown'),
      () => 'the code is unknown, was ended, or belongs to another app',
    ],
    [
      'used before',
      async () => {
        const code = await obtainCode(browser, app)
        await exchangeCode(server, app, code)
        return exchangeCode(server, app, code)
      },
      () => 'the code was used before; its tokens are revoked',
    ],
    [
      'too old',
      async () => {
        const code = await obtainCode(browser, app)
        await server.command('clock', { advance_ms: 31_000 })
        return exchangeCode(server, app, code)
      },
      () => 'the code is older than 30 s',
    ],
    [
      'for another address',
      async () => exchangeCode(server, app, await obtainCode(browser, app), { redirect_uri: 'https://other.example/' }),
      () => `the code was made for ${CALLBACK}`,
    ],
  ])('%s', async (_name, request, reason) => {
    expect((await request()).status).toBe(400)
    expect(await lastRefusal()).toEqual({ operation: 'oauth2Token', app: 'Reader', reason: reason() })
  })
})

describe('the request log says why a refresh token was refused', () => {
  test.each<[string, () => Promise<{ status: number }>, string]>([
    [
      'unknown',
      () => refresh(server, app, 'unknown'),
      'the refresh token is unknown, revoked, or belongs to another app',
    ],
    [
      'used before',
      async () => {
        const { refresh_token: token } = await grantOauth2(server, app, browser, OFFLINE)
        await refresh(server, app, token!)
        return refresh(server, app, token!)
      },
      'the refresh token was used before; the grant and all its tokens are revoked',
    ],
    [
      'expired',
      async () => {
        const { refresh_token: token } = await grantOauth2(server, app, browser, OFFLINE)
        await server.command('clock', { advance_ms: 184 * 24 * 3600_000 })
        const refused = await refresh(server, app, token!)
        // The session of the browser is over too.
        await server.command('clock', { reset: true })
        browser = await signedInBrowser(server, app, 'bob')
        return refused
      },
      'the refresh token has expired',
    ],
  ])('%s', async (_name, request, reason) => {
    expect((await request()).status).toBe(400)
    expect(await lastRefusal()).toEqual({ operation: 'oauth2Token', app: 'Reader', reason })
  })
})

describe('the request log says why a client was refused', () => {
  const basic = (text: string) => ({ header: `Basic ${Buffer.from(text).toString('base64')}` })
  test.each<[string, () => Promise<{ status: number }>, string, string | null]>([
    ['without a name', () => ask('nobody', {}), 'neither a Basic header nor client_id was sent', null],
    [
      'with a Basic header that has no colon',
      () => ask(basic(app.client_id), {}),
      'neither a Basic header nor client_id was sent',
      null,
    ],
    [
      'with an unknown name',
      () => ask('nobody', { client_id: 'nobody' }),
      'no app has the client id nobody, or it is suspended',
      null,
    ],
    ['with a wrong secret', () => ask(basic(`${app.client_id}:wrong`), {}), 'the client secret is wrong', 'Reader'],
    [
      'without its secret',
      () => ask('nobody', { client_id: app.client_id }),
      'the app is confidential but sent no client secret',
      'Reader',
    ],
  ])('%s', async (_name, request, reason, name) => {
    expect((await request()).status).toBe(401)
    expect(await lastRefusal()).toEqual({ operation: 'oauth2Token', app: name, reason })
  })
})

test('a refusal to revoke is listed under its own name', async () => {
  await server.request('POST', '/2/oauth2/revoke', { as: { header: basicOf(app) }, form: {} })
  expect((await lastRefusal()).operation).toBe('oauth2Revoke')
})

test('a revocation is an event of the user, with the app', async () => {
  const { access_token: token } = await grantOauth2(server, app, browser)
  await server.request('POST', '/2/oauth2/revoke', { as: { header: basicOf(app) }, form: { token } })
  const { rows } = await server.runtime.database.pool.query(
    `select actor_id, payload from event_outbox where type = 'oauth.revoke' order by id desc limit 1`,
  )
  expect(rows).toEqual([{ actor_id: server.userId('bob'), payload: { app_id: app.id } }])
})

describe('the consent page', () => {
  test('says which redirect address is not registered', async () => {
    const other = 'https://evil.example/'
    const page = await browser.open(authorizeAddress(app, { redirect_uri: other }))
    expect(page.text).toContain(`The app has not registered the redirect address ${other}.`)
    const without = await browser.open(authorizeAddress(app, { redirect_uri: undefined }))
    expect(without.text).toContain('The app has not registered the redirect address (none was given).')
  })

  test.each([
    ['no scope', { scope: undefined }, 'scope is missing'],
    ['blanks as a scope', { scope: '  ' }, 'scope is missing'],
    [
      'a method that only begins like one',
      { code_challenge_method: 'S2567' },
      'code_challenge_method must be S256 or plain',
    ],
    [
      'a method that only ends like one',
      { code_challenge_method: 'xS256' },
      'code_challenge_method must be S256 or plain',
    ],
    ['another response type', { response_type: 'token' }, 'response_type must be code'],
    ['a long state', { state: 'x'.repeat(501) }, 'state is longer than 500 characters'],
    [
      'no challenge',
      { code_challenge: undefined },
      'code_challenge is missing or has characters other than letters, digits and -._~',
    ],
  ])('sends the app back with the reason: %s', async (_name, over, reason) => {
    const back = (await browser.open(authorizeAddress(app, over))).leftFor!
    expect(back.searchParams.get('error_description')).toBe(reason)
  })
})

test('a body is read as JSON only when its type says so', async () => {
  const fields = { grant_type: 'authorization_code', code: 'x' }
  const asForm = await server.request('POST', '/2/oauth2/token', {
    as: { header: basicOf(app) },
    raw: JSON.stringify(fields),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })
  expect(asForm.body.error).toBe('unsupported_grant_type')
  const notJson = await server.request('POST', '/2/oauth2/token', {
    as: { header: basicOf(app) },
    raw: '{"grant_type"',
    headers: { 'content-type': 'application/json; charset=utf-8' },
  })
  expect(notJson.body).toEqual({ error: 'invalid_request', error_description: 'The body is not JSON.' })
  const zero = await askTokens(server, app, { grant_type: 'refresh_token\0' })
  expect(zero.body.error_description).toContain('grant_type is missing')
})

describe('a refusal of the token endpoint names the error and says what was wrong', () => {
  test.each<[string, () => ReturnType<typeof askTokens>, number, string, string]>([
    ['no client', () => ask('nobody', {}), 401, 'unauthorized_client', 'Missing valid authorization header'],
    [
      'an unknown client',
      () => ask('nobody', { client_id: 'nobody' }),
      401,
      'invalid_client',
      'Value passed for the client id was invalid.',
    ],
    [
      'an unknown kind of grant',
      () => askTokens(server, app, { grant_type: 'toString' }),
      400,
      'unsupported_grant_type',
      'grant_type is toString; allowed are authorization_code, refresh_token, client_credentials.',
    ],
    [
      'an unknown code',
      () => exchangeCode(server, app, 'unknown'),
      400,
      'invalid_request',
      'Value passed for the authorization code was invalid.',
    ],
    [
      'another redirect address',
      async () => exchangeCode(server, app, await obtainCode(browser, app), { redirect_uri: undefined }),
      400,
      'invalid_request',
      'Value passed for the redirect uri did not match the uri of the authorization code.',
    ],
    [
      'another verifier',
      async () => exchangeCode(server, app, await obtainCode(browser, app), { code_verifier: 'x' }),
      400,
      'invalid_request',
      'Value passed for the code verifier did not match the code challenge.',
    ],
    [
      'an unknown refresh token',
      () => refresh(server, app, 'unknown'),
      400,
      'invalid_request',
      'Value passed for the token was invalid.',
    ],
    [
      'nothing to revoke',
      () => server.request('POST', '/2/oauth2/revoke', { as: { header: basicOf(app) }, form: { token: '' } }),
      400,
      'invalid_request',
      'Missing required parameter [token].',
    ],
    [
      'an app-only token for a public client',
      async () => {
        const open = await makeApp(server, { name: 'Open', client_type: 'public' })
        return server.request('POST', '/2/oauth2/token', {
          as: 'nobody',
          form: { grant_type: 'client_credentials', client_id: open.client_id },
        })
      },
      401,
      'unauthorized_client',
      'Only confidential clients can ask for app-only tokens.',
    ],
  ])('%s', async (_name, send, status, error, error_description) => {
    const answer = await send()
    expect([answer.status, answer.body]).toEqual([status, { error, error_description }])
  })
})

describe('a challenge', () => {
  test.each([
    ['with padding', { code_challenge: `${CHALLENGE}==` }],
    ['whose method is in lower case', { code_challenge_method: 's256' }],
    ['with every allowed sign, as the verifier itself', { code_challenge: VERIFIER, code_challenge_method: 'plain' }],
  ])('is taken %s', async (_name, over) => {
    const answer = await exchangeCode(server, app, await obtainCode(browser, app, over))
    expect(answer.status, answer.text).toBe(200)
  })

  test('is not taken with signs before or after it', async () => {
    for (const code_challenge of [` ${CHALLENGE}`, `${CHALLENGE} `, `${CHALLENGE}=x`, '']) {
      const back = (await browser.open(authorizeAddress(app, { code_challenge }))).leftFor!
      expect(back.searchParams.get('error'), code_challenge).toBe('invalid_request')
    }
  })
})

test('a repeated scope is granted once', async () => {
  const { scope } = await grantOauth2(server, app, browser, 'users.read  users.read post.read')
  expect(scope).toBe('users.read post.read')
})

test('a Basic header can be written in any case, with escapes, and with blanks at its end', async () => {
  const pair = `${encodeURIComponent(app.client_id)}:${encodeURIComponent(app.client_secret)}`
  const text = Buffer.from(pair).toString('base64')
  for (const header of [`basic ${text}`, `BASIC  ${text} `]) {
    const answer = await server.request('POST', '/2/oauth2/token', {
      as: { header },
      form: { grant_type: 'client_credentials' },
    })
    expect(answer.status, header).toBe(200)
    expect(answer.body).toEqual({ token_type: 'bearer', access_token: expect.any(String) })
  }
})
