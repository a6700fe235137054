/** The states of a delivery. */
export const DELIVERY_STATES = ['pending', 'delivered', 'given_up', 'withheld'] as const
/** How many ids a request can name: more would exceed the length of a URL that servers accept. */
export const MAX_DELIVERY_IDS = 500

/** One delivery attempt, or the reason why attempts ended. */
export interface DeliveryAttempt {
  at?: string
  ms?: number
  status?: number
  error?: string
  /** The beginning of the receiver's answer. */
  answer?: string
  /** The fault that made it fail on purpose. */
  fault?: string
}

/** A delivery as operators see it, without headers: each attempt gets a new signature. */
export interface ShownDelivery {
  id: string
  webhook_id: string
  /** Null when the webhook was removed. */
  url: string | null
  webhook_valid: boolean | null
  app_id: string
  kind: string
  /** Null when the event is no longer in the log. */
  event_type: string | null
  event_place: string | null
  state: (typeof DELIVERY_STATES)[number]
  attempts: number
  next_attempt_at?: string
  created_at: string
  replay_job_id: string | null
  record: DeliveryAttempt[]
  request: { bytes: number; text: string }
}

/**
 * Writes a delivery with the body both as sent text and as JSON. The JSON is copied from the text, not parsed: it may contain
 * numbers that JavaScript cannot represent exactly.
 */
export function writeDelivery({ request, ...facts }: ShownDelivery): string {
  const { bytes, text } = request
  const about = JSON.stringify({ ...facts, request: { bytes, text } })
  // What is withheld when it is planned has no body.
  return `${about.slice(0, -2)},"body":${text === '' ? 'null' : text}}}`
}
