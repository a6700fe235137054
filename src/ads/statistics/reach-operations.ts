import { component, Type } from '../../api-kit/declaring/schema.ts'
import { idAt } from '../../process/ids.ts'
import { type RowOf, type Statement, statement } from '../../storage/statement.ts'
import { AdsProblem, featureNotAvailable, notFound, windowErrors } from '../kit/errors.ts'
import { type AdsAnswer, type AdsContext, defineAdsOperation, required } from '../kit/operation.ts'
import { idKind, listKind, timeKind, toBase36 } from '../kit/values.ts'
import { OUTCOME } from '../serving/outcomes.ts'
import { MOST_ENTITIES } from './stats-question.ts'
import { type TimeRange, wholeHourErrors } from './time-range.ts'

const FEATURE = 'REACH_AND_FREQUENCY_ANALYTICS'

const columns = { id: 'int8', people: 'int8', impressions: 'int8' } as const

/** Distinct people and impressions of the records $2 of the account $1, of events from the id $3 until $4. */
const reachOf = (campaigns: string) => `
  select r.id, p.people, p.impressions
    from (${campaigns}) r
    cross join lateral (
      select count(distinct e.viewer) as people, count(*) as impressions
        from ads_event e
       where e.campaign_id = any(r.campaign_ids) and e.id >= $3::bigint and e.id < $4::bigint and e.outcomes & ${OUTCOME.impressions} <> 0
    ) p`

export const reachOfCampaigns = statement(
  'ads_reach_of_campaigns',
  columns,
  reachOf(
    'select id, array[id] as campaign_ids from ads_campaign where account_id = $1::bigint and id = any($2::bigint[])',
  ),
)
/** Somebody whom two campaigns of a funding instrument reach is one person. */
const reachOfFunding = statement(
  'ads_reach_of_funding_instruments',
  columns,
  reachOf(`select f.id, array(select c.id from ads_campaign c where c.account_id = f.account_id and c.funding_instrument_id = f.id) as campaign_ids
     from ads_funding_instrument f where f.account_id = $1::bigint and f.id = any($2::bigint[])`),
)

interface ReachQuestion extends TimeRange {
  ids: readonly string[]
  /** The name of the parameter with the ids, and the code for one that does not exist. */
  parameter: string
  missing: string
}

async function answerReach(
  { account, runtime }: AdsContext,
  reached: Statement<RowOf<typeof columns>>,
  question: ReachQuestion,
): Promise<AdsAnswer> {
  if (!account.features.has(FEATURE)) throw new AdsProblem([featureNotAvailable(FEATURE)])
  const { start, end, parameter, missing } = question
  const errors = [
    ...wholeHourErrors(question, { name: account.timezone, now: runtime.clock.now() }),
    ...windowErrors(start, end),
  ]
  if (errors.length > 0) throw new AdsProblem(errors)
  const ids = [...new Set(question.ids)]
  const rows = await reached.all(runtime.database, account.id, ids, idAt(start.getTime()), idAt(end.getTime()))
  const byId = new Map(rows.map((row) => [row.id, row]))
  const unknown = ids.filter((id) => !byId.has(id))
  if (unknown.length > 0) throw new AdsProblem(unknown.map((id) => notFound(missing, parameter, toBase36(id))))
  return {
    data_type: 'reach',
    data: ids.map((id) => {
      const [people, impressions] = [Number(byId.get(id)!.people), Number(byId.get(id)!.impressions)]
      return {
        id: toBase36(id),
        total_audience_reach: people,
        average_frequency: people === 0 ? 0 : impressions / people,
      }
    }),
  }
}

const shared = {
  tag: 'Reach and Average Frequency',
  data: component(
    'Reach',
    Type.Object({
      id: Type.String(),
      total_audience_reach: Type.Integer({ format: 'int64' }),
      average_frequency: Type.Number(),
    }),
  ),
  envelope: 'statistics',
  may: 'see campaigns',
  limit: 'statistics',
} as const

const ids = required(listKind(idKind, { max: MOST_ENTITIES }))
// A date is midnight in UTC here, as in the platform's samples.
const times = { start_time: required(timeKind), end_time: required(timeKind) }

const getCampaignReach = defineAdsOperation({
  ...shared,
  id: 'getCampaignReach',
  route: 'GET /12/stats/accounts/{account_id}/reach/campaigns',
  summary: 'Get how many people campaigns reached, and how often',
  params: { campaign_ids: ids, ...times },
  handle: (input) => {
    const { campaign_ids, start_time: start, end_time: end } = input.params
    const names = { parameter: 'campaign_ids', missing: 'CAMPAIGN_NOT_FOUND' }
    return answerReach(input, reachOfCampaigns, { ids: campaign_ids, start, end, ...names })
  },
})

const getFundingInstrumentReach = defineAdsOperation({
  ...shared,
  id: 'getFundingInstrumentReach',
  route: 'GET /12/stats/accounts/{account_id}/reach/funding_instruments',
  summary: 'Get how many people the campaigns of funding instruments reached, and how often',
  params: { funding_instrument_ids: ids, ...times },
  handle: (input) => {
    const { funding_instrument_ids, start_time: start, end_time: end } = input.params
    const names = { parameter: 'funding_instrument_ids', missing: 'FUNDING_INSTRUMENT_NOT_FOUND' }
    return answerReach(input, reachOfFunding, { ids: funding_instrument_ids, start, end, ...names })
  },
})

export const reachOperations = [getCampaignReach, getFundingInstrumentReach]
