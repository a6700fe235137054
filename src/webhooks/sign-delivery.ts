import { createHmac } from 'node:crypto'
import { LEGACY_SIGNATURE_HEADER } from '../legacy-words.ts'

/** The neutral name of the header with the signature of a delivery. */
const SIGNATURE_HEADER = 'x-rostra-webhooks-signature'

/** The headers of a delivery, with the signature of the raw body under both names. */
export function deliveryHeaders(secret: string, body: string): Record<string, string> {
  const signature = `sha256=${createHmac('sha256', secret).update(body).digest('base64')}`
  return {
    'content-type': 'application/json; charset=utf-8',
    [SIGNATURE_HEADER]: signature,
    [LEGACY_SIGNATURE_HEADER]: signature,
  }
}
