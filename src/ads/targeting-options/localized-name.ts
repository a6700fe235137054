import { standardLanguage } from './data/languages.data.ts'
import { LOCALIZED_GENDERS, LOCALIZED_PLATFORMS } from './data/platforms.data.ts'
import { findLocation } from './locations.ts'

const displayNames = new Map<string, Intl.DisplayNames | undefined>()

/** Names of regions or languages in a language; undefined where none are known. */
function namesIn(lang: string, type: 'region' | 'language'): Intl.DisplayNames | undefined {
  const key = `${type} ${lang}`
  if (!displayNames.has(key)) {
    const isKnown = Intl.DisplayNames.supportedLocalesOf([lang]).length > 0
    displayNames.set(key, isKnown ? new Intl.DisplayNames([lang], { type, fallback: 'none' }) : undefined)
  }
  return displayNames.get(key)
}

/** The name of a targeted thing in a language, where one is known: of countries, languages, platforms and genders. */
export function localizedName(type: string, value: string, lang: string): string | undefined {
  switch (type) {
    case 'LOCATION': {
      const location = findLocation(value)
      return location?.type === 'COUNTRIES' ? namesIn(lang, 'region')?.of(location.countryCode) : undefined
    }
    case 'LANGUAGE':
      return namesIn(lang, 'language')?.of(standardLanguage(value))
    case 'PLATFORM':
      return LOCALIZED_PLATFORMS[lang]?.[value]
    case 'GENDER':
      return LOCALIZED_GENDERS[lang]?.[value]
    default:
      return undefined
  }
}
