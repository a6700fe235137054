import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { Browser, type Form, formWith } from '../support/browser.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { authorizeAddress } from './pkce.steps.ts'
import { type MadeApp, makeApp, person, signedInBrowser } from './steps.ts'

let server: TestServer
let app: MadeApp
beforeAll(async () => {
  server = await startTestServer(['--trust-proxy', 'on'])
  app = await makeApp(server)
})
afterAll(() => server.close())
beforeEach(() => server.command('limits.clear'))

const cookiesOf = (browser: Browser) => [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
const send = (browser: Browser, form: Form, fields: Record<string, string>, headers: Record<string, string>) =>
  server.request('POST', form.action, {
    as: 'nobody',
    form: { ...form.fields, ...fields },
    headers: { cookie: cookiesOf(browser), ...headers },
  })
const consentForm = async (browser: Browser) => formWith(await browser.open(authorizeAddress(app)), 'decision')

describe('a decision', () => {
  test('from a page of another site is refused, whatever its token', async () => {
    const browser = await signedInBrowser(server, app, 'dario')
    const form = await consentForm(browser)
    const { host } = new URL(server.baseUrl)
    const others: Record<string, string>[] = [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: `http://${host}.evil.example` },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site', origin: `http://${host}` },
    ]
    for (const headers of others) {
      const answer = await send(browser, form, { decision: 'approve' }, headers)
      expect([headers, answer.status, answer.headers.get('location')]).toEqual([headers, 403, null])
    }
    const own: Record<string, string>[] = [
      { origin: `http://${host}`, 'sec-fetch-site': 'same-origin' },
      { origin: 'https://pages.example', 'x-forwarded-host': 'pages.example' },
    ]
    for (const headers of own) {
      const answer = await send(browser, await consentForm(browser), { decision: 'approve' }, headers)
      expect([headers, answer.status]).toEqual([headers, 302])
    }
  })

  test('on a page of an earlier session does not count: the page is shown again', async () => {
    const browser = await signedInBrowser(server, app, 'dario')
    const form = await consentForm(browser)
    const again = await signedInBrowser(server, app, 'dario')
    browser.cookies.set('rostra_session', again.cookies.get('rostra_session')!)
    for (const decision of ['approve', 'deny']) {
      const shown = await send(browser, form, { decision }, {})
      expect([shown.status, shown.headers.get('location')]).toEqual([200, null])
      expect(shown.text).toContain('@dario')
    }
    expect((await send(browser, await consentForm(browser), { decision: 'approve' }, {})).status).toBe(302)
  })
})

test('on https forms come from pages on https, and cookies have the prefix that other hosts of the domain cannot set', async () => {
  const headers = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'rostra.example' }
  const page = await server.request('GET', authorizeAddress(app), { as: 'nobody', headers })
  const [visitor] = page.headers.getSetCookie()
  expect(visitor).toMatch(/^__Host-rostra_visitor=[^;]+; Path=\/; HttpOnly; SameSite=Lax; Secure$/)
  const csrf = /name="csrf" value="([^"]+)"/.exec(page.text)![1]!
  const returnTo = /name="return_to" value="([^"]+)"/.exec(page.text)![1]!.replaceAll('&amp;', '&')
  const { username, password } = person(server, 'chika')
  const signInFrom = (origin: string) =>
    server.request('POST', '/i/sign-in', {
      as: 'nobody',
      form: { csrf, return_to: returnTo, username, password },
      headers: { ...headers, origin, cookie: visitor!.split(';')[0]! },
    })
  // Whoever is on the way can write pages of the host on plain HTTP.
  expect((await signInFrom('http://rostra.example')).status).toBe(403)
  const signIn = await signInFrom('https://rostra.example')
  expect(signIn.status).toBe(302)
  const names = signIn.headers.getSetCookie().map((line) => line.split('=')[0])
  expect(names).toEqual(['__Host-rostra_session', '__Host-rostra_device'])
  for (const line of signIn.headers.getSetCookie()) expect(line).toMatch(/; Path=\/; HttpOnly; SameSite=Lax; Secure/)
})

describe('after an address has used up its wrong passwords for an account', () => {
  const attacker = { 'x-forwarded-for': '203.0.113.9' }
  const owner = { 'x-forwarded-for': '198.51.100.7' }

  async function guess(browser: Browser, password: string, headers: Record<string, string>): Promise<number> {
    const form = formWith(await browser.open(authorizeAddress(app)), 'password')
    return (await send(browser, form, { username: 'bob', password }, headers)).status
  }
  async function useUp(): Promise<void> {
    const browser = new Browser(server.baseUrl)
    for (let attempt = 0; attempt < 10; attempt++) expect(await guess(browser, `guess ${attempt}`, attacker)).toBe(401)
    expect(await guess(browser, person(server, 'bob').password, attacker)).toBe(429)
  }

  test('the owner signs in from another address, if only a little later', async () => {
    await useUp()
    expect(await guess(new Browser(server.baseUrl), person(server, 'bob').password, owner)).toBe(302)
  })

  test('the owner signs in with a browser of an earlier sign-in from the same address', async () => {
    const known = await signedInBrowser(server, app, 'bob')
    known.cookies.delete('rostra_session')
    await useUp()
    expect(await guess(known, 'wrong', attacker)).toBe(401)
    expect(await guess(known, person(server, 'bob').password, attacker)).toBe(302)
  })

  test('such a browser has ten tries too, and none of them for other accounts', async () => {
    const known = await signedInBrowser(server, app, 'chika')
    known.cookies.delete('rostra_session')
    await useUp()
    expect(await guess(known, person(server, 'bob').password, attacker)).toBe(429)
  })
})
