import { parseTime } from '../kit/times.ts'
import { PRICE_FORM, parsePrice } from './price.ts'

export const AVAILABILITIES = ['in stock', 'available for order', 'preorder', 'out of stock', 'discontinued'] as const
export const CONDITIONS = ['new', 'used', 'refurbished'] as const
export const PRODUCT_GENDERS = ['female', 'male', 'unisex'] as const
export const AGE_GROUPS = ['adult', 'all ages', 'teen', 'kids', 'toddler', 'infant', 'newborn'] as const

/** A member of a product that merchants send, with its rule. */
export interface ProductField {
  required?: true
  isNumber?: true
  /** What is wrong with a value that is not empty. */
  error(value: unknown): string | undefined
}

const MAX_TEXT = 1_000
const MAX_LINK = 2_048
const MOST_INVENTORY = 2_147_483_647
const MOST_IMAGES = 10
const IMAGE_FORM = 'must be the http or https address of a JPG, GIF, WEBP or PNG picture'

type TextRule = (text: string) => string | undefined

const text = (max: number, rule?: TextRule): Omit<ProductField, 'required'> => ({
  error: (value: unknown) => {
    if (typeof value !== 'string') return 'must be a string'
    if (value.includes('\0')) return 'must not hold the character U+0000'
    if (value.length > max && [...value].length > max) return `must be at most ${max} characters long`
    return rule?.(value)
  },
})
const oneOf = (values: readonly string[]) =>
  text(MAX_TEXT, (value) => (values.includes(value) ? undefined : `must be one of ${values.join(', ')}`))
const says = (isRight: (value: string) => boolean, details: string): TextRule => {
  return (value) => (isRight(value) ? undefined : details)
}
const required = (field: Omit<ProductField, 'required'>): ProductField => ({ ...field, required: true })

const price = text(
  MAX_TEXT,
  says((value) => parsePrice(value) !== undefined, PRICE_FORM),
)
const link = text(
  MAX_LINK,
  says((value) => addressOf(value)?.protocol === 'https:', 'must be an https address'),
)

/** The members that merchants send, in the order of replies, except `id`, `product_key` and `item_group_key`. */
export const PRODUCT_FIELDS = {
  title: required(text(150)),
  description: required(
    text(
      5_000,
      says((value) => !/<\/?[a-z][^<>]*>/i.test(value), 'must be plain text'),
    ),
  ),
  availability: required(oneOf(AVAILABILITIES)),
  condition: required(oneOf(CONDITIONS)),
  price: required(price),
  link: required(link),
  image_link: required(text(MAX_LINK, says(isImageAddress, IMAGE_FORM))),
  brand: text(MAX_TEXT),
  gtin: text(MAX_TEXT),
  mpn: text(MAX_TEXT),
  mobile_link: link,
  additional_image_link: text((MAX_LINK + 2) * MOST_IMAGES, additionalError),
  taxonomy_product_category: text(MAX_TEXT),
  product_type: text(MAX_TEXT, says(isLevels, 'must be levels joined by > with spaces around it')),
  inventory: {
    isNumber: true,
    error: (value: unknown) =>
      Number.isInteger(value) && (value as number) >= 0 && (value as number) <= MOST_INVENTORY
        ? undefined
        : `must be an integer between 0 and ${MOST_INVENTORY}`,
  },
  sale_price: price,
  sale_price_effective_date: text(
    MAX_TEXT,
    says(isPeriod, 'must be two ISO 8601 date-times joined by /, the earlier one first'),
  ),
  item_group_id: text(256),
  gender: oneOf(PRODUCT_GENDERS),
  color: text(
    MAX_TEXT,
    says((value) => !isHexColor(value), 'must be the name of a color, not a hex code'),
  ),
  size: text(
    MAX_TEXT,
    says((value) => /[\p{L}\p{N}]/u.test(value), 'must be a word, an abbreviation or a number'),
  ),
  age_group: oneOf(AGE_GROUPS),
  custom_label_0: text(MAX_TEXT),
  custom_label_1: text(MAX_TEXT),
  custom_label_2: text(MAX_TEXT),
  custom_label_3: text(MAX_TEXT),
  custom_label_4: text(MAX_TEXT),
} satisfies Record<string, ProductField>
export type ProductFieldName = keyof typeof PRODUCT_FIELDS

export const PRODUCT_FIELD_NAMES = Object.keys(PRODUCT_FIELDS) as ProductFieldName[]

/** What is wrong with the id that a merchant gives a product. */
export const idError = text(
  256,
  says((value) => value.trim() !== '', 'must not be blank'),
).error as (value: unknown) => string | undefined

/** The addresses in a comma-separated list of images. */
export const imageAddresses = (list: string): string[] =>
  list
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')

function addressOf(value: string): URL | undefined {
  return URL.canParse(value) && /^https?:\/\/[^\s]+$/i.test(value) ? new URL(value) : undefined
}

// The format is taken from the address here; a task checks the image itself later.
const OTHER_FORMAT = /\.(?:bmp|tiff?|svgz?|heic|heif|avif|ico|psd|pdf|mp4|mov|webm|html?)$/i

function isImageAddress(value: string): boolean {
  const url = addressOf(value)
  return url !== undefined && !OTHER_FORMAT.test(url.pathname)
}

function additionalError(value: string): string | undefined {
  const links = imageAddresses(value)
  if (links.length > MOST_IMAGES) return `must be a comma-separated list of at most ${MOST_IMAGES} addresses`
  return links.length > 0 && links.every((item) => item.length <= MAX_LINK && isImageAddress(item))
    ? undefined
    : `must be a comma-separated list; each ${IMAGE_FORM}`
}

function isPeriod(value: string): boolean {
  const [from, to, ...more] = value.split('/').map((part) => (/t\d\d:\d\d/i.test(part) ? parseTime(part) : undefined))
  return from !== undefined && to !== undefined && more.length === 0 && from < to
}

function isLevels(value: string): boolean {
  return value.split(' > ').every((level) => level !== '' && level === level.trim() && !level.includes('>'))
}

// A code without a prefix must have a digit, because the names of some colors consist of hex letters.
function isHexColor(value: string): boolean {
  return (
    /^(?:#|0x)[0-9a-f]{3,8}$/i.test(value.trim()) ||
    /^(?=.*\d)(?:[0-9a-f]{3}|[0-9a-f]{6}|[0-9a-f]{8})$/i.test(value.trim())
  )
}
