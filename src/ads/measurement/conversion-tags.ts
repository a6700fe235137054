import type { Db } from '../../storage/database.ts'
import { statement } from '../../storage/statement.ts'
import {
  APP_CONVERSIONS,
  type AppConversionType,
  LANDING_PAGE_VIEW,
  type OsType,
  WEB_CONVERSIONS,
  type WebConversionType,
} from './conversion-types.data.ts'

/** What conversions are recorded for: an event tag, or the tag of a website itself. */
export interface ConversionTag {
  id: string
  kind: 'web' | 'app' | 'website'
  accountId: string
  /** The member of statistics that counts its conversions. */
  metric: string
  /** Days after an engagement and after a view in which conversions are credited. */
  clickDays: number
  viewDays: number
  /** The app whose ads can be credited; null for all ads of the account. */
  app: { osType: OsType; id: string } | null
}

const COLUMNS = {
  id: 'int8',
  account_id: 'int8',
  type: 'text',
  click_days: 'int4',
  view_days: 'int4',
  os_type: 'text?',
  app_id: 'text?',
} as const

const WEB = `select id, account_id, type, click_window as click_days, view_through_window as view_days, null::text as os_type,
       null::text as app_id from ads_web_event_tag where not deleted`
const APP = `select id, account_id, conversion_type as type, post_engagement_attribution_window as click_days,
       post_view_attribution_window as view_days, os_type, app_store_identifier as app_id from ads_app_event_tag where not deleted`

const webTags = statement('ads_conversion_web_tags', COLUMNS, `${WEB} and id = any($1::bigint[])`)
const tagsOfAccounts = statement(
  'ads_conversion_tags_of_accounts',
  COLUMNS,
  `(${WEB} and account_id = any($1::bigint[])) union all (${APP} and account_id = any($1::bigint[])) order by id`,
)
// An account may have several tags for one event; it counts for the oldest.
const tagsOfApp = statement(
  'ads_conversion_tags_of_app',
  { ...COLUMNS, os_type: 'text', app_id: 'text' },
  `select distinct on (t.account_id) t.* from (${APP} and app_store_identifier = $1 and os_type = $2 and conversion_type = $3) t
     join ads_account a on a.id = t.account_id and a.sandbox = $4 and not a.deleted order by t.account_id, t.id`,
)

interface TagRow {
  id: string
  account_id: string
  type: string
  click_days: number
  view_days: number
  os_type: string | null
  app_id: string | null
}

function tagOf(row: TagRow): ConversionTag {
  const isApp = row.app_id !== null
  return {
    id: row.id,
    kind: isApp ? 'app' : 'web',
    accountId: row.account_id,
    metric: isApp ? APP_CONVERSIONS[row.type as AppConversionType] : WEB_CONVERSIONS[row.type as WebConversionType],
    clickDays: row.click_days,
    viewDays: row.view_days,
    app: isApp ? { osType: row.os_type as OsType, id: row.app_id! } : null,
  }
}

/** Web event tags that are not deleted, by their ids. */
export const findWebTags = async (db: Db, ids: readonly string[]): Promise<Map<string, ConversionTag>> =>
  new Map((ids.length === 0 ? [] : await webTags.all(db, [...ids])).map((row) => [row.id, tagOf(row)]))

/** Every web and app event tag of some accounts that is not deleted, oldest first. */
export const findTagsOfAccounts = async (db: Db, accountIds: readonly string[]): Promise<ConversionTag[]> =>
  (await tagsOfAccounts.all(db, [...accountIds])).map(tagOf)

/** The tags of all accounts that measure an event of an app. */
export const findTagsOfApp = async (
  db: Db,
  event: { appId: string; osType: OsType; conversionType: AppConversionType; sandbox: boolean },
): Promise<ConversionTag[]> =>
  (await tagsOfApp.all(db, event.appId, event.osType, event.conversionType, event.sandbox)).map(tagOf)

const websiteTag = statement(
  'ads_website_tag_by_id',
  { account_id: 'int8' },
  'select account_id from ads_website_tag where id = $1',
)

/** The account that has a pixel. */
export const findWebsite = async (db: Db, websiteTagId: string): Promise<string | undefined> =>
  (await websiteTag.first(db, websiteTagId))?.account_id

const LANDING_DAYS = 30

/** The tag of a website, for which the pages count that people land on. */
export const landingTag = (websiteTagId: string, accountId: string): ConversionTag => ({
  id: websiteTagId,
  kind: 'website',
  accountId,
  metric: LANDING_PAGE_VIEW,
  clickDays: LANDING_DAYS,
  viewDays: 0,
  app: null,
})
