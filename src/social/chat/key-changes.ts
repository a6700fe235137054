import { closed, component, ownBound, Type } from '../../api-kit/declaring/schema.ts'
import type { Runtime } from '../../api-kit/runtime.ts'
import { conflict, type Fault, invalidParameter, invalidRequest } from '../../api-kit/writing/problems.ts'
import { realNow } from '../../process/clock.ts'
import type { Db } from '../../storage/database.ts'
import type { OwnConversation } from './conversation.statements.ts'
import { newestKeyVersions } from './keys/public-key.statements.ts'
import { readStandardBase64 } from './wire/base64.ts'
import type { KeyChange } from './wire/details.ts'

/** The most members that a group can have. */
export const MOST_MEMBERS = 256
/** The longest list of users that is read at all. */
export const MOST_LISTED = 1_000
// A point of the curve, the encrypted key and an authentication tag.
const WRAP_BYTES = 65 + 32 + 16
// Clients make versions from their clock, in milliseconds.
const FUTURE_VERSIONS_MS = 24 * 3600_000

const optional = Type.Optional

export const ParticipantKeys = ownBound(
  Type.Array(
    component(
      'ChatConversationParticipantKey',
      closed({
        encrypted_conversation_key: optional(ownBound(Type.String(), 1_000)),
        public_key_version: optional(ownBound(Type.String(), 19)),
        user_id: optional(ownBound(Type.String(), 19)),
      }),
    ),
  ),
  MOST_LISTED,
)
export const KeyVersion = ownBound(Type.String(), 100)

/** The members of a body that describe a key change; the signed one must say the same. */
export interface DescribedKeys {
  conversation_key_version?: string
  conversation_participant_keys?: {
    encrypted_conversation_key?: string
    public_key_version?: string
    user_id?: string
  }[]
}

/** Checks that a signed key change is what the body describes: the same version, and the same key for each user. */
export function checkDescription({ clock }: Pick<Runtime, 'clock'>, detail: KeyChange, body: DescribedKeys): void {
  if (body.conversation_key_version !== detail.version)
    throw invalidParameter(
      'conversation_key_version',
      body.conversation_key_version?.slice(0, 30),
      `conversation_key_version must be the version of the signed key change, [${detail.version}].`,
    )
  // After a version of a far future no member could replace the key any more.
  const most = Math.max(realNow(), clock.now()) + FUTURE_VERSIONS_MS
  if (BigInt(detail.version) > most)
    throw invalidParameter(
      'conversation_key_version',
      detail.version,
      `conversation_key_version must be a time in milliseconds, at most a day from now, [${most}].`,
    )
  const given = body.conversation_participant_keys ?? []
  const signed = new Map(detail.keys.map((key) => [key.userId, key]))
  const isSame =
    given.length === detail.keys.length &&
    signed.size === detail.keys.length &&
    given.every((key) => {
      const other = signed.get(key.user_id ?? '')
      return other?.wrap === key.encrypted_conversation_key && other?.publicKeyVersion === key.public_key_version
    })
  if (!isSame)
    throw invalidParameter(
      'conversation_participant_keys',
      undefined,
      'conversation_participant_keys must have the same keys as the signed key change, one for each member.',
    )
  for (const { userId, wrap } of detail.keys)
    if (readStandardBase64(wrap)?.length !== WRAP_BYTES)
      throw invalidParameter(
        'conversation_participant_keys',
        userId,
        `The encrypted_conversation_key of the user [${userId}] must have ${WRAP_BYTES} bytes, in base64 of the standard alphabet.`,
      )
}

/** Checks that a key change encrypts the key for exactly these members, each by their newest public key. */
export async function checkCoverage(db: Db, detail: KeyChange, memberIds: readonly string[]): Promise<void> {
  const newest = new Map(
    (await newestKeyVersions.all(db, [...new Set([...memberIds, ...detail.keys.map((key) => key.userId)])])).map(
      (row) => [row.user_id, row.version],
    ),
  )
  const faults: Fault[] = []
  const parameters = (id: string) => ({ conversation_participant_keys: [id] })
  const given = new Map(detail.keys.map((key) => [key.userId, key]))
  for (const id of memberIds)
    if (!given.has(id))
      faults.push({ parameters: parameters(id), message: `The member [${id}] has no encrypted conversation key.` })
  for (const { userId, publicKeyVersion } of detail.keys) {
    if (!memberIds.includes(userId))
      faults.push({
        parameters: parameters(userId),
        message: `The user [${userId}] is not a member of the conversation.`,
      })
    else if (newest.get(userId) !== publicKeyVersion)
      faults.push({
        parameters: parameters(userId),
        message: newest.has(userId)
          ? `The newest public key of the user [${userId}] has the version [${newest.get(userId)}], not [${publicKeyVersion}].`
          : `The user [${userId}] has no public key.`,
      })
  }
  if (faults.length > 0) throw invalidRequest(faults.slice(0, 10))
}

/** A key change must have a newer version than the last. */
export function checkNewer(detail: KeyChange, conversation: Pick<OwnConversation, 'key_version'>): void {
  if (BigInt(detail.version) > BigInt(conversation.key_version)) return
  throw conflict(
    `The conversation has the key version [${conversation.key_version}]; a new one must be larger, but is [${detail.version}].`,
  )
}
