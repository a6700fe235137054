import http from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readSettings, SettingError } from '../../src/settings.ts'
import { Browser, formWith, type Page } from '../support/browser.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { authorizeAddress } from './pkce.steps.ts'
import { type MadeApp, makeApp, person } from './steps.ts'

let server: TestServer
let app: MadeApp
beforeAll(async () => {
  server = await startTestServer()
  app = await makeApp(server)
})
afterAll(() => server.close())

const offers = (page: { text: string }) => page.text.includes('name="as_user"')

/** A page as it looks with other headers. */
function withHeaders(
  headers: Record<string, string>,
  body?: URLSearchParams,
): Promise<{ status: number; text: string }> {
  const { port } = new URL(server.baseUrl)
  const path = body ? '/i/sign-in' : authorizeAddress(app)
  const form = body ? { 'content-type': 'application/x-www-form-urlencoded' } : {}
  return new Promise((resolve, reject) => {
    const options = { port, host: '127.0.0.1', path, method: body ? 'POST' : 'GET', headers: { ...form, ...headers } }
    const request = http.request(options, (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (part) => {
        text += part
      })
      answer.on('end', () => resolve({ status: answer.statusCode!, text }))
    })
    request.on('error', reject)
    request.end(body?.toString())
  })
}

describe('the sign-in page on loopback', () => {
  test('offers the known users, and a click signs in as one', async () => {
    const browser = new Browser(server.baseUrl)
    const page = await browser.open(authorizeAddress(app))
    const { buttons } = formWith(page, 'as_user')
    expect(buttons.map((button) => button.value)).toContain(server.userId('erin'))
    const consent = await browser.submit(page, 'as_user', { as_user: server.userId('erin') })
    expect(consent.text).toContain('@erin')
    expect((await browser.decide(consent, 'approve')).leftFor!.searchParams.get('code')).toBeTruthy()
  })

  test('offers the users of credentials.json first, though seeded ones are older', async () => {
    await server.command('world.seed', { users: 20, posts: 0 })
    const page = await new Browser(server.baseUrl).open(authorizeAddress(app))
    const values = formWith(page, 'as_user').buttons.map((button) => button.value)
    const first = server.credentials.users.map((user) => user.id)
    expect(values.slice(0, first.length)).toEqual(first)
    expect(new Set(values).size).toBe(12)
  })

  test('still takes a password', async () => {
    const browser = new Browser(server.baseUrl)
    const consent = await browser.signIn(await browser.open(authorizeAddress(app)), person(server, 'bob'))
    expect(consent.text).toContain('@bob')
  })

  test('does not offer or accept a suspended or unknown user', async () => {
    await server.command('user.update', { user: 'dario', suspended: true })
    const browser = new Browser(server.baseUrl)
    const page = await browser.open(authorizeAddress(app))
    const values = formWith(page, 'as_user').buttons.map((button) => button.value)
    expect(values).not.toContain(server.userId('dario'))
    for (const id of [server.userId('dario'), '12', 'alice', ''])
      expect((await browser.submit(page, 'as_user', { as_user: id })).status).toBe(403)
    await server.command('user.update', { user: 'dario', suspended: false })
  })

  test('offers nobody under another host name or behind a proxy, and refuses a click from there', async () => {
    const browser = new Browser(server.baseUrl)
    const { host } = new URL(server.baseUrl)
    const page: Page = await browser.open(authorizeAddress(app))
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const form = formWith(page, 'as_user')
    const click = new URLSearchParams({ ...form.fields, as_user: server.userId('alice') })
    expect(offers(await withHeaders({ host }))).toBe(true)
    const others: Record<string, string>[] = [
      { host: 'rostra.example' },
      { host: `localhost.rostra.example` },
      { host: '127.0.0.1.rostra.example' },
      { host, 'x-forwarded-for': '203.0.113.7' },
      { host, forwarded: 'for=203.0.113.7' },
      { host, via: '1.1 proxy' },
    ]
    for (const headers of others) {
      expect([headers, offers(await withHeaders(headers))]).toEqual([headers, false])
      expect([headers, (await withHeaders({ ...headers, cookie }, click)).status]).toEqual([headers, 403])
    }
    expect((await withHeaders({ host, cookie }, click)).status).toBe(302)
  })

  test('refuses a click with a form token of another browser, or from another site', async () => {
    const [one, other] = [new Browser(server.baseUrl), new Browser(server.baseUrl)]
    const page = await one.open(authorizeAddress(app))
    await other.open(authorizeAddress(app))
    const fields = { ...formWith(page, 'as_user').fields, as_user: server.userId('alice') }
    expect((await other.post('/i/sign-in', fields)).status).toBe(403)
    const { host } = new URL(server.baseUrl)
    const cookie = [...one.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const foreign = { host, cookie, origin: 'https://evil.example' }
    expect((await withHeaders(foreign, new URLSearchParams(fields))).status).toBe(403)
  })
})

describe('the setting --dev-sign-in', () => {
  const read = (...flags: string[]) => readSettings(flags, {}).devSignIn

  test('is on by default only where nobody else can connect', () => {
    expect(read()).toBe('on')
    expect(read('--host', '::1')).toBe('on')
    expect(read('--public-url', 'http://127.0.0.1:8080')).toBe('on')
    expect(read('--dev-sign-in', 'off')).toBe('off')
    for (const flags of [
      ['--host', '0.0.0.0'],
      ['--host', '::'],
      ['--host', '192.0.2.1'],
      ['--public-url', 'https://rostra.example'],
      ['--trust-proxy', 'on'],
    ]) {
      expect([flags, read(...flags)]).toEqual([flags, 'off'])
      expect(() => read(...flags, '--dev-sign-in', 'on')).toThrow(SettingError)
    }
  })

  test('off takes the users from the page, and refuses a click', async () => {
    const strict = await startTestServer(['--dev-sign-in', 'off'])
    try {
      const browser = new Browser(strict.baseUrl)
      const page = await browser.open(authorizeAddress(await makeApp(strict)))
      expect(offers(page)).toBe(false)
      const clicked = await browser.submit(page, 'password', { as_user: strict.userId('alice') })
      expect(clicked.status).toBe(403)
    } finally {
      await strict.close()
    }
  })
})
