import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeApp, person } from '../identity/steps.ts'
import { Browser } from '../support/browser.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

interface Shown {
  id: string
  name: string
}
const appsOf = async (user: string): Promise<Shown[]> => (await server.command('user.apps', { user })).apps

describe('the connected apps of a user', () => {
  test('have what was granted by OAuth 1.0a and OAuth 2.0, once for each app', async () => {
    const app = await makeApp(server, { name: 'Gardener', description: 'Waters posts' })
    await server.command('user.token', { user: 'erin', app: app.id, access_level: 'read' })
    await server.command('user.token', { user: 'erin', app: app.id, scopes: ['users.read', 'post.read'], oauth2: true })
    await server.command('user.token', { user: 'erin', app: app.id, scopes: ['like.read', 'post.read'], oauth2: true })
    const found = (await appsOf('erin')).filter((item) => item.id === app.id)
    expect(found).toMatchObject([
      {
        name: 'Gardener',
        description: 'Waters posts',
        owner: 'bob',
        access_level: 'read',
        scopes: ['like.read', 'post.read', 'users.read'],
      },
    ])
    const first = (await appsOf('erin'))[0] as unknown as { last_token_at: string | null }
    expect(first.last_token_at).toBeNull()
    expect((await appsOf('dario')).map((item) => item.id)).not.toContain(app.id)
  })

  test('lose an app whose access was revoked, and pages begin after an id', async () => {
    const app = await makeApp(server, { name: 'Short visit' })
    await server.command('user.token', { user: 'erin', app: app.id })
    const before = (await appsOf('erin')).map((item) => item.id)
    expect(before).toContain(app.id)
    expect((await server.command('user.apps', { user: 'erin', after: before[0], limit: 1 })).apps[0].id).toBe(before[1])
    await server.command('user.revoke', { user: 'erin', app: app.id })
    expect((await appsOf('erin')).map((item) => item.id)).toEqual(before.filter((id) => id !== app.id))
  })
})

describe('the sessions of a user', () => {
  test('say when and with which browser, and can be ended', async () => {
    const browser = new Browser(server.baseUrl)
    await browser.signIn(await browser.open('/i/sign-in?return_to=/favicon.ico'), person(server, 'chika'))
    const { sessions } = await server.command('user.sessions', { user: 'chika' })
    expect(sessions).toHaveLength(1)
    expect(sessions[0]).toMatchObject({ id: expect.stringMatching(/^[0-9a-f]{16}$/), agent: '' })
    expect(sessions[0].created_at.slice(0, 10)).toBe(sessions[0].last_seen_on)
    expect(await server.command('user.sessions', { user: 'chika', end: true })).toEqual({ ended: 1 })
    expect((await browser.open('/i/sign-in')).text).toContain('<h1>Sign in</h1>')
  })
})
