import type { RequiredAccounts } from '../social/event-visibility.ts'

/** A body to deliver to a webhook because of an event. */
export interface PlannedDelivery {
  webhookId: string
  appId: string
  /** What caused it: `activity:post.create`, `account-activity`, `filtered-stream`. */
  kind: string
  /** The sequence of the event in the log. */
  sequence: string
  /** The JSON text that is signed and sent; empty when it is withheld. */
  body: string
  /** The post that it delivers, which counts as usage. */
  postId?: string | undefined
  /** The accounts that must still be visible when it is sent. */
  required: RequiredAccounts
  /** Why it is not sent: what it shows became hidden after the event. It is recorded with this reason. */
  withheld?: string | undefined
}

/** The record of a delivery that is withheld. */
export const withheldEntry = (at: Date, reason: string): string =>
  JSON.stringify([{ at: at.toISOString(), error: `withheld: ${reason}` }])
