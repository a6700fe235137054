import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readSettings } from '../../src/settings.ts'
import { exchange, sendRaw, signInWith } from '../support/console.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

const link = async (): Promise<string> => {
  const { consoleUrl } = await import('../../src/control/console-access.ts')
  return (await consoleUrl(server.runtime))!
}
const control = (headers: Record<string, string>) => sendRaw(`${server.baseUrl}/_rostra/requests`, { headers })

describe('the link', () => {
  test('stands in the credentials, and its page is served with a policy that allows no other host', async () => {
    expect(server.credentials.console_url).toBe(await link())
    const { status, headers, text } = await sendRaw(await link())
    expect(status).toBe(200)
    expect(headers['content-security-policy']).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    )
    expect(headers['referrer-policy']).toBe('no-referrer')
    expect(text).not.toContain(server.credentials.admin_key)
  })

  test('works once, and then there is another', async () => {
    const first = await link()
    const { status, headers } = await exchange(first)
    expect(status).toBe(200)
    expect(headers['set-cookie']).toEqual([
      expect.stringMatching(/^rostra_console=\w{40}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=2592000$/),
    ])
    const again = await exchange(first)
    expect(again).toMatchObject({ status: 403 })
    expect(again.headers['set-cookie']).toBeUndefined()
    expect(await link()).not.toBe(first)
    await signInWith(await link())
  })

  test('gives one session to two browsers that use it at once', async () => {
    const once = await link()
    const statuses = (await Promise.all([exchange(once), exchange(once), exchange(once)])).map(({ status }) => status)
    expect(statuses.sort()).toEqual([200, 403, 403])
  })

  test('is not used up by programs that look at it', async () => {
    const unused = await link()
    await sendRaw(unused, { method: 'HEAD' })
    await sendRaw(unused, { headers: { 'sec-purpose': 'prefetch' } })
    await sendRaw(unused)
    expect(await link()).toBe(unused)
    await signInWith(unused)
  })

  test.each([
    ['a wrong code', '{"code":"wrong"}', 403],
    ['no code', '{}', 403],
    ['a code that is not text', '{"code":["a"]}', 403],
    ['something that is not JSON', '{', 400],
  ])('with %s is refused', async (_name, body, status) => {
    const answer = await sendRaw(`${server.baseUrl}/_rostra/console-session`, {
      method: 'POST',
      headers: { 'x-rostra-console': '1', 'content-type': 'application/json' },
      body,
    })
    expect(answer.status).toBe(status)
  })

  test('cannot be used by a page of another site', async () => {
    const unused = await link()
    expect((await exchange(unused, { origin: 'http://evil.example' })).status).toBe(403)
    expect((await exchange(unused, { 'sec-fetch-site': 'cross-site' })).status).toBe(403)
    expect((await exchange(unused, { 'x-rostra-console': '0' })).status).toBe(403)
    expect(await link()).toBe(unused)
  })
})

describe('the control interface', () => {
  test('serves the console of a signed-in browser', async () => {
    const session = await signInWith(await link())
    expect((await control(session)).status).toBe(200)
    const answer = await sendRaw(`${server.baseUrl}/_rostra/commands/fault.list`, {
      method: 'POST',
      headers: {
        ...session,
        'content-type': 'application/json',
        origin: server.baseUrl,
        'sec-fetch-site': 'same-origin',
      },
      body: '{}',
    })
    expect(answer).toMatchObject({ status: 200, text: '{"faults":[]}' })
  })

  test.each([
    ['without the cookie', { cookie: '' }],
    ['with a cookie that was never given', { cookie: `rostra_console=${'a'.repeat(40)}` }],
    ['without the header that only the console sends', { 'x-rostra-console': '' }],
    ['from a page of another site', { origin: 'http://evil.example' }],
    ['from a site whose name is similar', { origin: 'http://127.0.0.1:1' }],
    ['that a browser marks as from elsewhere', { 'sec-fetch-site': 'same-site' }],
    ['under the name of another site, which leads here', { host: 'evil.example' }],
    ['through a proxy', { 'x-forwarded-for': '192.0.2.1' }],
    ['with a wrong admin key beside the cookie', { authorization: 'Bearer wrong' }],
  ])('refuses a request %s', async (_name, changed) => {
    const session = await signInWith(await link())
    expect((await control({ ...session, ...changed })).status).toBe(401)
  })

  test('refuses a browser that has signed out', async () => {
    const session = await signInWith(await link())
    const out = await sendRaw(`${server.baseUrl}/_rostra/console-session/end`, { method: 'POST', headers: session })
    expect(out.headers['set-cookie']).toEqual([expect.stringContaining('Max-Age=0')])
    expect((await control(session)).status).toBe(401)
  })

  test('serves the console after a reset of the world, and when the clock is far ahead', async () => {
    const session = await signInWith(await link())
    await server.command('clock', { advance: '400d' })
    expect((await control(session)).status).toBe(200)
    const reset = await sendRaw(`${server.baseUrl}/_rostra/reset`, { method: 'POST', headers: session })
    expect(reset.status).toBe(200)
    expect((await control(session)).status).toBe(200)
  })
})

describe('the console', () => {
  const paths = [
    '/_rostra/console',
    '/_rostra/console/',
    '/_rostra/console/requests',
    '/_rostra/console/world/users/1?a=b',
  ]
  test('has its page at every address below it', async () => {
    for (const path of paths) expect((await sendRaw(server.baseUrl + path)).status).toBe(200)
  })

  test.each([
    ['under another name', { host: 'evil.example' }],
    ['under another name with the right port', { host: 'localhost.evil.example:8080' }],
    ['through a proxy', { 'x-forwarded-host': 'rostra.example' }],
    ['through a proxy that says so otherwise', { forwarded: 'for=192.0.2.1' }],
  ])('is not there %s', async (_name, headers) => {
    for (const path of [...paths, '/_rostra/console-session'])
      expect((await sendRaw(server.baseUrl + path, { headers })).status).toBe(404)
    expect((await exchange(await link(), headers)).status).toBe(404)
  })

  test('is where / leads to on this machine, and nowhere else', async () => {
    expect(await sendRaw(`${server.baseUrl}/`)).toMatchObject({
      status: 302,
      headers: { location: '/_rostra/console' },
    })
    const elsewhere = await sendRaw(`${server.baseUrl}/`, { headers: { host: 'evil.example' } })
    expect(elsewhere.headers.location).toBeUndefined()
  })

  test('is under the mount path too', async () => {
    const mounted = await startTestServer(['--public-url', 'http://localhost:8080/rostra'])
    try {
      const page = await sendRaw(`${mounted.baseUrl}/rostra/_rostra/console/requests`)
      expect(page.status).toBe(200)
      const script = /<script type="module" src="(\/rostra\/i\/assets\/console[^"]*\.js)">/.exec(page.text)?.[1]
      const loaded = await sendRaw(mounted.baseUrl + script, { headers: { 'accept-encoding': 'gzip, br' } })
      expect(loaded).toMatchObject({
        status: 200,
        headers: { 'content-encoding': 'br', 'cache-control': 'public, max-age=31536000, immutable' },
      })
      expect((await sendRaw(`${mounted.baseUrl}/rostra/`)).headers.location).toBe('/rostra/_rostra/console')
      const { console_url } = mounted.credentials
      expect(console_url).toMatch(/^http:\/\/localhost:8080\/rostra\/_rostra\/console\?code=/)
      const session = await signInWith(console_url!.replace('http://localhost:8080', mounted.baseUrl))
      expect((await sendRaw(`${mounted.baseUrl}/rostra/_rostra/requests`, { headers: session })).status).toBe(200)
    } finally {
      await mounted.close()
    }
  })
})

describe('the setting --console', () => {
  const read = (...flags: string[]) => readSettings(flags, {}).console
  test('is local only where nobody else can connect', () => {
    expect(read()).toBe('local')
    expect(read('--public-url', 'http://localhost:1/a')).toBe('local')
    expect(read('--host', '0.0.0.0')).toBe('off')
    expect(read('--public-url', 'https://rostra.example')).toBe('off')
    expect(read('--trust-proxy', 'on')).toBe('off')
    expect(read('--host', '0.0.0.0', '--console', 'on')).toBe('on')
    expect(read('--console', 'off')).toBe('off')
  })

  test('off removes the console and its link', async () => {
    const without = await startTestServer(['--console', 'off'])
    try {
      expect(without.credentials.console_url).toBeUndefined()
      expect((await sendRaw(`${without.baseUrl}/_rostra/console`)).status).toBe(404)
      // The public front page is there.
      expect((await sendRaw(`${without.baseUrl}/`)).status).toBe(200)
    } finally {
      await without.close()
    }
  })

  test('on serves it elsewhere, with a cookie that only this host can set', async () => {
    const open = await startTestServer(['--console', 'on', '--public-url', 'https://rostra.example'])
    try {
      const headers = { host: 'rostra.example' }
      const { code } = { code: new URL(open.credentials.console_url!).searchParams.get('code') }
      const signedIn = await exchange(`${open.baseUrl}/_rostra/console?code=${code}`, headers)
      expect(signedIn.headers['set-cookie']).toEqual([
        expect.stringMatching(
          /^__Host-rostra_console=\w{40}; Path=\/; HttpOnly; SameSite=Strict; Secure; Max-Age=\d+$/,
        ),
      ])
      const cookie = signedIn.headers['set-cookie']![0]!.split(';')[0]!
      const asked = await sendRaw(`${open.baseUrl}/_rostra/requests`, {
        headers: { ...headers, cookie, 'x-rostra-console': '1' },
      })
      expect(asked.status).toBe(200)
    } finally {
      await open.close()
    }
  })
})
