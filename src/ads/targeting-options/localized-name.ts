import { standardLanguage } from './data/languages.data.ts'
import { LOCALIZED_GENDERS, LOCALIZED_PLATFORMS } from './data/platforms.data.ts'
import { findLocation } from './locations.ts'

const displayNames = new Map<string, Intl.DisplayNames | undefined>()

/** The names of regions or languages in a language; undefined for a language without names. */
function namesIn(lang: string, type: 'region' | 'language'): Intl.DisplayNames | undefined {
  const key = `${type} ${lang}`
  if (!displayNames.has(key)) {
    const isSupported = Intl.DisplayNames.supportedLocalesOf([lang]).length > 0
    displayNames.set(key, isSupported ? new Intl.DisplayNames([lang], { type, fallback: 'none' }) : undefined)
  }
  return displayNames.get(key)
}

/** The name of a targeted country, language, platform or gender in a language, if there is one. */
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
