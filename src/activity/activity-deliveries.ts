import type { DeliverySource } from '../webhooks/dispatch.ts'
import { findActivity } from './find-activity.ts'

/** Plans the deliveries for activity subscriptions that have a webhook. */
export const activityDeliveries: DeliverySource = {
  async plan(runtime, events) {
    const messages = await findActivity(runtime, events, { withWebhook: true })
    return messages.flatMap(({ webhookId, appId, eventType, envelope, ...message }) =>
      webhookId === null ? [] : [{ ...message, webhookId, appId, kind: `activity:${eventType}`, body: envelope }],
    )
  },
}
