import { expect } from 'vitest'
import { change } from '../../src/api-kit/runtime.ts'
import { grantAdd, issueTokens } from '../../src/identity/oauth2/tokens.ts'
import type { As, TestServer } from '../support/server.ts'
import type { SigningKeys } from '../support/sign.ts'

/** Signing keys of a user for an app of the first world by index: 1 is the self-serve one. */
export async function keysFor(server: TestServer, username: string, appIndex: number): Promise<SigningKeys> {
  const { apps } = await server.command('app.list')
  const pair = await server.command('user.token', { user: username, app: apps[appIndex].id })
  const app = server.credentials.apps[appIndex]!
  return {
    consumerKey: app.api_key,
    consumerSecret: app.api_key_secret,
    token: pair.access_token,
    tokenSecret: pair.access_token_secret,
  }
}

/** An OAuth 2.0 access token of a user for the first app with these scopes. */
export async function accessToken(server: TestServer, username: string, scopes: string[]): Promise<string> {
  const { runtime } = server
  const { apps } = await server.command('app.list')
  const id = runtime.ids.next()
  const now = runtime.clock.now()
  const tokens = await change(runtime, async (tx) => {
    await grantAdd.count(tx, id, apps[0].id, server.userId(username), scopes, 'neutral', new Date(now))
    return issueTokens(tx, { id, scopes }, now)
  })
  return tokens.access
}

/** Creates a post, which must succeed. Returns its id. */
export async function makePost(server: TestServer, as: As | (string & {}), body: object): Promise<string> {
  const made = await server.post('/2/posts', body, typeof as === 'string' ? userAs(as) : as)
  if (made.status !== 201) throw new Error(`post refused: ${made.status} ${made.text}`)
  return made.body.data.id
}

const userAs = (name: string): As => (name === 'app' || name === 'second-app' ? name : { user: name })

/** One post with the requested fields. */
export async function readPost(server: TestServer, id: string, fields: string, as: As = 'app') {
  const read = await server.get(`/2/posts/${id}?post.fields=${fields}`, as)
  if (read.status !== 200) throw new Error(`no post: ${read.status} ${read.text}`)
  return read.body.data
}

/** Rows of a statement on the database of the server. */
// biome-ignore lint/suspicious/noExplicitAny: tests name the columns they read.
export async function rows(server: TestServer, sql: string, values: unknown[] = []): Promise<any[]> {
  return (await server.runtime.database.pool.query(sql, values)).rows
}

/** How many posts a user has by the public counter. */
export async function postCount(server: TestServer, username: string): Promise<number> {
  const read = await server.get(`/2/users/by/username/${username}?user.fields=public_metrics`)
  return read.body.data.public_metrics.post_count
}

export const HOUR = 3600_000
export const DAY = 24 * HOUR

/** The error of a rule of the product. */
export const forbidden = (detail: string) => ({ detail, type: 'about:blank', title: 'Forbidden', status: 403 })

/** The answer of a read whose object does not exist: only the error. */
export const notFoundOnly = { errors: [expect.objectContaining({ title: 'Not Found Error' })] }

/** The 400 with these faults. */
export const invalidRequest = (server: TestServer, ...faults: { parameters: object; message: unknown }[]) => ({
  errors: faults,
  title: 'Invalid Request',
  detail: 'One or more parameters to your request was invalid.',
  type: `${server.runtime.problemBase}/invalid-request`,
})
