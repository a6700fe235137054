import { type AdsError, invalidParameter, missingParameter } from '../kit/errors.ts'
import { parsePrice } from './price.ts'
import {
  idError,
  PRODUCT_FIELD_NAMES,
  PRODUCT_FIELDS,
  type ProductField,
  type ProductFieldName,
} from './product.fields.ts'

export type ProductValues = Record<ProductFieldName, string | number | null>

/** A product as the catalog stores it. */
export interface StoredProduct extends ProductValues {
  product_key: string
  id: string
  item_group_key: string | null
  leads: boolean
  images_checked: boolean
  image_faults: unknown
}

/** A product that was read, with its errors and warnings. */
export interface ReadProduct {
  values: ProductValues
  errors: AdsError[]
  warnings: AdsError[]
}

/** The errors of the id of a sent product. */
export function idErrors(sent: Record<string, unknown>): AdsError[] {
  if (sent.id === undefined || sent.id === null || sent.id === '') return [missingParameter('id')]
  const error = idError(sent.id)
  return error === undefined ? [] : [invalidParameter('id', error, shown(sent.id))]
}

const OWN_MEMBERS = new Set<string>(['id', 'product_key', 'item_group_key'])

/**
 * Reads a sent product by the rules. Members that are not sent keep their stored value; an empty value clears a member.
 * Required members must be sent each time.
 */
export function readProduct(sent: Record<string, unknown>, stored: StoredProduct | undefined): ReadProduct {
  const values = {} as ProductValues
  const errors: AdsError[] = []
  const warnings: AdsError[] = []
  for (const name of PRODUCT_FIELD_NAMES) {
    const field: ProductField = PRODUCT_FIELDS[name]
    const value = sent[name]
    values[name] = stored?.[name] ?? null
    if (value === undefined || value === null || value === '') {
      if (field.required) errors.push(missingParameter(name))
      // The platform stores an empty product_type as empty text.
      else if (value !== undefined) values[name] = name === 'product_type' && value === '' ? '' : null
      continue
    }
    const error = field.error(value)
    if (error === undefined) values[name] = value as string | number
    else errors.push(invalidParameter(name, error, shown(value)))
  }
  for (const name of Object.keys(sent))
    if (!OWN_MEMBERS.has(name) && !Object.hasOwn(PRODUCT_FIELDS, name))
      warnings.push(invalidParameter(name.slice(0, 100), 'is not a member of a product and was ignored'))
  if (errors.length === 0) errors.push(...togetherErrors(sent, values))
  if (errors.length === 0) warnings.push(...togetherWarnings(values))
  return { values, errors, warnings }
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null && value !== ''

const VARIANT_MEMBERS = ['size', 'color', 'age_group', 'gender'] as const

function togetherErrors(sent: Record<string, unknown>, values: ProductValues): AdsError[] {
  const errors: AdsError[] = []
  if (!isGiven(sent.brand) && !isGiven(sent.gtin) && !isGiven(sent.mpn))
    errors.push(missingParameter('brand', 'one of brand, gtin and mpn is required'))
  if (values.availability === 'in stock' && values.inventory !== null && (values.inventory as number) < 1)
    errors.push(invalidParameter('inventory', 'must be at least 1 when availability is in stock', values.inventory))
  if (values.sale_price !== null) {
    const [full, sale] = [parsePrice(values.price as string)!, parsePrice(values.sale_price as string)!]
    if (sale.currency !== full.currency)
      errors.push(invalidParameter('sale_price', 'must be in the currency of price', values.sale_price))
    else if (sale.micros >= full.micros)
      errors.push(invalidParameter('sale_price', 'must be lower than price', values.sale_price))
  }
  const variant = VARIANT_MEMBERS.filter((name) => values[name] !== null)
  if (variant.length > 0 && values.item_group_id === null)
    errors.push(
      missingParameter('item_group_id', `is required for variants, which are products with ${variant.join(', ')}`),
    )
  return errors
}

function togetherWarnings(values: ProductValues): AdsError[] {
  const warnings: AdsError[] = []
  if (values.gtin !== null && !/^(?:\d{8}|\d{12,14})$/.test(String(values.gtin)))
    warnings.push(invalidParameter('gtin', 'is not 8, 12, 13 or 14 digits long', values.gtin))
  if (values.sale_price_effective_date !== null && values.sale_price === null)
    warnings.push(invalidParameter('sale_price_effective_date', 'has no effect without sale_price'))
  return warnings
}

const shown = (value: unknown): unknown =>
  typeof value === 'string'
    ? value.slice(0, 200)
    : typeof value === 'object'
      ? JSON.stringify(value).slice(0, 200)
      : value
