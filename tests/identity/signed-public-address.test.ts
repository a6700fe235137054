import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Browser } from '../support/browser.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { sign } from '../support/sign.ts'
import { appKeys, CALLBACK, type MadeApp, makeApp, person, sendExactly, UNAUTHORIZED } from './steps.ts'

const PUBLIC = 'https://api.example.test/mount'
let server: TestServer
let app: MadeApp
beforeAll(async () => {
  server = await startTestServer(['--public-url', PUBLIC])
  app = await makeApp(server)
})
afterAll(() => server.close())

describe('behind a proxy, a request signed for the public address is accepted', () => {
  test.each([
    ['with the public host and the mount stripped', 'api.example.test', '/2/users/me'],
    ['with the public host and the mount kept', 'api.example.test', '/mount/2/users/me'],
    ['with the inner host and the mount stripped', 'inner.test:8080', '/2/users/me'],
    ['with the inner host and the mount kept', 'inner.test:8080', '/mount/2/users/me'],
    ['with the public host, its default port and the mount kept', 'api.example.test:443', '/mount/2/users/me'],
  ])('when the proxy sends it %s', async (_, host, path) => {
    const query = '?user.fields=created_at,name'
    const authorization = sign('GET', `${PUBLIC}/2/users/me${query}`, server.keysOf('alice'))
    const answer = await sendExactly(server, { path: path + query, headers: { host, authorization } })
    expect(answer.status).toBe(200)
    expect(answer.body.data.username).toBe('alice')
  })
})

describe('a request that comes with the mount is taken when it was signed for the address that was asked for', () => {
  const ask = (on: TestServer, url: string, headers: Record<string, string>, path = '/mount/2/users/me') =>
    sendExactly(on, { path, headers: { ...headers, authorization: sign('GET', url, on.keysOf('alice')) } })

  test.each(['127.0.0.1', 'localhost', 'inner.test'])('at %s', async (name) => {
    const host = `${name}:${new URL(server.baseUrl).port}`
    expect((await ask(server, `http://${host}/mount/2/users/me`, { host })).status).toBe(200)
  })

  test('at the host that a trusted proxy names', async () => {
    const trusting = await startTestServer(['--public-url', PUBLIC, '--trust-proxy', 'on'])
    try {
      const headers = { host: 'inner.test', 'x-forwarded-host': 'other.test', 'x-forwarded-proto': 'https' }
      expect((await ask(trusting, 'https://other.test/mount/2/users/me', headers)).status).toBe(200)
    } finally {
      await trusting.close()
    }
  })

  test('but not when it came without', async () => {
    const answer = await ask(server, 'http://inner.test/mount/2/users/me', { host: 'inner.test' }, '/2/users/me')
    expect([answer.status, answer.body]).toEqual([401, UNAUTHORIZED])
  })
})

test('a request signed for a third address is refused', async () => {
  for (const url of ['https://evil.test/mount/2/users/me', 'https://api.example.test/other/2/users/me']) {
    const authorization = sign('GET', url, server.keysOf('alice'))
    const answer = await sendExactly(server, {
      path: '/2/users/me',
      headers: { host: 'api.example.test', authorization },
    })
    expect(answer.status).toBe(401)
    expect(answer.body).toEqual(UNAUTHORIZED)
  }
})

test('the types of problems are below the public address', async () => {
  const answer = await server.get('/2/users/me')
  expect(answer.body.type).toBe(`${PUBLIC}/2/problems/unsupported-authentication`)
})

test('the pages work below the mount: forms post there, and their cookies are for secure connections only', async () => {
  const header = sign('POST', `${PUBLIC}/oauth/request_token`, appKeys(app), { oauth: { oauth_callback: CALLBACK } })
  const asked = await server.request('POST', '/oauth/request_token', { as: { header } })
  const token = new URLSearchParams(asked.text).get('oauth_token')!
  const browser = new Browser(server.baseUrl)
  const signIn = await browser.open(`/mount/oauth/authorize?oauth_token=${token}`)
  expect(signIn.forms.map((form) => form.action)).toEqual(['/mount/i/sign-in'])
  const consent = await browser.signIn(signIn, person(server, 'bob'))
  expect(consent.address).toBe(`/mount/oauth/authorize?oauth_token=${token}`)
  expect(consent.forms.map((form) => form.action)).toEqual(['/mount/i/sign-out', '/mount/oauth/authorize'])
  expect((await browser.decide(consent, 'approve')).leftFor!.host).toBe('client.example')
  expect(browser.cookieLines).toHaveLength(3)
  for (const line of browser.cookieLines) expect(line).toContain('; Secure')
})
