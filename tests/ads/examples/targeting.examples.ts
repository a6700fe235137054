import { targetingValue } from '../../../src/ads/targeting-options/targeting-value.ts'
import type { AdsScene } from '../ads-scene.ts'
import type { AdsExample } from './example.ts'

const PORTUGAL = targetingValue('country', 'PT')

const criterion = async (scene: AdsScene): Promise<{ id: string; line_item_id: string }> =>
  scene.made('targeting_criteria', {
    line_item_id: await scene.lineItem(),
    targeting_type: 'LOCATION',
    targeting_value: PORTUGAL,
  })

const appList = async (scene: AdsScene): Promise<string> =>
  (await scene.made('app_lists', { name: 'Rivals', app_store_identifiers: 'com.example.one,123456' })).id

/** Examples of targeting, its lookups, suggestions, estimates and recommendations. */
export const examples: Record<string, AdsExample> = {
  listTargetingCriteria: async (scene) => ({
    values: { line_item_ids: (await criterion(scene)).line_item_id, lang: 'ja', with_total_count: true },
  }),
  getTargetingCriterion: async (scene) => ({
    path: { targeting_criterion_id: (await criterion(scene)).id },
    values: { lang: 'de' },
  }),
  createTargetingCriterion: async (scene) => ({
    values: {
      line_item_id: await scene.lineItem(),
      targeting_type: 'PHRASE_KEYWORD',
      targeting_value: 'night train',
      operator_type: 'NE',
    },
  }),
  deleteTargetingCriterion: async (scene) => ({ path: { targeting_criterion_id: (await criterion(scene)).id } }),
  batchTargetingCriteria: async (scene) => {
    const { id, line_item_id } = await criterion(scene)
    return {
      json: [
        { operation_type: 'Create', params: { line_item_id, targeting_type: 'PLATFORM', targeting_value: '1' } },
        { operation_type: 'Delete', params: { targeting_criterion_id: id } },
      ],
    }
  },
  listLocations: () => ({ values: { country_code: 'US', location_type: 'CITIES', q: 'san', count: 2 } }),
  listInterests: () => ({ values: { q: 'coffee', count: 5 } }),
  listLanguages: () => ({ values: { q: 'por' } }),
  listConversations: () => ({ values: { conversation_type: 'MUSICIANS', count: 3 } }),
  listEvents: () => ({ values: { event_types: 'SPORTS,HOLIDAY', country_codes: 'US', count: 5 } }),
  listNetworkOperators: () => ({ values: { country_code: 'PT' } }),
  listAppStoreCategories: () => ({ values: { os_type: 'PLATFORM_A', q: 'games' } }),
  listDevices: () => ({ values: { q: 'pixel', count: 3 } }),
  listPlatforms: () => ({ values: { lang: 'fr' } }),
  listPlatformVersions: () => ({ values: { q: '17' } }),
  listTvMarkets: () => ({}),
  listTvShows: () => ({ values: { locale: 'en-US', q: 'the', count: 2 } }),
  listTargetingSuggestions: () => ({ values: { suggestion_type: 'KEYWORD', targeting_values: 'bread', count: 5 } }),
  createAudienceEstimate: () => ({
    json: {
      targeting_criteria: [
        { targeting_type: 'BROAD_KEYWORD', targeting_value: 'bread' },
        { targeting_type: 'LOCATION', targeting_value: PORTUGAL, operator_type: 'NE' },
      ],
    },
  }),
  listAppLists: async (scene) => {
    await appList(scene)
    return { values: { count: 1, sort_by: 'name-asc' } }
  },
  createAppList: () => ({ values: { name: 'Other apps', app_store_identifiers: 'com.example.two' } }),
  getAppList: async (scene) => ({ path: { app_list_id: await appList(scene) } }),
  deleteAppList: async (scene) => ({ path: { app_list_id: await appList(scene) } }),
  listRecommendations: async (scene) => {
    await scene.lineItem()
    return {}
  },
  getRecommendation: async (scene) => {
    await scene.lineItem()
    const list = await scene.server.request('GET', `/ads-sandbox/5/accounts/${scene.account}/recommendations`, {
      as: { user: 'alice' },
    })
    return { path: { recommendation_id: list.body.data[0].id } }
  },
}
