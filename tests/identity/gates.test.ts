import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Browser } from '../support/browser.ts'
import { type As, startTestServer, type TestServer } from '../support/server.ts'
import type { SigningKeys } from '../support/sign.ts'
import { grantOauth2 } from './pkce.steps.ts'
import { appKeys, type MadeApp, makeApp, signedInBrowser, UNAUTHORIZED } from './steps.ts'

type Kind = 'app' | 'oauth1' | 'oauth2' | 'nobody'
const WORDS = {
  app: 'OAuth 2.0 Application-Only',
  oauth1: 'OAuth 1.0a User Context',
  oauth2: 'OAuth 2.0 User Context',
}
const FORBIDDEN = { title: 'Forbidden', type: 'about:blank', status: 403, detail: 'Forbidden' }

let server: TestServer
let app: MadeApp
let browser: Browser
let callers: Record<Kind, As>
beforeAll(async () => {
  server = await startTestServer()
  app = await makeApp(server, { tier: 'enterprise' })
  browser = await signedInBrowser(server, app, 'bob')
  callers = {
    app: { bearer: app.bearer_token },
    oauth1: { keys: await keysFor('bob') },
    oauth2: { bearer: (await grantOauth2(server, app, browser)).access_token },
    nobody: 'nobody',
  }
})
afterAll(() => server.close())

async function keysFor(user: string, access_level?: string, of = app): Promise<SigningKeys> {
  const pair = await server.command('user.token', { user, app: of.id, ...(access_level ? { access_level } : {}) })
  return { ...appKeys(of), token: pair.access_token, tokenSecret: pair.access_token_secret }
}

let posts = 0
const operations: Record<
  string,
  { call(as: As): Promise<{ status: number; body: unknown; headers: Headers }>; right: number; takes: Kind[] }
> = {
  'a read for everybody with credentials (GET /2/users/{id})': {
    call: (as) => server.get(`/2/users/${server.userId('bob')}`, as),
    right: 200,
    takes: ['oauth1', 'oauth2', 'app'],
  },
  'a list read (GET /2/posts)': {
    call: (as) => server.get('/2/posts?ids=1', as),
    right: 200,
    takes: ['oauth1', 'oauth2', 'app'],
  },
  'a read of the caller (GET /2/users/me)': {
    call: (as) => server.get('/2/users/me', as),
    right: 200,
    takes: ['oauth1', 'oauth2'],
  },
  'a write in the name of the user (POST /2/posts)': {
    call: (as) => {
      posts += 1
      return server.post('/2/posts', { text: `Through the gate ${posts}` }, as)
    },
    right: 201,
    takes: ['oauth1', 'oauth2'],
  },
  'a read of the app (GET /2/webhooks)': {
    call: (as) => server.get('/2/webhooks', as),
    right: 200,
    takes: ['app'],
  },
  'a write for app or OAuth 1.0a user (POST /2/webhooks)': {
    // An address that cannot be used: after the gate it is refused as an argument.
    call: (as) => server.post('/2/webhooks', { url: 'not an address' }, as),
    right: 400,
    takes: ['oauth1', 'app'],
  },
}

describe.each(Object.entries(operations))('%s', (_, { call, right, takes }) => {
  test.each(['app', 'oauth1', 'oauth2'] as const)('lets %s pass or says which kinds it takes', async (kind) => {
    const answer = await call(callers[kind])
    if (takes.includes(kind)) expect(answer.status).toBe(right)
    else {
      expect(answer.status).toBe(403)
      expect(answer.headers.get('content-type')).toContain('application/problem+json')
      expect(answer.body).toEqual({
        title: 'Unsupported Authentication',
        detail:
          `Authenticating with ${WORDS[kind]} is forbidden for this endpoint.  ` +
          `Supported authentication types are [${takes.map((taken) => WORDS[taken as 'app']).join(', ')}].`,
        type: `${server.runtime.baseUrl}/2/problems/unsupported-authentication`,
        status: 403,
      })
    }
  })

  test('refuses a request without credentials', async () => {
    const answer = await call(callers.nobody)
    expect([answer.status, answer.body]).toEqual([401, UNAUTHORIZED])
    expect(answer.headers.get('content-type')).toContain('application/problem+json')
  })
})

test('credentials of an unknown kind are refused with 401', async () => {
  const headers = ['Bearer', 'Bearer unknown', 'Bearer a b', 'Basic dTpw', 'Digest x', 'nonsense', 'OAuth']
  for (const header of headers) {
    const answer = await server.get('/2/users/me', { header })
    expect([header, answer.status, answer.body]).toEqual([header, 401, UNAUTHORIZED])
  }
})

test('the admin key works only for the control interface', async () => {
  expect((await server.get('/2/users/me', { bearer: server.credentials.admin_key })).status).toBe(401)
})

describe('scopes', () => {
  test.each([
    ['post.read', 'post.write users.read'],
    ['post.write', 'post.read users.read'],
    ['users.read', 'post.read post.write'],
  ])('a token without %s cannot create a post', async (_, scope) => {
    const { access_token } = await grantOauth2(server, app, browser, scope)
    const answer = await server.post('/2/posts', { text: 'Out of scope' }, { bearer: access_token })
    expect([answer.status, answer.body]).toEqual([403, FORBIDDEN])
    expect(answer.headers.get('content-type')).toContain('application/problem+json')
  })

  test('a token with the reading scopes reads and does not write', async () => {
    const { access_token } = await grantOauth2(server, app, browser, 'post.read users.read')
    expect((await server.get('/2/users/me', { bearer: access_token })).status).toBe(200)
    expect((await server.post('/2/posts', { text: 'x' }, { bearer: access_token })).body).toEqual(FORBIDDEN)
  })

  test('a token with all scopes but the needed ones reads nothing', async () => {
    const { access_token } = await grantOauth2(server, app, browser, 'like.read follows.read dm.read offline.access')
    for (const path of ['/2/users/me', '/2/posts?ids=1'])
      expect((await server.get(path, { bearer: access_token })).body).toEqual(FORBIDDEN)
  })
})

describe('permission levels of OAuth 1.0a', () => {
  test('a token that may read is refused for every write, with the type oauth1-permissions', async () => {
    const keys = await keysFor('dario', 'read')
    expect((await server.get('/2/users/me', { keys })).status).toBe(200)
    const writes = [
      await server.post('/2/posts', { text: 'Not allowed' }, { keys }),
      await server.delete('/2/posts/1', { keys }),
      await server.post('/2/webhooks', { url: 'https://example.com/' }, { keys }),
    ]
    for (const answer of writes) {
      expect(answer.status).toBe(403)
      expect(answer.headers.get('content-type')).toContain('application/problem+json')
      expect(answer.body).toEqual({
        title: 'Forbidden',
        status: 403,
        detail: 'Your client app is not configured with the appropriate oauth1 app permissions for this endpoint.',
        type: `${server.runtime.baseUrl}/2/problems/oauth1-permissions`,
      })
    }
  })

  test('a token keeps its level when the setting of the app changes, until the user allows again', async () => {
    const made = await makeApp(server, { name: 'Changing', permission_level: 'read' })
    const keys = await keysFor('dario', undefined, made)
    await server.command('app.update', { app: made.id, permission_level: 'read-write' })
    expect((await server.post('/2/posts', { text: 'Before' }, { keys })).status).toBe(403)
    const again = await keysFor('dario', undefined, made)
    expect((await server.post('/2/posts', { text: 'After' }, { keys: again })).status).toBe(201)
  })
})

describe('the header x-access-level', () => {
  test.each([
    ['read', 'read'],
    ['read-write', 'read-write'],
    ['read-write-messages', 'read-write-directmessages'],
  ])('of an OAuth 1.0a token of level %s says %s', async (level, shown) => {
    const keys = await keysFor('chika', level)
    expect((await server.get('/2/users/me', { keys })).headers.get('x-access-level')).toBe(shown)
  })

  test('of an app-only call says read, also on a refusal', async () => {
    const read = await server.get(`/2/users/${server.userId('bob')}`, callers.app)
    expect(read.headers.get('x-access-level')).toBe('read')
    expect((await server.get('/2/users/me', callers.app)).headers.get('x-access-level')).toBe('read')
  })

  test.each([
    ['post.read users.read', 'read'],
    ['post.read users.read post.write', 'read-write'],
    ['post.read users.read dm.write dm.read', 'read-write-directmessages'],
  ])('of an OAuth 2.0 token follows its scopes: %s', async (scope, shown) => {
    const { access_token } = await grantOauth2(server, app, browser, scope)
    expect((await server.get('/2/users/me', { bearer: access_token })).headers.get('x-access-level')).toBe(shown)
  })

  test('is absent without a caller', async () => {
    expect((await server.get('/2/users/me', 'nobody')).headers.get('x-access-level')).toBeNull()
  })
})

test('a suspended user is refused with every kind of user credential, and accepted again afterwards', async () => {
  const user = await server.command('user.create', { username: 'frank', password: 'long enough' })
  const keys = await keysFor('frank')
  await server.command('user.update', { user: user.id, suspended: true })
  expect((await server.get('/2/users/me', { keys })).status).toBe(403)
  await server.command('user.update', { user: user.id, suspended: false })
  expect((await server.get('/2/users/me', { keys })).status).toBe(200)
})
