import type { Naming } from '../../api-kit/naming/naming.ts'
import { AdsProblem, notFound } from '../kit/errors.ts'
import { defineAdsOperation } from '../kit/operation.ts'
import { showTime } from '../kit/times.ts'
import { idKind, toBase36 } from '../kit/values.ts'
import { type Recommendation, recommend } from './recommend.ts'
import { type ProposedChange, RecommendationDetailSchema, RecommendationSchema } from './recommendation.schema.ts'

const summaryOf = (accountId: string, item: Recommendation) => ({
  id: toBase36(item.id),
  account_id: toBase36(accountId),
  funding_instrument_id: toBase36(item.fundingInstrumentId),
  status: 'PENDING',
  message: item.message,
  created_at: showTime(item.createdAt),
  updated_at: showTime(item.updatedAt),
})

/** Spells the params of a change in the caller's naming: they are parameters of other operations. */
const spelled = (change: ProposedChange, naming: Naming): ProposedChange => ({
  ...change,
  params: Object.fromEntries(Object.entries(change.params).map(([name, value]) => [naming.rename(name), value])),
  dependent_entities: change.dependent_entities.map((item) => spelled(item, naming)),
})

const listRecommendations = defineAdsOperation({
  id: 'listRecommendations',
  route: 'GET /5/accounts/{account_id}/recommendations',
  tag: 'Recommendations',
  summary: 'List recommendations for the campaigns of an account',
  data: RecommendationSchema,
  envelope: 'whole list',
  may: 'see campaigns',
  allowlist: 'recommendations',
  handle: async ({ account, runtime }) => {
    const found = await recommend(runtime.database, account.id, runtime.clock.now())
    return { data: found.map((item) => summaryOf(account.id, item)), total_count: found.length }
  },
})

const getRecommendation = defineAdsOperation({
  id: 'getRecommendation',
  route: 'GET /5/accounts/{account_id}/recommendations/{recommendation_id}',
  tag: 'Recommendations',
  summary: 'Get a recommendation with its proposed changes',
  path: { recommendation_id: { kind: idKind, missing: 'NOT_FOUND' } },
  data: RecommendationDetailSchema,
  may: 'see campaigns',
  allowlist: 'recommendations',
  handle: async ({ account, path, runtime, naming }) => {
    const found = await recommend(runtime.database, account.id, runtime.clock.now())
    const item = found.find(({ id }) => id === path.recommendation_id)
    if (!item) throw new AdsProblem([notFound('NOT_FOUND', 'recommendation_id', toBase36(path.recommendation_id!))])
    return { data: { ...summaryOf(account.id, item), changes: item.changes.map((change) => spelled(change, naming)) } }
  },
})

export const recommendationOperations = [listRecommendations, getRecommendation]
