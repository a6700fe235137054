import { setTimeout as wait } from 'node:timers/promises'
import type { As, TestAnswer, TestServer } from '../support/server.ts'
import { accessToken, rows } from './acting.ts'

/** A user created for a test, with credentials for the first app. */
export interface Member {
  id: string
  username: string
  as: As
}

let crowds = 0

/** Creates users who can all act at the same moment. */
export async function makeCrowd(server: TestServer, size: number): Promise<Member[]> {
  crowds += 1
  const { apps } = await server.command('app.list')
  const app = server.credentials.apps[0]!
  return Promise.all(
    Array.from({ length: size }, async (_none, index) => {
      const username = `crowd${crowds}_${index}`
      const { id } = await server.command('user.create', { username })
      const pair = await server.command('user.token', { user: username, app: apps[0].id })
      const keys = {
        consumerKey: app.api_key,
        consumerSecret: app.api_key_secret,
        token: pair.access_token,
        tokenSecret: pair.access_token_secret,
      }
      return { id, username, as: { keys } }
    }),
  )
}

/** A user of the first world by OAuth 2.0, with the scopes of bookmarks. */
export const bookmarking = async (server: TestServer, username: string): Promise<As> => ({
  bearer: await accessToken(server, username, ['bookmark.read', 'bookmark.write', 'post.read', 'users.read']),
})

/** The events about a post, in order. */
export const eventsOf = (server: TestServer, postId: string) =>
  rows(server, 'select type, actor_id, target_id, payload from event_outbox where post_id = $1 order by id', [postId])

/** Public counters of a user. */
export async function userCounts(server: TestServer, username: string) {
  const read = await server.get(`/2/users/by/username/${username}?user.fields=public_metrics,most_recent_post_id`)
  const { public_metrics: metrics, most_recent_post_id: newest } = read.body.data
  return { posts: metrics.post_count, likes: metrics.like_count, newest }
}

/** Reads a list from its first page to its last. Returns the ids in order, and the number of pages. */
export async function walk(server: TestServer, path: string, as: As): Promise<{ ids: string[]; pages: number }> {
  const ids: string[] = []
  let pages = 0
  for (let token: string | undefined; pages === 0 || token !== undefined; ) {
    const answer = await server.get(
      token ? `${path}${path.includes('?') ? '&' : '?'}pagination_token=${token}` : path,
      as,
    )
    if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`)
    ids.push(...(answer.body.data ?? []).map((item: { id: string }) => item.id))
    token = answer.body.meta.next_token
    pages += 1
  }
  return { ids, pages }
}

/** Acts on a post whose deletion is in progress. The deletion ends once the action waits for it. */
export async function whileDeleted(
  server: TestServer,
  postId: string,
  act: () => Promise<TestAnswer>,
): Promise<TestAnswer> {
  const client = await server.runtime.database.pool.connect()
  try {
    await client.query('begin')
    await client.query('delete from post where id = $1', [postId])
    const answer = act()
    const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    while ((await rows(server, waiting)).length === 0) await wait(10)
    await client.query('commit')
    return await answer
  } finally {
    client.release()
  }
}
