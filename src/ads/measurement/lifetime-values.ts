import { idAt } from '../../process/ids.ts'
import type { Tx } from '../../storage/database.ts'
import { statement } from '../../storage/statement.ts'
import type { Attribution } from './attribute.ts'
import type { ConversionTag } from './conversion-tags.ts'
import { APP_CONVERSIONS } from './conversion-types.data.ts'
import type { CountedConversion } from './count-conversions.ts'

/** Something that somebody did in an app. */
interface AppAct {
  tag: ConversionTag
  viewer: number | undefined
  at: number
  quantity: number
  price: { micros: number; currency: string } | undefined
}

// The latest install of the app that an ad of the account led to, before an act.
const installsBefore = statement(
  'ads_installs_before',
  {
    act: 'int4?',
    id: 'int8',
    impression_id: 'int8?',
    credited_to: 'text?',
    assisted: 'bool',
    promoted_id: 'int8?',
    line_item_id: 'int8?',
    campaign_id: 'int8?',
    funding_instrument_id: 'int8',
    account_id: 'int8',
    currency: 'text',
    timezone: 'text',
    placement: 'int2?',
  },
  `select q.act::int as act, i.id, i.impression_id, i.credited_to, i.assisted, i.promoted_id, i.line_item_id, i.campaign_id,
          c.funding_instrument_id, c.account_id, f.currency, a.timezone, i.placement
     from unnest($1::int[], $2::bigint[], $3::bigint[], $4::text[], $5::text[]) with ordinality as q (viewer, until, account_id, os_type, app_id, act)
     cross join lateral (
       select n.* from ads_conversion n
        where n.viewer = q.viewer and n.id < q.until and n.metric = 'mobile_conversion_installs' and n.campaign_id is not null
          and n.account_id = q.account_id
          and exists (select from ads_app_event_tag t where t.id = n.tag_id and t.app_store_identifier = q.app_id and t.os_type = q.os_type)
        order by n.id desc limit 1
     ) i
     join ads_campaign c on c.id = i.campaign_id
     join ads_funding_instrument f on f.id = c.funding_instrument_id
     join ads_account a on a.id = c.account_id`,
)

const lifetimeMetric = (metric: string): string =>
  metric.replace('mobile_conversion_', 'mobile_conversion_lifetime_value_')

/**
 * What people did in apps, counted for the ads that they installed the apps after, without a window. An ad that led to the act itself
 * is counted besides.
 */
export async function lifetimeValues(tx: Tx, acts: readonly AppAct[]): Promise<CountedConversion[]> {
  const known = acts.filter(
    ({ tag, viewer }) => tag.app !== null && viewer !== undefined && tag.metric !== APP_CONVERSIONS.INSTALL,
  )
  if (known.length === 0) return []
  const installs = await installsBefore.all(
    tx,
    known.map((act) => act.viewer!),
    known.map((act) => idAt(act.at + 1)),
    known.map((act) => act.tag.accountId),
    known.map((act) => act.tag.app!.osType),
    known.map((act) => act.tag.app!.id),
  )
  return installs.map((install) => {
    const { tag, at, quantity, price } = known[install.act! - 1]!
    const attribution: Attribution = {
      creditedTo: install.credited_to as Attribution['creditedTo'],
      eventId: install.id,
      impressionId: install.impression_id!,
      promotedId: install.promoted_id!,
      lineItemId: install.line_item_id!,
      campaignId: install.campaign_id!,
      fundingInstrumentId: install.funding_instrument_id,
      accountId: install.account_id,
      currency: install.currency,
      timezone: install.timezone,
      placement: install.placement!,
      assisted: install.assisted,
    }
    const amount = price?.currency === install.currency ? price.micros : 0
    return { metric: lifetimeMetric(tag.metric), at, quantity, amount, attribution }
  })
}
