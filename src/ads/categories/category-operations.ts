import { component, nullable, Type } from '../../api-kit/declaring/schema.ts'
import { excludeTotalWithCursor, pageParams } from '../kit/list-records.ts'
import { defineAdsOperation, optional } from '../kit/operation.ts'
import { flagKind } from '../kit/values.ts'
import { BUSINESS_CATEGORIES } from './business-categories.data.ts'
import { CONTENT_CATEGORIES } from './content-categories.data.ts'
import { IAB_CATEGORIES } from './iab-categories.data.ts'
import { pageOf } from './page-of.ts'
import { allPublishers, type RecentPublisher, recentPublishers } from './publishers.ts'

const Texts = Type.Array(Type.String())
const UserId = Type.String({ pattern: '^[0-9]+$' })

const listAdvertiserBusinessCategories = defineAdsOperation({
  id: 'listAdvertiserBusinessCategories',
  route: 'GET /12/advertiser_business_categories',
  tag: 'Advertiser Business Categories',
  summary: 'List the business categories of advertisers with pre-roll line items',
  data: component(
    'AdvertiserBusinessCategory',
    Type.Object({ id: Type.String(), name: Type.String(), iab_categories: Texts }),
  ),
  envelope: 'list',
  handle: async () => ({ data: BUSINESS_CATEGORIES, next_cursor: null }),
})

const listIabCategories = defineAdsOperation({
  id: 'listIabCategories',
  route: 'GET /12/iab_categories',
  tag: 'IAB Categories',
  summary: 'List the IAB content categories',
  params: { ...pageParams(), with_total_count: optional(flagKind, { initial: false }) },
  data: component(
    'IabCategory',
    Type.Object({ id: Type.String(), parent_id: nullable(Type.String()), name: Type.String() }),
  ),
  envelope: 'list',
  check: excludeTotalWithCursor,
  handle: async ({ params }) => ({
    ...pageOf(IAB_CATEGORIES, { count: params.count!, cursor: params.cursor }),
    ...(params.with_total_count ? { total_count: IAB_CATEGORIES.length } : {}),
  }),
})

const listContentCategories = defineAdsOperation({
  id: 'listContentCategories',
  route: 'GET /12/content_categories',
  tag: 'Content Categories',
  summary: 'List the content categories of videos, with their recent activity',
  data: component(
    'ContentCategory',
    Type.Object({
      id: Type.String(),
      name: Type.String(),
      iab_categories: Texts,
      publishers_in_last_thirty_days: Type.Integer(),
      videos_monetized_in_last_thirty_days: Type.Integer(),
    }),
  ),
  envelope: 'counted list',
  handle: async ({ runtime }) => {
    const publishers = await recentPublishers(runtime)
    const data = CONTENT_CATEGORIES.map((category) => {
      const ofCategory = publishers.filter((item) => item.content_category_ids.includes(category.id))
      return {
        ...category,
        publishers_in_last_thirty_days: ofCategory.filter((item) => item.posts > 0).length,
        videos_monetized_in_last_thirty_days: videosOf(ofCategory),
      }
    })
    return { data, next_cursor: null, total_count: data.length }
  },
})

/** The number of recent videos of some publishers. */
export const videosOf = (publishers: readonly RecentPublisher[]): number =>
  publishers.reduce((sum, item) => sum + item.videos, 0)

const listPublishers = defineAdsOperation({
  id: 'listPublishers',
  route: 'GET /12/publishers',
  tag: 'Publishers',
  summary: 'List the users whose videos can carry pre-roll advertisements',
  data: component(
    'Publisher',
    Type.Object({
      user_id: UserId,
      username: Type.String(),
      monetization_restricted: Type.Boolean(),
      monetizable_country_codes: Texts,
      promotion_eligible_country_codes: Texts,
      content_category_ids: Texts,
    }),
  ),
  envelope: 'list',
  handle: async ({ runtime }) => ({ data: await allPublishers(runtime), next_cursor: null }),
})

export const categoryOperations = [
  listAdvertiserBusinessCategories,
  listIabCategories,
  listContentCategories,
  listPublishers,
]
