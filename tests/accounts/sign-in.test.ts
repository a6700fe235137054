import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { person } from '../identity/steps.ts'
import { Browser, formWith } from '../support/browser.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

/** Where the browser is sent after the right password. */
async function landing(returnTo: string): Promise<{ status: number; location: string | null }> {
  const browser = new Browser(server.baseUrl)
  const page = await browser.open(`/i/sign-in?${new URLSearchParams({ return_to: returnTo })}`)
  expect(page.status).toBe(200)
  const { fields } = formWith(page, 'password')
  const { username, password } = person(server, 'bob')
  const answer = await fetch(`${server.baseUrl}/i/sign-in`, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie: [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
    body: new URLSearchParams({ ...fields, username, password }),
  })
  return { status: answer.status, location: answer.headers.get('location') }
}

describe('signing in without an app', () => {
  test('leads to the local page that was asked for', async () => {
    expect(await landing('/i/settings?tab=1')).toEqual({ status: 302, location: '/i/settings?tab=1' })
  })

  test.each([
    'https://evil.example/',
    '//evil.example/',
    '/\\evil.example/',
    '/\t/evil.example/',
    'javascript:alert(1)',
    '/i/sign-out',
    '/i/sign-in',
    '',
    'home',
    '/home\r\nset-cookie: a=b',
  ])('leads to the first page, not to %j', async (address) => {
    expect(await landing(address)).toEqual({ status: 302, location: '/home' })
  })

  test('refuses a form whose field was changed to another site', async () => {
    const browser = new Browser(server.baseUrl)
    const page = await browser.open('/i/sign-in')
    const refused = await browser.submit(page, 'password', { ...person(server, 'bob'), return_to: '//evil.example/' })
    expect(refused.status).toBe(403)
    expect(browser.cookies.has('rostra_session')).toBe(false)
  })

  test('keeps forms of the page on this server', async () => {
    const page = await new Browser(server.baseUrl).open('/i/sign-in')
    expect(page.headers.get('content-security-policy')).toContain("form-action 'self'")
    expect(page.text).toContain('Use your account on this server.')
  })

  test('is not needed by somebody who is signed in', async () => {
    const browser = new Browser(server.baseUrl)
    await browser.signIn(await browser.open('/i/sign-in?return_to=/i/sign-in-done'), person(server, 'bob'))
    expect(browser.cookies.has('rostra_session')).toBe(true)
    expect((await browser.open('/i/sign-in?return_to=/favicon.ico')).address).toBe('/favicon.ico')
  })
})
