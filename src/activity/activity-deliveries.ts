import type { DeliverySource } from '../webhooks/dispatch.ts'
import { findActivity } from './find-activity.ts'

/** What webhooks get for the activity subscriptions that name them. */
export const activityDeliveries: DeliverySource = {
  async plan(runtime, events) {
    const hits = await findActivity(runtime, events, { withWebhook: true })
    return hits.flatMap(({ webhookId, appId, eventType, place, envelope }) =>
      webhookId === null ? [] : [{ webhookId, appId, kind: `activity:${eventType}`, place, body: envelope }],
    )
  },
}
