import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readCredentials } from '../../src/start/credentials-file.ts'
import { giveFirstOauth2Pairs } from '../../src/world/first-oauth2.ts'
import { exchangeCode, grantOauth2, obtainCode, refresh, SCOPE } from '../identity/pkce.steps.ts'
import {
  appKeys,
  CALLBACK,
  exchangeRequestToken,
  grantOauth1,
  type MadeApp,
  makeApp,
  requestToken,
  signedInBrowser,
} from '../identity/steps.ts'
import { invalidRequest, rows } from '../social/acting.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

const LEVELS = ['read', 'read-write', 'read-write-messages']

describe('user.token', () => {
  test.each(LEVELS)('issues tokens up to the level %s of the app, and refuses higher levels', async (has) => {
    const app = await makeApp(server, { permission_level: has })
    const allowed = LEVELS.slice(0, LEVELS.indexOf(has) + 1)
    for (const level of LEVELS) {
      const answer = await server.tryCommand('user.token', { user: 'alice', app: app.id, access_level: level })
      if (allowed.includes(level)) {
        expect(answer.body).toMatchObject({ access_level: level })
        continue
      }
      const message = `access_level [${level}] is higher than that of the app; allowed are [${allowed.join(',')}]`
      expect(answer.status).toBe(400)
      expect(answer.body).toEqual(invalidRequest(server, { parameters: { access_level: [level] }, message }))
    }
    const stored = await rows(server, 'select access_level from oauth1_access_token where app_id = $1', [app.id])
    expect(stored).toEqual([{ access_level: has }])
    expect((await server.command('user.token', { user: 'alice', app: app.id })).access_level).toBe(has)
  })

  const me = async (bearer: string) => (await server.get('/2/users/me', { bearer })).body.data?.username

  test('issues an OAuth 2.0 pair that works like one from the pages', async () => {
    const app = await makeApp(server, { name: 'Pairs' })
    const made = await server.command('user.token', {
      user: '@bob',
      app: 'pairs',
      oauth2: true,
      scopes: ['users.read', 'tweet.read', 'offline.access'],
    })
    expect(made).toEqual({
      user_id: server.userId('bob'),
      username: 'bob',
      app_id: app.id,
      app: 'Pairs',
      token_type: 'bearer',
      expires_in: 7_200,
      access_token: expect.any(String),
      refresh_token: expect.any(String),
      scopes: ['users.read', 'post.read', 'offline.access'],
    })
    expect(await me(made.access_token)).toBe('bob')
    expect((await server.post('/2/posts', { text: 'no' }, { bearer: made.access_token })).status).toBe(403)
    const renewed = await refresh(server, app, made.refresh_token)
    expect(await me(renewed.body.access_token)).toBe('bob')
  })

  test('without offline.access has no refresh token; without an app it is for the oldest, without scopes for all', async () => {
    const made = await server.command('user.token', { user: 'bob', oauth2: true, scopes: ['users.read', 'post.read'] })
    expect(made).not.toHaveProperty('refresh_token')
    expect(made.app).toBe('First app')
    const all = await server.command('user.token', { user: 'bob', oauth2: true })
    expect(all.scopes).toContain('dm.write')
    expect((await server.post('/2/posts', { text: 'by all scopes' }, { bearer: all.access_token })).status).toBe(201)
  })

  test('refuses what does not fit together, by the name of the argument', async () => {
    const refused = async (args: Record<string, unknown>) => {
      const answer = await server.tryCommand('user.token', { user: 'bob', ...args })
      return [answer.status, answer.body.errors?.[0].message ?? answer.body.detail]
    }
    await makeApp(server, { name: 'Twin' })
    await makeApp(server, { name: 'twin' })
    expect(await refused({ oauth2: true, scopes: ['users.reed'] })).toEqual([
      400,
      expect.stringMatching(/^the scope users\.reed does not exist; allowed are \[post\.read,/),
    ])
    expect(await refused({ scopes: ['users.read'] })).toEqual([400, 'scopes are for OAuth 2.0; set oauth2 to true'])
    expect(await refused({ oauth2: true, access_level: 'read' })).toEqual([
      400,
      'access_level is for OAuth 1.0a; OAuth 2.0 has scopes',
    ])
    expect(await refused({ app: 'Nothing' })).toEqual([404, 'There is no app [Nothing].'])
    expect(await refused({ app: 'TWIN' })).toEqual([
      400,
      expect.stringMatching(/^Several apps have the name \[TWIN\]\. Use an id: \d+, \d+\.$/),
    ])
  })
})

test('credentials.json has the ids of apps, which commands take', async () => {
  const { apps } = await readCredentials(server.runtime)
  const listed = (await server.command('app.list')).apps as { id: string; name: string }[]
  expect(apps.map(({ id, name }) => ({ id, name }))).toEqual(
    apps.map(({ name }) => expect.objectContaining({ id: listed.find((app) => app.name === name)!.id, name })),
  )
  expect(await server.command('user.token', { user: 'bob', app: apps[0]!.id })).toMatchObject({ app: apps[0]!.name })
})

describe('the OAuth 2.0 pairs of credentials.json', () => {
  const userOf = async (username: string) =>
    (await readCredentials(server.runtime)).users.find((user) => user.username === username)!
  const me = async (bearer: string | undefined) => (await server.get('/2/users/me', { bearer: bearer! })).status

  test('work for every user with every scope, also in ten years', async () => {
    const { users } = await readCredentials(server.runtime)
    for (const user of users) {
      const bearer = user.oauth2_access_token!
      expect((await server.get('/2/users/me', { bearer })).body.data.username).toBe(user.username)
    }
    const bearer = users[1]!.oauth2_access_token!
    expect((await server.post('/2/posts', { text: 'with the first pair' }, { bearer })).status).toBe(201)
    await server.command('clock', { advance_ms: 3600_000 * 24 * 3650 })
    expect(await me(bearer)).toBe(200)
    await server.command('clock', { reset: true })
  })

  test('are listed only while they are valid, and a reset restores them', async () => {
    const before = await userOf('chika')
    const { name: _name, ...app } = server.credentials.apps[0]!
    const renewed = await refresh(server, app as MadeApp, before.oauth2_refresh_token!)
    expect(renewed.status).toBe(200)
    const used = await userOf('chika')
    expect(used.oauth2_access_token).toBe(before.oauth2_access_token)
    expect(used.oauth2_refresh_token).toBeUndefined()
    await server.command('user.revoke', { user: 'chika', app: 'First app' })
    expect((await userOf('chika')).oauth2_access_token).toBeUndefined()
    expect(await me(before.oauth2_access_token)).toBe(401)
    await giveFirstOauth2Pairs(server.runtime.database, server.runtime)
    expect(await me(before.oauth2_access_token)).toBe(401)

    const reset = await server.request('POST', '/_rostra/reset', { as: { bearer: server.credentials.admin_key } })
    expect(reset.status).toBe(200)
    expect(await userOf('chika')).toEqual(before)
    expect(await me(before.oauth2_access_token)).toBe(200)
  })

  test('are given to a world of an earlier version when it starts', async () => {
    await rows(server, 'delete from oauth2_grant')
    const { oauth2_access_token: lost } = server.credentials.users[2]!
    expect((await userOf(server.credentials.users[2]!.username)).oauth2_access_token).toBeUndefined()
    await giveFirstOauth2Pairs(server.runtime.database, server.runtime)
    await server.command('cache.forget', {})
    expect((await userOf(server.credentials.users[2]!.username)).oauth2_access_token).toBe(lost)
    expect(await me(lost)).toBe(200)
  })
})

describe('user.revoke', () => {
  const events = async (appId: string) =>
    rows(server, `select actor_id, payload from event_outbox where type = 'oauth.revoke' and payload->>'app_id' = $1`, [
      appId,
    ])
  const me = async (as: Parameters<TestServer['get']>[1]) => (await server.get('/2/users/me', as)).status

  test('ends every grant of the user for the app at once, emits one event, and leaves all other grants', async () => {
    const [app, other] = [await makeApp(server), await makeApp(server, { name: 'Other' })]
    const alice = await signedInBrowser(server, app, 'alice')
    const erin = await signedInBrowser(server, app, 'erin')
    const signed = { keys: await grantOauth1(server, app, alice) }
    const granted = [
      await grantOauth2(server, app, alice, `${SCOPE} offline.access`),
      await grantOauth2(server, app, alice),
    ]
    const bearers = granted.map((item) => ({ bearer: item.access_token }))
    const kept = [
      { keys: await grantOauth1(server, other, alice) },
      { bearer: (await grantOauth2(server, other, alice)).access_token },
      { keys: await grantOauth1(server, app, erin) },
      { bearer: (await grantOauth2(server, app, erin)).access_token },
    ]
    // Used before, so the server has cached them.
    for (const as of [signed, ...bearers, ...kept]) expect(await me(as)).toBe(200)

    expect(await server.command('user.revoke', { user: '@alice', app: app.id })).toEqual({
      user_id: server.userId('alice'),
      username: 'alice',
      app_id: app.id,
      app: 'Reader',
      oauth1_grants: 1,
      oauth2_grants: 2,
    })
    for (const as of [signed, ...bearers]) expect(await me(as)).toBe(401)
    expect((await refresh(server, app, granted[0]!.refresh_token!)).status).toBe(400)
    for (const as of kept) expect(await me(as)).toBe(200)
    expect(await events(app.id)).toEqual([{ actor_id: server.userId('alice'), payload: { app_id: app.id } }])

    // The user is asked again, and the new grant has a new token.
    const again = await grantOauth1(server, app, alice)
    expect(again.token).not.toBe(signed.keys.token)
    expect(await me({ keys: again })).toBe(200)
  })

  test('ends grants that the user approved and the app has not exchanged yet', async () => {
    const app = await makeApp(server)
    const browser = await signedInBrowser(server, app, 'alice')
    const asked = await requestToken(server, appKeys(app), CALLBACK)
    const page = await browser.open(`/oauth/authorize?oauth_token=${asked.oauth_token}`)
    const verifier = (await browser.decide(page, 'approve')).leftFor!.searchParams.get('oauth_verifier')!
    const code = await obtainCode(browser, app)
    expect(await server.command('user.revoke', { user: 'alice', app: app.id })).toMatchObject({
      oauth1_grants: 1,
      oauth2_grants: 1,
    })
    expect((await exchangeRequestToken(server, appKeys(app), asked, verifier)).status).toBe(401)
    expect((await exchangeCode(server, app, code)).status).toBe(400)
    expect(await events(app.id)).toHaveLength(1)
  })

  test('also ends a token that is being issued at the same moment', async () => {
    const app = await makeApp(server)
    const browser = await signedInBrowser(server, app, 'alice')
    for (let round = 0; round < 8; round++) {
      const code = await obtainCode(browser, app)
      const [exchanged] = await Promise.all([
        exchangeCode(server, app, code).then(async (answer) => {
          if (answer.status === 200) await me({ bearer: answer.body.access_token })
          return answer
        }),
        server.command('user.revoke', { user: 'alice', app: app.id }),
      ])
      if (exchanged.status === 200) expect(await me({ bearer: exchanged.body.access_token })).toBe(401)
    }
  })

  test('ends nothing the second time, and emits no event', async () => {
    const app = await makeApp(server)
    await server.command('user.token', { user: 'bob', app: app.id })
    await server.command('user.revoke', { user: 'bob', app: app.id })
    expect(await server.command('user.revoke', { user: 'bob', app: app.id })).toMatchObject({
      oauth1_grants: 0,
      oauth2_grants: 0,
    })
    expect(await events(app.id)).toHaveLength(1)
  })

  test('refuses users and apps that do not exist', async () => {
    const app = await makeApp(server)
    expect((await server.tryCommand('user.revoke', { user: 'nobody_here', app: app.id })).status).toBe(404)
    expect((await server.tryCommand('user.revoke', { user: 'bob', app: '1' })).status).toBe(404)
  })
})
