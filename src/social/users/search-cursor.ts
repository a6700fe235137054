import { readChecked, writeChecked } from '../../api-kit/reading/checked-number.ts'

/** Where a page of a search for users ends: how well its last user matches, how many followers they have, and their id. */
export interface UserSearchCursor {
  fit: number
  followers: number
  id: string
}

/** Before the best match that is possible. */
export const FIRST_CURSOR: UserSearchCursor = { fit: 3, followers: 0, id: '0' }

const FOLLOWER_BITS = 31n
const ID_BITS = 63n

/** The token of a cursor, in the alphabet of search. */
export function writeUserCursor({ fit, followers, id }: UserSearchCursor): string {
  return writeChecked((((BigInt(fit) << FOLLOWER_BITS) | BigInt(followers)) << ID_BITS) | BigInt(id))
}

/** The cursor of a token; undefined for a text that is not a token. */
export function readUserCursor(text: string): UserSearchCursor | undefined {
  const number = readChecked(text)
  if (number === undefined) return undefined
  const cursor = {
    fit: Number(number >> (FOLLOWER_BITS + ID_BITS)),
    followers: Number((number >> ID_BITS) & ((1n << FOLLOWER_BITS) - 1n)),
    id: (number & ((1n << ID_BITS) - 1n)).toString(),
  }
  return cursor.fit < FIRST_CURSOR.fit ? cursor : undefined
}
