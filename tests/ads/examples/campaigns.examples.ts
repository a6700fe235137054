import type { AdsExample } from './example.ts'

/** Examples of accounts, funding instruments, campaigns and line items. */
export const examples: Record<string, AdsExample> = {
  listAccounts: () => ({}),
  createSandboxAccount: () => ({}),
  getAccount: () => ({}),
  updateAccount: () => ({ values: { name: 'Renamed', industry_type: 'RETAIL' } }),
  deleteSandboxAccount: async (scene) => ({
    path: { account_id: (await scene.call('POST', 'accounts')).body.data[0].id },
  }),
  listFeatures: () => ({}),
  addSandboxFeatures: () => ({ values: { feature_keys: 'AGE_TARGETING,REACH_FREQUENCY_CAP' } }),
  removeSandboxFeatures: () => ({ values: { feature_keys: 'AGE_TARGETING' } }),

  listFundingInstruments: () => ({}),
  getFundingInstrument: (scene) => ({ path: { funding_instrument_id: scene.funding } }),
  createSandboxFundingInstrument: () => ({
    values: { currency: 'JPY', start_time: '2026-05-01', type: 'CREDIT_CARD' },
  }),
  deleteSandboxFundingInstrument: async (scene) => {
    const made = await scene.made('funding_instruments', {
      currency: 'EUR',
      start_time: '2026-05-01',
      type: 'CREDIT_LINE',
    })
    return { path: { funding_instrument_id: made.id } }
  },
  updatePartnerManagedFundingInstrument: async (scene) => {
    const made = await scene.made('funding_instruments', {
      currency: 'EUR',
      start_time: '2026-05-01',
      type: 'PARTNER_MANAGED',
    })
    return { path: { funding_instrument_id: made.id }, values: { paused: true } }
  },

  listCampaigns: async (scene) => {
    await scene.campaign()
    return { values: { count: 1, sort_by: 'name-asc', with_total_count: true } }
  },
  getCampaign: async (scene) => ({ path: { campaign_id: await scene.campaign() } }),
  createCampaign: (scene) => ({
    values: { funding_instrument_id: scene.funding, name: 'Example', daily_budget_amount_local_micro: 1_000_000 },
  }),
  updateCampaign: async (scene) => ({
    path: { campaign_id: await scene.campaign() },
    values: { entity_status: 'PAUSED' },
  }),
  deleteCampaign: async (scene) => ({ path: { campaign_id: await scene.campaign() } }),
  activateCampaign: async (scene) => ({ path: { campaign_id: await scene.campaign({ entity_status: 'PAUSED' }) } }),
  batchCampaigns: async (scene) => ({
    json: [
      { operation_type: 'Update', params: { campaign_id: await scene.campaign(), name: 'Batched' } },
      { operation_type: 'Delete', params: { campaign_id: await scene.campaign() } },
    ],
  }),

  listLineItems: async (scene) => {
    await scene.lineItem()
    return { values: { count: 1 } }
  },
  getLineItem: async (scene) => ({ path: { line_item_id: await scene.lineItem() } }),
  createLineItem: async (scene) => ({
    values: {
      campaign_id: await scene.campaign(),
      objective: 'VIDEO_VIEWS',
      product_type: 'PROMOTED_POSTS',
      placements: 'PLATFORM_TIMELINE',
      start_time: '2026-05-01',
      end_time: '2026-06-01',
    },
  }),
  updateLineItem: async (scene) => ({ path: { line_item_id: await scene.lineItem() }, values: { name: 'Renamed' } }),
  deleteLineItem: async (scene) => ({ path: { line_item_id: await scene.lineItem() } }),
  activateLineItem: async (scene) => ({ path: { line_item_id: await scene.lineItem({ entity_status: 'PAUSED' }) } }),
  batchLineItems: async (scene) => ({
    json: [{ operation_type: 'Delete', params: { line_item_id: await scene.lineItem() } }],
  }),
}
