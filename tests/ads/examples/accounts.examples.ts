import { targetingValue } from '../../../src/ads/targeting-options/targeting-value.ts'
import type { AdsScene } from '../ads-scene.ts'
import type { AdsExample } from './example.ts'

const HOUR_MS = 3600_000

/** A line item that targets Portugal, where the curated category 9be can be used. */
async function lineItemInPortugal(scene: AdsScene): Promise<string> {
  const lineItem = await scene.lineItem()
  await scene.made('targeting_criteria', {
    line_item_id: lineItem,
    targeting_type: 'LOCATION',
    targeting_value: targetingValue('country', 'PT'),
    operator_type: 'EQ',
  })
  return lineItem
}

const curatedLink = async (scene: AdsScene) => {
  const values = { line_item_id: await lineItemInPortugal(scene), curated_category_id: '9be' }
  return (await scene.made('line_item_curated_categories', values)).id as string
}

/** Examples of what belongs to accounts, of lists that all accounts share, and of keyword insights. */
export const examples: Record<string, AdsExample> = {
  listAccountApps: async (scene) => {
    await scene.lineItem({ objective: 'APP_INSTALLS', platform_a_app_store_identifier: 'com.example.app' })
    return { values: { sort_by: 'created_at-desc', count: 5 } }
  },
  listAccountHistory: async (scene) => {
    const hour = Math.floor(scene.server.runtime.clock.now() / HOUR_MS) * HOUR_MS
    return {
      values: {
        entity_type: 'LINE_ITEM',
        entity_id: await scene.lineItem(),
        start_time: new Date(hour).toISOString(),
        end_time: new Date(hour + HOUR_MS).toISOString(),
      },
    }
  },
  getAuthenticatedUserAccess: () => ({}),
  listPromotableUsers: () => ({ values: { with_total_count: true } }),
  getPromotableUser: async (scene) => ({
    path: { promotable_user_id: (await scene.get('promotable_users')).body.data[0].id },
  }),
  getTaxSettings: () => ({}),
  updateTaxSettings: () => ({ values: { address_name: 'Moreau Lda', bill_to: 'ADVERTISER', tax_id: 'PT500000000' } }),
  getUserSettings: (scene) => ({ path: { user_id: scene.server.userId('alice') } }),
  updateUserSettings: (scene) => ({
    path: { user_id: scene.server.userId('alice') },
    values: { notification_email: 'ads@example.com', subscribed_email_types: 'ACCOUNT_PERFORMANCE' },
  }),

  listAdvertiserBusinessCategories: () => ({}),
  listIabCategories: () => ({ values: { count: 10, with_total_count: true } }),
  listContentCategories: () => ({}),
  listPublishers: async (scene) => {
    await scene.server.command('ads.publisher.set', { user: 'chika', content_categories: ['se'] })
    return {}
  },
  listCuratedCategories: () => ({ values: { country_codes: 'PT,US' } }),
  getCuratedCategory: () => ({ path: { curated_category_id: '9be' } }),
  listBiddingRules: () => ({ values: { currency: 'JPY' } }),
  listLineItemPlacements: () => ({ values: { product_type: 'PROMOTED_POSTS' } }),

  listLineItemCuratedCategories: async (scene) => {
    await curatedLink(scene)
    return { values: { count: 1 } }
  },
  getLineItemCuratedCategory: async (scene) => ({ path: { line_item_curated_category_id: await curatedLink(scene) } }),
  createLineItemCuratedCategory: async (scene) => ({
    values: { line_item_id: await lineItemInPortugal(scene), curated_category_id: '9be' },
  }),
  updateLineItemCuratedCategory: async (scene) => ({
    path: { line_item_curated_category_id: await curatedLink(scene) },
    values: { curated_category_id: '9bf' },
  }),
  deleteLineItemCuratedCategory: async (scene) => ({
    path: { line_item_curated_category_id: await curatedLink(scene) },
  }),

  searchKeywordInsights: (scene) => ({
    values: {
      granularity: 'HOUR',
      keywords: 'tomatoes,#weather',
      negative_keywords: 'pizza',
      start_time: new Date(scene.server.runtime.clock.now() - 5 * HOUR_MS).toISOString(),
      location: targetingValue('country', 'NG'),
    },
  }),
}
