import { nullable, Type, words } from '../../api-kit/declaring/schema.ts'
import { ADS_KEPT_NAMES } from '../../legacy-words.ts'
import { statement } from '../../storage/statement.ts'
import { widenToFullSets } from '../categories/business-categories.data.ts'
import { defineAdsEntity } from '../kit/define-entity.ts'
import { AdsError } from '../kit/errors.ts'
import { idsFilter } from '../kit/field.ts'
import { activation } from './activation.ts'
import {
  type LineItem,
  type LineItemDraft,
  type LineItemDraftChange,
  lineItemFields,
  lineItemReads,
} from './line-item.fields.ts'
import { derivedPayBy, initialBidStrategy, initialGoal, keptPayBy, lineItemErrors } from './line-item.rules.ts'

const LINE_ITEMS_OF_CAMPAIGN = 100
const ACTIVE_LINE_ITEMS = 4_000

const lineItemCounts = statement(
  'ads_line_item_counts',
  { campaign_id: 'int8?', total: 'int8', active: 'int8', objective: 'text?', product_type: 'text?' },
  `select campaign_id, count(*) as total, 0::bigint as active, min(objective) as objective, min(product_type) as product_type
     from ads_line_item where campaign_id = any($2::bigint[]) and not deleted and id <> all($4::bigint[]) group by 1
   union all
   select null, 0, count(*), null, null from ads_line_item
    where account_id = $1 and not deleted and entity_status <> 'DRAFT' and (end_time is null or end_time > $3) and id <> all($4::bigint[])`,
)

/** A line item: a part of a campaign with its own audience, placements, times and bid. */
export const lineItems = defineAdsEntity({
  name: 'line_item',
  plural: 'line_items',
  tag: 'Line Items',
  component: 'LineItem',
  table: 'ads_line_item',
  counted: true,
  notFound: 'LINE_ITEM_NOT_FOUND',
  fields: lineItemFields,
  joins: 'join ads_campaign c on c.id = r.campaign_id join ads_funding_instrument f on f.id = c.funding_instrument_id',
  reads: lineItemReads,
  initially: { goal: initialGoal, bid_strategy: initialBidStrategy, pay_by: derivedPayBy },
  shown: {
    [ADS_KEPT_NAMES.automaticPromotion]: { schema: nullable(Type.Boolean()), show: () => null },
    creative_source: { schema: words(['MANUAL']), show: () => 'MANUAL' },
    categories: { schema: Type.Array(Type.String()), show: (record) => record.categories ?? [] },
  },
  filters: {
    campaign_ids: idsFilter('r.campaign_id'),
    funding_instrument_ids: idsFilter('c.funding_instrument_id'),
    line_item_ids: idsFilter('r.id'),
  },
  named: 'name',
  sorts: ['created_at', 'updated_at', 'deleted', 'bid_amount_local_micro'],
  drafts: true,
  may: { see: 'see campaigns', manage: 'manage campaigns' },
  readLimit: 'core reads',
  batch: 40,
  operations: {
    list: 'listLineItems',
    get: 'getLineItem',
    create: 'createLineItem',
    update: 'updateLineItem',
    delete: 'deleteLineItem',
    batch: 'batchLineItems',
  },
  history: 'LINE_ITEM',
  check: lineItemErrors,
  derive: (draft, { given, before }) => {
    if (draft.bid_strategy === 'AUTO') draft.bid_amount_local_micro = null
    if (draft.objective === 'PREROLL_VIEWS' && draft.categories)
      draft.categories = widenToFullSets(draft.categories).codes
    if (!given.has('pay_by')) draft.pay_by = keptPayBy(draft, before)
  },
  checkAll: async (tx, changes) => {
    const created = changes.filter((item) => item.kind === 'create')
    if (created.length === 0 && !changes.some(becomesActive)) return []
    const campaignIds = [...new Set(created.map((item) => item.record.campaign_id))]
    const { account, now } = changes[0]!.context
    // Line items that the same request deletes do not count.
    const deletedIds = changes.filter((item) => item.kind === 'delete').map((item) => item.record.id)
    const rows = await lineItemCounts.all(tx, account.id, campaignIds, now, deletedIds)
    return countErrors(changes, rows)
  },
})

/** True for a line item that has not ended, paused or not; drafts do not count. */
const isActive = (record: LineItemDraft | LineItem | undefined, now: Date): boolean =>
  record !== undefined && record.entity_status !== 'DRAFT' && (record.end_time === null || record.end_time > now)

const becomesActive = ({ kind, record, before, context: { now } }: LineItemDraftChange): boolean =>
  kind !== 'delete' && isActive(record, now) && !isActive(before, now)

const becomesInactive = ({ kind, record, before, context: { now } }: LineItemDraftChange): boolean =>
  kind === 'update' && isActive(before, now) && !isActive(record, now)

/** The line items of a campaign have one objective; campaigns and accounts have a maximum number of them. */
function countErrors(
  changes: LineItemDraftChange[],
  rows: {
    campaign_id: string | null
    total: string
    active: string
    objective: string | null
    product_type: string | null
  }[],
): AdsError[][] {
  const siblings = new Map<string, { objective: string | null; product_type: string | null; count: number }>()
  for (const { campaign_id: id, objective, product_type, total } of rows)
    if (id) siblings.set(id, { objective, product_type, count: Number(total) })
  let active = Number(rows.find((row) => row.campaign_id === null)!.active) - changes.filter(becomesInactive).length
  return changes.map((item): AdsError[] => {
    const isNewlyActive = becomesActive(item)
    if (isNewlyActive) active += 1
    if (item.kind === 'create') {
      const { campaign_id, objective, product_type } = item.record
      const others = siblings.get(campaign_id) ?? { objective, product_type, count: 0 }
      siblings.set(campaign_id, others)
      others.count += 1
      if (others.objective !== objective || others.product_type !== product_type)
        return [
          new AdsError('INVALID_PARAMETER', 'Expected a valid value for the parameter', {
            parameter: 'objective',
            details: `the line items of this campaign have the objective ${others.objective} and the product type ${others.product_type}`,
          }),
        ]
      if (others.count > LINE_ITEMS_OF_CAMPAIGN)
        return [tooMany(`a campaign has at most ${LINE_ITEMS_OF_CAMPAIGN} line items`)]
    }
    return isNewlyActive && active > ACTIVE_LINE_ITEMS
      ? [tooMany(`at most ${ACTIVE_LINE_ITEMS} line items of an account may be active`)]
      : []
  })
}

const tooMany = (details: string): AdsError =>
  new AdsError('TOO_MANY_LINE_ITEMS', 'There are too many line items', { details })

export const lineItemOperations = [...lineItems.operations, activation(lineItems, 'activateLineItem')]
