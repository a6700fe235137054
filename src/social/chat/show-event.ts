import type { Runtime } from '../../api-kit/runtime.ts'
import { type NamedConversation, signedId } from './conversation-id.ts'
import type { EventRow } from './event.statements.ts'
import { readSignature } from './wire/details.ts'
import { encodeEvent } from './wire/envelope.ts'

/** A stored event as clients decode it. */
export const encodeRow = (row: EventRow, conversation: NamedConversation): string =>
  encodeEvent({
    sequence: row.sequence,
    previousSequence: row.previous_sequence,
    messageId: row.message_id,
    senderId: row.sender_id,
    conversationId: signedId(conversation),
    createdAt: row.created_at,
    detail: row.detail!,
    signature: row.signature,
  })

/** The signature of an event, with the registered key that it verifies against. */
export function showSignature(row: EventRow) {
  const { signature, publicKeyVersion, signatureVersion } = readSignature(row.signature)
  return {
    public_key_version: publicKeyVersion,
    signature,
    ...(signatureVersion === undefined ? {} : { signature_version: signatureVersion }),
    ...(row.signing_public_key === null ? {} : { signing_public_key: row.signing_public_key }),
  }
}

/** A text that shows that a user has read a conversation. Clients may send it back with their messages. */
export const conversationToken = (runtime: Runtime, conversationId: string, userId: string): string =>
  runtime.secretBox.sign(`chat conversation ${conversationId} ${userId}`)
