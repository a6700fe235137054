import { component, Type } from '../../api-kit/declaring/schema.ts'
import { isStorableId } from '../../process/ids.ts'

/** The id of a conversation in a path: of the other user, of both, or of a group. */
export const ChatConversationOrRecipientId = component(
  'ChatConversationOrRecipientId',
  Type.String({ pattern: '^([0-9]{1,19}|[0-9]{1,19}-[0-9]{1,19}|g[0-9]{1,19})$' }),
)

/** The two users of a direct conversation in the order of their numbers; the same user twice for notes to oneself. */
export interface Pair {
  low: string
  high: string
}

/** What an id names. */
export type ConversationName = { group: string } | { pair: Pair }

export function pairOf(one: string, other: string): Pair {
  const [low, high] = BigInt(one) <= BigInt(other) ? [one, other] : [other, one]
  return { low, high }
}

/**
 * What the id in a path or body names for a caller; undefined when it names nothing that the caller could be part of. Bodies may
 * have a colon between two users.
 */
export function readConversationId(text: string, callerId: string): ConversationName | undefined {
  const group = /^g([0-9]{1,19})$/.exec(text)?.[1]
  if (group !== undefined) return isStorableId(group) ? { group: plain(group) } : undefined
  const ids = /^([0-9]{1,19})(?:[-:]([0-9]{1,19}))?$/.exec(text)
  if (!ids) return undefined
  const named = [ids[1]!, ids[2] ?? callerId]
  if (!named.every(isStorableId)) return undefined
  const [one, other] = named.map(plain) as [string, string]
  return one === callerId || other === callerId ? { pair: pairOf(one, other) } : undefined
}

// Without leading zeros, as ids are stored.
const plain = (id: string): string => BigInt(id).toString()

/** A conversation as far as its names need it. */
export interface NamedConversation {
  id: string
  type: string
  low_user_id: string | null
  high_user_id: string | null
}

const nameWith = (sign: '-' | ':', conversation: NamedConversation): string =>
  conversation.type === 'group'
    ? `g${conversation.id}`
    : `${conversation.low_user_id}${sign}${conversation.high_user_id}`

/** The id in paths and answers. */
export const shownId = (conversation: NamedConversation): string => nameWith('-', conversation)

/** The id that clients sign, and that events carry. */
export const signedId = (conversation: NamedConversation): string => nameWith(':', conversation)

export const signedIdOf = (name: ConversationName): string =>
  'group' in name ? `g${name.group}` : `${name.pair.low}:${name.pair.high}`
