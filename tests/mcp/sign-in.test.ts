import {
  discoverAuthorizationServerMetadata,
  discoverOAuthProtectedResourceMetadata,
} from '@modelcontextprotocol/sdk/client/auth.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { exchangeCode, obtainCode, refresh, VERIFIER } from '../identity/pkce.steps.ts'
import { CALLBACK, type MadeApp, makeApp, signedInBrowser } from '../identity/steps.ts'
import type { Browser } from '../support/browser.ts'
import { type As, startTestServer, type TestServer } from '../support/server.ts'
import { connect } from './mcp-client.ts'

let server: TestServer
let app: MadeApp
let browser: Browser
beforeAll(async () => {
  server = await startTestServer()
  app = await makeApp(server)
  await server.command('ads.enrol', { app: app.id })
  browser = await signedInBrowser(server, app, 'alice')
})
afterAll(() => server.close())

const ADS = 'ads.read ads.write offline.access'
const signIn = async (scope = ADS) => (await exchangeCode(server, app, await obtainCode(browser, app, { scope }))).body
const ping = (as: As, path = '/mcp') =>
  server.request('POST', path, {
    as,
    json: { jsonrpc: '2.0', id: 1, method: 'ping' },
    headers: { accept: 'application/json, text/event-stream' },
  })
const errorOf = (answer: Awaited<ReturnType<typeof ping>>) => [answer.status, answer.body?.errors?.[0]?.code]

test('a person signs in, sees what is allowed, and the client calls tools as that person', async () => {
  const { access_token, refresh_token, scope, expires_in } = await signIn()
  expect([scope, expires_in]).toEqual([ADS, 7_200])
  const { call } = await connect(`${server.baseUrl}/mcp`, access_token)
  expect((await call('list_ads_accounts')).body.data).toMatchObject([{ name: 'First account' }])
  const renewed = (await refresh(server, app, refresh_token)).body
  expect((await ping({ bearer: renewed.access_token })).status).toBe(200)
})

test('the next sign-in ends the earlier one; tokens without advertising, and of operators, stay', async () => {
  const other = await signIn('post.read users.read')
  const operators = await server.command('user.token', { user: 'alice', app: app.id, oauth2: true })
  const first = await signIn()
  const second = await signIn('ads.read')
  expect((await ping({ bearer: first.access_token })).status).toBe(401)
  expect((await refresh(server, app, first.refresh_token)).status).toBe(400)
  expect((await ping({ bearer: second.access_token })).status).toBe(200)
  expect((await ping({ bearer: operators.access_token })).status).toBe(200)
  expect((await server.get('/2/users/me', { bearer: other.access_token })).status).toBe(200)
})

test('a client with scopes of advertising cannot send its secret in the body', async () => {
  const form = { grant_type: 'authorization_code', redirect_uri: CALLBACK, code_verifier: VERIFIER }
  const post = (code: string) =>
    server.request('POST', '/2/oauth2/token', {
      as: 'nobody',
      form: { ...form, code, client_id: app.client_id, client_secret: app.client_secret },
    })
  const code = await obtainCode(browser, app, { scope: ADS })
  expect([(await post(code)).status, (await post(code)).body.error]).toEqual([401, 'unauthorized_client'])
  expect((await exchangeCode(server, app, code)).status).toBe(200)
  expect((await post(await obtainCode(browser, app, { scope: 'post.read users.read' }))).status).toBe(200)
})

describe('a message is refused', () => {
  const challenge = (answer: Awaited<ReturnType<typeof ping>>) => answer.headers.get('www-authenticate')

  test('without a token, and the client learns where to get one', async () => {
    const answer = await ping('nobody')
    expect(errorOf(answer)).toEqual([401, 'UNAUTHORIZED_ACCESS'])
    expect(challenge(answer)).toBe(
      `Bearer resource_metadata="${server.baseUrl}/.well-known/oauth-protected-resource/mcp", scope="${ADS}"`,
    )
    const sandbox = await ping('nobody', '/ads-sandbox/mcp')
    expect(challenge(sandbox)).toContain('/.well-known/oauth-protected-resource/ads-sandbox/mcp"')
  })

  test('with a token that is unknown, has expired, or is not of a user', async () => {
    for (const as of [{ bearer: 'unknown' }, 'app' as const]) {
      const answer = await ping(as)
      expect(errorOf(answer)).toEqual([401, 'UNAUTHORIZED_ACCESS'])
      expect(challenge(answer)).toContain('error="invalid_token"')
    }
    const { access_token } = await signIn()
    await server.command('clock', { advance: '3h' })
    const late = await ping({ bearer: access_token })
    await server.command('clock', { reset: true })
    expect([late.status, challenge(late)]).toEqual([401, expect.stringContaining('error="invalid_token"')])
  })

  test('when it is signed: only OAuth 2.0 is taken', async () => {
    expect(errorOf(await ping({ user: 'alice' }))).toEqual([401, 'UNAUTHORIZED_ACCESS'])
  })

  test('when the app is not enrolled, or only for conversions', async () => {
    const outside = await makeApp(server, { name: 'Outside' })
    const { access_token } = await server.command('user.token', { user: 'alice', app: outside.id, oauth2: true })
    expect(errorOf(await ping({ bearer: access_token }))).toEqual([403, 'UNAUTHORIZED_CLIENT_APPLICATION'])
    await server.command('ads.enrol', { app: outside.id, level: 'conversion-only' })
    expect((await ping({ bearer: access_token })).status).toBe(403)
    await server.command('ads.enrol', { app: outside.id })
    expect((await ping({ bearer: access_token })).status).toBe(200)
  })

  test('when the token has no scope of advertising', async () => {
    const { access_token } = await signIn('post.read users.read')
    const answer = await ping({ bearer: access_token })
    expect(errorOf(answer)).toEqual([403, 'UNAUTHORIZED_CLIENT_APPLICATION'])
    expect(challenge(answer)).toContain('error="insufficient_scope"')
  })
})

describe('discovery', () => {
  test.each(['/mcp', '/ads/mcp', '/ads-sandbox/mcp'])('leads a client from %s to the sign-in pages', async (path) => {
    const resource = await discoverOAuthProtectedResourceMetadata(`${server.baseUrl}${path}`)
    expect(resource).toMatchObject({
      resource: `${server.baseUrl}${path}`,
      authorization_servers: [server.baseUrl],
      scopes_supported: ['ads.read', 'ads.write', 'offline.access'],
    })
    const metadata = await discoverAuthorizationServerMetadata(resource.authorization_servers![0]!)
    expect(metadata).toMatchObject({
      issuer: server.baseUrl,
      authorization_endpoint: `${server.baseUrl}/i/oauth2/authorize`,
      token_endpoint: `${server.baseUrl}/2/oauth2/token`,
      code_challenge_methods_supported: ['S256', 'plain'],
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'none'],
    })
    expect(metadata!.scopes_supported).toEqual(expect.arrayContaining(['ads.read', 'ads.write', 'post.read']))
    expect(metadata).not.toHaveProperty('registration_endpoint')
  })

  test('knows no other resource', async () => {
    expect((await server.get('/.well-known/oauth-protected-resource', 'nobody')).body.resource).toBe(
      `${server.baseUrl}/mcp`,
    )
    expect((await server.get('/.well-known/oauth-protected-resource/2/posts', 'nobody')).status).toBe(404)
  })
})
