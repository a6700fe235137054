import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../support/server.ts'
import { grantOauth2 } from './pkce.steps.ts'
import {
  appKeys,
  coded,
  exchangeRequestToken,
  INVALID_TOKEN,
  type MadeApp,
  makeApp,
  requestToken,
  signedInBrowser,
} from './steps.ts'

let server: TestServer
let app: MadeApp
beforeAll(async () => {
  server = await startTestServer()
  app = await makeApp(server)
})
afterAll(() => server.close())

const SUSPENDED = coded(64, 'Your account is suspended and is not permitted to access this feature.')
// The older interface writes it without the stop.
const DEAD_BEARER = coded(89, 'Invalid or expired token')

async function withSuspended<T>(username: string, work: () => Promise<T>): Promise<T> {
  await server.command('user.update', { user: username, suspended: true })
  try {
    return await work()
  } finally {
    await server.command('user.update', { user: username, suspended: false })
  }
}

describe.each(['/1.1/oauth/invalidate_token', '/1.1/oauth/invalidate_token.json'])('POST %s', (path) => {
  const ask = async (bearer: string) => {
    const answer = await server.request('POST', path, { as: { bearer } })
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8')
    return [answer.status, answer.body]
  }

  test('with the bearer token of an app is refused with code 220: no user calls', async () => {
    expect(await ask(app.bearer_token)).toEqual([
      403,
      coded(220, 'Your credentials do not allow access to this resource'),
    ])
    expect((await server.get('/2/users', { bearer: app.bearer_token })).status).toBe(400)
  })

  test('with an unknown bearer token is refused with code 89', async () => {
    expect(await ask('AAAA')).toEqual([401, DEAD_BEARER])
  })

  test('with a bearer token that was invalidated or revoked is refused with code 89', async () => {
    const made = await makeApp(server, { name: 'Rotated' })
    const browser = await signedInBrowser(server, made, 'bob')
    const { access_token } = await grantOauth2(server, made, browser)
    await server.command('app.rotate', { app: made.id })
    expect(await ask(made.bearer_token)).toEqual([401, DEAD_BEARER])
    expect(await ask(access_token)).toEqual([401, DEAD_BEARER])
  })

  test('of a suspended user is refused with code 64, and the token stays valid', async () => {
    const pair = await server.command('user.token', { user: 'dario', app: app.id })
    const keys = { ...appKeys(app), token: pair.access_token, tokenSecret: pair.access_token_secret }
    const answer = await withSuspended('dario', () => server.request('POST', path, { as: { keys } }))
    expect([answer.status, answer.body]).toEqual([403, SUSPENDED])
    expect((await server.get('/2/users/me', { keys })).status).toBe(200)
  })
})

test('POST /oauth2/invalidate_token of a suspended owner is refused with code 64', async () => {
  const owned = await makeApp(server, { name: 'Owned', owner: 'dario' })
  const pair = await server.command('user.token', { user: 'dario', app: owned.id })
  const keys = { ...appKeys(owned), token: pair.access_token, tokenSecret: pair.access_token_secret }
  const form = { access_token: owned.bearer_token }
  const invalidate = () => server.request('POST', '/oauth2/invalidate_token', { as: { keys }, form })
  const answer = await withSuspended('dario', invalidate)
  expect([answer.status, answer.body]).toEqual([403, SUSPENDED])
  expect((await invalidate()).status).toBe(200)
})

test('POST /oauth/access_token for a user suspended after the approval is refused with code 64', async () => {
  const browser = await signedInBrowser(server, app, 'dario')
  const asked = await requestToken(server, appKeys(app))
  const page = await browser.open(`/oauth/authorize?oauth_token=${asked.oauth_token}`)
  const verifier = (await browser.decide(page, 'approve')).leftFor!.searchParams.get('oauth_verifier')!
  const exchange = () => exchangeRequestToken(server, appKeys(app), asked, verifier)
  const answer = await withSuspended('dario', exchange)
  expect([answer.status, answer.body]).toEqual([403, SUSPENDED])
  // With a wrong verifier the answer reveals nothing about the user.
  const guess = await withSuspended('dario', () => exchangeRequestToken(server, appKeys(app), asked, 'wrong'))
  expect(guess.status).toBe(401)
  expect((await exchange()).status).toBe(200)
})

test('the message for an ended token ends with a full stop on version 2', async () => {
  const made = await makeApp(server, { name: 'Old' })
  await server.command('app.rotate', { app: made.id })
  expect((await server.get('/2/users?ids=1', { bearer: made.bearer_token })).body).toEqual(INVALID_TOKEN)
})
