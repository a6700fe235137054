import { once } from '../../process/once.ts'
import { fold } from '../../search/tokenize.ts'
import { CITIES } from '../../social/places/data/cities.data.ts'
import { COUNTRY_ALIASES, COUNTRY_CODES } from '../../social/places/data/countries.data.ts'
import { REGIONS } from '../../social/places/data/regions.data.ts'
import { METROS } from './data/metros.data.ts'
import { POSTAL_CODES } from './data/postal-codes.data.ts'
import { EXAMPLE_CITIES } from './data/published-values.data.ts'
import { byValue, option, type TargetingOption } from './option.ts'
import { targetingValue } from './targeting-value.ts'

export const LOCATION_TYPES = ['COUNTRIES', 'REGIONS', 'METROS', 'CITIES', 'POSTAL_CODES'] as const
export type LocationType = (typeof LOCATION_TYPES)[number]

export interface Location extends TargetingOption {
  countryCode: string
  type: LocationType
  /** The code of the region that it is or is in. */
  region: string | undefined
  /** How people who live there write it in their profiles. */
  written: readonly string[]
}

const englishNames = new Intl.DisplayNames(['en'], { type: 'region' })
const countryName = (code: string): string => englishNames.of(code)!

/** The items of a list in the short form of the data. */
const listed = (text: string): string[] => text.split('|')
/** A code and the name after it. */
const codeAndName = (text: string): [string, string] => {
  const cut = text.indexOf(' ')
  return [text.slice(0, cut), text.slice(cut + 1)]
}

/** Each code of a run such as `SE1..SE28=London`, with its city. */
function postalRun(text: string): [code: string, city: string][] {
  const [codes, city] = text.split('=') as [string, string]
  const [, letters, first, last] = /^(\D*)(\d+)\.\.\D*(\d+)$/.exec(codes) ?? []
  if (first === undefined) return [[codes, city]]
  const count = Number(last) - Number(first) + 1
  return Array.from({ length: count }, (_, at) => [
    letters + String(Number(first) + at).padStart(first.length, '0'),
    city,
  ])
}

/** The name of a region without the word that distinguishes it from its capital. */
const plainRegion = (name: string): string =>
  name.replace(
    /^(?:County|Distrito d[eo]|Provincie|Kanton|Canton de|Emirate of) | (?:State|County|Region|Governorate|ili|län)$|-(?:to|fu|ken|si)$/g,
    '',
  )

function makeLocations(): Location[] {
  const created: Location[] = []
  const add = (
    kind: string,
    key: string,
    name: string,
    members: Omit<Location, keyof TargetingOption>,
    alsoCalled: readonly string[] = [],
  ) => created.push(option(targetingValue(kind, key), name, members, alsoCalled))

  const inOrder = [...COUNTRY_CODES].sort((one, other) => countryName(one).localeCompare(countryName(other), 'en'))
  for (const code of inOrder) {
    const aliases = COUNTRY_ALIASES[code] ?? []
    const written = [countryName(code), ...aliases]
    const members = { countryCode: code, type: 'COUNTRIES' as const, region: undefined, written }
    add('country', code, countryName(code), members, [code, ...aliases])
  }
  for (const [country, text] of Object.entries(REGIONS))
    for (const [code, name] of listed(text).map(codeAndName)) {
      const written = [...new Set([name, plainRegion(name)])]
      const members = { countryCode: country, type: 'REGIONS' as const, region: code, written }
      add('region', `${country}-${code}`, `${name}, ${countryName(country)}`, members)
    }
  for (const [country, text] of Object.entries(METROS))
    for (const [code, name] of listed(text).map(codeAndName)) {
      const written = name.replace(/ \(.*|, [A-Z]{2}$/g, '').split('-')
      const members = { countryCode: country, type: 'METROS' as const, region: undefined, written }
      add('metro', `${country}-${code}`, `${name}, ${countryName(country)}`, members)
    }
  const regionNames = new Map(
    created
      .filter((item) => item.type === 'REGIONS')
      .map((item) => [`${item.countryCode}-${item.region}`, item.written[0]!]),
  )
  const regionsOfCities = new Map<string, string | undefined>()
  for (const [country, text] of Object.entries(CITIES))
    for (const item of listed(text)) {
      const [, name, region] = (country in REGIONS ? /^(.*) (\S+)$/.exec(item) : null) ?? [item, item, undefined]
      regionsOfCities.set(`${country}:${name}`, region)
      const within = region === undefined ? [] : [regionNames.get(`${country}-${region}`)!]
      const members = { countryCode: country, type: 'CITIES' as const, region, written: [name!] }
      add('city', `${country}-${region ?? ''}:${name}`, [name, ...within, countryName(country)].join(', '), members)
    }
  for (const [country, text] of Object.entries(EXAMPLE_CITIES))
    for (const item of listed(text)) {
      const [, name, region] = /^(.*) (\S+)$/.exec(item)!
      const within = regionNames.get(`${country}-${region}`)!
      // Larger cities elsewhere have the name too, so profiles have to name the region.
      const written = [`${name} ${within}`, `${name} ${region}`]
      const members = { countryCode: country, type: 'CITIES' as const, region, written }
      add('city', `${country}-${region}:${name}`, [name, within, countryName(country)].join(', '), members)
    }
  for (const [country, text] of Object.entries(POSTAL_CODES))
    for (const [code, city] of listed(text).flatMap(postalRun)) {
      const region = regionsOfCities.get(`${country}:${city}`)
      const members = { countryCode: country, type: 'POSTAL_CODES' as const, region, written: [code, city] }
      add('postal', `${country}:${code}`, `${code}, ${city}, ${countryName(country)}`, members)
    }
  return created
}

/** Every location: countries first, then the locations in them. */
export const locations: () => readonly Location[] = once(makeLocations)

const locationsByValue = once(() => byValue(locations()))

/** The location of a targeting value. */
export const findLocation = (value: string): Location | undefined => locationsByValue().get(value)

/** How profiles name a location: its own names and those of all locations in it. */
function writtenNames(location: Location): string[] {
  const within = locations().filter(
    (item) =>
      item === location ||
      (item.type !== 'POSTAL_CODES' &&
        item.countryCode === location.countryCode &&
        (location.type === 'COUNTRIES' ||
          (location.type === 'REGIONS' && item.type === 'CITIES' && item.region === location.region))),
  )
  return [...new Set(within.flatMap((item) => item.written))]
}

// If several locations have a name, the first one counts: countries before regions before cities.
const countriesByName = once(() => {
  const countries = new Map<string, string>()
  for (const item of locations())
    if (item.type !== 'POSTAL_CODES')
      for (const name of item.written) if (!countries.has(fold(name))) countries.set(fold(name), item.countryCode)
  return countries
})

/** The country of a profile's location: that of its last part with a listed name. */
export function countryOfProfile(text: string): string | undefined {
  const parts = text.split(/[,/|·•]+/).map((part) => fold(part).trim())
  for (const part of parts.reverse()) {
    const country = countriesByName().get(part)
    if (country) return country
  }
  return undefined
}

/** The names of a location as text queries for profiles, with and without accents. */
export function searchedWords(location: Location): string[] {
  const names = writtenNames(location).flatMap((name) => [name.toLowerCase(), fold(name)])
  return [...new Set(names)].flatMap((name) => {
    const words = name.match(/[\p{L}\p{N}]+/gu)
    return words ? [`(${words.map((word) => `'${word}'`).join(' <-> ')})`] : []
  })
}
