import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { Browser } from '../support/browser.ts'
import { startTestServer, type TestAnswer, type TestServer } from '../support/server.ts'
import { authorizeAddress, basicOf, obtainCode, VERIFIER } from './pkce.steps.ts'
import {
  appKeys,
  askRequestToken,
  CALLBACK,
  coded,
  type MadeApp,
  makeApp,
  requestToken,
  signedInBrowser,
  UNVERIFIED,
} from './steps.ts'

let server: TestServer
let app: MadeApp
let other: MadeApp
beforeAll(async () => {
  server = await startTestServer(['--rate-limits', 'on'])
  app = await makeApp(server)
  other = await makeApp(server, { name: 'Other' })
})
afterAll(() => server.close())
beforeEach(() => server.command('limits.clear'))

const EXCEEDED = coded(88, 'Rate limit exceeded')
const TOO_MANY = { title: 'Too Many Requests', type: 'about:blank', status: 429, detail: 'Too Many Requests' }
const basicOfKeys = (of: MadeApp) => `Basic ${Buffer.from(`${of.api_key}:${of.api_key_secret}`).toString('base64')}`
const standing = ({ headers }: { headers: Headers }) => ({
  limit: headers.get('x-rate-limit-limit'),
  remaining: headers.get('x-rate-limit-remaining'),
  resets: headers.has('x-rate-limit-reset'),
})
/** As many requests more, without the time that they take. */
async function countMore(pool: 'app' | 'address', times: number): Promise<void> {
  const counted = await server.runtime.database.query({
    text: 'update rate_counter set used = used + $2 where name like $1',
    values: [`%:${pool}:%`, times],
  })
  expect(counted.rowCount).toBe(1)
}

const post = (path: string, header: string, form: Record<string, string> = {}) =>
  server.request('POST', path, { as: { header }, form })
async function exchangeUnapproved(of: MadeApp): Promise<TestAnswer> {
  const asked = await requestToken(server, appKeys(of))
  await server.command('limits.clear')
  const keys = { ...appKeys(of), token: asked.oauth_token, tokenSecret: asked.oauth_token_secret }
  return server.request('POST', '/oauth/access_token', { as: { keys }, form: { oauth_verifier: 'x' } })
}
async function invalidate(of: MadeApp): Promise<TestAnswer> {
  const pair = await server.command('user.token', { user: 'bob', app: of.id })
  const keys = { ...appKeys(of), token: pair.access_token, tokenSecret: pair.access_token_secret }
  return server.request('POST', '/1.1/oauth/invalidate_token', { as: { keys } })
}

// Each with the credentials of an app, right or wrong.
const steps: [string, (of: MadeApp) => Promise<TestAnswer>, number, unknown][] = [
  ['oauth/request_token', (of) => askRequestToken(server, appKeys(of), 'oob'), 200, EXCEEDED],
  ['1.1/oauth/invalidate_token', invalidate, 200, EXCEEDED],
  [
    '1.1/oauth/invalidate_token with a bearer token',
    (of) => post('/1.1/oauth/invalidate_token.json', `Bearer ${of.bearer_token}`),
    403,
    EXCEEDED,
  ],
  ['oauth2/token', (of) => post('/oauth2/token', basicOfKeys(of), { grant_type: 'client_credentials' }), 200, EXCEEDED],
  ['oauth2/invalidate_token', (of) => post('/oauth2/invalidate_token', basicOfKeys(of)), 403, EXCEEDED],
  ['2/oauth2/token', (of) => post('/2/oauth2/token', basicOf(of), { grant_type: 'refresh_token' }), 400, TOO_MANY],
  ['2/oauth2/revoke', (of) => post('/2/oauth2/revoke', basicOf(of), { token: 'x' }), 200, TOO_MANY],
]

describe.each(steps)('%s', (_, step, right, refusal) => {
  test('takes 450 requests of an app in a quarter of an hour, and says what is left', async () => {
    const first = await step(app)
    expect(first.status).toBe(right)
    expect(standing(first)).toEqual({ limit: '450', remaining: '449', resets: true })
    await countMore('app', 448)
    expect(standing(await step(app)).remaining).toBe('0')
    const over = await step(app)
    expect([over.status, over.body]).toEqual([429, refusal])
    expect(standing(over)).toEqual({ limit: '450', remaining: '0', resets: true })
    expect((await step(other)).status).toBe(right)
  })
})

test('oauth/access_token counts for the app whose request token it is', async () => {
  const answer = await exchangeUnapproved(app)
  expect(answer.status).toBe(401)
  expect(standing(answer)).toEqual({ limit: '450', remaining: '449', resets: true })
})

describe('wrong credentials', () => {
  const wrong = (of: MadeApp): MadeApp => ({
    ...of,
    api_key_secret: 'wrong',
    client_secret: 'wrong',
    bearer_token: 'wrong',
  })

  test.each(steps.map(([name, step, right, refusal]) => [name, step, right, refusal] as const))(
    'on %s count for the address, 900 in a quarter of an hour, and not for the app that they name',
    async (_, step, right, refusal) => {
      const first = await step(wrong(app))
      expect(first.status).toBeGreaterThanOrEqual(401)
      expect(standing(first)).toEqual({ limit: '900', remaining: '899', resets: true })
      await countMore('address', 899)
      const over = await step(wrong(app))
      expect([over.status, over.body]).toEqual([429, refusal])
      const good = await step(app)
      expect([good.status, standing(good).remaining]).toEqual([right, '449'])
    },
  )
})

test('a request with only the id of a public client counts for the address', async () => {
  const open = await makeApp(server, { name: 'Open', client_type: 'public' })
  const form = { client_id: open.client_id, token: 'x' }
  const answer = await server.request('POST', '/2/oauth2/revoke', { as: 'nobody', form })
  expect([answer.status, standing(answer)]).toEqual([200, { limit: '900', remaining: '899', resets: true }])
})

test('a public client over the limit can still use its refresh token afterwards', async () => {
  const open = await makeApp(server, { name: 'Phone', client_type: 'public' })
  const browser = await signedInBrowser(server, open, 'bob')
  const code = await obtainCode(browser, open, { scope: 'users.read post.read offline.access' })
  const fields = { client_id: open.client_id, redirect_uri: CALLBACK, code_verifier: VERIFIER }
  const ask = (form: Record<string, string>) => server.request('POST', '/2/oauth2/token', { as: 'nobody', form })
  const given = await ask({ ...fields, grant_type: 'authorization_code', code })
  const refresh = { ...fields, grant_type: 'refresh_token', refresh_token: given.body.refresh_token }
  await server.runtime.database.query({ text: `update rate_counter set used = 900 where name like 'oauth2Token:%'` })
  expect((await ask(refresh)).status).toBe(429)
  await server.command('limits.clear')
  expect((await ask(refresh)).status).toBe(200)
})

test('the narrower rule for bearer tokens stays: 403 with code 99 after 100 requests', async () => {
  const ask = () => post('/oauth2/token', basicOfKeys(app), { grant_type: 'client_credentials' })
  expect((await ask()).status).toBe(200)
  await server.runtime.database.query({ text: `update rate_counter set used = 100 where name like 'app-only-token:%'` })
  const answer = await ask()
  expect([answer.status, answer.body]).toEqual([403, UNVERIFIED])
})

describe('pages', () => {
  const pages: [string, (browser: Browser) => ReturnType<Browser['open']>][] = [
    ['GET /oauth/authorize', (browser) => browser.open('/oauth/authorize?oauth_token=x')],
    ['GET /oauth/authenticate', (browser) => browser.open('/oauth/authenticate?oauth_token=x')],
    ['POST /oauth/authorize', (browser) => browser.post('/oauth/authorize', {})],
    ['GET /i/oauth2/authorize', (browser) => browser.open(authorizeAddress(app))],
    ['POST /2/oauth2/authorize', (browser) => browser.post('/2/oauth2/authorize', {})],
    ['POST /i/sign-in', (browser) => browser.post('/i/sign-in', {})],
    ['POST /i/sign-out', (browser) => browser.post('/i/sign-out', {})],
  ]

  test.each(pages)(
    '%s is shown 900 times to an address, and then a page says that it was too often',
    async (_, page) => {
      const browser = new Browser(server.baseUrl)
      const first = await page(browser)
      expect(first.status).not.toBe(429)
      expect(standing(first)).toEqual({ limit: '900', remaining: '899', resets: true })
      await countMore('address', 899)
      const over = await page(browser)
      expect(over.status).toBe(429)
      expect(over.headers.get('content-type')).toBe('text/html; charset=utf-8')
      expect(over.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
      expect(over.text).toContain('Too many requests')
      expect(standing(over).remaining).toBe('0')
    },
  )
})

test('the request log says which limit was reached', async () => {
  const page = () => new Browser(server.baseUrl).open('/oauth/authorize?oauth_token=x')
  await page()
  await countMore('address', 899)
  await page()
  const record = await server.get('/_rostra/requests?refused=true&limit=1', { bearer: server.credentials.admin_key })
  expect(record.body.requests[0].reason).toBe('900 requests per 900 s of this address are used up')
})

test('with --rate-limits off nothing is counted', async () => {
  const free = await startTestServer()
  try {
    const answer = await askRequestToken(free, appKeys(await makeApp(free)), 'oob')
    expect([answer.status, standing(answer)]).toEqual([200, { limit: '450', remaining: '450', resets: true }])
    const { rows } = await free.runtime.database.query({ text: 'select from rate_counter' })
    expect(rows).toEqual([])
  } finally {
    await free.close()
  }
})
