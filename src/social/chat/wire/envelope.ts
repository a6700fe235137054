import { structField, textField, writeStruct } from './thrift.ts'

/** A stored event, as far as its envelope needs it. */
interface EnvelopeFacts {
  sequence: string
  previousSequence: string | null
  messageId: string
  senderId: string
  /** The conversation's id as it is signed. */
  conversationId: string
  createdAt: Date
  detail: Buffer
  signature: Buffer
}

/** The complete event as clients read it, in base64. What the client sent stands in it byte for byte. */
export const encodeEvent = (event: EnvelopeFacts): string =>
  writeStruct(
    textField(1, event.sequence),
    textField(2, event.messageId),
    textField(3, event.senderId),
    textField(4, event.conversationId),
    textField(6, String(event.createdAt.getTime())),
    structField(7, event.detail),
    structField(9, event.signature),
    textField(10, event.previousSequence ?? undefined),
  ).toString('base64')

/** The union of an event's detail around the struct of a message. */
export const messageDetail = (create: Buffer): Buffer => writeStruct(structField(1, create))

/** The struct of a signature. */
export const signatureStruct = (facts: {
  signature: string
  publicKeyVersion: string
  signatureVersion: string
}): Buffer =>
  writeStruct(textField(1, facts.signature), textField(2, facts.publicKeyVersion), textField(3, facts.signatureVersion))
