import { component, nullable, Type, words } from '../../api-kit/declaring/schema.ts'
import { timeOfId } from '../../process/ids.ts'
import type { Db } from '../../storage/database.ts'
import { statement } from '../../storage/statement.ts'
import { toBase36 } from '../kit/values.ts'
import { SHOWN_PLACEMENTS } from '../serving/look.ts'
import { countryOfTargetingValue } from '../targeting-options/country-of.ts'
import { type Attribution, attribute } from './attribute.ts'
import type { OsType } from './conversion-types.data.ts'
import { findViewerOfDevice } from './find-viewers.ts'

export const ENGAGEMENT_TYPES = ['CLICK', 'VIEW'] as const
export type EngagementType = (typeof ENGAGEMENT_TYPES)[number]

export const PlatformAttribution = component(
  'PlatformAttribution',
  Type.Object({
    engagement_type: words(ENGAGEMENT_TYPES),
    engagement_time: Type.String({ format: 'date-time' }),
    country_code: Type.String(),
    attribution_type: Type.String(),
    post_id: Type.String(),
    promoted_properties: Type.Object({
      campaign_id: Type.String(),
      campaign_name: nullable(Type.String()),
      line_item_id: Type.String(),
      line_item_objective: Type.String(),
      account_id: Type.String(),
    }),
  }),
)

/** What a measurement partner asks about. */
export interface AppEvent {
  sandbox: boolean
  appId: string
  osType: OsType
  /** Hashes of the device. */
  devices: readonly string[]
  at: number
  clickDays: number
  viewDays: number
  /** What the partner knows of ads elsewhere. */
  elsewhere: { type: EngagementType; at: number } | undefined
}

/** What is claimed: for an ad on the platform, or for one in its audience network. Never both. */
export interface Claim {
  viewer: number | undefined
  platform_attribution: unknown
  tpn_attribution: unknown
}

const UNKNOWN_COUNTRY = 'ZZ'

const creditedAd = statement(
  'ads_credited_ad',
  { campaign_name: 'text', objective: 'text', post_id: 'int8?' },
  `select c.name as campaign_name, l.objective, p.post_id from ads_line_item l join ads_campaign c on c.id = l.campaign_id
     left join ads_promoted_post p on p.id = $2 where l.id = $1`,
)

/** Which ad led to an event in an app, over the ads for that app of all accounts. */
export async function attributeAppEvent(db: Db, event: AppEvent): Promise<Claim> {
  const device = await findViewerOfDevice(db, event.devices)
  const nothing = { viewer: device?.viewer, platform_attribution: null, tpn_attribution: null }
  if (!device) return nothing
  const [found] = await attribute(db, [
    {
      viewer: device.viewer,
      at: event.at,
      clickDays: event.clickDays,
      viewDays: event.viewDays,
      of: { sandbox: event.sandbox },
      app: { osType: event.osType, id: event.appId },
    },
  ])
  if (!found || isLater(event.elsewhere, found)) return nothing
  const shown = await showAttribution(db, found, device.locations)
  return SHOWN_PLACEMENTS[found.placement] === 'PUBLISHER_NETWORK'
    ? { ...nothing, tpn_attribution: shown }
    : { ...nothing, platform_attribution: shown }
}

/** The last touch counts, and a click counts more than a view. */
function isLater(elsewhere: AppEvent['elsewhere'], { creditedTo, eventId }: Attribution): boolean {
  if (!elsewhere) return false
  const ours = creditedTo === 'engagement' ? 'CLICK' : 'VIEW'
  return ours === elsewhere.type ? elsewhere.at > timeOfId(eventId) : elsewhere.type === 'CLICK'
}

async function showAttribution(db: Db, found: Attribution, locations: readonly string[]): Promise<unknown> {
  const ad = (await creditedAd.first(db, found.lineItemId, found.promotedId))!
  const countries = locations.flatMap((value) => countryOfTargetingValue(value) ?? [])
  return {
    engagement_type: found.creditedTo === 'engagement' ? 'CLICK' : 'VIEW',
    engagement_time: new Date(timeOfId(found.eventId)).toISOString(),
    country_code: countries[0] ?? UNKNOWN_COUNTRY,
    attribution_type: 'PROMOTED',
    post_id: ad.post_id ?? '0',
    promoted_properties: {
      campaign_id: toBase36(found.campaignId),
      campaign_name: ad.campaign_name,
      line_item_id: toBase36(found.lineItemId),
      line_item_objective: ad.objective,
      account_id: toBase36(found.accountId),
    },
  }
}
