import { component, nullable, Type, words } from '../../api-kit/declaring/schema.ts'
import { EVENT_TYPES } from './calendar.ts'
import { OPERATING_SYSTEMS } from './device-options.ts'
import { LOCATION_TYPES } from './locations.ts'
import { CONVERSATION_TYPES } from './topics.ts'

const Text = Type.String()
const Long = Type.Integer({ format: 'int64' })
const Percentages = Type.Record(Type.String(), Type.Number())
const targets = (type: string) => ({ targeting_type: words([type]), targeting_value: Text })

export const LocationOption = component(
  'LocationOption',
  Type.Object({ name: Text, country_code: Text, location_type: words(LOCATION_TYPES), ...targets('LOCATION') }),
)
export const InterestOption = component('InterestOption', Type.Object({ name: Text, ...targets('INTEREST') }))
export const LanguageOption = component('LanguageOption', Type.Object({ name: Text, ...targets('LANGUAGE') }))
export const ConversationOption = component(
  'ConversationOption',
  Type.Object({ name: Text, ...targets('CONVERSATION'), conversation_type: words(CONVERSATION_TYPES) }),
)
export const AppStoreCategoryOption = component(
  'AppStoreCategoryOption',
  Type.Object({ name: Text, ...targets('APP_STORE_CATEGORY'), os_type: words(['PLATFORM_A', 'PLATFORM_B']) }),
)
export const NetworkOperatorOption = component(
  'NetworkOperatorOption',
  Type.Object({ name: Text, country_code: Text, ...targets('NETWORK_OPERATOR') }),
)
export const DeviceOption = component(
  'DeviceOption',
  Type.Object({ name: Text, manufacturer: Text, os_type: words(OPERATING_SYSTEMS), ...targets('DEVICE') }),
)
export const PlatformOption = component(
  'PlatformOption',
  Type.Object({ name: Text, localized_name: Type.Optional(Text), ...targets('PLATFORM') }),
)
export const PlatformVersionOption = component(
  'PlatformVersionOption',
  Type.Object({ name: Text, number: Text, os_type: words(OPERATING_SYSTEMS), ...targets('PLATFORM_VERSION') }),
)
export const EventOption = component(
  'EventOption',
  Type.Object({
    name: Text,
    event_type: words(EVENT_TYPES),
    targeting_value: Text,
    start_time: Type.String({ format: 'date-time' }),
    end_time: Type.String({ format: 'date-time' }),
    is_global: Type.Boolean(),
    country_code: nullable(Text),
    reach: Type.Object({ total_reach: nullable(Long) }),
    top_users: Type.Array(Text),
    top_posts: Type.Array(Text),
    top_hashtags: Type.Array(Text),
    gender_breakdown_percentage: Percentages,
    device_breakdown_percentage: Percentages,
    country_breakdown_percentage: Percentages,
  }),
)
export const TvMarket = component('TvMarket', Type.Object({ name: Text, country_code: Text, locale: Text }))
export const TvShowOption = component(
  'TvShowOption',
  Type.Object({
    name: Text,
    targeting_value: Long,
    genre: Text,
    estimated_users: Long,
    locales: Type.Array(Type.Object({ language: Text, country: Text })),
  }),
)
