import type { As, TestServer } from '../support/server.ts'
import { rows } from './acting.ts'

/** A new user with signing keys for the first app. */
export async function newUser(
  server: TestServer,
  username: string,
  facts: Record<string, unknown> = {},
): Promise<{ id: string; as: As }> {
  const made = await server.command('user.create', { username, password: 'a long password', ...facts })
  const { apps } = await server.command('app.list')
  const pair = await server.command('user.token', { user: username, app: apps[0].id })
  const app = server.credentials.apps[0]!
  const keys = {
    consumerKey: app.api_key,
    consumerSecret: app.api_key_secret,
    token: pair.access_token,
    tokenSecret: pair.access_token_secret,
  }
  return { id: made.id, as: { keys } }
}

/** Followers, following and verified followers of a user, as clients see them. */
export async function followCounts(server: TestServer, id: string): Promise<[number, number, string]> {
  const read = await server.get(`/2/users/${id}?user.fields=public_metrics,verified_followers_count`)
  const { public_metrics: metrics, verified_followers_count: verified } = read.body.data
  return [metrics.followers_count, metrics.following_count, verified]
}

/** The relation of a user to the caller. */
export async function standing(server: TestServer, id: string, as: As): Promise<string[]> {
  return (await server.get(`/2/users/${id}?user.fields=connection_status`, as)).body.data.connection_status
}

/** The events of an action: type, actor and target, and the payload unless it is empty. */
export async function eventsOf(server: TestServer, work: () => Promise<unknown>): Promise<unknown[][]> {
  const [{ last }] = await rows(server, 'select coalesce(max(id), 0) as last from event_outbox')
  await work()
  const found = await rows(
    server,
    'select type, actor_id, target_id, payload from event_outbox where id > $1 order by id',
    [last],
  )
  return found.map(({ type, actor_id, target_id, payload }) => [
    type,
    actor_id,
    target_id,
    ...(Object.keys(payload).length > 0 ? [payload] : []),
  ])
}

/** Reads a list to its end by its tokens. Returns the ids of all pages. */
export async function walk(
  server: TestServer,
  path: string,
  as: As,
  parameter = 'pagination_token',
): Promise<{ ids: string[]; tokens: string[] }> {
  const ids: string[] = []
  const tokens: string[] = []
  for (let token = ''; ; ) {
    const address = `${path}${path.includes('?') ? '&' : '?'}${token === '' ? '' : `${parameter}=${token}`}`
    const page = await server.get(address.replace(/[?&]$/, ''), as)
    if (page.status !== 200) throw new Error(`${address}: ${page.text}`)
    ids.push(...(page.body.data ?? []).map((item: { id: string }) => item.id))
    token = page.body.meta.next_token ?? ''
    if (token === '') return { ids, tokens }
    tokens.push(token)
  }
}
