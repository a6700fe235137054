import { type AdsError, exclusiveParameters, invalidParameter, missingParameter } from '../kit/errors.ts'
import { PRICE_FORM, parsePrice } from './price.ts'

const NUMBER_OPERATORS = ['GREATER_THAN', 'EQUAL_TO', 'LESS_THAN'] as const
const TEXT_OPERATORS = ['MATCH', 'NOT_CONTAINS', 'CONTAINS'] as const
export const FILTER_OPERATORS = [...NUMBER_OPERATORS, ...TEXT_OPERATORS] as const

const LABELS = ['custom_label_0', 'custom_label_1', 'custom_label_2', 'custom_label_3', 'custom_label_4'] as const
export const ATTRIBUTES = [
  'price',
  'product_type',
  'taxonomy_product_category',
  'sale_price',
  'inventory',
  ...LABELS,
] as const

export const SET_TYPES = ['MANUAL', 'FILTERED'] as const
export const MOST_FILTERS = 30
export const MOST_KEYS = 50

/** A condition on products. The products of a set meet all of its filters. */
export interface ProductSetFilter {
  attribute: (typeof ATTRIBUTES)[number]
  operator: (typeof FILTER_OPERATORS)[number]
  value: string
}

const MONEY: readonly string[] = ['price', 'sale_price']
const MOST_INVENTORY = 2_147_483_647

/** The errors of filters: the attribute decides which operators and values are allowed. */
export function filterErrors(filters: readonly ProductSetFilter[]): AdsError[] {
  return filters.flatMap(({ attribute, operator, value }, at) => {
    const isNumber = attribute === 'inventory' || MONEY.includes(attribute)
    const operators: readonly string[] = isNumber ? NUMBER_OPERATORS : TEXT_OPERATORS
    if (!operators.includes(operator))
      return [
        invalidParameter(
          `filters[${at}].operator`,
          `must be one of ${operators.join(', ')} for ${attribute}`,
          operator,
        ),
      ]
    const details = valueError(attribute, value)
    return details === undefined ? [] : [invalidParameter(`filters[${at}].value`, details, value.slice(0, 200))]
  })
}

function valueError(attribute: string, value: string): string | undefined {
  if (MONEY.includes(attribute)) return parsePrice(value) ? undefined : PRICE_FORM
  if (attribute === 'inventory')
    return /^\d{1,10}$/.test(value) && Number(value) <= MOST_INVENTORY
      ? undefined
      : `must be an integer between 0 and ${MOST_INVENTORY}`
  return value === '' ? 'must not be empty' : undefined
}

/** Checks that a set has the members of its type. */
export function setTypeErrors(draft: {
  type: string
  filters?: readonly ProductSetFilter[] | undefined
  product_keys?: readonly string[] | undefined
}): AdsError[] {
  const [own, other] =
    draft.type === 'MANUAL' ? (['product_keys', 'filters'] as const) : (['filters', 'product_keys'] as const)
  const errors: AdsError[] = []
  if (draft[own] === undefined) errors.push(missingParameter(own, `is required when type is ${draft.type}`))
  if (draft[other] !== undefined) errors.push(exclusiveParameters(other, `cannot be sent when type is ${draft.type}`))
  return errors
}
