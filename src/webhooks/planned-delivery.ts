/** A body to deliver to a webhook because of an event. */
export interface PlannedDelivery {
  webhookId: string
  appId: string
  /** What caused it: `activity:post.create`, `account-activity`, `filtered-stream`. */
  kind: string
  /** The sequence of the event in the log. */
  sequence: string
  /** The JSON text that is signed and sent. */
  body: string
}
