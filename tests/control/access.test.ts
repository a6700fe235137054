import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { exchangeCode, grantOauth2, obtainCode, refresh, SCOPE } from '../identity/pkce.steps.ts'
import {
  appKeys,
  CALLBACK,
  exchangeRequestToken,
  grantOauth1,
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
