import { planAccountActivity } from '../../src/account-activity/plan-deliveries.ts'
import type { LoggedEvent } from '../../src/events/catalog.ts'
import { rows } from '../social/acting.ts'
import type { As, TestServer } from '../support/server.ts'

/** A webhook of an app of the first world by index, without a receiver. */
export async function addWebhook(
  server: TestServer,
  facts: { app?: number; naming?: 'neutral' | 'legacy'; valid?: boolean } = {},
): Promise<string> {
  const { apps } = await server.command('app.list')
  const id = server.runtime.ids.next()
  await rows(
    server,
    'insert into webhook (id, app_id, url, valid, created_at, naming) values ($1, $2, $3, $4, $5, $6)',
    [
      id,
      apps[facts.app ?? 0].id,
      `https://receiver.example/${id}`,
      facts.valid ?? true,
      new Date(server.runtime.clock.now()),
      facts.naming ?? 'neutral',
    ],
  )
  return id
}

export const pathOf = (webhookId: string) => `/2/account_activity/webhooks/${webhookId}/subscriptions`

/** Subscribes a user, who must not be subscribed yet. */
export async function subscribe(server: TestServer, webhookId: string, user: string | As): Promise<void> {
  const as = typeof user === 'string' ? { user } : user
  const made = await server.post(`${pathOf(webhookId)}/all`, {}, as as As)
  if (made.status !== 200) throw new Error(`subscription refused: ${made.text}`)
}

/** A delivery to a webhook. */
export interface Delivered {
  webhookId: string
  appId: string
  kind: string
  sequence: string
  body: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read members whose shape they assert.
  json: any
}

/** The events of an action, as the log would have them. */
export async function happened(server: TestServer, work: () => Promise<unknown>): Promise<LoggedEvent[]> {
  const [{ last }] = await rows(server, 'select coalesce(max(id), 0) as last from event_outbox')
  await work()
  return rows(
    server,
    'select id as sequence, type, actor_id, target_id, post_id, payload, happened_at, hidden_users from event_outbox where id > $1 order by id',
    [last],
  )
}

/** The deliveries to webhooks for events, without those that are withheld. */
export async function planned(server: TestServer, events: LoggedEvent[]): Promise<Delivered[]> {
  const sent = (await planAccountActivity(server.runtime, events)).filter((item) => item.withheld === undefined)
  return sent.map((item) => ({ ...item, json: JSON.parse(item.body) }))
}

/** The deliveries to webhooks for the events of an action. */
export const deliveriesOf = async (server: TestServer, work: () => Promise<unknown>): Promise<Delivered[]> =>
  planned(server, await happened(server, work))

/** A time of the interface in the format of version 1.1. */
export const v1TimeOf = (iso: string): string =>
  new Date(iso).toUTCString().replace(/(\w+), (\d\d) (\w+) (\d+) ([\d:]+) GMT/, '$1 $3 $2 $5 +0000 $4')
