/** What can become of a delivery. */
export const DELIVERY_STATES = ['pending', 'delivered', 'given_up'] as const
/** How many can be asked for by id: more would make a longer address than servers read. */
export const MAX_DELIVERY_IDS = 500

/** One attempt to deliver, or why the waiting ended. */
export interface DeliveryAttempt {
  at?: string
  ms?: number
  status?: number
  error?: string
  /** How the answer begins. */
  answer?: string
}

/** A delivery as people see it. Its headers are left out: the signature is made anew, with the secret of the app, for each attempt. */
export interface ShownDelivery {
  id: string
  webhook_id: string
  /** Null when the webhook is gone. */
  url: string | null
  webhook_valid: boolean | null
  app_id: string
  kind: string
  event_place: string | null
  state: (typeof DELIVERY_STATES)[number]
  attempts: number
  next_attempt_at?: string
  created_at: string
  replay_job_id: string | null
  record: DeliveryAttempt[]
  request: { bytes: number; text: string }
}

/** Writes a delivery with its body as JSON beside the text that was sent: spliced in, because it may have numbers of more digits than JavaScript keeps. */
export function writeDelivery({ request, ...facts }: ShownDelivery): string {
  const { bytes, text } = request
  const about = JSON.stringify({ ...facts, request: { bytes, text } })
  return `${about.slice(0, -2)},"body":${text}}}`
}
