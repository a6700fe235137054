import { type ActivityAudience, type ActivityMessage, findActivity } from '../../src/activity/find-activity.ts'
import type { LoggedEvent } from '../../src/events/catalog.ts'
import { accessToken, rows } from '../social/acting.ts'
import type { As, TestServer } from '../support/server.ts'

/** Scopes that the operation requires for every type of activity. */
export const SUBSCRIBING = ['dm.read', 'like.read', 'post.read']

/** The first app's id. */
export async function firstApp(server: TestServer): Promise<string> {
  return (await server.command('app.list')).apps[0].id
}

/** Subscribes and returns the subscription; throws when it is refused. */
export async function subscribe(server: TestServer, body: object, as: As = 'app') {
  const made = await server.post('/2/activity/subscriptions', body, as)
  if (made.status !== 200) throw new Error(`subscription refused: ${made.status} ${made.text}`)
  return made.body.data.subscription
}

/** Subscribes to the activity of a user with a token of this user. */
export async function subscribeAs(server: TestServer, username: string, eventType: string, filter: object = {}) {
  const scopes = [...SUBSCRIBING, 'mute.read', 'block.read']
  const bearer = await accessToken(server, username, scopes)
  return subscribe(
    server,
    { event_type: eventType, filter: { user_id: server.userId(username), ...filter } },
    { bearer },
  )
}

/** The events that `work` causes, as the log has them. */
export async function eventsOf(server: TestServer, work: () => Promise<unknown>): Promise<LoggedEvent[]> {
  const [{ last }] = await rows(server, 'select coalesce(max(id), 0) as last from event_outbox')
  await work()
  return rows(
    server,
    `select id as sequence, type, actor_id, target_id, post_id, payload, happened_at, hidden_users from event_outbox where id > $1 order by id`,
    [last],
  )
}

/** The messages that `work` causes for the first app: the parsed `data` of each envelope. */
export async function delivered(server: TestServer, work: () => Promise<unknown>) {
  return dataOf(await messagesOf(server, await eventsOf(server, work)))
}

/** The messages of events for the first app or for another audience, without those that are withheld. */
export async function messagesOf(
  server: TestServer,
  events: LoggedEvent[],
  which?: ActivityAudience,
): Promise<ActivityMessage[]> {
  const found = await findActivity(server.runtime, events, which ?? { appIds: [await firstApp(server)] })
  return found.filter((message) => message.withheld === undefined)
}

// biome-ignore lint/suspicious/noExplicitAny: tests look at members of envelopes whose shape they assert.
export const dataOf = (messages: ActivityMessage[]): any[] =>
  messages.map((message) => JSON.parse(message.envelope).data)

/** Removes all subscriptions. */
export const clear = (server: TestServer) => rows(server, 'delete from activity_subscription')
