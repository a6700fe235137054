import { fold } from '../../search/tokenize.ts'
import { CONVERSATIONS } from '../../social/annotations/data/conversations.data.ts'
import { INTERESTS } from '../../social/annotations/data/interests.data.ts'
import { APP_STORE_CATEGORIES } from './data/app-store-categories.data.ts'
import { LANGUAGE_CODES, platformLanguage, standardLanguage } from './data/languages.data.ts'
import { NETWORK_OPERATORS } from './data/network-operators.data.ts'
import { byValue, option } from './option.ts'
import { targetingValue } from './targeting-value.ts'

const each = <K extends string>(table: Record<K, string>): [K, string][] =>
  (Object.entries(table) as [K, string][]).flatMap(([key, text]) =>
    text.split('|').map((name): [K, string] => [key, name]),
  )

/** Interests, named after the category they belong to. */
export const INTEREST_OPTIONS = each(INTERESTS).map(([category, name]) =>
  option(targetingValue('interest', `${category}/${name}`), `${category}/${name}`, { about: name.split(/,? and |, /) }),
)
export const interestByValue = byValue(INTEREST_OPTIONS)

export const CONVERSATION_TYPES = Object.keys(CONVERSATIONS)

/** Topics of conversations. */
export const CONVERSATION_OPTIONS = each(CONVERSATIONS).map(([type, name]) =>
  option(targetingValue('conversation', `${type}/${fold(name)}`), name, { type, about: [name] }),
)
export const conversationByValue = byValue(CONVERSATION_OPTIONS)

/** Categories of both app stores. */
export const APP_CATEGORY_OPTIONS = each(APP_STORE_CATEGORIES).map(([store, name]) =>
  option(targetingValue('app_store_category', `${store}/${name}`), name, { store }),
)
export const appCategoryByValue = byValue(APP_CATEGORY_OPTIONS)

/** Mobile network operators; the same name in two countries is two operators. */
export const OPERATOR_OPTIONS = each(NETWORK_OPERATORS).map(([countryCode, name]) =>
  option(targetingValue('network_operator', `${countryCode}/${name}`), name, { countryCode }),
)
export const operatorByValue = byValue(OPERATOR_OPTIONS)

const languageNames = new Intl.DisplayNames(['en'], { type: 'language' })

/** Languages, whose targeting value is their code. */
export const LANGUAGE_OPTIONS = LANGUAGE_CODES.map((code) =>
  option(code, languageNames.of(standardLanguage(code))!, {}, [code, standardLanguage(code)]),
).sort((one, other) => (one.name < other.name ? -1 : 1))
const languages = byValue(LANGUAGE_OPTIONS)
/** The language of a code, in either spelling of it. */
export const languageByValue = { get: (code: string) => languages.get(platformLanguage(code.toLowerCase())) }
