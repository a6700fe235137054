import { createPublicKey, type KeyObject, verify } from 'node:crypto'
import type { ActionDetail, MessageCreate } from './details.ts'

/** Who signs what, and under which name. */
interface Signed {
  messageId: string
  senderId: string
  /** The conversation's id as it is signed. */
  conversationId: string
}

const orNull = (value: string | boolean | undefined): string => (value === undefined ? 'null' : String(value))
const unpadded = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '')

/** What the signature of a message covers. */
export const signedMessage = ({ messageId, senderId, conversationId }: Signed, message: MessageCreate): string =>
  ['MessageCreateEvent', messageId, senderId, conversationId, message.keyVersion, unpadded(message.contents)].join()

/** What the signature of an action covers; undefined for a key change, whose signature covers the key itself. */
export function signedAction(
  { messageId, senderId, conversationId }: Signed,
  detail: ActionDetail,
): string | undefined {
  switch (detail.kind) {
    case 'key_change':
      return undefined
    case 'group_create':
      return [
        'GroupChangeEvent.GroupCreate',
        messageId,
        senderId,
        detail.keyVersion,
        ...detail.members,
        orNull(detail.isLegacyUpgrade),
        orNull(detail.title),
        orNull(detail.avatar),
      ].join()
    case 'member_add':
      return [
        'GroupChangeEvent.GroupMemberAddChange',
        messageId,
        senderId,
        conversationId,
        ...detail.added,
        ...detail.members,
        ...detail.admins,
        orNull(detail.title),
        orNull(detail.avatar),
        orNull(detail.ttlMs),
        detail.keyVersion,
        orNull(detail.blocksScreenCapture),
      ].join()
    case 'message_delete':
      return [
        'MessageDeleteEvent',
        messageId,
        senderId,
        conversationId,
        detail.forAll ? '2' : '1',
        ...detail.sequences,
      ].join()
  }
}

/** A P-256 public key in DER (SubjectPublicKeyInfo); undefined for other bytes. */
export function readPublicKey(der: Buffer): KeyObject | undefined {
  try {
    const key = createPublicKey({ key: der, format: 'der', type: 'spki' })
    const isExpected = key.asymmetricKeyType === 'ec' && key.asymmetricKeyDetails?.namedCurve === 'prime256v1'
    // The bytes are signed as they are, so there is one form of each key.
    return isExpected && key.export({ format: 'der', type: 'spki' }).equals(der) ? key : undefined
  } catch {
    return undefined
  }
}

/** Whether a key signed some bytes: ECDSA with SHA-256, both numbers of the signature one after the other. */
export const isSignedBy = (key: KeyObject, signature: Buffer, signed: Buffer): boolean =>
  signature.length === 64 && verify('sha256', signed, { key, dsaEncoding: 'ieee-p1363' }, signature)
