import { defineAdsOperation } from '../kit/operation.ts'
import { readStats } from './read-stats.ts'
import { StatsEntitySchema } from './stats.schema.ts'
import { questionParams, readQuestion, timesEchoed } from './stats-question.ts'
import { slicesOf } from './time-range.ts'

const MOST_DAYS = 7

export const getStats = defineAdsOperation({
  id: 'getStats',
  route: 'GET /12/stats/accounts/{account_id}',
  tag: 'Analytics (synchronous)',
  summary: 'Get statistics of campaigns and other records for up to seven days',
  params: questionParams,
  data: StatsEntitySchema,
  envelope: 'statistics',
  may: 'see campaigns',
  limit: 'statistics',
  echo: { also: { segmentation_type: null, country: null, platform: null }, without: ['account_id'] },
  handle: async ({ params, account, runtime }) => {
    const now = runtime.clock.now()
    const question = readQuestion(params, account, now, { days: MOST_DAYS })
    const slices = slicesOf(question, question.granularity, { name: account.timezone, now })
    return {
      data: await readStats(runtime.database, account.id, question, slices),
      data_type: 'stats',
      time_series_length: slices.length,
      alsoEchoed: timesEchoed(question),
    }
  },
})
