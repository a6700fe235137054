import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { routesOf } from '../../src/api-kit/faults/known-routes.ts'
import { isReservedName, usernameFault } from '../../src/identity/accounts/username-rules.ts'
import { readSettings, SettingError } from '../../src/settings.ts'
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
