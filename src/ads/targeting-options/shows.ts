import { TV_MARKETS, TV_SHOWS } from '../../social/annotations/data/tv.data.ts'
import { byValue, option, type TargetingOption } from './option.ts'
import { targetingValue } from './targeting-value.ts'

export interface Show extends TargetingOption {
  genre: string
  locales: readonly { language: string; country: string }[]
}

export const LOCALES: readonly string[] = TV_MARKETS.map((item) => item.locale)

export const splitLocale = (locale: string): { language: string; country: string } => {
  const [language, country] = locale.split('-') as [string, string]
  return { language, country }
}

/** The targeting values of shows are numbers of 52 bits, which every JSON parser reads exactly. */
const showNumber = (name: string): string => String(Number.parseInt(targetingValue('tv_show', name).slice(0, 13), 16))

/** Television shows, in the order of their names. */
export const SHOWS: readonly Show[] = TV_SHOWS.flatMap(({ locales, genre, names }) =>
  names
    .split('|')
    .map((name) => option(showNumber(name), name, { genre, locales: locales.split(' ').map(splitLocale) })),
).sort((one, other) => (one.name < other.name ? -1 : 1))
export const showByValue = byValue(SHOWS)

/** Whether a show is broadcast in a country. */
export const isBroadcastIn = (show: Show, countryCode: string): boolean =>
  show.locales.some((item) => item.country === countryCode)
