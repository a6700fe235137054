import { createHmac } from 'node:crypto'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../support/server.ts'
import { encode, type SigningKeys, sign } from '../support/sign.ts'
import {
  appKeys,
  COULD_NOT_AUTHENTICATE,
  coded,
  headerPairs,
  INVALID_TOKEN,
  type MadeApp,
  makeApp,
  sendExactly,
  UNAUTHORIZED,
} from './steps.ts'

let server: TestServer
let alice: SigningKeys
let app: MadeApp
beforeAll(async () => {
  server = await startTestServer()
  alice = server.keysOf('alice')
  app = await makeApp(server)
})
afterAll(() => server.close())

const me = () => `${server.baseUrl}/2/users/me`
const getMe = (header: string) => server.get('/2/users/me', { header })

/** request_token accepts any further parameter, so it shows whether the signature over it was right. */
function sendQuery(query: string, signedQuery = query) {
  const url = `${server.baseUrl}/oauth/request_token?${signedQuery}`
  const authorization = sign('POST', url, appKeys(app), { oauth: { oauth_callback: 'oob' } })
  return sendExactly(server, {
    method: 'POST',
    path: `/oauth/request_token?${query}`,
    headers: { authorization, host: new URL(url).host, 'content-length': '0' },
  })
}

/** Sends a request twice in one packet of one connection; the statuses of both answers. */
async function sendTwiceAtOnce(path: string, authorization: string): Promise<number[]> {
  const { hostname, port, host } = new URL(server.baseUrl)
  const request = (connection: string) =>
    `GET ${path} HTTP/1.1\r\nhost: ${host}\r\nauthorization: ${authorization}\r\nconnection: ${connection}\r\n\r\n`
  const socket = connect(Number(port), hostname)
  socket.write(request('keep-alive') + request('close'))
  const text = (await socket.setEncoding('utf8').toArray()).join('')
  return [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map((hit) => Number(hit[1]))
}

describe('a right signature is accepted', () => {
  test('over a query with commas', async () => {
    const answer = await server.get(
      `/2/users?ids=${server.userId('alice')},${server.userId('bob')}&user.fields=created_at,name`,
      { user: 'alice' },
    )
    expect(answer.status).toBe(200)
    expect(answer.body.data).toHaveLength(2)
  })

  test.each([
    ['a space written as +', 'text=a+b'],
    ['a space written as %20', 'text=a%20b'],
    ['a plus sign written as %2B', 'text=a%2Bb'],
    ["the reserved characters !*'() as they are", "text=!*'()"],
    ["the reserved characters !*'() escaped", 'text=%21%2A%27%28%29'],
    ['letters outside ASCII', 'text=%E2%98%83%20na%C3%AFve%20%F0%9F%9A%B2'],
    ['escapes in lower case', 'text=%e2%98%83'],
    ['a repeated key', 'key=2&key=1&key=10'],
    ['a key without a value', 'empty=&bare'],
    ['an escaped key', 'a%5Bb%5D=c%26d%3De'],
    ['ampersands in a row', 'a=1&&b=2&'],
  ])('over a query with %s', async (_, query) => {
    expect((await sendQuery(query)).status).toBe(200)
  })

  test('over a form body', async () => {
    const url = `${server.baseUrl}/oauth/request_token`
    const form = { x_auth_access_type: 'read', note: "it's 100% (fine) + ☃ & more" }
    const header = sign('POST', url, appKeys(app), { form, oauth: { oauth_callback: 'oob' } })
    expect((await server.request('POST', '/oauth/request_token', { as: { header }, form })).status).toBe(200)
  })

  test('over a form body whose content type names a character set', async () => {
    const url = `${server.baseUrl}/oauth/request_token`
    const header = sign('POST', url, appKeys(app), { form: { a: 'b c' }, oauth: { oauth_callback: 'oob' } })
    const answer = await server.request('POST', '/oauth/request_token', {
      as: { header },
      raw: 'a=b+c',
      headers: { 'content-type': 'application/x-www-form-urlencoded; charset=UTF-8' },
    })
    expect(answer.status).toBe(200)
  })

  test('with a JSON body that takes no part in it', async () => {
    const answer = await server.post('/2/posts', { text: 'JSON is not signed & stays so' }, { user: 'alice' })
    expect(answer.status).toBe(201)
  })

  test('with a multipart body that takes no part in it', async () => {
    const url = `${server.baseUrl}/oauth/request_token`
    const header = sign('POST', url, appKeys(app), { oauth: { oauth_callback: 'oob' } })
    const answer = await server.request('POST', '/oauth/request_token', {
      as: { header },
      raw: '--x\r\ncontent-disposition: form-data; name="a"\r\n\r\nb\r\n--x--\r\n',
      headers: { 'content-type': 'multipart/form-data; boundary=x' },
    })
    expect(answer.status).toBe(200)
  })

  test('with its parameters in the query instead of the header', async () => {
    const query = new URLSearchParams({
      'user.fields': 'created_at',
      ...headerPairs(sign('GET', `${me()}?user.fields=created_at`, alice)),
    })
    const answer = await server.get(`/2/users/me?${query}`, 'nobody')
    expect(answer.status).toBe(200)
    expect(answer.body.data.username).toBe('alice')
  })

  test('with its parameters in a form body instead of the header', async () => {
    const url = `${server.baseUrl}/oauth/request_token`
    const form = headerPairs(sign('POST', url, appKeys(app), { oauth: { oauth_callback: 'oob' } }))
    expect((await server.request('POST', '/oauth/request_token', { as: 'nobody', form })).status).toBe(200)
  })

  test('with an oauth pair both in the header and in the form, which counts once', async () => {
    const url = `${server.baseUrl}/oauth/request_token`
    const header = sign('POST', url, appKeys(app), { oauth: { oauth_callback: 'oob' } })
    const form = { oauth_callback: 'oob' }
    expect((await server.request('POST', '/oauth/request_token', { as: { header }, form })).status).toBe(200)
  })

  test('with a realm that is not signed', async () => {
    const header = sign('GET', me(), alice).replace('OAuth ', 'OAuth realm="https://elsewhere.example/", ')
    expect((await getMe(header)).status).toBe(200)
  })

  test('without oauth_version', async () => {
    const { oauth_version: _version, oauth_signature: _signature, ...pairs } = headerPairs(sign('GET', me(), alice))
    const parameters = Object.entries(pairs).map(([name, value]) => `${name}=${encode(value)}`)
    const base = `GET&${encode(me())}&${encode(parameters.sort().join('&'))}`
    const key = `${alice.consumerSecret}&${alice.tokenSecret}`
    const signed = { ...pairs, oauth_signature: createHmac('sha1', key).update(base).digest('base64') }
    const words = Object.entries(signed).map(([name, value]) => `${name}="${encode(value)}"`)
    expect((await getMe(`OAuth ${words.join(', ')}`)).status).toBe(200)
  })

  test.each(['1.0A', '1.0a'])('with oauth_version %s', async (oauth_version) => {
    expect((await getMe(sign('GET', me(), alice, { oauth: { oauth_version } }))).status).toBe(200)
  })

  test('for a host that is sent with its default port', async () => {
    const authorization = sign('GET', 'http://api.example.test/2/users/me', alice)
    for (const host of ['api.example.test:80', 'API.example.test']) {
      const answer = await sendExactly(server, {
        path: '/2/users/me',
        headers: { authorization: sign('GET', 'http://api.example.test/2/users/me', alice), host },
      })
      expect(answer.status, host).toBe(200)
    }
    const elsewhere = await sendExactly(server, { path: '/2/users/me', headers: { authorization, host: 'other.test' } })
    expect(elsewhere.body).toEqual(UNAUTHORIZED)
  })
})

describe('a request is refused', () => {
  const wrong: [string, () => SigningKeys][] = [
    ['a wrong API key secret', () => ({ ...alice, consumerSecret: 'wrong' })],
    ['an unknown API key', () => ({ ...alice, consumerKey: 'unknown' })],
    ['a wrong token secret', () => ({ ...alice, tokenSecret: 'wrong' })],
  ]

  test.each(wrong)('with %s: the 401 problem on /2, code 32 on /1.1', async (_, keys) => {
    const modern = await server.get('/2/users/me', { keys: keys() })
    expect(modern.status).toBe(401)
    expect(modern.headers.get('content-type')).toContain('application/problem+json')
    expect(modern.body).toEqual(UNAUTHORIZED)
    const old = await server.request('POST', '/1.1/oauth/invalidate_token', { as: { keys: keys() } })
    expect(old.status).toBe(401)
    expect(old.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(old.body).toEqual(COULD_NOT_AUTHENTICATE)
  })

  test.each([
    ['a wrong API key secret', { consumerSecret: 'wrong' }],
    ['an unknown API key', { consumerKey: 'unknown' }],
  ])('with %s on /oauth with code 32', async (_, over) => {
    const url = `${server.baseUrl}/oauth/request_token`
    const header = sign('POST', url, { ...appKeys(app), ...over }, { oauth: { oauth_callback: 'oob' } })
    const answer = await server.request('POST', '/oauth/request_token', { as: { header } })
    expect(answer.status).toBe(401)
    expect(answer.body).toEqual(COULD_NOT_AUTHENTICATE)
  })

  test('when the query was changed after signing', async () => {
    const answer = await sendQuery('text=b', 'text=a')
    expect(answer.status).toBe(401)
    expect(answer.body).toEqual(COULD_NOT_AUTHENTICATE)
  })

  test('when a form body was changed after signing', async () => {
    const url = `${server.baseUrl}/oauth/request_token`
    const header = sign('POST', url, appKeys(app), {
      form: { x_auth_access_type: 'read' },
      oauth: { oauth_callback: 'oob' },
    })
    const form = { x_auth_access_type: 'write' }
    const answer = await server.request('POST', '/oauth/request_token', { as: { header }, form })
    expect(answer.body).toEqual(COULD_NOT_AUTHENTICATE)
  })

  test('when it was signed for another method or path', async () => {
    expect((await getMe(sign('POST', me(), alice))).body).toEqual(UNAUTHORIZED)
    expect((await getMe(sign('GET', `${server.baseUrl}/2/users`, alice))).body).toEqual(UNAUTHORIZED)
  })

  test('when the same nonce comes a second time', async () => {
    const header = sign('GET', me(), alice)
    expect((await getMe(header)).status).toBe(200)
    const again = await getMe(header)
    expect(again.status).toBe(401)
    expect(again.body).toEqual(UNAUTHORIZED)
  })

  test('when the same request comes several times at once: one passes', async () => {
    const header = sign('GET', me(), alice)
    const statuses = await Promise.all(Array.from({ length: 8 }, async () => (await getMe(header)).status))
    expect(statuses.toSorted()).toEqual([200, 401, 401, 401, 401, 401, 401, 401])
  })

  test('when it comes twice in one turn of the event loop: one passes', async () => {
    // The parts that both need are loaded, so nothing separates the two.
    expect((await getMe(sign('GET', me(), alice))).status).toBe(200)
    for (let round = 0; round < 5; round++) {
      const statuses = await sendTwiceAtOnce('/2/users/me', sign('GET', me(), alice))
      expect(statuses.toSorted()).toEqual([200, 401])
    }
  })

  test('but a nonce that a refused request carried can still be used', async () => {
    const oauth = { oauth_nonce: 'carried-by-a-stranger' }
    expect((await getMe(sign('GET', me(), { ...alice, tokenSecret: 'wrong' }, { oauth }))).status).toBe(401)
    expect((await getMe(sign('GET', me(), alice, { oauth }))).status).toBe(200)
  })

  test('and the same nonce of another app is not a replay', async () => {
    const second = server.credentials.apps[1]!
    const pair = await server.command('user.token', { user: 'alice', app: await appId(second.api_key) })
    const keys = {
      consumerKey: second.api_key,
      consumerSecret: second.api_key_secret,
      token: pair.access_token,
      tokenSecret: pair.access_token_secret,
    }
    const oauth = { oauth_nonce: 'shared-by-two-apps', oauth_timestamp: String(Math.floor(Date.now() / 1000)) }
    expect((await getMe(sign('GET', me(), alice, { oauth }))).status).toBe(200)
    expect((await getMe(sign('GET', me(), keys, { oauth }))).status).toBe(200)
  })

  test.each([
    ['older than five minutes', -310],
    ['five minutes in the future', 310],
  ])('with a timestamp %s: code 135 on /oauth and /1.1, the problem on /2', async (_, offset) => {
    const oauth = { oauth_timestamp: String(Math.floor(Date.now() / 1000) + offset) }
    const outOfBounds = coded(135, 'Timestamp out of bounds.')
    const url = `${server.baseUrl}/oauth/request_token`
    const header = sign('POST', url, appKeys(app), { oauth: { ...oauth, oauth_callback: 'oob' } })
    const flow = await server.request('POST', '/oauth/request_token', { as: { header } })
    expect([flow.status, flow.body]).toEqual([401, outOfBounds])
    const oldUrl = `${server.baseUrl}/1.1/oauth/invalidate_token`
    const old = await server.request('POST', '/1.1/oauth/invalidate_token', {
      as: { header: sign('POST', oldUrl, alice, { oauth }) },
    })
    expect([old.status, old.body]).toEqual([401, outOfBounds])
    expect((await getMe(sign('GET', me(), alice, { oauth }))).body).toEqual(UNAUTHORIZED)
  })

  test('though a timestamp four minutes off, either way, is taken', async () => {
    for (const offset of [-240, 240]) {
      const oauth = { oauth_timestamp: String(Math.floor(Date.now() / 1000) + offset) }
      expect((await getMe(sign('GET', me(), alice, { oauth }))).status).toBe(200)
    }
  })

  test.each([
    'oauth_consumer_key',
    'oauth_nonce',
    'oauth_signature',
    'oauth_signature_method',
    'oauth_timestamp',
    'oauth_token',
  ])('without %s: code 215 with 400 on /1.1, the problem on /2', async (name) => {
    const drop = (header: string) => header.replace(new RegExp(`${name}="[^"]*"(, )?`), '').replace(/, $/, '')
    const url = `${server.baseUrl}/1.1/oauth/invalidate_token.json`
    const old = await server.request('POST', '/1.1/oauth/invalidate_token.json', {
      as: { header: drop(sign('POST', url, alice)) },
    })
    expect([old.status, old.body]).toEqual([400, coded(215, 'Bad Authentication data.')])
    const modern = await getMe(drop(sign('GET', me(), alice)))
    expect([modern.status, modern.body]).toEqual([401, UNAUTHORIZED])
  })

  test.each(['nobody', { header: 'OAuth nonsense' }, { header: 'Bearer' }] as const)(
    'with unreadable credentials (%j): code 215 with 400 on /1.1',
    async (as) => {
      const answer = await server.request('POST', '/1.1/oauth/invalidate_token', { as })
      expect([answer.status, answer.body]).toEqual([400, coded(215, 'Bad Authentication data.')])
    },
  )

  test.each(['HMAC-SHA256', 'PLAINTEXT', 'RSA-SHA1', 'hmac-sha1'])('with the signature method %s', async (method) => {
    const oauth = { oauth_signature_method: method }
    expect((await getMe(sign('GET', me(), alice, { oauth }))).body).toEqual(UNAUTHORIZED)
    const url = `${server.baseUrl}/1.1/oauth/invalidate_token`
    const old = await server.request('POST', '/1.1/oauth/invalidate_token', {
      as: { header: sign('POST', url, alice, { oauth }) },
    })
    expect([old.status, old.body]).toEqual([401, COULD_NOT_AUTHENTICATE])
  })

  test('with another oauth_version', async () => {
    const header = sign('GET', me(), alice, { oauth: { oauth_version: '2.0' } })
    expect((await getMe(header)).body).toEqual(UNAUTHORIZED)
  })

  test('with a nonce outside ASCII', async () => {
    const header = sign('GET', me(), alice, { oauth: { oauth_nonce: 'ñandú' } })
    expect((await getMe(header)).body).toEqual(UNAUTHORIZED)
  })

  test('with the token of another app: code 89', async () => {
    const keys = { ...alice, ...appKeys(app) }
    const modern = await server.get('/2/users/me', { keys })
    expect([modern.status, modern.body]).toEqual([401, INVALID_TOKEN])
    const old = await server.request('POST', '/1.1/oauth/invalidate_token', { as: { keys } })
    expect([old.status, old.body]).toEqual([401, INVALID_TOKEN])
    // The pair still works for its own app.
    expect((await server.get('/2/users/me', { user: 'alice' })).status).toBe(200)
  })

  test('with an unknown token: code 89', async () => {
    const answer = await server.get('/2/users/me', { keys: { ...alice, token: '1-unknown' } })
    expect([answer.status, answer.body]).toEqual([401, INVALID_TOKEN])
  })
})

test('every signed call of a suspended app is refused until it is allowed again', async () => {
  const made = await makeApp(server, { name: 'Suspended soon' })
  const pair = await server.command('user.token', { user: 'bob', app: made.id })
  const keys = { ...appKeys(made), token: pair.access_token, tokenSecret: pair.access_token_secret }
  expect((await server.get('/2/users/me', { keys })).status).toBe(200)
  await server.command('app.update', { app: made.id, suspended: true })
  const suspended = coded(416, 'Invalid / suspended application')
  const url = `${server.baseUrl}/oauth/request_token`
  const header = sign('POST', url, appKeys(made), { oauth: { oauth_callback: 'oob' } })
  const flow = await server.request('POST', '/oauth/request_token', { as: { header } })
  expect([flow.status, flow.body]).toEqual([401, suspended])
  const old = await server.request('POST', '/1.1/oauth/invalidate_token', { as: { keys } })
  expect([old.status, old.body]).toEqual([401, suspended])
  const modern = await server.get('/2/users/me', { keys })
  expect([modern.status, modern.body.detail]).toEqual([403, 'The client application is suspended.'])
  expect(modern.body).toEqual((await server.get('/2/users', { bearer: made.bearer_token })).body)
  await server.command('app.update', { app: made.id, suspended: false })
  expect((await server.get('/2/users/me', { keys })).status).toBe(200)
})

test('a client with only the API key of an app does not learn that it is suspended', async () => {
  const made = await makeApp(server, { name: 'Quietly suspended' })
  await server.command('app.update', { app: made.id, suspended: true })
  const keys = { ...appKeys(made), consumerSecret: 'wrong' }
  const url = `${server.baseUrl}/oauth/request_token`
  const header = sign('POST', url, keys, { oauth: { oauth_callback: 'oob' } })
  const answer = await server.request('POST', '/oauth/request_token', { as: { header } })
  expect([answer.status, answer.body]).toEqual([401, COULD_NOT_AUTHENTICATE])
})

async function appId(apiKey: string): Promise<string> {
  const { apps } = await server.command('app.list')
  return apps.find((item: { api_key: string }) => item.api_key === apiKey).id
}
