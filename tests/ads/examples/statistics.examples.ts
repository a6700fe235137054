import type { AdsScene } from '../ads-scene.ts'
import type { AdsExample } from './example.ts'

const week = { start_time: '2026-05-01', end_time: '2026-05-08' }
const question = async (scene: AdsScene) => ({
  ...week,
  entity: 'LINE_ITEM',
  entity_ids: await scene.lineItem(),
  granularity: 'DAY',
  placement: 'ALL_ON_TWITTER',
  metric_groups: 'ENGAGEMENT,BILLING,VIDEO,WEB_CONVERSION',
})

/** Examples of statistics, statistics jobs, active entities and reach. */
export const examples: Record<string, AdsExample> = {
  getStats: async (scene) => ({ values: await question(scene) }),
  createStatsJob: async (scene) => ({
    values: { ...(await question(scene)), segmentation_type: 'PLATFORMS' },
  }),
  listStatsJobs: async (scene) => {
    await scene.call('POST', `stats/jobs/accounts/${scene.account}`, await question(scene))
    return { values: { count: 1 } }
  },
  deleteStatsJob: async (scene) => {
    const answer = await scene.call('POST', `stats/jobs/accounts/${scene.account}`, await question(scene))
    return { path: { job_id: answer.body.data.id_str } }
  },
  listActiveEntities: async (scene) => ({
    values: { ...week, entity: 'PROMOTED_POST', campaign_ids: await scene.campaign() },
  }),
  getCampaignReach: async (scene) => ({ values: { ...week, campaign_ids: await scene.campaign() } }),
  getFundingInstrumentReach: (scene) => ({ values: { ...week, funding_instrument_ids: scene.funding } }),
}
