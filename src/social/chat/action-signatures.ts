import { closed, component, ownBound, type Static, Type } from '../../api-kit/declaring/schema.ts'
import { invalidParameter } from '../../api-kit/writing/problems.ts'
import type { Db } from '../../storage/database.ts'
import { publicKeysOf } from './keys/public-key.statements.ts'
import type { NewChatEvent } from './store-events.ts'
import { inStandardAlphabet, readBase64 } from './wire/base64.ts'
import { type ActionDetail, isVersion, readActionDetail, type SignatureFacts } from './wire/details.ts'
import { signatureStruct } from './wire/envelope.ts'
import { isSignedBy, readPublicKey, signedAction } from './wire/signing.ts'
import { MalformedThrift } from './wire/thrift.ts'

const optional = Type.Optional
const Base64 = '^[A-Za-z0-9+/=_-]+$'
const KeyText = ownBound(Type.String(), 1_000)
const Version = ownBound(Type.String({ pattern: '^[0-9]+$' }), 19)

export const SigningKeyInfo = component(
  'ChatMessageSigningKeyInfo',
  closed({
    member_id: optional(ownBound(Type.String(), 19)),
    public_key_version: optional(ownBound(Type.String(), 19)),
    signing_public_key: optional(KeyText),
  }),
)

/** What a client signed besides the body of a request: the event that others will see. */
export const ActionSignature = component(
  'ChatActionSignature',
  closed({
    encoded_message_event_detail: ownBound(Type.String({ minLength: 1, pattern: Base64 }), 131_072),
    message_event_signature: component(
      'ChatActionMessageEventSignature',
      closed({
        message_signing_key_info_list: optional(ownBound(Type.Array(SigningKeyInfo), 1_000)),
        public_key_version: Version,
        signature: ownBound(Type.String({ minLength: 1, pattern: Base64 }), 200),
        signature_version: Version,
        signing_public_key: optional(KeyText),
      }),
    ),
    message_id: ownBound(Type.String({ minLength: 1 }), 100),
    signature_payload: optional(ownBound(Type.String(), 20_000)),
  }),
)

export const ActionSignatures = ownBound(Type.Array(ActionSignature), 10)

type GivenAction = Static<typeof ActionSignature>
type Kind = ActionDetail['kind']
type DetailOf<K extends Kind> = Extract<ActionDetail, { kind: K }>

/** A signed action that was read, and the event that it becomes. */
export interface SignedAction<D extends ActionDetail = ActionDetail> {
  /** Its position in the request. */
  where: string
  detail: D
  signature: SignatureFacts
  event: NewChatEvent
}

const KIND_WORDS: Record<Kind, string> = {
  key_change: 'a key change',
  group_create: 'the creation of a group',
  member_add: 'an addition of members',
  message_delete: 'a deletion of messages',
}

/** Reads the signed actions of a request, which must have exactly one of each kind. Returns them in the order of the kinds. */
export function readActions<const K extends readonly Kind[]>(
  given: readonly GivenAction[] | undefined,
  kinds: K,
): { [I in keyof K]: SignedAction<DetailOf<K[I]>> } {
  const read = (given ?? []).map(readAction)
  const found = kinds.map((kind) => read.find((action) => action.detail.kind === kind))
  if (read.length !== kinds.length || found.includes(undefined))
    throw invalidParameter(
      'action_signatures',
      undefined,
      `action_signatures must have exactly ${kinds.length === 1 ? 'one entry' : `${kinds.length} entries`}: ${kinds.map((kind) => KIND_WORDS[kind]).join(' and ')}.`,
    )
  if (new Set(read.map((action) => action.event.messageId)).size < read.length)
    throw invalidParameter(
      'action_signatures',
      undefined,
      'Each entry of action_signatures needs a message_id of its own.',
    )
  return found as { [I in keyof K]: SignedAction<DetailOf<K[I]>> }
}

function readAction(given: GivenAction, index: number): SignedAction {
  const where = `action_signatures[${index}]`
  checkMessageId(given.message_id, `${where}.message_id`)
  const bytes = readBytes(given.encoded_message_event_detail, `${where}.encoded_message_event_detail`)
  const detail = readEncoded(`${where}.encoded_message_event_detail`, () => readActionDetail(bytes))
  const { public_key_version: publicKeyVersion, signature_version: signatureVersion } = given.message_event_signature
  const signature = {
    signature: inStandardAlphabet(given.message_event_signature.signature),
    publicKeyVersion,
    signatureVersion,
  }
  checkSignatureFacts(signature, `${where}.message_event_signature`)
  return {
    where,
    detail,
    signature,
    event: {
      messageId: given.message_id,
      kind: detail.kind,
      keyVersion: detail.kind === 'key_change' ? detail.version : 'keyVersion' in detail ? detail.keyVersion : null,
      signerVersion: publicKeyVersion,
      detail: bytes,
      signature: signatureStruct(signature),
    },
  }
}

/** The id that a client gave to what it signed. A comma would make it two parts of what is signed. */
export function checkMessageId(id: string, parameter: string): void {
  if (/^[A-Za-z0-9_-]{1,64}$/.test(id)) return
  throw invalidParameter(parameter, id, `${parameter} must have 1 to 64 letters, digits, hyphens and underscores.`)
}

export function readBytes(text: string, parameter: string): Buffer {
  const bytes = readBase64(text)
  if (!bytes) throw invalidParameter(parameter, text.slice(0, 40), `${parameter} must be base64.`)
  return bytes
}

/** Reads encoded bytes; the refusal says what is wrong with them. */
export function readEncoded<T>(parameter: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof MalformedThrift)) throw error
    throw invalidParameter(parameter, undefined, `${parameter} ${error.message}.`)
  }
}

/** Checks what can be known of a signature without a key. Clients refuse versions below 2. */
export function checkSignatureFacts(facts: SignatureFacts, parameter: string): void {
  const { signature, publicKeyVersion, signatureVersion } = facts
  if (readBase64(signature)?.length !== 64 || /[-_]/.test(signature))
    throw invalidParameter(parameter, undefined, `${parameter}: the signature must have 64 bytes, in base64.`)
  if (!isVersion(publicKeyVersion))
    throw invalidParameter(parameter, publicKeyVersion, `${parameter}: public_key_version must be a decimal number.`)
  if (signatureVersion !== undefined && !(isVersion(signatureVersion) && BigInt(signatureVersion) >= 2n))
    throw invalidParameter(parameter, signatureVersion, `${parameter}: signature_version must be 2 or more.`)
}

/** Something signed, and where in the request it is. */
interface Claim {
  where: string
  signature: SignatureFacts
  /** What the signature must cover; undefined where only members of the conversation can know. */
  signed: string | undefined
}

/** Checks signatures with the keys that their sender has registered. */
export async function checkSignatures(db: Db, senderId: string, claims: readonly Claim[]): Promise<void> {
  const keys = await publicKeysOf.all(db, [senderId])
  for (const { where, signature, signed } of claims) {
    const row = keys.find((key) => key.version === signature.publicKeyVersion)
    if (!row)
      throw invalidParameter(
        where,
        signature.publicKeyVersion,
        `${where}: the caller has no public key of the version [${signature.publicKeyVersion}]; registered are [${keys.map((key) => key.version).join(', ')}].`,
      )
    if (signed === undefined) continue
    const key = readPublicKey(Buffer.from(row.signing_public_key, 'base64'))
    if (!key || !isSignedBy(key, Buffer.from(signature.signature, 'base64'), Buffer.from(signed)))
      throw invalidParameter(
        where,
        undefined,
        `${where}: the signature does not verify against the caller's public key of the version [${signature.publicKeyVersion}].`,
      )
  }
}

/** The claims of actions. */
export const claimsOf = (actions: readonly SignedAction[], senderId: string, conversationId: string): Claim[] =>
  actions.map(({ where, signature, detail, event }) => ({
    where,
    signature,
    signed: signedAction({ messageId: event.messageId, senderId, conversationId }, detail),
  }))
