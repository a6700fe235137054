import type { AdsScene } from '../ads-scene.ts'
import type { AdsExample } from './example.ts'

const webTagValues = {
  name: 'Thank you',
  type: 'PURCHASE',
  click_window: 30,
  view_through_window: 1,
  retargeting_enabled: true,
}
const appTagValues = {
  app_store_identifier: 'com.example.shop',
  os_type: 'PLATFORM_A',
  conversion_type: 'INSTALL',
  provider_app_event_id: 'install-1',
  provider_app_event_name: 'Install',
}
const webTag = (scene: AdsScene) => scene.made('web_event_tags', webTagValues)
const appTag = async (scene: AdsScene): Promise<string> => (await scene.made('app_event_tags', appTagValues)).id

const CONFIGURATIONS = 'app_event_provider_configurations'
const setting = { provider_advertiser_id: 'shop-7' }
/** An account has one at a time, so that of the example before is deleted. */
async function withoutConfiguration(scene: AdsScene): Promise<void> {
  for (const { id } of (await scene.get(CONFIGURATIONS)).body.data) await scene.delete(`${CONFIGURATIONS}/${id}`)
}
async function configuration(scene: AdsScene): Promise<string> {
  await withoutConfiguration(scene)
  return (await scene.made(CONFIGURATIONS, setting)).id
}

const DEVICE = 'ab'.repeat(32)
const appEvent = () => ({
  app_id: '333903271',
  os_type: 'PLATFORM_B',
  conversion_type: 'PURCHASE',
  conversion_time: new Date().toISOString(),
  hashed_device_id: DEVICE,
  extra_device_ids: 'cd'.repeat(32),
})

/** Examples of event tags and conversions. */
export const examples: Record<string, AdsExample> = {
  listWebEventTags: async (scene) => ({
    values: { web_event_tag_ids: (await webTag(scene)).id, sort_by: 'name-asc', with_total_count: true },
  }),
  getWebEventTag: async (scene) => ({ path: { web_event_tag_id: (await webTag(scene)).id } }),
  createWebEventTag: () => ({ values: webTagValues }),
  updateWebEventTag: async (scene) => ({
    path: { web_event_tag_id: (await webTag(scene)).id },
    values: { name: 'Renamed', click_window: 7 },
  }),
  deleteWebEventTag: async (scene) => ({ path: { web_event_tag_id: (await webTag(scene)).id } }),

  listAppEventTags: async (scene) => ({
    values: { app_event_tag_ids: await appTag(scene), sort_by: 'assisted_conversion-desc' },
  }),
  getAppEventTag: async (scene) => ({ path: { app_event_tag_id: await appTag(scene) } }),
  createAppEventTag: () => ({ values: appTagValues }),
  deleteAppEventTag: async (scene) => ({ path: { app_event_tag_id: await appTag(scene) } }),

  listAppEventProviderConfigurations: async (scene) => ({ values: { ids: await configuration(scene) } }),
  getAppEventProviderConfiguration: async (scene) => ({ path: { id: await configuration(scene) } }),
  createAppEventProviderConfiguration: async (scene) => {
    await withoutConfiguration(scene)
    return { values: setting }
  },
  deleteAppEventProviderConfiguration: async (scene) => ({ path: { id: await configuration(scene) } }),

  createConversionEvent: () => ({
    values: {
      ...appEvent(),
      number_items: 2,
      price_micro: 5_000_000,
      price_currency: 'USD',
      non_platform_engagement_type: 'CLICK',
      non_platform_engagement_time: '2026-01-01T00:00:00.000Z',
    },
  }),
  getConversionAttribution: () => ({ values: appEvent() }),
  sendWebConversions: async (scene) => {
    const tag = await webTag(scene)
    return {
      path: { pixel_id: tag.website_tag_id },
      json: {
        conversions: [
          {
            conversion_time: new Date().toISOString(),
            event_id: tag.id,
            identifiers: [{ hashed_email: DEVICE }],
            number_items: 1,
            value: '9.50',
            conversion_id: `order-${tag.id}`,
            contents: [{ content_id: 'a', content_group_id: 7, content_price: 9.5, num_items: 1 }],
          },
        ],
      },
    }
  },
}
