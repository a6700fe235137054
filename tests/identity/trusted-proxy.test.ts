import { afterEach, expect, test } from 'vitest'
import { readSettings } from '../../src/settings.ts'
import { Browser, formWith } from '../support/browser.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { appKeys, makeApp, requestToken } from './steps.ts'

let server: TestServer | undefined
afterEach(async () => {
  await server?.close()
  server = undefined
})

/** Guesses a password once for each header, and returns how often each address was counted. */
async function countedAddresses(flags: string[], forwarded: string[]): Promise<Record<string, number>> {
  server = await startTestServer(flags)
  const browser = new Browser(server.baseUrl)
  const { oauth_token } = await requestToken(server, appKeys(await makeApp(server)))
  const { fields } = formWith(await browser.open(`/oauth/authorize?oauth_token=${oauth_token}`), 'password')
  for (const [index, header] of forwarded.entries()) {
    const answer = await server.request('POST', '/i/sign-in', {
      as: 'nobody',
      form: { ...fields, username: `guess${index}`, password: 'x' },
      headers: { 'x-forwarded-for': header, cookie: `rostra_visitor=${browser.cookies.get('rostra_visitor')}` },
    })
    expect(answer.status).toBe(401)
  }
  const { rows } = await server.runtime.database.query<{ name: string; used: number }>({
    text: `select name, used from rate_counter where name like 'sign-in:address:%'`,
  })
  return Object.fromEntries(rows.map((row) => [row.name.replace('sign-in:address:', ''), row.used]))
}

test('with --trust-proxy on the client address is the one that the proxy added, whatever the client sent', async () => {
  const forwarded = ['198.51.100.1, 203.0.113.9', '198.51.100.2,203.0.113.9', '203.0.113.9']
  expect(await countedAddresses(['--trust-proxy', 'on'], forwarded)).toEqual({ '203.0.113.9': 3 })
})

test('with two trusted proxies the entry of the outer one counts', async () => {
  const forwarded = ['198.51.100.1, 203.0.113.9, 10.0.0.1', '203.0.113.9, 10.0.0.2']
  expect(await countedAddresses(['--trust-proxy', '2'], forwarded)).toEqual({ '203.0.113.9': 2 })
})

test('addresses of one IPv6 network count as one, and IPv4 written as IPv6 as itself', async () => {
  const forwarded = [
    '2001:db8:0:7::1',
    '2001:DB8::7:ffff:1:2:3',
    '2001:db8:0:8::1',
    '::1',
    '::ffff:203.0.113.9',
    '203.0.113.9',
  ]
  expect(await countedAddresses(['--trust-proxy', 'on'], forwarded)).toEqual({
    '2001:db8:0:7::/64': 2,
    '2001:db8:0:8::/64': 1,
    '0:0:0:0::/64': 1,
    '203.0.113.9': 2,
  })
})

test('without --trust-proxy no proxy is trusted', async () => {
  expect(await countedAddresses([], ['198.51.100.1', '198.51.100.2'])).toEqual({ '127.0.0.1': 2 })
})

test('--trust-proxy takes on, off and a number, and nothing else', () => {
  const proxies = (text: string) => readSettings([], { ROSTRA_TRUST_PROXY: text }).trustProxy
  expect(['on', 'off', '0', '2'].map(proxies)).toEqual([1, 0, 0, 2])
  for (const wrong of ['yes', '-1', '1.5', '100']) expect(() => proxies(wrong)).toThrow(/--trust-proxy .* must be on/)
})
