import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { routesOf } from '../../src/api-kit/faults/known-routes.ts'
import { isReservedName, usernameFault } from '../../src/identity/accounts/username-rules.ts'
import { readSettings, SettingError } from '../../src/settings.ts'
import { Browser } from '../support/browser.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

describe('the setting --registration', () => {
  const read = (...flags: string[]) => readSettings(flags, {}).registration

  test('is open only where nobody else can connect, unless it is set', () => {
    expect(read()).toBe('open')
    expect(read('--host', '0.0.0.0')).toBe('closed')
    expect(read('--public-url', 'https://rostra.example')).toBe('closed')
    expect(read('--trust-proxy', 'on')).toBe('closed')
    expect(read('--host', '0.0.0.0', '--registration', 'open')).toBe('open')
    expect(read('--registration', 'invitation')).toBe('invitation')
    expect(() => read('--registration', 'maybe')).toThrow(SettingError)
  })
})

describe('names of pages', () => {
  const RESERVED = ['home', 'Search', 'i', '2', 'SETTINGS', 'oauth', 'health', 'login', 'register']

  test.each(RESERVED)('cannot be usernames: %s', async (username) => {
    const sentence = `The username ${username} is reserved. Pages of the server have such names.`
    for (const [command, args] of [
      ['user.create', { username }],
      ['user.update', { user: 'dario', username }],
    ] as const) {
      const answer = await server.tryCommand(command, args)
      expect(answer.status).toBe(400)
      expect(answer.body.errors[0]).toMatchObject({ parameters: { username: [username] }, message: sentence })
    }
  })

  test('cannot be usernames in world files', async () => {
    const answer = await server.tryCommand('world.apply', { world: { users: [{ username: 'Home' }] } })
    expect(answer.status).toBe(400)
    expect(answer.text).toContain('users[0].username')
    expect(answer.text).toContain('reserved')
  })

  test('are all those that a route of the server begins with', () => {
    const firsts = new Set(routesOf(server.runtime).map(({ path }) => path.split('/')[1]!))
    const possible = [...firsts].filter((name) => /^\w{1,15}$/.test(name))
    expect(possible.length).toBeGreaterThan(4)
    expect(possible.filter((name) => !isReservedName(name))).toEqual([])
    expect(usernameFault('dot.ted')).toContain('letters, digits and underscores')
  })
})

describe('invitations', () => {
  test('are created, listed without their code, and revoked', async () => {
    const made = await server.command('invitation.create', { uses: 3, expires_in: '7d', note: 'for the team' })
    expect(made).toMatchObject({ most_uses: 3, note: 'for the team' })
    expect(made.url).toBe(`${server.baseUrl}/i/register?invitation=${made.code}`)
    const { invitations } = await server.command('invitation.list', {})
    expect(invitations.at(-1)).toMatchObject({ id: made.id, uses: 0, most_uses: 3, revoked: false })
    expect(JSON.stringify(invitations)).not.toContain(made.code)
    expect(await server.command('invitation.revoke', { invitation: made.id })).toEqual({ id: made.id, revoked: true })
    expect(
      (await server.command('invitation.list', { after: String(BigInt(made.id) - 1n) })).invitations,
    ).toMatchObject([{ id: made.id, revoked: true }])
  })

  test.each([
    ['invitation.create', { expires_in: 'soon' }, 400, 'expires_in'],
    ['invitation.create', { uses: 0 }, 400, 'uses'],
    ['invitation.list', { after: 'x' }, 400, 'after'],
    ['invitation.revoke', { invitation: '12' }, 404, 'There is no invitation [12].'],
  ] as const)('refuse %s with %j', async (command, args, status, words) => {
    const answer = await server.tryCommand(command, args)
    expect(answer.status).toBe(status)
    expect(answer.text).toContain(words)
  })
})

describe('registrations from one address', () => {
  const register = async (fields: Record<string, string>) => {
    const browser = new Browser(server.baseUrl)
    return browser.submit(await browser.open('/i/register'), 'username', {
      name: 'Somebody',
      password: 'long enough',
      ...fields,
    })
  }
  const take = (name: string, times: number, seconds: number) =>
    Promise.all(
      Array.from({ length: times }, () =>
        server.runtime.limiter.take(`register:${name}:127.0.0.1`, { limit: 1_000, seconds }),
      ),
    )

  test('end with the twentieth account of an hour, and a refused one is not counted', async () => {
    await take('account', 19, 3600)
    const taken = await register({ username: 'alice' })
    expect([taken.status, taken.text.includes('is taken')]).toEqual([400, true])
    expect((await register({ username: 'twentieth' })).address).toBe('/home')
    const refused = await register({ username: 'twentyfirst' })
    expect(refused.status).toBe(429)
    expect(refused.text).toContain('There were too many registrations from your network address.')
    expect((await server.get('/2/users/by/username/twentyfirst')).body.data).toBeUndefined()
  })

  test('end with the hundredth attempt of a quarter of an hour, also with wrong names', async () => {
    await server.command('limits.clear', {})
    await take('attempt', 99, 900)
    expect((await register({ username: 'not a name' })).status).toBe(400)
    expect((await register({ username: 'not a name' })).status).toBe(429)
    await server.command('limits.clear', {})
    expect((await register({ username: 'afterwards' })).address).toBe('/home')
  })

  test('a form without its token says how to go on where there is no app', async () => {
    const refused = await new Browser(server.baseUrl).post('/i/register', { username: 'forged' })
    expect(refused.status).toBe(403)
    expect(refused.text).toContain('Please start again')
    expect(refused.text).toContain('load the page again')
    expect(refused.text).not.toContain('the app')
  })
})
