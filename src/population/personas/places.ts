import { type Location, locations } from '../../ads/targeting-options/locations.ts'
import { OPERATOR_OPTIONS } from '../../ads/targeting-options/topics.ts'
import { once } from '../../process/once.ts'

/** Where somebody lives, as targeting values. */
export interface Home {
  country: string
  /** From the country to the city. */
  locations: readonly string[]
  metro: string | null
  city: string
  operators: readonly string[]
  /** Minutes that local time is ahead of UTC, without summer time. */
  zone: number
}

/** Countries by language, each as many times as its share of the speakers. */
const COUNTRIES: Record<string, string> = {
  en: 'US US US US US US US US US GB GB GB GB CA CA AU AU IE ZA IN',
  ja: 'JP',
  es: 'MX MX MX ES ES ES AR AR CO PE',
  pt: 'BR BR BR BR PT',
  de: 'DE DE DE DE DE DE DE DE AT CH',
  fr: 'FR FR FR FR FR FR FR BE CA CH',
  ko: 'KR',
}

const ZONES: Record<string, number> = {
  US: -360,
  CA: -300,
  MX: -360,
  CO: -300,
  PE: -300,
  AR: -180,
  BR: -180,
  GB: 0,
  IE: 0,
  PT: 0,
  ZA: 120,
  IN: 330,
  JP: 540,
  KR: 540,
  AU: 600,
}
const CENTRAL_EUROPE = 60
// The eastern and western states, whose cities are far from the mean of the country.
const US_EAST = new Set('NY MA PA FL GA OH NC MI MD DC'.split(' '))
const US_WEST = new Set('CA WA OR NV'.split(' '))

const zoneOf = (country: string, region: string | undefined): number => {
  if (country === 'US' && region !== undefined) return US_EAST.has(region) ? -300 : US_WEST.has(region) ? -480 : -360
  return ZONES[country] ?? CENTRAL_EUROPE
}

/** The cities of a language's countries; countries with more speakers occur more often. */
const homesByLanguage = once(() => {
  const all = locations()
  const countries = new Map(all.filter((item) => item.type === 'COUNTRIES').map((item) => [item.countryCode, item]))
  const regions = new Map(
    all.filter((item) => item.type === 'REGIONS').map((item) => [`${item.countryCode}-${item.region}`, item]),
  )
  const metros = new Map(
    all.filter((item) => item.type === 'METROS').flatMap((item) => item.written.map((name) => [name, item] as const)),
  )
  const operators = (country: string) =>
    OPERATOR_OPTIONS.filter((item) => item.countryCode === country).map((item) => item.value)
  const homeOf = (city: Location): Home => {
    const { countryCode: country, region } = city
    const metro = country === 'US' ? metros.get(city.written[0]!)?.value : undefined
    const within = [countries.get(country)?.value, regions.get(`${country}-${region}`)?.value, metro, city.value]
    return {
      country,
      locations: within.filter((value) => value !== undefined),
      metro: metro ?? null,
      city: city.written[0]!,
      operators: operators(country),
      zone: zoneOf(country, region),
    }
  }
  const homes = (country: string): Home[] =>
    all.filter((item) => item.type === 'CITIES' && item.countryCode === country).map(homeOf)
  const known = new Map<string, Home[]>()
  return new Map(
    Object.entries(COUNTRIES).map(([language, text]) => {
      const lists = text.split(' ').map((country) => {
        const found = known.get(country) ?? homes(country)
        known.set(country, found)
        return found
      })
      return [language, lists]
    }),
  )
})

/** Lists of cities, one for each share of a country. */
export const homesOf = (language: string): readonly (readonly Home[])[] => homesByLanguage().get(language)!
