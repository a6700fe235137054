import { readChecked, writeChecked } from '../../api-kit/reading/checked-number.ts'

/** Where a page of a search for users ends: how well its last user fits, how many follow them, and who it is. */
export interface SearchPlace {
  fit: number
  followers: number
  id: string
}

/** Before the best place that a user can have. */
export const FIRST_PLACE: SearchPlace = { fit: 3, followers: 0, id: '0' }

const FOLLOWER_BITS = 31n
const ID_BITS = 63n

/** The token of a place, in the alphabet of search. */
export function writePlace(place: SearchPlace): string {
  return writeChecked((((BigInt(place.fit) << FOLLOWER_BITS) | BigInt(place.followers)) << ID_BITS) | BigInt(place.id))
}

/** The place that a token stands for; undefined for a text that is no token. */
export function readPlace(text: string): SearchPlace | undefined {
  const number = readChecked(text)
  if (number === undefined) return undefined
  const place = {
    fit: Number(number >> (FOLLOWER_BITS + ID_BITS)),
    followers: Number((number >> ID_BITS) & ((1n << FOLLOWER_BITS) - 1n)),
    id: (number & ((1n << ID_BITS) - 1n)).toString(),
  }
  return place.fit < FIRST_PLACE.fit ? place : undefined
}
