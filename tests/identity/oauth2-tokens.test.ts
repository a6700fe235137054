import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Browser } from '../support/browser.ts'
import { waitingForLocks } from '../support/locks.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import {
  askTokens,
  authorizeAddress,
  basicOf,
  exchangeCode,
  grantOauth2,
  obtainCode,
  refresh,
  SCOPE,
  VERIFIER,
} from './pkce.steps.ts'
import { CALLBACK, coded, INVALID_TOKEN, type MadeApp, makeApp, signedInBrowser } from './steps.ts'

let server: TestServer
let app: MadeApp
let open: MadeApp
let browser: Browser
beforeAll(async () => {
  server = await startTestServer()
  app = await makeApp(server)
  open = await makeApp(server, { name: 'Native', client_type: 'public' })
  browser = await signedInBrowser(server, app, 'bob')
})
afterAll(() => server.close())
afterEach(() => server.command('clock', { reset: true }))

const OFFLINE = `${SCOPE} offline.access`
const BAD_CODE = {
  error: 'invalid_request',
  error_description: 'Value passed for the authorization code was invalid.',
}
const BAD_TOKEN = { error: 'invalid_request', error_description: 'Value passed for the token was invalid.' }
const NO_HEADER = { error: 'unauthorized_client', error_description: 'Missing valid authorization header' }

const me = async (bearer: string) => (await server.get('/2/users/me', { bearer })).status
const fieldsOf = (code: string, over: Record<string, string> = {}) => ({
  grant_type: 'authorization_code',
  code,
  redirect_uri: CALLBACK,
  code_verifier: VERIFIER,
  ...over,
})

describe('clients', () => {
  test('that are confidential prove themselves with a Basic header, in a form or a JSON body', async () => {
    const json = await server.request('POST', '/2/oauth2/token', {
      as: { header: basicOf(app) },
      json: fieldsOf(await obtainCode(browser, app)),
    })
    expect(json.status).toBe(200)
    expect(await me(json.body.access_token)).toBe(200)
    const form = await exchangeCode(server, app, await obtainCode(browser, app), { client_id: app.client_id })
    expect(form.status).toBe(200)
  })

  test('that are public name themselves, in a form or a JSON body', async () => {
    const form = fieldsOf(await obtainCode(browser, open), { client_id: open.client_id })
    const first = await server.request('POST', '/2/oauth2/token', { as: 'nobody', form })
    expect(first.status).toBe(200)
    expect(await me(first.body.access_token)).toBe(200)
    const json = fieldsOf(await obtainCode(browser, open), { client_id: open.client_id })
    expect((await server.request('POST', '/2/oauth2/token', { as: 'nobody', json })).status).toBe(200)
  })

  test('that are public refresh and revoke with only their id', async () => {
    const code = await obtainCode(browser, open, { scope: OFFLINE })
    const ask = (path: string, form: Record<string, string>) =>
      server.request('POST', path, { as: 'nobody', form: { ...form, client_id: open.client_id } })
    const given = await ask('/2/oauth2/token', fieldsOf(code))
    const fresh = await ask('/2/oauth2/token', { grant_type: 'refresh_token', refresh_token: given.body.refresh_token })
    expect(fresh.status).toBe(200)
    expect((await ask('/2/oauth2/revoke', { token: fresh.body.access_token })).body).toEqual({ revoked: true })
    expect(await me(fresh.body.access_token)).toBe(401)
  })

  test('that are confidential are refused without, or with a wrong, secret', async () => {
    const form = fieldsOf(await obtainCode(browser, app), { client_id: app.client_id })
    const none = await server.request('POST', '/2/oauth2/token', { as: 'nobody', form })
    expect([none.status, none.body]).toEqual([401, NO_HEADER])
    const wrong = await exchangeCode(server, { ...app, client_secret: 'wrong' }, form.code!)
    expect([wrong.status, wrong.body]).toEqual([401, NO_HEADER])
    expect((await exchangeCode(server, app, form.code!)).status).toBe(200)
  })

  test('that are unknown, or that do not identify themselves, are refused', async () => {
    const form = fieldsOf(await obtainCode(browser, app))
    const silent = await server.request('POST', '/2/oauth2/token', { as: 'nobody', form })
    expect([silent.status, silent.body]).toEqual([401, NO_HEADER])
    const unknown = await server.request('POST', '/2/oauth2/token', { as: 'nobody', form: { ...form, client_id: 'x' } })
    expect(unknown.status).toBe(401)
    expect(unknown.body).toEqual({ error: 'invalid_client', error_description: expect.any(String) })
  })

  test('cannot use the code of another client', async () => {
    const code = await obtainCode(browser, app)
    const form = fieldsOf(code, { client_id: open.client_id })
    const answer = await server.request('POST', '/2/oauth2/token', { as: 'nobody', form })
    expect([answer.status, answer.body]).toEqual([400, BAD_CODE])
    expect((await exchangeCode(server, app, code)).status).toBe(200)
  })

  test('get an answer of {error, error_description} as JSON for anything else', async () => {
    for (const form of [{ grant_type: 'password' }, { grant_type: 'constructor' }, { other: 'x' }]) {
      const answer = await askTokens(server, app, form)
      expect(answer.status).toBe(400)
      expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8')
      expect(answer.body).toEqual({ error: 'unsupported_grant_type', error_description: expect.any(String) })
    }
    const broken = await server.request('POST', '/2/oauth2/token', {
      as: { header: basicOf(app) },
      raw: '{"grant_type"',
      headers: { 'content-type': 'application/json' },
    })
    expect(broken.status).toBe(400)
    expect(broken.body).toEqual({ error: 'invalid_request', error_description: expect.any(String) })
  })

  test('that are confidential get their app-only token with client_credentials, public ones do not', async () => {
    const answer = await askTokens(server, app, { grant_type: 'client_credentials' })
    expect([answer.status, answer.body]).toEqual([200, { token_type: 'bearer', access_token: app.bearer_token }])
    const form = { grant_type: 'client_credentials', client_id: open.client_id }
    const refused = await server.request('POST', '/2/oauth2/token', { as: 'nobody', form })
    expect([refused.status, refused.body.error]).toEqual([401, 'unauthorized_client'])
  })
})

describe('a code', () => {
  test('that is unknown is refused', async () => {
    const answer = await exchangeCode(server, app, 'unknown')
    expect([answer.status, answer.body]).toEqual([400, BAD_CODE])
  })

  test('works once; a second use is refused and takes back what the first one gave', async () => {
    const code = await obtainCode(browser, app, { scope: OFFLINE })
    const { access_token, refresh_token } = (await exchangeCode(server, app, code)).body
    expect(await me(access_token)).toBe(200)
    const again = await exchangeCode(server, app, code)
    expect([again.status, again.body]).toEqual([400, BAD_CODE])
    expect(await me(access_token)).toBe(401)
    expect((await refresh(server, app, refresh_token)).body).toEqual(BAD_TOKEN)
  })

  test('that comes twice at the same moment works at most once, and no token stays valid', async () => {
    const code = await obtainCode(browser, app)
    // While the row is held both exchanges get as far as the moment of use.
    const holder = await server.runtime.database.pool.connect()
    await holder.query('begin')
    await holder.query('select from oauth2_code where not used for update')
    const both = Promise.all([1, 2].map(() => exchangeCode(server, app, code)))
    await expect.poll(() => waitingForLocks(server)).toBe(2)
    await holder.query('rollback')
    holder.release()
    const answers = await both
    expect(answers.map((answer) => answer.status).toSorted()).toEqual([200, 400])
    // A code that is used twice has leaked, so the token of the first use is revoked too.
    expect(await me(answers.find((answer) => answer.status === 200)!.body.access_token)).toBe(401)
  })

  test('lives for 30 seconds', async () => {
    const early = await obtainCode(browser, app)
    await server.command('clock', { advance_ms: 25_000 })
    expect((await exchangeCode(server, app, early)).status).toBe(200)
    const late = await obtainCode(browser, app)
    await server.command('clock', { advance_ms: 30_000 })
    const answer = await exchangeCode(server, app, late)
    expect([answer.status, answer.body]).toEqual([400, BAD_CODE])
  })

  test('is bound to its redirect address', async () => {
    const code = await obtainCode(browser, app)
    for (const redirect_uri of ['https://client.example/other', undefined]) {
      const answer = await exchangeCode(server, app, code, { redirect_uri })
      expect(answer.status).toBe(400)
      expect(answer.body).toEqual({ error: 'invalid_request', error_description: expect.stringContaining('redirect') })
    }
  })
})

describe('an access token', () => {
  test('is not valid after two hours', async () => {
    const { access_token } = await grantOauth2(server, app, browser)
    await server.command('clock', { advance_ms: 7_100_000 })
    expect(await me(access_token)).toBe(200)
    await server.command('clock', { advance_ms: 100_000 })
    const answer = await server.get('/2/users/me', { bearer: access_token })
    expect([answer.status, answer.body]).toEqual([401, INVALID_TOKEN])
  })

  test('of a suspended app is refused', async () => {
    const made = await makeApp(server, { name: 'Soon suspended' })
    const { access_token } = await grantOauth2(server, made, browser)
    await server.command('app.update', { app: made.id, suspended: true })
    expect(await me(access_token)).toBe(403)
  })

  test('does not work on paths of version 1.1', async () => {
    const { access_token } = await grantOauth2(server, app, browser)
    const answer = await server.request('POST', '/1.1/oauth/invalidate_token', { as: { bearer: access_token } })
    const refusal = coded(220, 'Your credentials do not allow access to this resource')
    expect([answer.status, answer.body]).toEqual([403, refusal])
    expect(await me(access_token)).toBe(200)
  })
})

describe('a refresh token', () => {
  test('is given only with offline.access', async () => {
    expect((await grantOauth2(server, app, browser)).refresh_token).toBeUndefined()
    const page = await browser.open(authorizeAddress(app, { scope: OFFLINE }))
    expect(page.text).toContain('Stay connected to your account while you are away.')
    const given = await grantOauth2(server, app, browser, OFFLINE)
    expect(given.refresh_token).toMatch(/^[A-Za-z0-9+/]+$/)
    expect(given.scope).toBe(OFFLINE)
  })

  test('may ask for fewer scopes, and the next one for all of the grant again', async () => {
    const given = await grantOauth2(server, app, browser, 'post.read users.read offline.access')
    const narrow = await refresh(server, app, given.refresh_token!, { scope: 'users.read' })
    expect([narrow.status, narrow.body.scope]).toEqual([200, 'users.read'])
    const read = (path: string, bearer: string) => server.get(path, { bearer }).then((answer) => answer.status)
    expect(await read('/2/users/me', narrow.body.access_token)).toBe(403)
    const wide = await refresh(server, app, narrow.body.refresh_token)
    expect(wide.body.scope).toBe('post.read users.read offline.access')
    expect(await read('/2/users/me', wide.body.access_token)).toBe(200)
    expect(await read('/2/users/me', narrow.body.access_token)).toBe(403)
  })

  test('is refused for a scope that was not granted, and stays usable', async () => {
    const given = await grantOauth2(server, app, browser, 'post.read users.read offline.access')
    const refused = await refresh(server, app, given.refresh_token!, { scope: 'users.read dm.read' })
    expect([refused.status, refused.body]).toEqual([
      400,
      {
        error: 'invalid_scope',
        error_description:
          'The scope dm.read was not granted. A refresh can ask for some of the granted scopes: post.read users.read offline.access.',
      },
    ])
    expect((await refresh(server, app, given.refresh_token!, { scope: 'tweet.read users.read' })).status).toBe(200)
  })

  test('gives new tokens after the access token expired, and a new refresh token each time', async () => {
    const given = await grantOauth2(server, app, browser, OFFLINE)
    await server.command('clock', { advance_ms: 8_000_000 })
    expect(await me(given.access_token)).toBe(401)
    const fresh = await refresh(server, app, given.refresh_token!)
    expect(fresh.status).toBe(200)
    expect(fresh.body).toMatchObject({ token_type: 'bearer', expires_in: 7200, scope: OFFLINE })
    expect(fresh.body.refresh_token).not.toBe(given.refresh_token)
    expect(await me(fresh.body.access_token)).toBe(200)
    expect((await refresh(server, app, fresh.body.refresh_token)).status).toBe(200)
  })

  test('that is used twice ends all tokens of the grant, and only of this grant', async () => {
    const other = await grantOauth2(server, app, browser, OFFLINE)
    const given = await grantOauth2(server, app, browser, OFFLINE)
    const fresh = (await refresh(server, app, given.refresh_token!)).body
    expect(await me(given.access_token)).toBe(200)
    const again = await refresh(server, app, given.refresh_token!)
    expect([again.status, again.body]).toEqual([400, BAD_TOKEN])
    expect(await me(given.access_token)).toBe(401)
    expect(await me(fresh.access_token)).toBe(401)
    expect((await refresh(server, app, fresh.refresh_token)).body).toEqual(BAD_TOKEN)
    expect(await me(other.access_token)).toBe(200)
  })

  test('that comes several times at once works at most once and then ends the grant', async () => {
    const given = await grantOauth2(server, app, browser, OFFLINE)
    const answers = await Promise.all([1, 2, 3].map(() => refresh(server, app, given.refresh_token!)))
    expect(answers.map((answer) => answer.status).toSorted()).toEqual([200, 400, 400])
    expect(await me(answers.find((answer) => answer.status === 200)!.body.access_token)).toBe(401)
    expect(await me(given.access_token)).toBe(401)
  })

  test('of another client is refused, and so is an unknown one and an access token', async () => {
    const given = await grantOauth2(server, app, browser, OFFLINE)
    const other = await makeApp(server, { name: 'Another' })
    const attempts = [
      await refresh(server, other, given.refresh_token!),
      await refresh(server, app, 'unknown'),
      await refresh(server, app, given.access_token),
      await askTokens(server, app, { grant_type: 'refresh_token' }),
    ]
    for (const answer of attempts) expect([answer.status, answer.body]).toEqual([400, BAD_TOKEN])
    expect((await refresh(server, app, given.refresh_token!)).status).toBe(200)
  })

  test('is not an access token', async () => {
    const given = await grantOauth2(server, app, browser, OFFLINE)
    expect(await me(given.refresh_token!)).toBe(401)
  })

  test('that is not used expires after about half a year', async () => {
    const given = await grantOauth2(server, app, browser, OFFLINE)
    await server.command('clock', { advance_ms: 184 * 24 * 3600_000 })
    expect((await refresh(server, app, given.refresh_token!)).body).toEqual(BAD_TOKEN)
    // The session of the browser is over too.
    await server.command('clock', { reset: true })
    browser = await signedInBrowser(server, app, 'bob')
  })
})

describe('revoke', () => {
  const revoke = (client: MadeApp, token: string) =>
    server.request('POST', '/2/oauth2/revoke', { as: { header: basicOf(client) }, form: { token } })

  test.each(['access_token', 'refresh_token'] as const)('with the %s ends the grant at once', async (which) => {
    const given = await grantOauth2(server, app, browser, OFFLINE)
    expect(await me(given.access_token)).toBe(200)
    const answer = await revoke(app, given[which]!)
    expect([answer.status, answer.body]).toEqual([200, { revoked: true }])
    const dead = await server.get('/2/users/me', { bearer: given.access_token })
    expect([dead.status, dead.body]).toEqual([401, INVALID_TOKEN])
    expect(dead.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect((await refresh(server, app, given.refresh_token!)).body).toEqual(BAD_TOKEN)
  })

  test('ends an app-only token too, and the next one is another', async () => {
    const ask = async () => (await askTokens(server, app, { grant_type: 'client_credentials' })).body.access_token
    const first = await ask()
    expect((await server.get('/2/users/by/username/alice', { bearer: first })).status).toBe(200)
    expect((await revoke(app, first)).body).toEqual({ revoked: true })
    expect((await server.get('/2/users/by/username/alice', { bearer: first })).status).toBe(401)
    const second = await ask()
    expect(second).not.toBe(first)
    // As it stands, its own escapes are decoded on the way.
    const raw = await server.request('POST', '/2/oauth2/revoke', {
      as: { header: basicOf(app) },
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      raw: `token=${second}`,
    })
    expect(raw.body).toEqual({ revoked: true })
    expect((await server.get('/2/users/by/username/alice', { bearer: second })).status).toBe(401)
  })

  test('does nothing for a token of another client, and says the same for an unknown one', async () => {
    const given = await grantOauth2(server, app, browser, OFFLINE)
    const other = await makeApp(server, { name: 'A third' })
    expect((await revoke(other, given.access_token)).body).toEqual({ revoked: true })
    expect((await revoke(app, 'unknown')).body).toEqual({ revoked: true })
    expect(await me(given.access_token)).toBe(200)
  })

  test('needs the client and a token', async () => {
    const given = await grantOauth2(server, app, browser)
    const nobody = await server.request('POST', '/2/oauth2/revoke', {
      as: 'nobody',
      form: { token: given.access_token },
    })
    expect([nobody.status, nobody.body]).toEqual([401, NO_HEADER])
    const empty = await revoke(app, '')
    expect([empty.status, empty.body.error]).toEqual([400, 'invalid_request'])
    expect(await me(given.access_token)).toBe(200)
  })
})
