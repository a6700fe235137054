import { type AdsError, exclusiveParameters, invalidParameter, missingParameter } from '../kit/errors.ts'
import { PRICE_FORM, parsePrice } from './price.ts'

const NUMBER_OPERATORS = ['GREATER_THAN', 'EQUAL_TO', 'LESS_THAN'] as const
const TEXT_OPERATORS = ['MATCH', 'NOT_CONTAINS', 'CONTAINS'] as const
export const OPERATORS = [...NUMBER_OPERATORS, ...TEXT_OPERATORS] as const

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

/** A condition that the products of a set meet; those of one set are met all together. */
export interface Filter {
  attribute: (typeof ATTRIBUTES)[number]
  operator: (typeof OPERATORS)[number]
  value: string
}

const MONEY: readonly string[] = ['price', 'sale_price']
const MOST_INVENTORY = 2_147_483_647

/** What is wrong with filters: the operator must suit the attribute, and the value both. */
export function filterErrors(filters: readonly Filter[]): AdsError[] {
  return filters.flatMap(({ attribute, operator, value }, at) => {
    const isNumber = attribute === 'inventory' || MONEY.includes(attribute)
    const fitting: readonly string[] = isNumber ? NUMBER_OPERATORS : TEXT_OPERATORS
    if (!fitting.includes(operator))
      return [
        invalidParameter(`filters[${at}].operator`, `must be one of ${fitting.join(', ')} for ${attribute}`, operator),
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

/** Which members go with which type. */
export function typeErrors(draft: {
  type: string
  filters?: readonly Filter[] | undefined
  product_keys?: readonly string[] | undefined
}): AdsError[] {
  const [own, other] =
    draft.type === 'MANUAL' ? (['product_keys', 'filters'] as const) : (['filters', 'product_keys'] as const)
  const errors: AdsError[] = []
  if (draft[own] === undefined) errors.push(missingParameter(own, `is required when type is ${draft.type}`))
  if (draft[other] !== undefined) errors.push(exclusiveParameters(other, `can not be given when type is ${draft.type}`))
  return errors
}
