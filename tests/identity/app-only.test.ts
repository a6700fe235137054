import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../support/server.ts'
import { encode } from '../support/sign.ts'
import { COULD_NOT_AUTHENTICATE, INVALID_TOKEN, type MadeApp, makeApp, UNAUTHORIZED, UNVERIFIED } from './steps.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

type Keys = Pick<MadeApp, 'api_key' | 'api_key_secret'>
const basic = (app: Keys) => `Basic ${Buffer.from(`${app.api_key}:${app.api_key_secret}`).toString('base64')}`
const GRANT = { grant_type: 'client_credentials' }

const askToken = (header: string | undefined, form: Record<string, string> = GRANT, on = server) =>
  on.request('POST', '/oauth2/token', { as: header === undefined ? 'nobody' : { header }, form })
const oneUser = (bearer: string) => server.get(`/2/users/${server.userId('bob')}`, { bearer })

/** An app of alice with her token for it, so she can sign for it as its owner. */
async function ownedApp() {
  const app = await makeApp(server, { name: 'Owned', owner: 'alice' })
  const keysOf = async (user: string) => {
    const pair = await server.command('user.token', { user, app: app.id })
    return {
      consumerKey: app.api_key,
      consumerSecret: app.api_key_secret,
      token: pair.access_token as string,
      tokenSecret: pair.access_token_secret as string,
    }
  }
  return { app, owner: await keysOf('alice'), other: await keysOf('bob') }
}

describe('oauth2/token', () => {
  test('returns the bearer token of the app, the same each time, and it works', async () => {
    const app = await makeApp(server)
    const first = await askToken(basic(app))
    expect(first.status).toBe(200)
    expect(first.body).toEqual({ token_type: 'bearer', access_token: app.bearer_token })
    expect(first.body.access_token).toMatch(/^A{21}\w+%2F\w+%3D\w+$/)
    expect((await askToken(basic(app))).body).toEqual(first.body)
    expect((await oneUser(first.body.access_token)).status).toBe(200)
  })

  test('takes the content type with a character set, as the documentation writes it', async () => {
    const app = await makeApp(server)
    const answer = await server.request('POST', '/oauth2/token', {
      as: { header: basic(app) },
      raw: 'grant_type=client_credentials',
      headers: { 'content-type': 'application/x-www-form-urlencoded;charset=UTF-8' },
    })
    expect(answer.status).toBe(200)
  })

  test.each([
    ['another grant_type', { grant_type: 'password' }],
    ['no grant_type', { other: 'x' }],
    ['an empty grant_type', { grant_type: '' }],
  ])('refuses %s with 403 and code 99', async (_, form) => {
    const answer = await askToken(basic(await makeApp(server)), form)
    expect(answer.status).toBe(403)
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(answer.body).toEqual(UNVERIFIED)
  })

  test('refuses a JSON body', async () => {
    const answer = await server.request('POST', '/oauth2/token', {
      as: { header: basic(await makeApp(server)) },
      json: GRANT,
    })
    expect([answer.status, answer.body]).toEqual([403, UNVERIFIED])
  })

  test('refuses wrong and missing credentials with 403 and code 99', async () => {
    const app = await makeApp(server)
    const headers = [
      undefined,
      basic({ ...app, api_key_secret: 'wrong' }),
      basic({ ...app, api_key: 'unknown' }),
      basic({ api_key: app.client_id, api_key_secret: app.client_secret }),
      `Bearer ${app.bearer_token}`,
      'Basic',
      'Basic !!!',
      `Basic ${Buffer.from('no colon').toString('base64')}`,
    ]
    for (const header of headers) {
      const answer = await askToken(header)
      expect([header, answer.status, answer.body]).toEqual([header, 403, UNVERIFIED])
    }
  })

  test('refuses a suspended app', async () => {
    const app = await makeApp(server)
    await server.command('app.update', { app: app.id, suspended: true })
    const answer = await askToken(basic(app))
    expect([answer.status, answer.body]).toEqual([403, UNVERIFIED])
  })
})

describe('oauth2/invalidate_token', () => {
  const places: [string, (token: string) => { path: string; form?: Record<string, string> }][] = [
    ['in the query, escaped', (token) => ({ path: `/oauth2/invalidate_token?access_token=${encode(token)}` })],
    ['in the query, as it is', (token) => ({ path: `/oauth2/invalidate_token?access_token=${token}` })],
    ['in a form body', (token) => ({ path: '/oauth2/invalidate_token', form: { access_token: token } })],
  ]

  test.each(places)('ends the token that the owner of the app names %s; the next one differs', async (_, place) => {
    const { app, owner } = await ownedApp()
    expect((await oneUser(app.bearer_token)).status).toBe(200)
    const { path, form } = place(app.bearer_token)
    const answer = await server.request('POST', path, { as: { keys: owner }, form })
    expect([answer.status, answer.body]).toEqual([200, { access_token: app.bearer_token }])
    const dead = await oneUser(app.bearer_token)
    expect([dead.status, dead.body]).toEqual([401, INVALID_TOKEN])
    const next = await askToken(basic(app))
    expect(next.status).toBe(200)
    expect(next.body.access_token).not.toBe(app.bearer_token)
    expect((await askToken(basic(app))).body).toEqual(next.body)
    expect((await oneUser(next.body.access_token)).status).toBe(200)
    expect((await oneUser(app.bearer_token)).body).toEqual(INVALID_TOKEN)
    expect((await oneUser(`${app.bearer_token}x`)).body).toEqual(UNAUTHORIZED)
  })

  test('takes the Basic header of the app too', async () => {
    const app = await makeApp(server)
    const answer = await server.request('POST', '/oauth2/invalidate_token', {
      as: { header: basic(app) },
      form: { access_token: app.bearer_token },
    })
    expect([answer.status, answer.body]).toEqual([200, { access_token: app.bearer_token }])
    expect((await oneUser(app.bearer_token)).status).toBe(401)
  })

  test('gives one new token to many requests at once', async () => {
    const app = await makeApp(server)
    const form = { access_token: app.bearer_token }
    await server.request('POST', '/oauth2/invalidate_token', { as: { header: basic(app) }, form })
    const answers = await Promise.all(Array.from({ length: 6 }, () => askToken(basic(app))))
    expect(new Set(answers.map((answer) => answer.body.access_token)).size).toBe(1)
    expect((await oneUser(answers[0]!.body.access_token)).status).toBe(200)
  })

  test('refuses a user who does not own the app, and the token stays valid', async () => {
    const { app, other } = await ownedApp()
    const form = { access_token: app.bearer_token }
    const answer = await server.request('POST', '/oauth2/invalidate_token', { as: { keys: other }, form })
    expect([answer.status, answer.body]).toEqual([403, UNVERIFIED])
    expect((await oneUser(app.bearer_token)).status).toBe(200)
  })

  test('refuses an unknown token, a missing one, an ended one, and one of another app of the same owner', async () => {
    const { app, owner } = await ownedApp()
    const second = await ownedApp()
    const invalidate = (form: Record<string, string>) =>
      server.request('POST', '/oauth2/invalidate_token', { as: { keys: owner }, form })
    const forms: Record<string, string>[] = [
      { access_token: 'unknown' },
      { other: 'x' },
      { access_token: second.app.bearer_token },
    ]
    for (const form of forms) {
      const answer = await invalidate(form)
      expect([answer.status, answer.body]).toEqual([403, UNVERIFIED])
    }
    expect((await oneUser(second.app.bearer_token)).status).toBe(200)
    expect((await invalidate({ access_token: app.bearer_token })).status).toBe(200)
    const again = await invalidate({ access_token: app.bearer_token })
    expect([again.status, again.body]).toEqual([403, UNVERIFIED])
  })

  test('refuses a wrong signature with code 32', async () => {
    const { app, owner } = await ownedApp()
    const form = { access_token: app.bearer_token }
    const answer = await server.request('POST', '/oauth2/invalidate_token', {
      as: { keys: { ...owner, tokenSecret: 'wrong' } },
      form,
    })
    expect([answer.status, answer.body]).toEqual([401, COULD_NOT_AUTHENTICATE])
    expect((await oneUser(app.bearer_token)).status).toBe(200)
  })
})

test('an app that asks for its token too often is refused with 403 and code 99, other apps are not', async () => {
  const limited = await startTestServer(['--rate-limits', 'on'])
  try {
    const [eager, calm] = limited.credentials.apps
    for (let batch = 0; batch < 4; batch++) {
      const answers = await Promise.all(Array.from({ length: 25 }, () => askToken(basic(eager!), GRANT, limited)))
      expect(answers.every((answer) => answer.status === 200)).toBe(true)
    }
    const answer = await askToken(basic(eager!), GRANT, limited)
    expect([answer.status, answer.body]).toEqual([403, UNVERIFIED])
    const elsewhere = await limited.request('POST', '/2/oauth2/token', {
      as: { header: `Basic ${Buffer.from(`${eager!.client_id}:${eager!.client_secret}`).toString('base64')}` },
      form: { grant_type: 'client_credentials' },
    })
    expect([elsewhere.status, elsewhere.body]).toEqual([403, UNVERIFIED])
    expect((await askToken(basic(calm!), GRANT, limited)).status).toBe(200)
  } finally {
    await limited.close()
  }
})
