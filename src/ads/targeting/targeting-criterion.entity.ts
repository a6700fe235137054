import { Type, words } from '../../api-kit/declaring/schema.ts'
import { defineAdsEntity } from '../kit/define-entity.ts'
import { AdsError } from '../kit/errors.ts'
import { filter, idsFilter } from '../kit/field.ts'
import { idKind, listKind } from '../kit/values.ts'
import { findLocation, LOCATION_TYPES } from '../targeting-options/locations.ts'
import { togetherErrors } from './criteria-together.ts'
import { criterionErrors } from './criterion.rules.ts'
import { batchTypeErrors, langParam, singleTypeParam, withOperator, withoutOperator } from './criterion-operations.ts'
import { referenceErrors } from './referred-records.ts'
import {
  type Criterion,
  type CriterionChange,
  criterionFields,
  criterionReads,
  valueKind,
} from './targeting-criterion.fields.ts'
import { CRITERION_OPERATORS } from './targeting-types.data.ts'
import { readTargetingValue, valueName } from './targeting-values.ts'

const isUser = `r.targeting_type in ('FOLLOWERS_OF_USER', 'SIMILAR_TO_FOLLOWERS_OF_USER', 'USER_ENGAGEMENT', 'USER_ENGAGEMENT_LOOKALIKE', 'CONTENT_PUBLISHER_USER')`

/** A criterion for the users whom a line item reaches or excludes. */
export const targetingCriteria = defineAdsEntity({
  name: 'targeting_criterion',
  plural: 'targeting_criteria',
  tag: 'Targeting Criteria',
  component: 'TargetingCriterion',
  table: 'ads_targeting_criterion',
  counted: true,
  notFound: 'TARGETING_CRITERION_NOT_FOUND',
  fields: criterionFields,
  joins: `left join user_account u on u.id = r.value_id and ${isUser}
    left join ads_campaign c on c.id = r.value_id and r.targeting_type in ('CAMPAIGN_ENGAGEMENT', 'CAMPAIGN_ENGAGEMENT_LOOKALIKE')
    left join ads_custom_audience a on a.id = r.value_id and r.targeting_type in ('CUSTOM_AUDIENCE', 'CUSTOM_AUDIENCE_EXPANDED')
    left join ads_app_list p on p.id = r.value_id and r.targeting_type = 'APP_LIST'`,
  reads: criterionReads,
  shown: {
    name: { schema: Type.String(), show: nameOf },
    localized_name: { schema: Type.Optional(Type.String()), show: () => undefined },
    targeting_value: { schema: valueKind.schema, show: (record) => record.targeting_value },
    operator_type: { schema: Type.Optional(words(CRITERION_OPERATORS)), show: (record) => record.operator_type },
    location_type: {
      schema: Type.Optional(words(LOCATION_TYPES)),
      show: (record) => (record.targeting_type === 'LOCATION' ? findLocation(record.targeting_value)?.type : undefined),
    },
  },
  filters: {
    line_item_ids: filter(listKind(idKind), (placeholder) => `r.line_item_id = any(${placeholder}::bigint[])`, {
      required: true,
    }),
    targeting_criterion_ids: idsFilter('r.id'),
  },
  sorts: ['created_at', 'updated_at', 'deleted'],
  may: { see: 'see campaigns', manage: 'manage campaigns' },
  batch: 500,
  operations: {
    list: { id: 'listTargetingCriteria', moreParams: langParam, handle: withOperator },
    get: { id: 'getTargetingCriterion', moreParams: langParam, handle: withoutOperator },
    create: {
      id: 'createTargetingCriterion',
      moreParams: singleTypeParam,
      check: batchTypeErrors,
      handle: withoutOperator,
    },
    delete: { id: 'deleteTargetingCriterion', handle: withoutOperator },
    batch: { id: 'batchTargetingCriteria', handle: withOperator },
  },
  history: 'TARGETING_CRITERIA',
  check: criterionErrors,
  derive: (draft) => {
    const read = readTargetingValue(draft.targeting_type, draft.targeting_value)
    if (read instanceof AdsError) return
    draft.targeting_value = read.value
    draft.value_id = read.id ?? null
  },
  checkAll: async (tx, changes) => {
    const created = changes.filter((item) => item.kind === 'create')
    const accountId = changes[0]!.context.account.id
    const errors = await referenceErrors(
      tx,
      accountId,
      created.map((item) => item.record),
    )
    if (errors.some((item) => item.length > 0)) return spread(changes, created, errors)
    return togetherErrors(tx, changes)
  },
})

function spread(changes: CriterionChange[], created: CriterionChange[], errors: AdsError[][]): AdsError[][] {
  const errorsOf = new Map(created.map((item, at) => [item, errors[at]!]))
  return changes.map((item) => errorsOf.get(item) ?? [])
}

function nameOf(record: Criterion): string {
  return valueName(record.targeting_type, record.targeting_value) ?? record.record_name ?? record.targeting_value
}
