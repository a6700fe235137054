import { afterAll, beforeAll, expect, test } from 'vitest'
import { Browser } from '../support/browser.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { encode, sign } from '../support/sign.ts'
import { startReceiver } from '../webhooks/receiver.ts'
import { authorizeAddress } from './pkce.steps.ts'
import { appKeys, exchangeRequestToken, headerPairs, makeApp, person, requestToken, sendExactly } from './steps.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

const readRecord = (query = '') => server.get(`/_rostra/requests${query}`, { bearer: server.credentials.admin_key })

test('the request log is only for holders of the admin key', async () => {
  for (const as of ['nobody', 'app', { user: 'alice' }, { bearer: `${server.credentials.admin_key}x` }] as const)
    expect((await server.get('/_rostra/requests', as)).status).toBe(401)
})

test('the request log shows who called what, and the reason of a refusal', async () => {
  await server.get(`/2/users/${server.userId('bob')}`, { user: 'alice' })
  await server.get('/2/users/me')
  const { requests } = (await readRecord()).body
  expect(requests.at(-2)).toMatchObject({
    method: 'GET',
    path: `/2/users/${server.userId('bob')}`,
    operation: 'getUsersById',
    status: 200,
    app: 'First app',
    user: 'alice',
    credential: 'oauth1',
  })
  expect(requests.at(-1)).toMatchObject({
    status: 403,
    app: 'First app',
    credential: 'app',
    reason: 'the operation does not take OAuth 2.0 Application-Only',
  })
})

test('the entry of a wrong signature shows the base string that the server built', async () => {
  const keys = { ...server.keysOf('alice'), tokenSecret: 'wrong' }
  const url = `${server.baseUrl}/2/users/me`
  const header = sign('GET', `${url}?user.fields=name,url`, keys)
  await server.get('/2/users/me?user.fields=name,url', { header })
  const { oauth_signature, ...rest } = headerPairs(header)
  const pairs = Object.entries({ ...rest, 'user.fields': 'name,url' }).map(
    ([name, value]) => `${encode(name)}=${encode(value)}`,
  )
  const [refused] = (await readRecord('?refused=true&limit=1')).body.requests
  expect(refused.status).toBe(401)
  expect(refused.reason).toContain('the signature does not match')
  expect(refused.details.signature_base_string).toBe(`GET&${encode(url)}&${encode(pairs.sort().join('&'))}`)
  expect(refused.details.oauth_signature_sent).toBe(oauth_signature)
  expect(refused.details.signing_key).toBe('consumer secret of the app "First app" + "&" + secret of the token sent')
})

test.each([
  ['the host of the request', { host: 'rostra.test:8080' }, 'http://rostra.test:8080'],
  [
    'the scheme that a proxy reports',
    { host: 'api.rostra.test', 'x-forwarded-proto': 'https' },
    'https://api.rostra.test',
  ],
])('the base string in the log has %s', async (_, headers, origin) => {
  const keys = { ...server.keysOf('alice'), tokenSecret: 'wrong' }
  const authorization = sign('GET', `${origin}/2/users/me`, keys)
  await sendExactly(server, { path: '/2/users/me', headers: { authorization, ...headers } })
  const [refused] = (await readRecord('?refused=true&limit=1')).body.requests
  expect(refused.details.signature_base_string).toMatch(new RegExp(`^GET&${encode(`${origin}/2/users/me`)}&`))
})

test('the log gives the reason of a refused page', async () => {
  const name = 'Callback app'
  const app = await makeApp(server, { name, callback_urls: ['https://client.example/one', 'myapp://two'] })
  const browser = new Browser(server.baseUrl)
  const reasonOf = async (visit: Promise<{ status: number }>) => {
    expect((await visit).status).toBeGreaterThanOrEqual(400)
    const [refused] = (await readRecord('?refused=true&limit=1')).body.requests
    return [refused.app, refused.reason]
  }
  const redirect_uri = 'https://elsewhere.example/'
  expect(await reasonOf(browser.open(authorizeAddress(app, { redirect_uri })))).toEqual([
    name,
    `redirect_uri is ${redirect_uri}, but the app has registered https://client.example/one, myapp://two`,
  ])
  expect(await reasonOf(browser.open(authorizeAddress(app, { client_id: 'nobody' })))).toEqual([
    undefined,
    'no app has the client_id nobody',
  ])
  expect(await reasonOf(browser.open('/oauth/authorize?oauth_token=unknown'))).toEqual([
    undefined,
    'the request token is unknown, used, or older than 15 minutes',
  ])
  const page = await browser.open(authorizeAddress(app, { redirect_uri: 'myapp://two' }))
  const signIn = (username: string) => reasonOf(browser.signIn(page, { username, password: 'wrong' }))
  expect(await signIn('bob@example.com')).toEqual([undefined, 'the password is not that of @bob'])
  expect(await signIn('no_such_user')).toEqual([undefined, 'no user has this username or email address'])
  expect(await reasonOf(browser.post('/i/sign-in', {}))).toEqual([
    undefined,
    'the form token does not belong to this browser, or the form leads elsewhere',
  ])
  await server.command('app.update', { app: app.id, suspended: true })
  expect(await reasonOf(browser.open(authorizeAddress(app)))).toEqual([name, `the app "${name}" is suspended`])
})

test('the log gives the reason of a page that is refused by going back to the app', async () => {
  const browser = new Browser(server.baseUrl)
  const app = await makeApp(server)
  for (const [asked, reason] of [
    [{ scope: 'kites.read' }, 'the scope kites.read does not exist'],
    [{ response_type: 'token' }, 'response_type must be code'],
  ] as const) {
    await browser.open(authorizeAddress(app, asked))
    const [refused] = (await readRecord('?refused=true&limit=1')).body.requests
    expect([refused.status, refused.app, refused.reason]).toEqual([302, 'Reader', reason])
  }
})

test('a plain PKCE verifier is not kept, however its name is written', async () => {
  const browser = new Browser(server.baseUrl)
  const app = await makeApp(server)
  const plain = 'a-plain-verifier-that-is-long-enough-for-the-rules'
  const address = authorizeAddress(app, { code_challenge: plain, code_challenge_method: 'plain' })
  await browser.open(address)
  await browser.open(address.replace('code_challenge=', 'code%5Fchallenge='))
  const kept = server.runtime.requestLog.read({ limit: 2 }).map((item) => item.path)
  expect(kept).toHaveLength(2)
  for (const path of kept) {
    expect(path).toContain('client_id=')
    expect(path).not.toContain(plain)
  }
})

test('a plain PKCE verifier is not kept with the forms of the pages either, nor with where they came from', async () => {
  const browser = new Browser(server.baseUrl)
  const app = await makeApp(server)
  const plain = 'another-plain-verifier-that-is-long-enough-for-it'
  const address = authorizeAddress(app, { code_challenge: plain, code_challenge_method: 'plain' })
  const consent = await browser.signIn(await browser.open(address), person(server, 'chika'))
  expect((await browser.decide(consent, 'approve')).leftFor).toBeDefined()
  await server.request('GET', `/i/sign-in?return_to=${encodeURIComponent(address)}`, {
    as: 'nobody',
    headers: { referer: `${server.baseUrl}${address}` },
  })
  const { requests } = (await readRecord('?limit=6')).body
  const whole = await Promise.all(requests.map((item: { seq: string }) => readRecord(`/${item.seq}`)))
  const kept = JSON.stringify(whole.map((answer) => answer.body))
  expect(kept).toContain('return_to=')
  expect(kept).toContain('"referer"')
  expect(kept).not.toContain(plain)
})

test('an operator who looks at one app finds its requests with a wrong signature', async () => {
  const { apps } = await server.command('app.list')
  const second = apps.find((item: { name: string }) => item.name === 'Second app')
  const pair = await server.command('user.token', { user: 'alice', app: second.id })
  const keys = {
    consumerKey: second.api_key,
    consumerSecret: 'wrong',
    token: pair.access_token,
    tokenSecret: pair.access_token_secret,
  }
  await server.get('/2/users/me', { keys })
  const { requests } = (await readRecord(`?app=${second.id}&refused=true`)).body
  expect(requests.map((item: { path: string }) => item.path)).toEqual(['/2/users/me'])
})

test('the request log never shows a secret, valid or not', async () => {
  const app = await makeApp(server)
  const first = server.credentials.apps[0]!
  const [alice, bob] = [server.keysOf('alice'), server.keysOf('bob')]
  const browser = new Browser(server.baseUrl)
  const asked = await requestToken(server, appKeys(app))
  const signIn = await browser.open(`/oauth/authorize?oauth_token=${asked.oauth_token}`)
  await browser.signIn(signIn, { username: 'bob', password: 'a wrong password' })
  const consent = await browser.signIn(signIn, person(server, 'bob'))
  const verifier = (await browser.decide(consent, 'approve')).leftFor!.searchParams.get('oauth_verifier')!
  await exchangeRequestToken(server, { ...appKeys(app), consumerSecret: 'wrong' }, asked, verifier)
  await server.request('POST', '/oauth/access_token', {
    as: { keys: { ...appKeys(app), token: asked.oauth_token, tokenSecret: 'wrong' } },
    form: { oauth_verifier: verifier },
  })
  const verifierQuery = `/oauth/access_token?oauth_verifier=${verifier}`
  const requestKeys = { ...appKeys(app), token: asked.oauth_token, tokenSecret: asked.oauth_token_secret }
  await server.request('POST', verifierQuery, { as: { keys: { ...requestKeys, tokenSecret: 'wrong' } } })
  // Refused, so the token stays valid: by a user who does not own the app, and with a wrong signature.
  const tokenQuery = `/oauth2/invalidate_token?access_token=${encode(first.bearer_token!)}`
  expect((await server.request('POST', tokenQuery, { as: { keys: bob } })).status).toBe(403)
  await server.request('POST', tokenQuery, { as: { keys: { ...alice, tokenSecret: 'wrong' } } })
  const form = { access_token: first.bearer_token! }
  await server.request('POST', '/oauth2/invalidate_token', { as: { keys: { ...alice, tokenSecret: 'wrong' } }, form })

  const text = decodeFully((await readRecord('?limit=1000')).text)
  expect(text).toContain('/oauth2/invalidate_token')
  const secrets = {
    'password that was wrong': 'a wrong password',
    password: person(server, 'bob').password,
    'API key secret': app.api_key_secret,
    'API key secret of the first app': first.api_key_secret,
    'request token secret': asked.oauth_token_secret,
    'token secret': alice.tokenSecret!,
    'session cookie': browser.cookies.get('rostra_session')!,
    'admin key': server.credentials.admin_key,
    verifier,
    'bearer token': decodeFully(first.bearer_token!),
  }
  const shown = Object.entries(secrets).filter(([, secret]) => text.includes(secret))
  expect(shown.map(([name]) => name)).toEqual([])
})

/** Takes off every layer of percent escapes, so no encoding hides a secret. */
function decodeFully(text: string): string {
  const decoded = text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return decoded === text ? text : decodeFully(decoded)
}

test('a request that matches no operation is logged too, with the reason', async () => {
  await server.get('/2/nope404')
  await server.post('/2/posts', { text: 'x'.repeat(3_000_000) }, { user: 'alice' })
  await server.get('/2/users/by/username/%E0%A4')
  await server.get('/ads/12/nothing')
  const { requests } = (await readRecord('?limit=4')).body
  expect(requests).toMatchObject([
    { method: 'GET', path: '/2/nope404', status: 404, reason: 'There is no GET /2/nope404 here.' },
    { method: 'POST', path: '/2/posts', status: 413, reason: 'The body is larger than this endpoint allows.' },
    { path: '/2/users/by/username/%E0%A4', status: 400, reason: 'The path of the request is not valid.' },
    { path: '/ads/12/nothing', status: 404 },
  ])
})

test('reading the request log adds nothing to it, unless the read was refused', async () => {
  await server.get('/2/users/me', { user: 'alice' })
  for (let look = 0; look < 3; look++) await readRecord()
  await server.get('/_rostra/events', { bearer: server.credentials.admin_key })
  expect((await readRecord('?limit=1')).body.requests[0]).toMatchObject({ operation: 'getUsersMe' })
  await server.get('/_rostra/requests')
  expect((await readRecord('?limit=1')).body.requests[0]).toMatchObject({ operation: 'controlRequests', status: 401 })
})

test('a slow request comes after those that were answered meanwhile', async () => {
  let answer = () => {}
  const receiver = await startReceiver((response) => {
    answer = () => void response.writeHead(500).end()
  })
  try {
    const slow = server.post('/2/webhooks', { url: receiver.url() })
    await expect.poll(() => receiver.challenges.length).toBe(1)
    await server.get('/2/users/me', { user: 'alice' })
    const [quick] = (await readRecord('?limit=1')).body.requests
    expect(quick.operation).toBe('getUsersMe')
    answer()
    expect((await slow).status).toBe(400)
    const { requests } = (await readRecord(`?after=${quick.seq}`)).body
    expect(requests).toMatchObject([{ operation: 'createWebhooks', status: 400 }])
  } finally {
    await receiver.close()
  }
})

test.each([
  '/_rostra/requests?foo=1',
  '/_rostra/requests?refused=maybe',
  '/_rostra/events?foo=1',
  '/2/openapi.json?foo=1',
  '/2/openapi.json?naming=x',
  '/ads/openapi.json?naming=x',
])('a parameter that is not known is refused: %s', async (path) => {
  const refused = await server.get(path, { bearer: server.credentials.admin_key })
  expect(refused.status).toBe(400)
  expect(refused.body.errors[0].message).toMatch(/is not one of \[/)
})
