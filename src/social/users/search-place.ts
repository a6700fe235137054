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

// Two signs of a sum over the number: a token that was not made here is noticed.
const checkSigns = (number: bigint): string => ((number * 31n + 17n) % 1296n).toString(36).padStart(2, '0')

/** The token of a place, in the alphabet of search. */
export function writePlace(place: SearchPlace): string {
  const number = (((BigInt(place.fit) << FOLLOWER_BITS) | BigInt(place.followers)) << ID_BITS) | BigInt(place.id)
  return number.toString(36) + checkSigns(number)
}

/** The place that a token stands for; undefined for a text that is no token. */
export function readPlace(text: string): SearchPlace | undefined {
  if (!/^[0-9a-z]{3,21}$/.test(text)) return undefined
  let number = 0n
  for (const sign of text.slice(0, -2)) number = number * 36n + BigInt(Number.parseInt(sign, 36))
  const place = {
    fit: Number(number >> (FOLLOWER_BITS + ID_BITS)),
    followers: Number((number >> ID_BITS) & ((1n << FOLLOWER_BITS) - 1n)),
    id: (number & ((1n << ID_BITS) - 1n)).toString(),
  }
  return place.fit < FIRST_PLACE.fit && writePlace(place) === text ? place : undefined
}
