import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Browser } from '../support/browser.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { encode } from '../support/sign.ts'
import {
  appKeys,
  exchangeRequestToken,
  grantOauth1,
  INVALID_TOKEN,
  type MadeApp,
  makeApp,
  type RequestToken,
  requestToken,
  signedInBrowser,
} from './steps.ts'

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

const MINUTES = 60_000
const BAD_VERIFIER = {
  errors: [{ code: 32, message: 'Error processing your OAuth request: Invalid oauth_verifier parameter' }],
}

async function approved(): Promise<RequestToken & { verifier: string }> {
  const asked = await requestToken(server, appKeys(app))
  const page = await browser.open(`/oauth/authorize?oauth_token=${asked.oauth_token}`)
  const back = (await browser.decide(page, 'approve')).leftFor!
  return { ...asked, verifier: back.searchParams.get('oauth_verifier')! }
}
const exchange = (asked: RequestToken, verifier?: string) => exchangeRequestToken(server, appKeys(app), asked, verifier)

describe('access_token', () => {
  test.each([
    ['missing', undefined],
    ['empty', ''],
    ['wrong', 'wrong'],
  ])('refuses a verifier that is %s, and the right one still works', async (_, verifier) => {
    const asked = await approved()
    const refused = await exchange(asked, verifier)
    expect(refused.status).toBe(401)
    expect(refused.body).toEqual(BAD_VERIFIER)
    expect((await exchange(asked, asked.verifier)).status).toBe(200)
  })

  test('refuses even the right verifier after five wrong ones, so a PIN cannot be guessed', async () => {
    const asked = await approved()
    for (let guess = 0; guess < 5; guess++) expect((await exchange(asked, `${guess}`)).status).toBe(401)
    expect((await exchange(asked, asked.verifier)).status).toBe(401)
  })

  test('refuses a request token that was not approved', async () => {
    const asked = await requestToken(server, appKeys(app))
    const answer = await exchange(asked, 'anything')
    expect([answer.status, answer.body]).toEqual([401, BAD_VERIFIER])
  })

  test('takes the verifier in the query', async () => {
    const asked = await approved()
    const keys = { ...appKeys(app), token: asked.oauth_token, tokenSecret: asked.oauth_token_secret }
    const answer = await server.request('POST', `/oauth/access_token?oauth_verifier=${encode(asked.verifier)}`, {
      as: { keys },
    })
    expect(answer.status).toBe(200)
  })

  test('gives a token once for each request token', async () => {
    const asked = await approved()
    expect((await exchange(asked, asked.verifier)).status).toBe(200)
    const again = await exchange(asked, asked.verifier)
    expect([again.status, again.body]).toEqual([401, INVALID_TOKEN])
  })

  test('gives a token once when several exchanges come at once', async () => {
    const asked = await approved()
    const answers = await Promise.all([1, 2, 3].map(() => exchange(asked, asked.verifier)))
    expect(answers.map((answer) => answer.status).toSorted()).toEqual([200, 401, 401])
  })

  test('refuses a request token of another app', async () => {
    const other = await makeApp(server, { name: 'Other' })
    const asked = await approved()
    const answer = await exchangeRequestToken(server, appKeys(other), asked, asked.verifier)
    expect([answer.status, answer.body]).toEqual([401, INVALID_TOKEN])
    expect((await exchange(asked, asked.verifier)).status).toBe(200)
  })
})

describe('a request token', () => {
  test('cannot be approved twice', async () => {
    const asked = await approved()
    const page = await browser.open(`/oauth/authorize?oauth_token=${asked.oauth_token}`)
    expect(page.status).toBe(403)
  })

  test('lives for some minutes', async () => {
    const asked = await approved()
    await server.command('clock', { advance_ms: 14 * MINUTES })
    expect((await exchange(asked, asked.verifier)).status).toBe(200)
  })

  test('is not valid after a quarter of an hour, before and after approval', async () => {
    const unseen = await requestToken(server, appKeys(app))
    const asked = await approved()
    await server.command('clock', { advance_ms: 16 * MINUTES })
    const answer = await exchange(asked, asked.verifier)
    expect([answer.status, answer.body]).toEqual([401, INVALID_TOKEN])
    expect((await browser.open(`/oauth/authorize?oauth_token=${unseen.oauth_token}`)).status).toBe(403)
  })

  test('that expires while the page is open cannot be approved any more', async () => {
    const asked = await requestToken(server, appKeys(app))
    const page = await browser.open(`/oauth/authorize?oauth_token=${asked.oauth_token}`)
    await server.command('clock', { advance_ms: 16 * MINUTES })
    const late = await browser.decide(page, 'approve')
    expect(late.leftFor).toBeUndefined()
    expect(late.status).toBe(403)
  })
})

describe('invalidate_token', () => {
  test.each(['/1.1/oauth/invalidate_token', '/1.1/oauth/invalidate_token.json'])(
    '%s ends the token it is signed with, everywhere',
    async (path) => {
      const keys = await grantOauth1(server, app, browser)
      expect((await server.get('/2/users/me', { keys })).status).toBe(200)
      const answer = await server.request('POST', path, { as: { keys } })
      expect([answer.status, answer.body]).toEqual([200, { access_token: keys.token }])
      const modern = await server.get('/2/users/me', { keys })
      expect(modern.status).toBe(401)
      expect(modern.headers.get('content-type')).toBe('application/json; charset=utf-8')
      expect(modern.body).toEqual(INVALID_TOKEN)
      const old = await server.request('POST', path, { as: { keys } })
      expect([old.status, old.body]).toEqual([401, INVALID_TOKEN])
    },
  )

  test('does not end the tokens of other users and apps', async () => {
    const other = await makeApp(server, { name: 'Untouched' })
    const kept = await grantOauth1(server, other, browser)
    const keys = await grantOauth1(server, app, browser)
    await server.request('POST', '/1.1/oauth/invalidate_token', { as: { keys } })
    expect((await server.get('/2/users/me', { keys: kept })).status).toBe(200)
    expect((await server.get('/2/users/me', { user: 'bob' })).status).toBe(200)
    expect((await server.get('/2/users/me', { user: 'alice' })).status).toBe(200)
  })

  test('makes the next grant give a different pair, and authenticate ask again', async () => {
    const first = await grantOauth1(server, app, browser)
    await server.request('POST', '/1.1/oauth/invalidate_token', { as: { keys: first } })
    const asked = await requestToken(server, appKeys(app))
    expect((await browser.open(`/oauth/authenticate?oauth_token=${asked.oauth_token}`)).leftFor).toBeUndefined()
    const second = await grantOauth1(server, app, browser)
    expect(second.token).not.toBe(first.token)
    expect(second.tokenSecret).not.toBe(first.tokenSecret)
    expect((await server.get('/2/users/me', { keys: second })).status).toBe(200)
    expect((await server.get('/2/users/me', { keys: first })).status).toBe(401)
  })

  test('does not take a GET', async () => {
    const keys = await grantOauth1(server, app, browser)
    expect((await server.get('/1.1/oauth/invalidate_token', { keys })).status).toBe(404)
    expect((await server.get('/2/users/me', { keys })).status).toBe(200)
  })
})

test('new keys of an app end its tokens, and the app works with the new keys', async () => {
  const rotating = await makeApp(server, { name: 'Rotating' })
  const keys = await grantOauth1(server, rotating, browser)
  const fresh: MadeApp = await server.command('app.rotate', { app: rotating.id })
  expect((await server.get('/2/users/me', { keys })).status).toBe(401)
  expect((await server.get('/2/users', { bearer: rotating.bearer_token })).status).toBe(401)
  const after = await grantOauth1(server, fresh, browser)
  expect(after.token).not.toBe(keys.token)
  expect((await server.get('/2/users/me', { keys: after })).status).toBe(200)
})
