import { tokenize } from '../../search/tokenize.ts'
import { COUNTRY_NAMES } from './country-words.data.ts'
import { countryOfProfile, locationByValue } from './locations.ts'

const keyOf = (text: string): string => tokenize(text).join(' ')

const byName = new Map<string, string>()
const byPlace = new Map<string, string>()
for (const { code, names, places } of COUNTRY_NAMES) {
  for (const name of names) byName.set(keyOf(name), code)
  for (const place of places) if (!byPlace.has(keyOf(place))) byPlace.set(keyOf(place), code)
}
const LONGEST_NAME = 6
// Codes such as US and CA mean a place only where they stand alone.
const SHORTEST_IN_TEXT = 3

/** The country that a targeting value stands for; undefined for other places and for what is no place. */
export function countryOfTargetingValue(value: string): string | undefined {
  const location = locationByValue.get(value)
  return location?.type === 'COUNTRIES' ? location.countryCode : undefined
}

/** The country of a profile's location: by flag, then by what stands last, since people write places from small to large. */
export function countryOf(location: string): string | undefined {
  const flag = /[\u{1f1e6}-\u{1f1ff}]{2}/u.exec(location)?.[0]
  if (flag) return [...flag].map((sign) => String.fromCharCode(sign.codePointAt(0)! - 0x1f1e6 + 65)).join('')
  const parts = location
    .split(/[,/|·•()\n]| - | & /)
    .map(keyOf)
    .filter((part) => part !== '')
    .reverse()
  for (const known of [byName, byPlace]) {
    const part = parts.find((item) => known.has(item))
    if (part) return known.get(part)
  }
  const listed = countryOfProfile(location)
  if (listed) return listed
  for (const known of [byName, byPlace]) {
    const found = parts.flatMap((part) => longestIn(part.split(' '), known) ?? [])[0]
    if (found) return found
  }
  return undefined
}

function longestIn(words: string[], known: ReadonlyMap<string, string>): string | undefined {
  for (let length = Math.min(LONGEST_NAME, words.length); length > 0; length--)
    for (let start = 0; start + length <= words.length; start++) {
      const text = words.slice(start, start + length).join(' ')
      if (text.length >= SHORTEST_IN_TEXT && known.has(text)) return known.get(text)
    }
  return undefined
}
