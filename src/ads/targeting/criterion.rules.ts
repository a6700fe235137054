import type { LineItem } from '../campaigns/line-item.fields.ts'
import { ALL_PLACEMENTS } from '../campaigns/objectives.data.ts'
import type { AccountAccess } from '../kit/access.ts'
import { AdsError, featureNotAvailable, invalidParameter } from '../kit/errors.ts'
import { findLocation } from '../targeting-options/locations.ts'
import type { CriterionContext, CriterionDraft, CriterionFacts } from './targeting-criterion.fields.ts'
import { factsOf, type Operator } from './targeting-types.data.ts'
import { readTargetingValue } from './targeting-values.ts'

const SEARCH = 'PLATFORM_SEARCH'
const ANY_OPERATOR: readonly Operator[] = ['EQ', 'NE']

/** The rules about one criterion and its line item. */
export function criterionErrors(draft: CriterionDraft, context: CriterionContext): AdsError[] {
  const errors = [...criterionTypeErrors(draft, context.account), ...fitErrors(draft, context.parents.line_item_id)]
  if (errors.length > 0) return errors
  const read = readTargetingValue(draft.targeting_type, draft.targeting_value)
  return read instanceof AdsError ? [read] : []
}

/** Checks the operator of a criterion, and the features that its type needs. */
export function criterionTypeErrors(draft: CriterionFacts, account: AccountAccess): AdsError[] {
  const { operators = ANY_OPERATOR, features } = factsOf(draft.targeting_type)
  if (!operators.includes(draft.operator_type))
    return [
      invalidParameter(
        'operator_type',
        `must be ${operators.join(' or ')} with the type ${draft.targeting_type}`,
        draft.operator_type,
      ),
    ]
  if (features && !features.some((feature) => account.features.has(feature)))
    return [featureNotAvailable(features.join(' or '), 'targeting_type')]
  const isCity = draft.targeting_type === 'LOCATION' && findLocation(draft.targeting_value)?.type === 'CITIES'
  return isCity && !account.features.has('CITY_TARGETING')
    ? [featureNotAvailable('CITY_TARGETING', 'targeting_value')]
    : []
}

const unfit = (draft: CriterionFacts, details: string): AdsError =>
  new AdsError('INVALID_TARGETING_TYPE', 'The targeting type does not fit the line item', {
    parameter: 'targeting_type',
    details,
    value: draft.targeting_type,
  })

/** Checks that the placements and the objective of a line item allow the type. */
function fitErrors(draft: CriterionFacts, lineItem: LineItem): AdsError[] {
  const { batchOnly, onSearch } = factsOf(draft.targeting_type)
  const isSearchOnly = searchesOnly(lineItem)
  if (batchOnly && lineItem.objective !== 'PREROLL_VIEWS')
    return [unfit(draft, 'is only allowed with the objective PREROLL_VIEWS')]
  if (draft.targeting_type === 'EXACT_KEYWORD' && !isSearchOnly)
    return [unfit(draft, `is only allowed with ${SEARCH} as the only placement`)]
  if (isSearchOnly && !onSearch)
    return [
      unfit(draft, `cannot be used with ${SEARCH} as the only placement; add PLATFORM_TIMELINE or ${ALL_PLACEMENTS}`),
    ]
  return []
}

/** True for line items that are only shown in search results. */
export const searchesOnly = (lineItem: LineItem): boolean =>
  lineItem.placements.length === 1 && lineItem.placements[0] === SEARCH
