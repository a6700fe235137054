import { type TSchema, Type } from '../../api-kit/declaring/schema.ts'
import { once } from '../../process/once.ts'
import { COUNTRY_CODES } from '../../social/places/data/countries.data.ts'
import { invalidParameter } from '../kit/errors.ts'
import { pageParams } from '../kit/list-records.ts'
import { type AdsAnswer, defineAdsOperation, optional, type Params } from '../kit/operation.ts'
import { type Kind, oneOfKind, textKind, wholeKind } from '../kit/values.ts'
import { DEVICE_OPTIONS, PLATFORM_OPTIONS, VERSION_OPTIONS } from './device-options.ts'
import { localizedName } from './localized-name.ts'
import { LOCATION_TYPES, locations } from './locations.ts'
import { findOptions, pageOfOptions, positionsOf, type TargetingOption } from './option.ts'
import {
  AppStoreCategoryOption,
  ConversationOption,
  DeviceOption,
  InterestOption,
  LanguageOption,
  LocationOption,
  NetworkOperatorOption,
  PlatformOption,
  PlatformVersionOption,
} from './option-schemas.ts'
import {
  APP_CATEGORY_OPTIONS,
  CONVERSATION_OPTIONS,
  CONVERSATION_TYPES,
  INTEREST_OPTIONS,
  LANGUAGE_OPTIONS,
  OPERATOR_OPTIONS,
} from './topics.ts'

const countries = new Set(COUNTRY_CODES)

/** A country of ISO 3166-1. */
export const countryKind: Kind<string> = {
  ...textKind(),
  schema: Type.String({ pattern: '^[A-Z]{2}$' }),
  read: (sent, parameter) =>
    typeof sent === 'string' && countries.has(sent)
      ? sent
      : invalidParameter(parameter, 'must be an ISO 3166-1 country code in upper case', sent),
}

/** The language of localized names. */
export const langKind = textKind({ pattern: /^[a-z]{2}$/, says: 'must be a two-letter language code' })

export const searchText = optional(textKind({ min: 1, max: 255 }))
const countOnly = { count: optional(wholeKind({ min: 1, max: 1_000 }), { initial: 200 }) }

/** What all lookups have in common. They do not belong to an account. */
const lookup = (id: string, path: string, summary: string) => ({
  id,
  route: `GET /12/targeting_criteria/${path}` as const,
  tag: 'Targeting Options',
  summary,
  limit: 'targeting lookups' as const,
})

/** A lookup with pages. */
function pagedLookup<O extends TargetingOption, P extends Params>(declaration: {
  id: string
  path: string
  summary: string
  options: () => readonly O[]
  params: P
  data: TSchema
  fits?(item: O, params: Record<string, unknown>): boolean
  show(item: O): Record<string, unknown>
}) {
  const { path, options, fits, show } = declaration
  const positions = once(() => positionsOf(options()))
  return defineAdsOperation({
    ...lookup(declaration.id, path, declaration.summary),
    params: { ...declaration.params, ...pageParams() } as Params,
    data: declaration.data,
    envelope: 'list',
    handle: async ({ params }): Promise<AdsAnswer> => {
      const found = findOptions(options(), params.q as string | undefined)
      const fitting = fits ? found.filter((item) => fits(item, params)) : found
      const { page, next_cursor } = pageOfOptions({ name: path, positions: positions() }, fitting, {
        count: params.count as number,
        cursor: params.cursor as string | undefined,
      })
      return { data: page.map(show), next_cursor }
    },
  })
}

const targets = (type: string, item: TargetingOption) => ({ targeting_type: type, targeting_value: item.value })

const listLocations = pagedLookup({
  id: 'listLocations',
  path: 'locations',
  summary: 'Find countries, regions, metros, cities and postal codes',
  options: locations,
  params: {
    country_code: optional(countryKind),
    location_type: optional(oneOfKind(LOCATION_TYPES)),
    q: searchText,
  },
  data: LocationOption,
  fits: (item, { country_code, location_type }) =>
    (country_code === undefined || item.countryCode === country_code) &&
    (location_type === undefined || item.type === location_type),
  show: (item) => ({
    name: item.name,
    country_code: item.countryCode,
    location_type: item.type,
    ...targets('LOCATION', item),
  }),
})

const listInterests = pagedLookup({
  id: 'listInterests',
  path: 'interests',
  summary: 'Find interests',
  options: () => INTEREST_OPTIONS,
  params: { q: searchText },
  data: InterestOption,
  show: (item) => ({ name: item.name, ...targets('INTEREST', item) }),
})

const listLanguages = pagedLookup({
  id: 'listLanguages',
  path: 'languages',
  summary: 'Find languages',
  options: () => LANGUAGE_OPTIONS,
  params: { q: searchText },
  data: LanguageOption,
  show: (item) => ({ name: item.name, ...targets('LANGUAGE', item) }),
})

const listConversations = pagedLookup({
  id: 'listConversations',
  path: 'conversations',
  summary: 'List topics of conversations',
  options: () => CONVERSATION_OPTIONS,
  params: { conversation_type: optional(oneOfKind(CONVERSATION_TYPES)) },
  data: ConversationOption,
  fits: (item, { conversation_type }) => conversation_type === undefined || item.type === conversation_type,
  show: (item) => ({ name: item.name, ...targets('CONVERSATION', item), conversation_type: item.type }),
})

const listNetworkOperators = pagedLookup({
  id: 'listNetworkOperators',
  path: 'network_operators',
  summary: 'Find mobile network operators of a country',
  options: () => OPERATOR_OPTIONS,
  params: { country_code: optional(countryKind, { initial: 'US' }), q: searchText },
  data: NetworkOperatorOption,
  fits: (item, { country_code }) => item.countryCode === country_code,
  show: (item) => ({ name: item.name, country_code: item.countryCode, ...targets('NETWORK_OPERATOR', item) }),
})

const listAppStoreCategories = defineAdsOperation({
  ...lookup('listAppStoreCategories', 'app_store_categories', 'Find categories of the app stores'),
  params: { q: searchText, os_type: optional(oneOfKind(['PLATFORM_A', 'PLATFORM_B'])) },
  data: Type.Array(AppStoreCategoryOption),
  handle: async ({ params }) => ({
    data: findOptions(APP_CATEGORY_OPTIONS, params.q)
      .filter((item) => params.os_type === undefined || item.store === params.os_type)
      .map((item) => ({ name: item.name, ...targets('APP_STORE_CATEGORY', item), os_type: item.store })),
  }),
})

const listDevices = defineAdsOperation({
  ...lookup('listDevices', 'devices', 'Find devices'),
  params: { ...countOnly, q: searchText },
  data: Type.Array(DeviceOption),
  handle: async ({ params }) => ({
    data: findOptions(DEVICE_OPTIONS, params.q)
      .slice(0, params.count)
      .map((item) => ({
        name: item.name,
        manufacturer: item.manufacturer,
        os_type: item.os,
        ...targets('DEVICE', item),
      })),
  }),
})

const listPlatforms = defineAdsOperation({
  ...lookup('listPlatforms', 'platforms', 'Find platforms'),
  params: { ...countOnly, q: searchText, lang: optional(langKind) },
  data: Type.Array(PlatformOption),
  handle: async ({ params, naming }) => ({
    data: findOptions(PLATFORM_OPTIONS, params.q)
      .slice(0, params.count)
      .map((item) => {
        const localized = params.lang === undefined ? undefined : localizedName('PLATFORM', item.value, params.lang)
        return {
          name: naming.rename(item.name),
          ...(localized === undefined ? {} : { localized_name: localized }),
          ...targets('PLATFORM', item),
        }
      }),
  }),
})

const listPlatformVersions = defineAdsOperation({
  ...lookup('listPlatformVersions', 'platform_versions', 'Find versions of the mobile platforms'),
  params: { q: searchText },
  data: Type.Array(PlatformVersionOption),
  handle: async ({ params, naming }) => ({
    data: findOptions(VERSION_OPTIONS, params.q).map((item) => ({
      name: naming.rename(item.name),
      number: item.number,
      os_type: item.os,
      ...targets('PLATFORM_VERSION', item),
    })),
  }),
})

/** Lookups that are answered without the database. */
export const lookupOperations = [
  listLocations,
  listInterests,
  listLanguages,
  listConversations,
  listNetworkOperators,
  listAppStoreCategories,
  listDevices,
  listPlatforms,
  listPlatformVersions,
]
