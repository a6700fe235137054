import { component, Type } from '../../api-kit/declaring/schema.ts'
import { AdsProblem, notFound } from '../kit/errors.ts'
import { pageParams } from '../kit/list-records.ts'
import { defineAdsOperation, required } from '../kit/operation.ts'
import { idKind, listKind, parseBase36, textKind, toBase36 } from '../kit/values.ts'
import { videosOf } from './category-operations.ts'
import { CURATED_AT, CURATED_CATEGORIES, type CuratedCategory } from './curated-categories.data.ts'
import { pageOf } from './page-of.ts'
import { type RecentPublisher, recentPublishers } from './publishers.ts'

const byId = new Map(CURATED_CATEGORIES.map((item) => [parseBase36(item.id)!, item]))

/** The curated category with an id, in its decimal form. */
export const findCuratedCategory = (id: string): CuratedCategory | undefined => byId.get(id)

/** A two-letter country code. */
const countryCodeKind = textKind({ pattern: /^[A-Z]{2}$/, says: 'must be a two-letter country code in upper case' })

const PAGE = 200

const Shape = component(
  'CuratedCategory',
  Type.Object({
    id: Type.String(),
    name: Type.String(),
    description: Type.String(),
    country_codes: Type.Array(Type.String()),
    publisher_user_ids: Type.Array(Type.String({ pattern: '^[0-9]+$' })),
    videos_monetized_in_last_thirty_days: Type.Integer(),
    created_at: Type.String({ format: 'date-time' }),
    updated_at: Type.String({ format: 'date-time' }),
  }),
)

function toReply(category: CuratedCategory, publishers: readonly RecentPublisher[]) {
  const own = publishers.filter(
    (item) =>
      category.content_category_ids.some((id) => item.content_category_ids.includes(id)) &&
      category.country_codes.some((code) => item.country_codes.includes(code)),
  )
  const { content_category_ids: _, ...members } = category
  return {
    ...members,
    publisher_user_ids: own.map((item) => item.user_id),
    videos_monetized_in_last_thirty_days: videosOf(own),
    created_at: CURATED_AT,
    updated_at: CURATED_AT,
  }
}

const listCuratedCategories = defineAdsOperation({
  id: 'listCuratedCategories',
  route: 'GET /12/accounts/{account_id}/curated_categories',
  tag: 'Curated Categories',
  summary: 'List the curated categories that are available in some countries',
  params: { country_codes: required(listKind(countryCodeKind, { max: 200 })), cursor: pageParams().cursor },
  data: Shape,
  envelope: 'counted list',
  may: 'see campaigns',
  handle: async ({ params, runtime }) => {
    const usable = CURATED_CATEGORIES.filter((item) =>
      item.country_codes.some((code) => params.country_codes.includes(code)),
    )
    const { data, next_cursor } = pageOf(usable, { count: PAGE, cursor: params.cursor })
    const publishers = await recentPublishers(runtime)
    return { data: data.map((item) => toReply(item, publishers)), next_cursor, total_count: usable.length }
  },
})

const getCuratedCategory = defineAdsOperation({
  id: 'getCuratedCategory',
  route: 'GET /12/accounts/{account_id}/curated_categories/{curated_category_id}',
  tag: 'Curated Categories',
  summary: 'Get a curated category',
  path: { curated_category_id: { kind: idKind, missing: 'NOT_FOUND', echoAs: 'id' } },
  data: Shape,
  may: 'see campaigns',
  handle: async ({ path, runtime }) => {
    const id = path.curated_category_id!
    const category = findCuratedCategory(id)
    if (!category) throw new AdsProblem([notFound('NOT_FOUND', 'curated_category_id', toBase36(id))])
    // The platform shows the countries only in lists.
    return { data: { ...toReply(category, await recentPublishers(runtime)), country_codes: [] } }
  },
})

export const curatedCategoryOperations = [listCuratedCategories, getCuratedCategory]
