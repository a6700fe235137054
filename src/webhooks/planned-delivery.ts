/** A body that a webhook shall get because of an event in the log. */
export interface PlannedDelivery {
  webhookId: string
  appId: string
  /** What made it: `activity:post.create`, `account-activity`, `filtered-stream`. */
  kind: string
  /** The event's place in the log. */
  place: string
  /** JSON as it will be sent and signed. */
  body: string
}
