import { once } from '../../process/once.ts'
import { fold } from '../../search/tokenize.ts'
import { CITIES } from '../places/data/cities.data.ts'
import { COUNTRY_ALIASES, COUNTRY_CODES } from '../places/data/countries.data.ts'
import { REGIONS } from '../places/data/regions.data.ts'
import { OTHER_NAMES, WOEIDS } from './woeid.data.ts'

/** The WOEID of the whole world. */
export const WORLD = 1

interface Places {
  countries: ReadonlyMap<string, number>
  /** By country code and folded name. */
  cities: ReadonlyMap<string, ReadonlyMap<string, number>>
  /** The country codes in which a folded name occurs, the likeliest first. */
  countriesOfName: ReadonlyMap<string, readonly string[]>
  all: ReadonlySet<number>
}

const places = once((): Places => {
  const countries = new Map<string, number>()
  const cities = new Map<string, Map<string, number>>()
  const countriesOfName = new Map<string, string[]>()
  const called = (name: string, code: string) => {
    const key = fold(name)
    const codes = countriesOfName.get(key)
    if (!codes) countriesOfName.set(key, [code])
    else if (!codes.includes(code)) codes.push(code)
  }
  const english = new Intl.DisplayNames(['en'], { type: 'region' })
  for (const code of COUNTRY_CODES)
    for (const name of [english.of(code)!, code, ...(COUNTRY_ALIASES[code] ?? [])]) called(name, code)
  for (const line of WOEIDS.trim().split('\n')) {
    const [, code, woeid, , list] = /^(\w\w) (\d+) ([^:]+): ?(.*)$/.exec(line)!
    countries.set(code!, Number(woeid))
    const named = new Map<string, number>()
    for (const item of list ? list.split('|') : []) {
      const cut = item.lastIndexOf(' ')
      named.set(fold(item.slice(0, cut)), Number(item.slice(cut + 1)))
      called(item.slice(0, cut), code!)
    }
    cities.set(code!, named)
  }
  for (const [code, text] of Object.entries(CITIES))
    for (const item of text.split('|')) called(code in REGIONS ? item.replace(/ \S+$/, '') : item, code)
  for (const [code, text] of Object.entries(REGIONS))
    for (const item of text.split('|')) {
      const cut = item.indexOf(' ')
      called(item.slice(cut + 1), code)
      if (code === 'US') called(item.slice(0, cut), code)
    }
  const all = new Set([WORLD, ...countries.values(), ...[...cities.values()].flatMap((named) => [...named.values()])])
  return { countries, cities, countriesOfName, all }
})

/** A place that has trends. */
interface TrendPlace {
  woeid: number
  name: string
}

/** The world, then the countries in the order of their names, each with its cities. */
export const trendPlaces = once((): readonly TrendPlace[] => {
  const countries = WOEIDS.trim()
    .split('\n')
    .map((line) => {
      const [, woeid, name, list] = /^\w\w (\d+) ([^:]+): ?(.*)$/.exec(line)!
      const cities = (list ? list.split('|') : []).map((item) => {
        const cut = item.lastIndexOf(' ')
        return { woeid: Number(item.slice(cut + 1)), name: `${name}: ${item.slice(0, cut)}` }
      })
      return [{ woeid: Number(woeid), name: name! }, ...cities]
    })
  countries.sort(([one], [other]) => one!.name.localeCompare(other!.name, 'en'))
  return [{ woeid: WORLD, name: 'The whole world' }, ...countries.flat()]
})

/** Whether a number is the WOEID of a place that has trends. */
export const isTrendPlace = (woeid: number): boolean => places().all.has(woeid)

const otherNames = once(() => new Map(Object.entries(OTHER_NAMES).map(([name, means]) => [fold(name), fold(means)])))

const MOST_KEPT = 20_000
const kept = new Map<string, readonly number[]>()

/** The WOEIDs of a location as people write it: the world, the country, the city. */
export function placesOfLocation(location: string): readonly number[] {
  const known = kept.get(location)
  if (known) return known
  if (kept.size >= MOST_KEPT) kept.clear()
  const found = findPlaces(location)
  kept.set(location, found)
  return found
}

function findPlaces(location: string): readonly number[] {
  const parts = location
    .slice(0, 200)
    .split(/[,/|·•;()]+/)
    .map((part) => fold(part).trim())
    .filter((part) => part !== '')
    .map((part) => otherNames().get(part) ?? part)
  const { countries, cities, countriesOfName } = places()
  // "Paris, Texas": the last part says the country, the first one the city.
  const said = parts.toReversed().flatMap((part) => countriesOfName.get(part)?.slice(0, 1) ?? [])[0]
  if (said === undefined) return [WORLD]
  for (const part of parts)
    for (const code of new Set([said, ...(countriesOfName.get(part) ?? []).slice(0, 1)])) {
      const city = cities.get(code)?.get(part)
      if (city !== undefined) return [WORLD, countries.get(code)!, city]
    }
  const country = countries.get(said)
  return country === undefined ? [WORLD] : [WORLD, country]
}
