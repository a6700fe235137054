import type { ControlClient } from './control-client.ts'
import type { Delivery, DeliveryAttempt, DeliveryFilter, WaitForDeliveryOptions } from './types.ts'
import { waitFor } from './wait.ts'

const MOST = 1_000
const NAMED_AT_MOST = 10

interface SentDelivery {
  id: string
  webhook_id: string
  url: string | null
  app_id: string
  kind: string
  event_type?: string | null
  event_place: string | null
  state: Delivery['state']
  created_at: string
  next_attempt_at?: string
  record: DeliveryAttempt[]
  request: { text: string; body: unknown }
}

/** Reads deliveries, and waits for them. */
export interface DeliveryWatch {
  list(filter?: DeliveryFilter): Promise<Delivery[]>
  waitFor(
    predicate?: DeliveryFilter | ((delivery: Delivery) => boolean),
    options?: WaitForDeliveryOptions,
  ): Promise<Delivery>
  /** The world was replaced: ids may come again. */
  forget(): void
}

export function watchDeliveries(client: ControlClient): DeliveryWatch {
  let returned = new Set<string>()
  const list = async (filter: DeliveryFilter = {}): Promise<Delivery[]> => {
    const query = new URLSearchParams({ limit: String(filter.eventType === undefined ? (filter.limit ?? 100) : MOST) })
    if (filter.webhookId !== undefined) query.set('webhook_id', filter.webhookId)
    if (filter.state !== undefined) query.set('state', filter.state)
    const { deliveries } = await client.get<{ deliveries: SentDelivery[] }>(`/_rostra/deliveries?${query}`)
    const found = deliveries.map(read).filter(matcher(filter))
    return found.slice(0, filter.limit ?? 100).reverse()
  }
  return {
    list,
    async waitFor(predicate = {}, { timeout, state = 'delivered' } = {}) {
      const matches = typeof predicate === 'function' ? predicate : matcher(predicate)
      const isWanted = (item: Delivery) => (state === 'any' || item.state === state) && matches(item)
      const look = async () => (await list({ limit: MOST })).find((item) => !returned.has(item.id) && isWanted(item))
      const what = `delivery that matches${state === 'any' ? '' : ` in state ${state}`}`
      const found = await waitFor(what, timeout, look, async () => describe(await list({ limit: NAMED_AT_MOST })))
      returned.add(found.id)
      return found
    },
    forget: () => {
      returned = new Set()
    },
  }
}

function matcher({ webhookId, state, eventType }: DeliveryFilter): (delivery: Delivery) => boolean {
  return (item) =>
    (webhookId === undefined || item.webhookId === webhookId) &&
    (state === undefined || item.state === state) &&
    (eventType === undefined || item.eventType === eventType)
}

function describe(deliveries: Delivery[]): string {
  if (deliveries.length === 0)
    return 'There are no deliveries. Is there a webhook with a subscription that the event concerns?'
  const lines = deliveries.map((item) => {
    const last = item.attempts.at(-1)
    const answer = last === undefined ? '' : `, last answer ${last.status ?? last.error}`
    return `  ${item.id} ${item.eventType ?? item.kind} ${item.state}${answer} ${item.url ?? '(webhook removed)'}`
  })
  return `The last ones are:\n${lines.join('\n')}`
}

function read(sent: SentDelivery): Delivery {
  const named = /^activity:(.+)$/.exec(sent.kind)?.[1]
  return {
    id: sent.id,
    webhookId: sent.webhook_id,
    url: sent.url ?? undefined,
    appId: sent.app_id,
    kind: sent.kind,
    eventType: named ?? sent.event_type ?? undefined,
    sequence: sent.event_place ?? undefined,
    state: sent.state,
    attempts: sent.record,
    createdAt: new Date(sent.created_at),
    nextAttemptAt: sent.next_attempt_at === undefined ? undefined : new Date(sent.next_attempt_at),
    text: sent.request.text,
    body: sent.request.body,
  }
}
