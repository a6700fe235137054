import type { Tx } from '../../storage/database.ts'
import { statement } from '../../storage/statement.ts'
import { findCuratedCategory } from '../categories/curated-category-operations.ts'
import { defineAdsEntity } from '../kit/define-entity.ts'
import type { DraftChange } from '../kit/entity.ts'
import { type AdsError, invalidParameter, notFound } from '../kit/errors.ts'
import { field, reference } from '../kit/field.ts'
import { idKind, toBase36 } from '../kit/values.ts'
import { targetingValue } from '../targeting-options/targeting-value.ts'
import { lineItems } from './line-item.entity.ts'

const EXCLUDED_PUBLISHERS = 5

// The facts that decide whether line items can have a curated category.
const lineItemFacts = statement(
  'ads_curated_line_item_facts',
  {
    line_item_id: 'int8',
    locations: 'text[]',
    content_categories: 'int4',
    excluded_publishers: 'int4',
    curated: 'int8[]',
  },
  `select l.id as line_item_id,
          coalesce(array_agg(t.targeting_value) filter (where t.targeting_type = 'LOCATION' and t.operator_type <> 'NE'), '{}') as locations,
          (count(*) filter (where t.targeting_type = 'IAB_CATEGORY'))::int as content_categories,
          (count(*) filter (where t.targeting_type = 'CONTENT_PUBLISHER_USER'))::int as excluded_publishers,
          array(select c.id from ads_line_item_curated_category c where c.line_item_id = l.id and not c.deleted) as curated
     from ads_line_item l left join ads_targeting_criterion t on t.line_item_id = l.id and not t.deleted
    where l.id = any($1::bigint[]) group by l.id`,
)

const fields = {
  line_item_id: reference(() => lineItems, { required: true }),
  curated_category_id: field(idKind, { required: true }),
}

/** The curated category of a line item: its advertisements run before videos of the category. */
export const lineItemCuratedCategories = defineAdsEntity({
  name: 'line_item_curated_category',
  plural: 'line_item_curated_categories',
  tag: 'Line Item Curated Categories',
  component: 'LineItemCuratedCategory',
  table: 'ads_line_item_curated_category',
  counted: true,
  notFound: 'NOT_FOUND',
  fields,
  sorts: ['created_at', 'updated_at', 'deleted'],
  may: { see: 'see campaigns', manage: 'manage campaigns' },
  operations: {
    list: 'listLineItemCuratedCategories',
    get: 'getLineItemCuratedCategory',
    create: 'createLineItemCuratedCategory',
    update: 'updateLineItemCuratedCategory',
    delete: 'deleteLineItemCuratedCategory',
  },
  check: ({ curated_category_id: id }) =>
    findCuratedCategory(id) ? [] : [notFound('NOT_FOUND', 'curated_category_id', toBase36(id))],
  checkAll: (tx, changes) => usageErrors(tx, changes),
})

async function usageErrors(tx: Tx, changes: DraftChange<typeof fields>[]): Promise<AdsError[][]> {
  const written = changes.filter((item) => item.kind !== 'delete')
  if (written.length === 0) return []
  const ids = written.map((item) => item.record.line_item_id)
  const facts = new Map((await lineItemFacts.all(tx, ids)).map((row) => [row.line_item_id, row]))
  return changes.map(({ kind, record }) => {
    if (kind === 'delete') return []
    const fact = facts.get(record.line_item_id)!
    const countries = findCuratedCategory(record.curated_category_id)!.country_codes
    if (!countries.some((code) => fact.locations.includes(targetingValue('country', code))))
      return [
        invalidParameter(
          'curated_category_id',
          `the line item must target one of the countries of the category: ${countries.join(', ')}`,
        ),
      ]
    if (fact.curated.some((id) => id !== record.id))
      return [invalidParameter('line_item_id', 'the line item already has a curated category')]
    if (fact.content_categories > 0)
      return [
        invalidParameter(
          'line_item_id',
          'the line item targets content categories, which cannot be combined with a curated category',
        ),
      ]
    if (fact.excluded_publishers > EXCLUDED_PUBLISHERS)
      return [
        invalidParameter(
          'line_item_id',
          `a line item with a curated category may exclude at most ${EXCLUDED_PUBLISHERS} publishers`,
        ),
      ]
    return []
  })
}
