import { component, idSchema, Type } from '../../api-kit/declaring/schema.ts'
import { isStorableId } from '../../process/ids.ts'

export const DmEventId = idSchema('DmEventId')
export const DmConversationId = component(
  'DmConversationId',
  Type.String({ pattern: '^([0-9]{1,19}-[0-9]{1,19}|[0-9]{15,19})$' }),
)

/** The id of the conversation of two users: the smaller id first. */
export const conversationOf = (one: string, other: string): string =>
  BigInt(one) < BigInt(other) ? `${one}-${other}` : `${other}-${one}`

/** A conversation that a request names, from the point of view of a user. */
export type NamedConversation = { id: string; otherId: string } | { id: string; otherId: undefined }

/**
 * The conversation that an id names: with the other user if it names two users, in any order. Undefined for an id that no
 * conversation of this user can have.
 */
export function namedConversation(id: string, userId: string): NamedConversation | undefined {
  if (!id.includes('-')) return isStorableId(id) ? { id: BigInt(id).toString(), otherId: undefined } : undefined
  const pair = id.split('-')
  if (pair.length !== 2 || !pair.every(isStorableId)) return undefined
  const [one, two] = pair.map((part) => BigInt(part).toString()) as [string, string]
  const otherId = one === userId ? two : two === userId ? one : undefined
  return otherId === undefined || otherId === userId ? undefined : { id: conversationOf(userId, otherId), otherId }
}
