import { change } from '../../src/api-kit/runtime.ts'
import { createUser } from '../../src/social/users/create-user.ts'
import type { As, TestServer } from '../support/server.ts'
import { accessToken } from './acting.ts'

const SPACE_SCOPES = ['space.read', 'post.read', 'users.read']

/** A user by OAuth 2.0, as the operations on spaces require. */
export const listening = async (server: TestServer, username: string): Promise<As> => ({
  bearer: await accessToken(server, username, SPACE_SCOPES),
})

/** A new user without a password, whose hash would take most of the time. */
export async function newHost({ runtime }: TestServer, username: string): Promise<{ username: string; id: string }> {
  const id = await change(runtime, (tx, invalidate) =>
    createUser(tx, invalidate, runtime, { username, name: username }),
  )
  return { username, id: id! }
}

/** A live space of a new user. */
export async function liveSpace(server: TestServer, username: string, more: object = {}): Promise<string> {
  await newHost(server, username)
  return (await server.command('spaces.create', { user: username, title: `The space of ${username}`, ...more })).id
}

/** A moment from now, as commands take it. */
export const from = (server: TestServer, ms: number): string => new Date(server.runtime.clock.now() + ms).toISOString()
