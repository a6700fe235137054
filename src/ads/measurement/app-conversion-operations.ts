import { component, nullable, Type, words } from '../../api-kit/declaring/schema.ts'
import { change } from '../../api-kit/runtime.ts'
import type { Tx } from '../../storage/database.ts'
import { statement } from '../../storage/statement.ts'
import { type AdsError, AdsProblem, inclusiveParameters, invalidParameter } from '../kit/errors.ts'
import { type AdsInput, defineAdsOperation, optional, required, type ValuesOf } from '../kit/operation.ts'
import { flagKind, listKind, microsKind, oneOfKind, textKind, wholeKind } from '../kit/values.ts'
import { type AppEvent, attributeAppEvent, ENGAGEMENT_TYPES, PlatformAttribution } from './app-attribution.ts'
import { appIdErrors } from './app-event-tag.entity.ts'
import { findTagsOfApp } from './conversion-tags.ts'
import { isFuture, momentKind } from './conversion-time.ts'
import { APP_CONVERSION_TYPES, CLICK_WINDOWS, OS_TYPES, VIEW_WINDOWS } from './conversion-types.data.ts'
import { currencyKind, hashKind } from './read-web-conversions.ts'
import { recordConversions, withFreshIds } from './record-conversions.ts'

const MOST_DEVICES = 10

const asked = {
  app_id: required(textKind({ min: 1, max: 255 })),
  conversion_time: required(momentKind),
  conversion_type: required(oneOfKind(APP_CONVERSION_TYPES)),
  hashed_device_id: required(hashKind),
  os_type: required(oneOfKind(OS_TYPES)),
  click_window: optional(wholeKind({ among: CLICK_WINDOWS }), { initial: 14 }),
  view_through_window: optional(wholeKind({ among: VIEW_WINDOWS }), { initial: 1 }),
  extra_device_ids: optional(listKind(hashKind, { max: MOST_DEVICES })),
  non_platform_engagement_time: optional(momentKind),
  non_platform_engagement_type: optional(oneOfKind(ENGAGEMENT_TYPES)),
}
type Asked = ValuesOf<typeof asked>

const told = {
  ...asked,
  device_ip_address: optional(textKind({ min: 1, max: 45 })),
  level: optional(wholeKind({ min: 0 })),
  number_items: optional(wholeKind({ min: 1, max: 10_000 })),
  price_currency: optional(currencyKind),
  price_micro: optional(microsKind()),
  user_payment_info: optional(flagKind),
  limit_ad_tracking: optional(flagKind, { initial: false }),
}
type Told = ValuesOf<typeof told>

const Moment = Type.String({ format: 'date-time' })
const common = {
  app_id: Type.String(),
  os_type: words(OS_TYPES),
  hashed_device_id: Type.String(),
  conversion_type: words(APP_CONVERSION_TYPES),
  partner_client_id: Type.String(),
  conversion_time: Moment,
  click_window: Type.Integer(),
  view_through_window: Type.Integer(),
  platform_attribution: nullable(PlatformAttribution),
  tpn_attribution: nullable(PlatformAttribution),
}

const ConversionAttribution = component(
  'ConversionAttribution',
  Type.Object({ ...common, extra_device_ids: nullable(Type.Array(Type.String())) }),
)
const ConversionEvent = component(
  'ConversionEvent',
  Type.Object({
    ...common,
    conversion_value_micro: Type.Integer({ format: 'int64' }),
    limit_ad_tracking: Type.Boolean(),
    event_metadata: nullable(
      Type.Object({
        level: Type.Optional(Type.Integer()),
        number_items: Type.Optional(Type.Integer()),
        price_currency: Type.Optional(Type.String()),
        price_micro: Type.Optional(Type.Integer({ format: 'int64' })),
        user_payment_info: Type.Optional(Type.Boolean()),
      }),
    ),
    non_platform_engagement_type: nullable(words(ENGAGEMENT_TYPES)),
    non_platform_engagement_time: nullable(Moment),
  }),
)

function checkAsked(params: Asked): AdsError[] {
  const { click_window: click = 0, view_through_window: view = 0 } = params
  const [time, type] = [params.non_platform_engagement_time, params.non_platform_engagement_type]
  return [
    ...appIdErrors('app_id', params.os_type, params.app_id),
    ...(view > click ? [invalidParameter('view_through_window', 'must not exceed click_window', view)] : []),
    ...((time === undefined) !== (type === undefined)
      ? [
          inclusiveParameters(
            time === undefined ? 'non_platform_engagement_time' : 'non_platform_engagement_type',
            'non_platform_engagement_time and non_platform_engagement_type are required together',
          ),
        ]
      : []),
  ]
}

type Input<P> = Pick<AdsInput<P>, 'params' | 'runtime' | 'sandbox' | 'caller'>

/** What is asked; throws for a time that has not come. */
function eventOf({ params, runtime, sandbox }: Input<Asked>): AppEvent {
  const now = runtime.clock.now()
  if (isFuture(params.conversion_time.getTime(), now))
    throw new AdsProblem([
      invalidParameter('conversion_time', 'must not be in the future', params.conversion_time.toISOString()),
    ])
  const [at, type] = [params.non_platform_engagement_time, params.non_platform_engagement_type]
  return {
    sandbox,
    appId: params.app_id,
    osType: params.os_type,
    devices: [params.hashed_device_id, ...(params.extra_device_ids ?? [])].map((hash) => hash.toLowerCase()),
    at: Math.min(params.conversion_time.getTime(), now),
    clickDays: params.click_window!,
    viewDays: params.view_through_window!,
    elsewhere: at && type ? { at: at.getTime(), type } : undefined,
  }
}

const commonMembers = ({ params, caller }: Input<Asked>) => ({
  app_id: params.app_id,
  os_type: params.os_type,
  hashed_device_id: params.hashed_device_id,
  conversion_type: params.conversion_type,
  partner_client_id: caller.app.id,
  conversion_time: params.conversion_time.toISOString(),
  click_window: params.click_window,
  view_through_window: params.view_through_window,
})

export const getConversionAttribution = defineAdsOperation({
  id: 'getConversionAttribution',
  route: 'GET /12/conversion_attribution',
  tag: 'Conversion Attribution',
  summary: 'Find the ad that led to an event in an app, without storing the event',
  params: asked,
  data: ConversionAttribution,
  limit: 'conversions',
  allowlist: 'mobile_measurement',
  forConversions: true,
  check: checkAsked,
  handle: async (input) => {
    const { viewer: _, ...claim } = await attributeAppEvent(input.runtime.database, eventOf(input))
    return {
      data: { ...commonMembers(input), ...claim, extra_device_ids: input.params.extra_device_ids ?? null },
    }
  },
})

export const createConversionEvent = defineAdsOperation({
  id: 'createConversionEvent',
  route: 'POST /12/conversion_event',
  tag: 'Conversion Event',
  summary: 'Report an event in an app, and find the ad that led to it',
  params: told,
  data: ConversionEvent,
  limit: 'conversions',
  allowlist: 'mobile_measurement',
  forConversions: true,
  check: checkAsked,
  handle: async (input) => {
    const { params } = input
    const event = eventOf(input)
    const claim = await withFreshIds(() => change(input.runtime, (tx) => storeEvent(tx, input, event)))
    return {
      data: {
        ...commonMembers(input),
        platform_attribution: claim.platform_attribution,
        tpn_attribution: claim.tpn_attribution,
        conversion_value_micro: params.price_micro ?? 0,
        limit_ad_tracking: params.limit_ad_tracking,
        event_metadata: metadataOf(params),
        non_platform_engagement_type: params.non_platform_engagement_type ?? null,
        non_platform_engagement_time: params.non_platform_engagement_time?.toISOString() ?? null,
      },
    }
  },
})

function metadataOf(params: Told): Record<string, unknown> | null {
  const { level, number_items, price_currency, price_micro, user_payment_info } = params
  const given = Object.entries({ level, number_items, price_currency, price_micro, user_payment_info }).filter(
    ([, value]) => value !== undefined,
  )
  return given.length === 0 ? null : Object.fromEntries(given)
}

const eventAdd = statement(
  'ads_app_event_add',
  { id: 'int8' },
  `insert into ads_app_event (id, partner_app_id, sandbox, app_id, os_type, conversion_type, device_hash, converted_at, viewer, details)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10::jsonb)
   on conflict (device_hash, app_id, conversion_type, converted_at, os_type, partner_app_id, sandbox) do nothing returning id`,
)

/** Stores an event and its conversions: one for each account that has a tag for it. A repeated event is not stored again. */
async function storeEvent(tx: Tx, { params, runtime, caller }: Input<Told>, event: AppEvent) {
  // Somebody who limits tracking is not followed.
  const claim = await attributeAppEvent(tx, params.limit_ad_tracking ? { ...event, devices: [] } : event)
  const { appId, osType, sandbox, at } = event
  const conversionType = params.conversion_type
  const metadata = metadataOf(params) ?? {}
  const added = await eventAdd.first(
    tx,
    runtime.ids.next(),
    caller.app.id,
    sandbox,
    appId,
    osType,
    conversionType,
    event.devices[0]!,
    params.conversion_time,
    claim.viewer ?? null,
    JSON.stringify({ ...metadata, ...claim, viewer: undefined }),
  )
  if (!added) return claim
  const tags = await findTagsOfApp(tx, { appId, osType, conversionType, sandbox })
  const { price_micro: micros, price_currency: currency, number_items: quantity } = params
  await recordConversions(
    tx,
    runtime,
    tags.map((tag) => ({
      tag,
      at,
      viewer: claim.viewer,
      quantity,
      price: micros !== undefined && currency !== undefined ? { micros, currency } : undefined,
      details: { ...metadata, source: 'partner' },
    })),
  )
  return claim
}
