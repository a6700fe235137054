import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SCOPES } from '../../src/identity/oauth2/scopes.ts'
import { Browser } from '../support/browser.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { allow, authorizeAddress, CHALLENGE, exchangeCode, obtainCode, refresh, SCOPE, VERIFIER } from './pkce.steps.ts'
import { CALLBACK, type MadeApp, makeApp, person, signedInBrowser } from './steps.ts'

let server: TestServer
let app: MadeApp
let browser: Browser
beforeAll(async () => {
  server = await startTestServer()
  app = await makeApp(server, { callback_urls: [CALLBACK, 'myapp://done'] })
  browser = await signedInBrowser(server, app, 'bob')
})
afterAll(() => server.close())

describe('a person who allows the app', () => {
  test.each(['/i/oauth2/authorize', '/2/oauth2/authorize'])(
    'on %s signs in, sees the scopes in plain words, and the app gets tokens that work',
    async (path) => {
      const fresh = new Browser(server.baseUrl)
      const signIn = await fresh.open(authorizeAddress(app, {}, path))
      expect(signIn.text).toContain('Sign in')
      const consent = await fresh.signIn(signIn, person(server, 'chika'))
      expect(consent.address).toBe(authorizeAddress(app, {}, path))
      expect(consent.text).toContain('Post and repost in your name, and delete your posts.')
      expect(consent.text).toContain('Read or send direct messages.')
      expect(consent.text).toContain('This access ends after a short time')
      const back = (await fresh.decide(consent, 'approve')).leftFor!
      expect(back.origin + back.pathname).toBe('https://client.example/done')
      expect([...back.searchParams.keys()]).toEqual(['kept', 'state', 'code'])
      expect(back.searchParams.get('state')).toBe('my state')
      const answer = await exchangeCode(server, app, back.searchParams.get('code')!)
      expect(answer.status).toBe(200)
      expect(answer.body).toEqual({
        token_type: 'bearer',
        expires_in: 7200,
        access_token: expect.stringMatching(/^[A-Za-z0-9+/]+$/),
        scope: SCOPE,
      })
      const me = await server.get('/2/users/me', { bearer: answer.body.access_token })
      expect(me.status).toBe(200)
      expect(me.body.data.username).toBe('chika')
      const made = await server.post('/2/posts', { text: `By way of ${path}` }, { bearer: answer.body.access_token })
      expect(made.status).toBe(201)
    },
  )

  test('comes back to the scheme of a phone app', async () => {
    const back = await allow(browser, app, { redirect_uri: 'myapp://done' })
    expect(back.href).toMatch(/^myapp:\/\/done\?state=my(\+|%20)state&code=\w+$/)
  })

  test('is asked again though the same was allowed before', async () => {
    await allow(browser, app)
    const page = await browser.open(authorizeAddress(app))
    expect(page.leftFor).toBeUndefined()
    expect((await browser.decide(page, 'approve')).leftFor!.searchParams.get('code')).toMatch(/./)
  })

  test('comes back without a state when none was sent', async () => {
    const back = await allow(browser, app, { state: undefined })
    expect([...back.searchParams.keys()]).toEqual(['kept', 'code'])
  })

  test('comes back with the state exactly as it was sent, up to 500 characters', async () => {
    const state = `&=#?%20+ "<ü☃>${'x'.repeat(486)}`
    expect(state).toHaveLength(500)
    expect((await allow(browser, app, { state })).searchParams.get('state')).toBe(state)
  })
})

test('a person who does not allow the app goes back with access_denied and the state, without a code', async () => {
  const page = await browser.open(authorizeAddress(app))
  const back = (await browser.decide(page, 'deny')).leftFor!
  expect(Object.fromEntries(back.searchParams)).toEqual({ kept: '1', state: 'my state', error: 'access_denied' })
})

describe('the challenge', () => {
  test.each([
    ['S256', CHALLENGE, 'S256'],
    ['plain', VERIFIER, 'plain'],
    ['plain when no method is named', VERIFIER, undefined],
  ])('is checked as %s', async (_, code_challenge, code_challenge_method) => {
    const code = await obtainCode(browser, app, { code_challenge, code_challenge_method })
    const wrong = await exchangeCode(server, app, code, { code_verifier: `${VERIFIER}x` })
    expect(wrong.status).toBe(400)
    expect(wrong.body).toEqual({ error: 'invalid_request', error_description: expect.stringContaining('verifier') })
    const right = await obtainCode(browser, app, { code_challenge, code_challenge_method })
    expect((await exchangeCode(server, app, right)).status).toBe(200)
  })

  test('ends the code with a wrong verifier, so nobody can try others', async () => {
    const code = await obtainCode(browser, app)
    await exchangeCode(server, app, code, { code_verifier: `${VERIFIER}x` })
    const late = await exchangeCode(server, app, code)
    expect([late.status, late.body]).toEqual([
      400,
      { error: 'invalid_request', error_description: 'Value passed for the authorization code was invalid.' },
    ])
  })

  test('of S256 is not met by the challenge itself', async () => {
    const code = await obtainCode(browser, app)
    expect((await exchangeCode(server, app, code, { code_verifier: CHALLENGE })).status).toBe(400)
  })

  test('is not met by a missing verifier', async () => {
    const code = await obtainCode(browser, app)
    expect((await exchangeCode(server, app, code, { code_verifier: undefined })).status).toBe(400)
  })
})

describe('both namings of scopes', () => {
  test.each([
    ['post.read post.write users.read', 'post.read post.write users.read'],
    ['tweet.read tweet.write users.read', 'tweet.read tweet.write users.read'],
    ['users.read tweet.moderate.write', 'users.read tweet.moderate.write'],
    ['users.read like.read', 'users.read like.read'],
  ])('are taken, and the answer echoes the one that was asked in: %s', async (scope, echoed) => {
    const answer = await exchangeCode(server, app, await obtainCode(browser, app, { scope }))
    expect(answer.body.scope).toBe(echoed)
  })

  test('give the same rights', async () => {
    const code = await obtainCode(browser, app, { scope: 'tweet.read users.read' })
    const { access_token } = (await exchangeCode(server, app, code)).body
    const me = await server.get('/2/users/me', { bearer: access_token })
    expect(me.body.data.username).toBe('bob')
  })

  test('are kept by a refresh', async () => {
    const code = await obtainCode(browser, app, { scope: 'tweet.read users.read offline.access' })
    const { refresh_token } = (await exchangeCode(server, app, code)).body
    expect((await refresh(server, app, refresh_token)).body.scope).toBe('tweet.read users.read offline.access')
  })
})

test('every scope of the reference can be granted', async () => {
  const all = (
    'post.read post.write post.moderate.write users.read users.email follows.read follows.write offline.access space.read ' +
    'mute.read mute.write like.read like.write list.read list.write block.read block.write bookmark.read bookmark.write ' +
    'dm.read dm.write media.write timeline.read broadcast.read broadcast.write ads.read ads.write'
  ).split(' ')
  expect([...SCOPES].toSorted()).toEqual(all.toSorted())
  const answer = await exchangeCode(server, app, await obtainCode(browser, app, { scope: all.join(' ') }))
  expect(answer.body.scope.split(' ').toSorted()).toEqual(all.toSorted())
})

describe('a request that must not be trusted stays on a page and leads nowhere', () => {
  test.each([
    ['an unknown client', { client_id: 'unknown' }],
    ['no client', { client_id: undefined }],
    ['a redirect that is not registered', { redirect_uri: 'https://evil.example/' }],
    ['a redirect that only begins like a registered one', { redirect_uri: `${CALLBACK}2` }],
    ['a redirect in other case', { redirect_uri: CALLBACK.replace('done', 'Done') }],
    ['no redirect', { redirect_uri: undefined }],
  ])('%s', async (_, over) => {
    const page = await browser.open(authorizeAddress(app, over))
    expect(page.status).toBe(400)
    expect(page.leftFor).toBeUndefined()
    expect(page.headers.get('location')).toBeNull()
    expect(page.text).toContain('Something went wrong')
    expect(page.text).not.toContain('href="https://evil.example')
  })

  test('a suspended app', async () => {
    const gone = await makeApp(server, { name: 'Gone' })
    await server.command('app.update', { app: gone.id, suspended: true })
    const page = await browser.open(authorizeAddress(gone))
    expect([page.status, page.leftFor]).toEqual([400, undefined])
  })
})

describe('a request with another fault goes back to the app with an error and the state', () => {
  test.each([
    ['another response type', { response_type: 'token' }, 'unsupported_response_type'],
    ['no response type', { response_type: undefined }, 'unsupported_response_type'],
    ['an unknown scope', { scope: 'users.read money.take' }, 'invalid_scope'],
    ['a scope that is nearly one', { scope: 'post.reed' }, 'invalid_scope'],
    ['no scope', { scope: undefined }, 'invalid_scope'],
    ['an empty scope', { scope: ' ' }, 'invalid_scope'],
    ['another challenge method', { code_challenge_method: 'S512' }, 'invalid_request'],
    ['no challenge', { code_challenge: undefined }, 'invalid_request'],
    ['a challenge with other characters', { code_challenge: 'a b' }, 'invalid_request'],
    ['a challenge that is too long', { code_challenge: 'a'.repeat(129) }, 'invalid_request'],
  ])('%s', async (_, over, error) => {
    const back = (await browser.open(authorizeAddress(app, over))).leftFor!
    expect(back.host).toBe('client.example')
    expect(Object.fromEntries(back.searchParams)).toEqual({
      kept: '1',
      state: 'my state',
      error,
      error_description: expect.any(String),
    })
  })

  test('an unknown scope is named as it was sent', async () => {
    for (const scope of ['post.reed', 'tweet.reed']) {
      const back = (await browser.open(authorizeAddress(app, { scope }))).leftFor!
      expect(back.searchParams.get('error_description')).toBe(`the scope ${scope} does not exist`)
    }
  })

  test('a state of more than 500 characters is refused and not echoed', async () => {
    const back = (await browser.open(authorizeAddress(app, { state: 'x'.repeat(501) }))).leftFor!
    expect(back.searchParams.get('error')).toBe('invalid_request')
    expect(back.searchParams.has('state')).toBe(false)
    expect(back.searchParams.has('code')).toBe(false)
  })
})

test('a consent form that was changed on the way is checked again', async () => {
  const page = await browser.open(authorizeAddress(app))
  const evil = await browser.submit(page, 'decision', { decision: 'approve', redirect_uri: 'https://evil.example/' })
  expect([evil.status, evil.leftFor]).toEqual([400, undefined])
  const more = await browser.submit(page, 'decision', { decision: 'approve', scope: 'money.take' })
  expect(more.leftFor!.searchParams.get('error')).toBe('invalid_scope')
})

test('a callback that no header can carry is not registered, and one that was is answered all the same', async () => {
  const spelled = 'https://client.example/日本'
  await expect(makeApp(server, { name: 'Far', callback_urls: [spelled] })).rejects.toThrow(
    /only printable ASCII characters/,
  )
  const far = await makeApp(server, { name: 'Far' })
  await server.runtime.database.query({
    text: 'update client_app set callback_urls = $2 where id = $1',
    values: [far.id, [spelled]],
  })
  await server.command('cache.forget')
  const page = await browser.open(authorizeAddress(far, { redirect_uri: spelled, scope: 'none' }))
  expect(page.status).toBe(500)
})
