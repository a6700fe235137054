import { idAt } from '../../process/ids.ts'
import type { Db } from '../../storage/database.ts'
import { statement } from '../../storage/statement.ts'
import { OUTCOME } from '../serving/outcomes.ts'
import type { OsType } from './conversion-types.data.ts'

/** Whose ads can be credited with something that a viewer did, and for how long. */
export interface AttributionQuestion {
  viewer: number
  at: number
  clickDays: number
  viewDays: number
  /** Whose ads count: those of an account, or of all accounts of the environment. */
  of: { accountId: string } | { sandbox: boolean }
  /** Only ads for this app count. */
  app: { osType: OsType; id: string } | null
  /** The impression that the viewer is known to have clicked, although nothing was recorded about it. */
  clicked?: string | undefined
}

/** The ad that a conversion is credited to. */
export interface Attribution {
  creditedTo: 'engagement' | 'view'
  /** The id of the engagement or view; it has the time. */
  eventId: string
  impressionId: string
  promotedId: string
  lineItemId: string
  campaignId: string
  fundingInstrumentId: string
  accountId: string
  currency: string
  /** That of the account. */
  timezone: string
  placement: number
  /** The viewer engaged with this ad, and was shown another one that alone would be credited too. */
  assisted: boolean
}

/** What counts as an engagement: what somebody did, other than look. */
const ENGAGED =
  OUTCOME.engagements |
  OUTCOME.reposts |
  OUTCOME.replies |
  OUTCOME.likes |
  OUTCOME.follows |
  OUTCOME.card_engagements |
  OUTCOME.clicks |
  OUTCOME.app_clicks |
  OUTCOME.url_clicks |
  OUTCOME.carousel_swipes |
  OUTCOME.video_cta_clicks

const SHOWN = `e.id as event_id, coalesce(e.impression_id, e.id) as impression_id, e.promoted_id, e.line_item_id, e.campaign_id,
       c.funding_instrument_id, c.account_id, f.currency, a.timezone, e.placement`

const candidates = (from: string, isWanted: string, most: number): string =>
  `select ${SHOWN} from ads_event e
     join ads_campaign c on c.id = e.campaign_id
     join ads_account a on a.id = c.account_id and (a.id = q.account_id or a.sandbox = q.sandbox)
     join ads_funding_instrument f on f.id = c.funding_instrument_id
     join ads_line_item l on l.id = e.line_item_id
    where e.viewer = q.viewer and e.id >= ${from} and e.id < q.until and ${isWanted}
      and (q.app_id is null
        or case q.os_type when 'PLATFORM_A' then l.platform_a_app_store_identifier else l.platform_b_app_store_identifier end = q.app_id)
    order by e.id desc limit ${most}`

// Two views, because the later one may be that of the engagement itself.
const creditable = statement(
  'ads_creditable_events',
  {
    question: 'int4?',
    is_engagement: 'bool?',
    event_id: 'int8?',
    impression_id: 'int8?',
    promoted_id: 'int8?',
    line_item_id: 'int8?',
    campaign_id: 'int8?',
    funding_instrument_id: 'int8?',
    account_id: 'int8?',
    currency: 'text?',
    timezone: 'text?',
    placement: 'int2?',
  },
  `select q.question::int as question, s.* from unnest($1::int[], $2::bigint[], $3::bool[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[], $8::text[], $9::text[])
       with ordinality as q (viewer, account_id, sandbox, until, click_from, view_from, clicked, os_type, app_id, question)
     cross join lateral (
       (select true as is_engagement, t.* from (${candidates('q.click_from', `(e.outcomes & ${ENGAGED} <> 0 or e.id = q.clicked)`, 1)}) t)
       union all
       (select false, t.* from (${candidates('q.view_from', `e.outcomes & ${OUTCOME.impressions} <> 0`, 2)}) t)
     ) s order by q.question, s.is_engagement desc, s.event_id desc`,
)

const DAY_MS = 86_400_000

/**
 * The ads that conversions are credited to, in the order of the questions: the latest engagement within the click window,
 * else the latest view within the view window.
 */
export async function attribute(
  db: Db,
  questions: readonly AttributionQuestion[],
): Promise<(Attribution | undefined)[]> {
  if (questions.length === 0) return []
  const rows = await creditable.all(
    db,
    questions.map((item) => item.viewer),
    questions.map(({ of }) => ('accountId' in of ? of.accountId : null)),
    questions.map(({ of }) => ('sandbox' in of ? of.sandbox : null)),
    questions.map((item) => idAt(item.at + 1)),
    questions.map((item) => idAt(item.at - item.clickDays * DAY_MS)),
    // A window of no days has no views.
    questions.map((item) => idAt(item.viewDays === 0 ? item.at + 1 : item.at - item.viewDays * DAY_MS)),
    questions.map((item) => item.clicked ?? null),
    questions.map((item) => item.app?.osType ?? null),
    questions.map((item) => item.app?.id ?? null),
  )
  const found = questions.map((): typeof rows => [])
  for (const row of rows) found[row.question! - 1]!.push(row)
  return found.map((events) => {
    const first = events[0]
    if (!first) return undefined
    const isEngagement = first.is_engagement === true
    return {
      creditedTo: isEngagement ? 'engagement' : 'view',
      eventId: first.event_id!,
      impressionId: first.impression_id!,
      promotedId: first.promoted_id!,
      lineItemId: first.line_item_id!,
      campaignId: first.campaign_id!,
      fundingInstrumentId: first.funding_instrument_id!,
      accountId: first.account_id!,
      currency: first.currency!,
      timezone: first.timezone!,
      placement: first.placement!,
      assisted:
        isEngagement && events.some((event) => !event.is_engagement && event.impression_id !== first.impression_id),
    }
  })
}
