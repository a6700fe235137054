import { nullable, Type, words } from '../../api-kit/declaring/schema.ts'
import { statement } from '../../storage/statement.ts'
import { defineAdsEntity } from '../kit/define-entity.ts'
import type { RecordOf } from '../kit/entity.ts'
import { AdsError } from '../kit/errors.ts'
import { flag, idsFilter, micros, oneOf, reads, reference, text } from '../kit/field.ts'
import { showTime } from '../kit/times.ts'
import { oneOfKind, textKind, timeKind } from '../kit/values.ts'
import { activation } from './activation.ts'
import { budgetErrors } from './budgets.ts'
import { fundingInstruments } from './funding-instrument.entity.ts'
import { blocksKind, blocksSql, reasonsAt } from './serving-blocks.ts'

const REASONS = [
  'ACCOUNT_REJECTED',
  'ACCOUNT_UNDER_REVIEW',
  'BUDGET_EXHAUSTED',
  'DELETED',
  'EXPIRED',
  'FUNDING_PROBLEM',
  'INCOMPLETE',
  'PAUSED_BY_ADVERTISER',
  'STARTS_IN_FUTURE',
] as const

const campaignFields = {
  name: text({ min: 1, max: 255, required: true }),
  funding_instrument_id: reference(() => fundingInstruments, { required: true, createOnly: true }),
  budget_optimization: oneOf(['LINE_ITEM'], { initial: 'LINE_ITEM' }),
  entity_status: oneOf(['ACTIVE', 'DRAFT', 'PAUSED'], {
    initial: 'ACTIVE',
    onUpdate: oneOfKind(['ACTIVE', 'PAUSED']),
  }),
  daily_budget_amount_local_micro: micros(),
  total_budget_amount_local_micro: micros(),
  standard_delivery: flag(),
  purchase_order_number: text({ max: 50 }),
}

const campaignReads = {
  currency: reads(textKind(), 'f.currency', { always: true }),
  last_end: reads(timeKind, 'items.last_end', { hidden: true }),
  first_start: reads(timeKind, 'items.first_start', { hidden: true }),
  blocks: reads(blocksKind, blocksSql('campaign', 'r.id'), { hidden: true }),
}

type Campaign = RecordOf<typeof campaignFields, typeof campaignReads>

/** Why a campaign does not serve now. */
const reasonsNotServable = (campaign: Campaign, now: number): string[] =>
  campaign.deleted ? [] : reasonsAt(campaign.blocks, now)

const isServable = (campaign: Campaign, now: number): boolean | null =>
  campaign.deleted ? null : reasonsNotServable(campaign, now).length === 0

function effectiveStatus(campaign: Campaign, now: number): 'UNKNOWN' | 'RUNNING' | 'PAUSED' | 'ACTIVE' {
  if (campaign.deleted || campaign.entity_status === 'DRAFT') return 'UNKNOWN'
  const reasons = reasonsNotServable(campaign, now)
  if (reasons.includes('PAUSED_BY_ADVERTISER')) return 'PAUSED'
  return reasons.length === 0 ? 'RUNNING' : 'ACTIVE'
}

// Campaigns count as active until all of their line items have ended, also while they are paused.
const activeCampaigns = statement(
  'ads_active_campaigns',
  { total: 'int8' },
  `select count(*) as total from ads_campaign c where c.account_id = $1 and not c.deleted and c.id <> all($3::bigint[])
      and not exists (select 1 from ads_line_item l where l.campaign_id = c.id and not l.deleted
                       having count(*) > 0 and count(*) filter (where l.end_time is null) = 0 and max(l.end_time) <= $2)`,
)

/** A campaign: the budget that its line items share. */
export const campaigns = defineAdsEntity({
  name: 'campaign',
  plural: 'campaigns',
  tag: 'Campaigns',
  component: 'Campaign',
  table: 'ads_campaign',
  counted: true,
  notFound: 'CAMPAIGN_NOT_FOUND',
  fields: campaignFields,
  joins: `join ads_funding_instrument f on f.id = r.funding_instrument_id
    left join lateral (
      select max(l.end_time) as last_end, min(l.start_time) as first_start
        from ads_line_item l where l.campaign_id = r.id and not l.deleted
    ) items on true`,
  reads: campaignReads,
  requiredWhen: {
    daily_budget_amount_local_micro: {
      holds: (_, { parents, isCreate }) =>
        isCreate && ['AGENCY_CREDIT_LINE', 'CREDIT_CARD', 'CREDIT_LINE'].includes(parents.funding_instrument_id.type),
      says: 'is required with funding instruments of the types AGENCY_CREDIT_LINE, CREDIT_CARD and CREDIT_LINE',
    },
  },
  shown: {
    servable: { schema: nullable(Type.Boolean()), show: isServable },
    reasons_not_servable: { schema: Type.Array(words(REASONS)), show: reasonsNotServable },
    effective_status: { schema: words(['UNKNOWN', 'RUNNING', 'PAUSED', 'ACTIVE']), show: effectiveStatus },
    // Durations and frequency caps belong to line items now; campaigns still have the members.
    duration_in_days: { schema: nullable(Type.Integer()), show: () => null },
    frequency_cap: { schema: nullable(Type.Integer()), show: () => null },
  },
  filters: {
    campaign_ids: idsFilter('r.id'),
    funding_instrument_ids: idsFilter('r.funding_instrument_id'),
  },
  named: 'name',
  sorts: [
    'created_at',
    'updated_at',
    'deleted',
    'name',
    'start_time',
    'end_time',
    'daily_budget_amount_local_micro',
    'total_budget_amount_local_micro',
    'standard_delivery',
  ],
  sortAs: { start_time: 'first_start', end_time: 'last_end' },
  drafts: true,
  may: { see: 'see campaigns', manage: 'manage campaigns' },
  readLimit: 'core reads',
  batch: 40,
  operations: {
    list: 'listCampaigns',
    get: 'getCampaign',
    create: 'createCampaign',
    update: 'updateCampaign',
    delete: 'deleteCampaign',
    batch: 'batchCampaigns',
  },
  history: 'CAMPAIGN',
  // From the start of the first line item to the end of the last.
  alsoInHistory: ({ first_start: start, last_end: end }) => ({
    start_time: start && showTime(start),
    end_time: end && showTime(end),
  }),
  check: (draft, { parents, given }) => budgetErrors(draft, parents.funding_instrument_id.currency, given),
  checkAll: async (tx, changes) => {
    const created = changes.filter((item) => item.kind === 'create')
    if (created.length === 0) return []
    const { account, now } = created[0]!.context
    // Campaigns that the same request deletes do not count.
    const deletedIds = changes.filter((item) => item.kind === 'delete').map((item) => item.record.id)
    const total = Number((await activeCampaigns.first(tx, account.id, now, deletedIds))!.total)
    let remaining = account.campaignCap - total
    return changes.map((item): AdsError[] => {
      if (item.kind !== 'create') return []
      remaining -= 1
      if (remaining >= 0) return []
      return [
        new AdsError('TOO_MANY_CAMPAIGNS', 'The account has too many active campaigns', {
          details: `at most ${account.campaignCap} campaigns may be active`,
        }),
      ]
    })
  },
})

export const campaignOperations = [...campaigns.operations, activation(campaigns, 'activateCampaign')]
