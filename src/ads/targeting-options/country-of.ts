import { tokenize } from '../../search/tokenize.ts'
import { COUNTRY_NAMES } from './data/country-words.data.ts'
import { countryOfProfile, findLocation } from './locations.ts'

const keyOf = (text: string): string => tokenize(text).join(' ')

interface CountryTables {
  names: ReadonlyMap<string, string>
  places: ReadonlyMap<string, string>
}

let tables: CountryTables | undefined

/** Countries by their names and by places in them, created on first use. */
function countryTables(): CountryTables {
  if (tables) return tables
  const names = new Map<string, string>()
  const places = new Map<string, string>()
  for (const country of COUNTRY_NAMES) {
    for (const name of country.names) names.set(keyOf(name), country.code)
    for (const place of country.places) if (!places.has(keyOf(place))) places.set(keyOf(place), country.code)
  }
  tables = { names, places }
  return tables
}

const LONGEST_NAME = 6
// Short codes such as US and CA only count when they are a whole part of the location.
const SHORTEST_IN_TEXT = 3

/** The country of a targeting value; undefined for other places and for values of other kinds. */
export function countryOfTargetingValue(value: string): string | undefined {
  const location = findLocation(value)
  return location?.type === 'COUNTRIES' ? location.countryCode : undefined
}

/** The country of a profile's location: by its flag, else by its last part, because people write places from small to large. */
export function countryOf(location: string): string | undefined {
  const flag = /[\u{1f1e6}-\u{1f1ff}]{2}/u.exec(location)?.[0]
  if (flag) return [...flag].map((sign) => String.fromCharCode(sign.codePointAt(0)! - 0x1f1e6 + 65)).join('')
  const { names, places } = countryTables()
  const inOrder = [names, places]
  const parts = location
    .split(/[,/|·•()\n]| - | & /)
    .map(keyOf)
    .filter((part) => part !== '')
    .reverse()
  for (const table of inOrder) {
    const part = parts.find((item) => table.has(item))
    if (part) return table.get(part)
  }
  const listed = countryOfProfile(location)
  if (listed) return listed
  for (const table of inOrder) {
    const found = parts.flatMap((part) => longestIn(part.split(' '), table) ?? [])[0]
    if (found) return found
  }
  return undefined
}

function longestIn(words: string[], table: ReadonlyMap<string, string>): string | undefined {
  for (let length = Math.min(LONGEST_NAME, words.length); length > 0; length--)
    for (let start = 0; start + length <= words.length; start++) {
      const text = words.slice(start, start + length).join(' ')
      if (text.length >= SHORTEST_IN_TEXT && table.has(text)) return table.get(text)
    }
  return undefined
}
