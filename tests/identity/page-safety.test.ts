import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { Browser, formWith, type Page } from '../support/browser.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { authorizeAddress } from './pkce.steps.ts'
import { appKeys, type MadeApp, makeApp, person, requestToken, signedInBrowser } from './steps.ts'

let server: TestServer
let app: MadeApp
let dario: Browser
let bob: Browser
beforeAll(async () => {
  server = await startTestServer()
  app = await makeApp(server, { callback_urls: ['https://client.example/done?kept=1', 'myapp://done'] })
  dario = await signedInBrowser(server, app, 'dario')
  bob = await signedInBrowser(server, app, 'bob')
})
afterAll(() => server.close())
beforeEach(() => server.command('limits.clear'))

const authorizePage = async (browser: Browser, callback?: string, of = app) =>
  browser.open(`/oauth/authorize?oauth_token=${(await requestToken(server, appKeys(of), callback)).oauth_token}`)
const isSignedIn = async (browser: Browser) =>
  (await authorizePage(browser)).forms.some((form) => form.buttons.some((button) => button.name === 'decision'))

describe('a form that did not come from a page of this server is refused with 403', () => {
  const forms: [string, (browser: Browser) => Promise<Page>, string, Record<string, string>][] = [
    ['sign-in', (browser) => authorizePage(browser), 'password', { username: 'chika', password: 'x' }],
    ['the decision of OAuth 1.0a', (browser) => authorizePage(browser), 'decision', { decision: 'approve' }],
    [
      'the decision of OAuth 2.0',
      (browser) => browser.open(authorizeAddress(app)),
      'decision',
      { decision: 'approve' },
    ],
  ]

  test.each(forms)('%s', async (name, open, having, fields) => {
    const browser = name === 'sign-in' ? new Browser(server.baseUrl) : dario
    const page = await open(browser)
    const { csrf, ...rest } = formWith(page, having).fields
    const other = await open(name === 'sign-in' ? new Browser(server.baseUrl) : bob)
    const foreign = formWith(other, having).fields.csrf!
    for (const wrong of [undefined, '', 'wrong', `${csrf}x`, foreign]) {
      const sent = { ...rest, ...fields, ...(wrong === undefined ? {} : { csrf: wrong }) }
      const answer = await browser.post(formWith(page, having).action, sent)
      expect([wrong, answer.status, answer.leftFor]).toEqual([wrong, 403, undefined])
    }
    const right = await browser.post(formWith(page, having).action, { ...rest, ...fields, csrf: csrf! })
    expect(right.status).not.toBe(403)
  })

  test('sign-out, and the person stays signed in', async () => {
    const browser = await signedInBrowser(server, app, 'dario')
    const { action, fields } = (await authorizePage(browser)).forms.find((form) => form.action === '/i/sign-out')!
    expect((await browser.post(action, { ...fields, csrf: 'wrong' })).status).toBe(403)
    expect(await isSignedIn(browser)).toBe(true)
    await browser.post(action, fields)
    expect(await isSignedIn(browser)).toBe(false)
  })

  test('also when it is sent as text or JSON, which pages elsewhere can send without asking', async () => {
    const browser = new Browser(server.baseUrl)
    const { csrf, return_to } = formWith(await authorizePage(browser), 'password').fields
    const { username, password } = person(server, 'chika')
    const fields = { csrf: csrf!, return_to: return_to!, username, password }
    const cookie = `rostra_visitor=${browser.cookies.get('rostra_visitor')}`
    for (const [type, raw] of [
      ['text/plain', new URLSearchParams(fields).toString()],
      ['application/json', JSON.stringify(fields)],
    ]) {
      const headers = { cookie, 'content-type': type! }
      const answer = await server.request('POST', '/i/sign-in', { as: 'nobody', raw, headers })
      expect([type, answer.status, answer.headers.getSetCookie()]).toEqual([type, 403, []])
    }
  })
})

describe('return_to never leads away from the authorize pages of this server', () => {
  const away = [
    'https://evil.example/',
    '//evil.example/oauth/authorize?x',
    '/\\evil.example/oauth/authorize?x',
    'javascript:alert(1)',
    '/oauth/authorize',
    '/oauth/authorize/../../../evil?x',
    '/oauth/authorize?x\r\nset-cookie: a=b',
    '/2/users/me?x',
    '/_rostra/requests?x',
    '@evil.example/oauth/authorize?x',
    '',
  ]

  test.each(away)('sign-in does not go to %j', async (return_to) => {
    const browser = new Browser(server.baseUrl)
    const page = await authorizePage(browser)
    const answer = await browser.submit(page, 'password', { ...person(server, 'chika'), return_to } as never)
    expect([answer.status, answer.leftFor]).toEqual([403, undefined])
    expect(answer.headers.get('location')).toBeNull()
    expect(browser.cookies.has('rostra_session')).toBe(false)
  })

  test('sign-out does not go elsewhere either', async () => {
    const { action, fields } = (await authorizePage(dario)).forms.find((form) => form.action === '/i/sign-out')!
    for (const return_to of away) {
      const answer = await dario.post(action, { ...fields, return_to })
      expect([return_to, answer.status, answer.leftFor]).toEqual([return_to, 403, undefined])
    }
  })
})

describe('every page', () => {
  async function everyPage(): Promise<Record<string, Page>> {
    const browser = new Browser(server.baseUrl)
    const signIn = await authorizePage(browser, 'oob')
    const wrong = await browser.signIn(signIn, { username: 'dario', password: 'wrong' })
    const consent = await browser.signIn(signIn, person(server, 'dario'))
    const pin = await browser.decide(consent, 'approve')
    const denied = await browser.decide(await authorizePage(browser, 'oob'), 'deny')
    const consent2 = await browser.open(authorizeAddress(app))
    const refusal = await browser.open(authorizeAddress(app, { client_id: 'unknown' }))
    const deadLink = await browser.open('/oauth/authorize?oauth_token=unknown')
    const forged = await browser.post('/i/sign-in', {})
    return { signIn, wrong, consent, pin, denied, consent2, refusal, deadLink, forged }
  }

  test('cannot be framed, scripted, cached or sniffed', async () => {
    for (const [name, page] of Object.entries(await everyPage())) {
      const policy = page.headers.get('content-security-policy') ?? ''
      const directives = policy.split(';').map((directive) => directive.trim())
      expect(directives, name).toEqual(
        expect.arrayContaining(["default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'"]),
      )
      expect(policy, name).not.toMatch(/script-src|unsafe-inline|unsafe-eval/)
      expect(page.headers.get('x-frame-options'), name).toBe('DENY')
      expect(page.headers.get('referrer-policy'), name).toMatch(/^(same-origin|no-referrer)$/)
      expect(page.headers.get('x-content-type-options'), name).toBe('nosniff')
      expect(page.headers.get('cache-control'), name).toContain('no-store')
      expect(page.headers.get('content-type'), name).toBe('text/html; charset=utf-8')
      expect(page.text, name).not.toMatch(/<script|\son\w+="/i)
    }
  })

  const formTargets = (page: Page) => /form-action ([^;]*)/.exec(page.headers.get('content-security-policy')!)?.[1]

  // Browsers apply the policy of a form to every redirect that follows, and an app may redirect anywhere from its callback.
  test('lets its forms lead away only where they may end at an app', async () => {
    expect(formTargets(await authorizePage(dario))).toBeUndefined()
    expect(formTargets(await dario.open(authorizeAddress(app)))).toBeUndefined()
    expect(formTargets(await authorizePage(dario, 'oob'))).toBe("'self'")
    expect(formTargets(await dario.open('/oauth/authorize?oauth_token=unknown'))).toBe("'self'")
  })

  test('says on a page that an address is not valid', async () => {
    for (const path of [
      '/i/oauth2/authorize?state=%zz',
      '/oauth/authorize?oauth_token=%00',
      '/2/oauth2/authorize?x=%00',
    ]) {
      const page = await dario.open(path)
      expect([page.status, page.headers.get('content-type')], path).toEqual([400, 'text/html; charset=utf-8'])
      expect(page.text, path).toContain('This address is not valid')
    }
  })

  test('escapes the name of the app, of the user and what was typed', async () => {
    const name = '<script>alert(1)</script>'
    const evil = await makeApp(server, { name })
    await server.command('user.update', { user: 'dario', name: '"><img src=x onerror=alert(2)>' })
    const browser = new Browser(server.baseUrl)
    const signIn = await authorizePage(browser, 'oob', evil)
    const typed = await browser.signIn(signIn, { username: '"><script>alert(3)</script>', password: 'x' })
    const consent = await browser.signIn(signIn, person(server, 'dario'))
    const consent2 = await browser.open(authorizeAddress(evil))
    const pin = await browser.decide(consent, 'approve')
    const denied = await browser.decide(await authorizePage(browser, 'oob', evil), 'deny')
    for (const page of [signIn, typed, consent, consent2, pin, denied]) {
      expect(page.text).not.toContain('<script')
      expect(page.text).not.toContain('<img src=x')
      expect(page.text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
    }
    expect(typed.text).toContain('value="&quot;&gt;&lt;script&gt;alert(3)&lt;/script&gt;"')
  })
})

describe('signing in', () => {
  test('says the same whether the name or the password was wrong, or the account is suspended', async () => {
    const suspended = await server.command('user.create', { username: 'gone', password: 'a right password' })
    await server.command('user.update', { user: 'gone', suspended: true })
    const attempts = [
      { username: 'chika', password: 'wrong' },
      { username: 'nobody_here', password: 'wrong' },
      { username: 'chika', password: '' },
      { username: '', password: 'wrong' },
      { username: suspended.username, password: 'a right password' },
    ]
    const browser = new Browser(server.baseUrl)
    const page = await authorizePage(browser)
    const answers = await Promise.all(attempts.map((attempt) => browser.signIn(page, attempt)))
    const alert = (answer: Page) => /<div class="alert".*?<\/div>/s.exec(answer.text)?.[0]
    expect(alert(answers[0]!)).toContain('The username or the password is wrong.')
    for (const answer of answers) expect([answer.status, alert(answer)]).toEqual([401, alert(answers[0]!)])
    expect(browser.cookies.has('rostra_session')).toBe(false)
    for (const answer of answers) expect(formWith(answer, 'password').fields.password).toBe('')
  })

  test('takes the name in any case, with an @, and the email address', async () => {
    const { password } = person(server, 'chika')
    for (const username of ['CHIKA', '@chika', ' chika ', 'chika@example.com']) {
      const browser = new Browser(server.baseUrl)
      await browser.signIn(await authorizePage(browser), { username, password })
      expect([username, browser.cookies.has('rostra_session')]).toEqual([username, true])
    }
  })

  test('is throttled after ten wrong tries for a name, however it is written, and for no other name', async () => {
    const browser = new Browser(server.baseUrl)
    const page = await authorizePage(browser)
    for (let attempt = 0; attempt < 10; attempt++) {
      const username = ['bob', 'BOB', '@bob', ' bob'][attempt % 4]!
      expect((await browser.signIn(page, { username, password: `guess ${attempt}` })).status).toBe(401)
    }
    const eleventh = await browser.signIn(page, person(server, 'bob'))
    expect(eleventh.status).toBe(429)
    expect(eleventh.text).toContain('Too many attempts')
    expect(browser.cookies.has('rostra_session')).toBe(false)
    await browser.signIn(page, person(server, 'chika'))
    expect(browser.cookies.has('rostra_session')).toBe(true)
  })

  test('is throttled at the same count when name and email address take turns', async () => {
    const browser = new Browser(server.baseUrl)
    const page = await authorizePage(browser)
    const statuses: number[] = []
    for (let attempt = 0; attempt < 12; attempt++) {
      const username = attempt % 2 === 0 ? 'bob' : 'bob@example.com'
      statuses.push((await browser.signIn(page, { username, password: 'wrong' })).status)
    }
    expect(statuses.at(-1)).toBe(429)
  })

  test('is throttled for an address that tries a hundred names', async () => {
    const browser = new Browser(server.baseUrl)
    const page = await authorizePage(browser)
    const guess = async (username: string) => (await browser.signIn(page, { username, password: 'x' })).status
    expect(await guess('guess1')).toBe(401)
    // Ninety-eight guesses more, without the time that they take.
    const counted = await server.runtime.database.query({
      text: `update rate_counter set used = used + 98 where name like 'sign-in:address:%' and used = 1`,
    })
    expect(counted.rowCount).toBe(1)
    expect(await guess('guess100')).toBe(401)
    expect(await guess('guess101')).toBe(429)
  })

  test('with the right password works any number of times in a row', async () => {
    for (let attempt = 0; attempt < 12; attempt++) {
      const browser = new Browser(server.baseUrl)
      const page = await browser.signIn(await authorizePage(browser), person(server, 'chika'))
      expect([attempt, page.status]).toEqual([attempt, 200])
    }
  })

  test('sets cookies that scripts cannot read and other sites do not send', async () => {
    const browser = await signedInBrowser(server, app, 'chika')
    expect([...browser.cookies.keys()].toSorted()).toEqual(['rostra_device', 'rostra_session', 'rostra_visitor'])
    for (const line of browser.cookieLines) expect(line).toMatch(/; Path=\/; HttpOnly; SameSite=(Lax|Strict)/)
  })

  test('gives a session of its own each time; signing out ends it on the server too', async () => {
    const browser = await signedInBrowser(server, app, 'chika')
    const second = await signedInBrowser(server, app, 'chika')
    const session = browser.cookies.get('rostra_session')!
    expect(second.cookies.get('rostra_session')).not.toBe(session)
    const { action, fields } = (await authorizePage(browser)).forms.find((form) => form.action === '/i/sign-out')!
    await browser.post(action, fields)
    expect(browser.cookies.has('rostra_session')).toBe(false)
    browser.cookies.set('rostra_session', session)
    expect(await isSignedIn(browser)).toBe(false)
    expect(await isSignedIn(second)).toBe(true)
  })

  test('ends for a suspended user', async () => {
    const user = await server.command('user.create', { username: 'leaving', password: 'a right password' })
    const browser = new Browser(server.baseUrl)
    await browser.signIn(await authorizePage(browser), { username: user.username, password: 'a right password' })
    expect(await isSignedIn(browser)).toBe(true)
    await server.command('user.update', { user: 'leaving', suspended: true })
    expect(await isSignedIn(browser)).toBe(false)
  })
})
