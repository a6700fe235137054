import { createECDH, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto'
import type { Runtime } from '../../api-kit/runtime.ts'
import { conflict } from '../../api-kit/writing/problems.ts'
import { randomBytes, randomUuid } from '../../process/random.ts'
import { publicKeysOf } from '../../social/chat/keys/public-key.statements.ts'
import { registerKeys } from '../../social/chat/keys/register-keys.ts'
import type { GroupCreate } from '../../social/chat/wire/details.ts'
import { signatureStruct } from '../../social/chat/wire/envelope.ts'
import { signedAction, signedMessage } from '../../social/chat/wire/signing.ts'
import { listField, structField, textField, writeStruct } from '../../social/chat/wire/thrift.ts'
import type { StoredUser } from './trigger-context.ts'

const VERSION = '1'
const WRAP_BYTES = 113
const CONTENTS_BYTES = 96

/**
 * A chat client that the server plays for a user who has none, so that triggers can cause signed events. Its keys follow from the
 * secret key of the server. What it sends is random: the server neither encrypts nor decrypts texts.
 */
export interface PlayedClient {
  userId: string
  signing: KeyObject
}

function keyOf(runtime: Runtime, userId: string, purpose: string): KeyObject {
  const curve = createECDH('prime256v1')
  curve.setPrivateKey(Buffer.from(runtime.secretBox.sign(`played chat client ${userId} ${purpose}`), 'base64url'))
  const point = curve.getPublicKey()
  const part = (bytes: Buffer) => bytes.toString('base64url')
  const [x, y] = [part(point.subarray(1, 33)), part(point.subarray(33))]
  const d = part(Buffer.concat([Buffer.alloc(32), curve.getPrivateKey()]).subarray(-32))
  return createPrivateKey({ format: 'jwk', key: { kty: 'EC', crv: 'P-256', x, y, d } })
}

const derOf = (key: KeyObject): Buffer => createPublicKey(key).export({ format: 'der', type: 'spki' })
const signedBy = (key: KeyObject, data: Buffer | string): Buffer =>
  sign('sha256', typeof data === 'string' ? Buffer.from(data) : data, { key, dsaEncoding: 'ieee-p1363' })

/** The client of a user, whose keys are registered. A user with keys of a real client is refused: only that client can sign. */
export async function playClient(runtime: Runtime, user: StoredUser): Promise<PlayedClient> {
  const [identity, signing] = [keyOf(runtime, user.id, 'identity'), keyOf(runtime, user.id, 'signing')]
  const publicKey = derOf(identity).toString('base64')
  const keys = await publicKeysOf.all(runtime.database, [user.id])
  if (keys.some((key) => key.public_key !== publicKey))
    throw conflict(
      `@${user.username} has a chat client, and only that client can sign as this user. Send the message with it, or name users without one.`,
    )
  await registerKeys(runtime, user.id, {
    version: VERSION,
    public_key: {
      public_key: publicKey,
      signing_public_key: derOf(signing).toString('base64'),
      identity_public_key_signature: signedBy(signing, derOf(identity)).toString('base64'),
      registration_method: 'Trigger',
    },
  })
  return { userId: user.id, signing }
}

/** The members of a body that a key change fills, with the signed action. */
export function keyChangeBody(client: PlayedClient, memberIds: readonly string[], version: string) {
  const keys = memberIds.map((userId) => ({
    user_id: userId,
    encrypted_conversation_key: randomBytes(WRAP_BYTES).toString('base64'),
    public_key_version: VERSION,
  }))
  const wraps = keys.map((key) =>
    writeStruct(textField(1, key.user_id), textField(2, key.encrypted_conversation_key), textField(3, VERSION)),
  )
  const detail = writeStruct(structField(3, writeStruct(textField(1, version), listField(2, wraps))))
  return {
    conversation_key_version: version,
    conversation_participant_keys: keys,
    // Only members could check this signature, and they would need the key that it covers.
    action_signatures: [actionOf(randomUuid(), detail, signedBy(client.signing, detail))],
  }
}

/** The body that creates a group. */
export function groupBody(client: PlayedClient, id: string, memberIds: string[], version: string) {
  const messageId = randomUuid()
  const group: GroupCreate = {
    kind: 'group_create',
    members: memberIds,
    admins: [client.userId],
    title: undefined,
    avatar: undefined,
    keyVersion: version,
    isLegacyUpgrade: undefined,
    ttlMs: undefined,
  }
  const create = writeStruct(listField(1, memberIds), listField(2, group.admins), textField(5, version))
  const detail = writeStruct(structField(4, writeStruct(structField(1, writeStruct(structField(1, create))))))
  const signed = signedAction({ messageId, senderId: client.userId, conversationId: id }, group)!
  const { action_signatures: keyChange, ...keys } = keyChangeBody(client, memberIds, version)
  return {
    conversation_id: id,
    group_members: memberIds,
    ...keys,
    action_signatures: [...keyChange, actionOf(messageId, detail, signedBy(client.signing, signed))],
  }
}

const actionOf = (messageId: string, detail: Buffer, signature: Buffer) => ({
  message_id: messageId,
  encoded_message_event_detail: detail.toString('base64'),
  message_event_signature: {
    signature: withoutPadding(signature),
    public_key_version: VERSION,
    signature_version: '7',
  },
})

/** The body of a message that nobody can read. */
export function messageBody(client: PlayedClient, conversationId: string, keyVersion: string) {
  const messageId = randomUuid()
  const contents = randomBytes(CONTENTS_BYTES)
  const signed = signedMessage(
    { messageId, senderId: client.userId, conversationId },
    { contents, keyVersion, ttlMs: undefined },
  )
  const signature = signatureStruct({
    signature: withoutPadding(signedBy(client.signing, signed)),
    publicKeyVersion: VERSION,
    signatureVersion: '7',
  })
  return {
    message_id: messageId,
    encoded_message_create_event: writeStruct(textField(100, contents), textField(101, keyVersion)).toString('base64'),
    encoded_message_event_signature: signature.toString('base64'),
  }
}

const withoutPadding = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '')
