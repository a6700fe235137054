import { isIP } from 'node:net'
import { ADS_KEPT_NAMES } from '../../legacy-words.ts'
import { AdsError, invalidParameter, missingParameter } from '../kit/errors.ts'
import type { Ignores } from '../kit/operation.ts'
import { type Kind, textKind, wholeKind } from '../kit/values.ts'
import { CONVERSION_TIME_SAYS, isFuture, readConversionTime } from './conversion-time.ts'
import type { Identifiers } from './find-viewers.ts'

/** A conversion on a website, as it was told. */
export interface WebConversion {
  /** Where it stands in the request, for errors. */
  where: string
  event: string
  at: number
  identifiers: Identifiers
  duplicateKey: string | undefined
  quantity: number | undefined
  price: { micros: number; currency: string } | undefined
  details: Record<string, unknown>
}

const HASH = /^[0-9a-f]{64}$/i
export const hashKind = textKind({ pattern: HASH, says: 'must be a SHA-256 in hex', max: 64 })
export const conversionIdKind = textKind({ min: 1, max: 255 })
const eventKind = textKind({ min: 1, max: 50 })
export const currencyKind = textKind({
  pattern: /^[A-Z]{3}$/,
  says: 'must be a currency code of three letters',
  max: 3,
})
export const itemsKind = wholeKind({ min: 1, max: 10_000 })
const descriptionKind = textKind({ max: 1_000 })
const agentKind = textKind({ min: 1, max: 1_000 })
const clickKind = textKind({ min: 1, max: 500 })
const addressKind: Kind<string> = {
  ...textKind({ max: 45 }),
  read: (sent, parameter) =>
    typeof sent === 'string' && isIP(sent) > 0 ? sent : invalidParameter(parameter, 'must be an IP address', sent),
}

const LARGEST_VALUE = 100_000_000

/** An amount of money in units of its currency, as a number or as text. */
export const valueKind: Kind<number> = {
  ...wholeKind(),
  read: (sent, parameter) => {
    const value =
      typeof sent === 'number'
        ? sent
        : typeof sent === 'string' && /^\d{1,9}(?:\.\d{1,6})?$/.test(sent)
          ? Number(sent)
          : NaN
    return value >= 0 && value <= LARGEST_VALUE
      ? value
      : invalidParameter(parameter, `must be a number from 0 to ${LARGEST_VALUE}`, sent)
  },
}

export const DEFAULT_CURRENCY = 'USD'

export const priceOf = (value: number | undefined, currency: string | undefined) =>
  value === undefined ? undefined : { micros: Math.round(value * 1_000_000), currency: currency ?? DEFAULT_CURRENCY }

/** Reads members of objects, and collects what is wrong with them. */
class MemberReader {
  readonly errors: AdsError[] = []
  readonly #ignores: Ignores
  constructor(ignores: Ignores) {
    this.#ignores = ignores
  }

  /** The object, without members that it does not have; undefined when it is not an object. */
  object(sent: unknown, where: string, members: ReadonlySet<string>): Record<string, unknown> | undefined {
    if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) {
      this.errors.push(invalidParameter(where, 'must be an object'))
      return undefined
    }
    for (const name of Object.keys(sent))
      if (!members.has(name) && !this.#ignores(name))
        this.errors.push(
          invalidParameter(`${where}.${name.slice(0, 50)}`, `is not a member; allowed are ${[...members].join(', ')}`),
        )
    return sent as Record<string, unknown>
  }

  value<T>(object: Record<string, unknown>, name: string, kind: Kind<T>, where: string): T | undefined {
    const sent = Object.hasOwn(object, name) ? object[name] : undefined
    if (sent === undefined || sent === null) return undefined
    const read = kind.read(sent, `${where}.${name}`)
    if (!(read instanceof AdsError)) return read
    this.errors.push(read)
    return undefined
  }

  list(sent: unknown, where: string, most: number): unknown[] {
    if (Array.isArray(sent) && sent.length >= 1 && sent.length <= most) return sent
    this.errors.push(invalidParameter(where, `must be a list of 1 to ${most}`))
    return []
  }
}

const MEMBERS = new Set([
  'conversion_time',
  'event_id',
  'identifiers',
  'number_items',
  'price_currency',
  'value',
  'conversion_id',
  'description',
  'contents',
])
const IDENTIFIERS = {
  [ADS_KEPT_NAMES.clickId]: clickKind,
  hashed_email: hashKind,
  hashed_phone_number: hashKind,
  ip_address: addressKind,
  user_agent: agentKind,
}
const CONTENTS = {
  content_id: textKind({ max: 255 }),
  content_group_id: { ...textKind({ max: 255 }), read: readGroup },
  content_name: textKind({ max: 255 }),
  content_price: valueKind,
  content_type: textKind({ max: 255 }),
  num_items: itemsKind,
}

function readGroup(sent: unknown, parameter: string): string | AdsError {
  return textKind({ max: 255 }).read(Number.isSafeInteger(sent) ? String(sent) : sent, parameter)
}

const MOST_IDENTIFIERS = 20
const MOST_CONTENTS = 100

/** Reads the conversions of a request. Reports all errors together. */
export function readWebConversions(
  sent: readonly unknown[],
  now: number,
  ignores: Ignores,
): { conversions: WebConversion[]; errors: AdsError[] } {
  const reader = new MemberReader(ignores)
  const conversions = sent.flatMap((item, at) => readOne(reader, item, `conversions[${at}]`, now) ?? [])
  return { conversions, errors: reader.errors }
}

function readOne(reader: MemberReader, sent: unknown, where: string, now: number): WebConversion | undefined {
  const given = reader.object(sent, where, MEMBERS)
  if (!given) return undefined
  const at = readTime(reader, given.conversion_time, `${where}.conversion_time`, now)
  if (given.event_id === undefined || given.event_id === null) reader.errors.push(missingParameter(`${where}.event_id`))
  const event = reader.value(given, 'event_id', eventKind, where)
  const identifiers = readIdentifiers(reader, given.identifiers, `${where}.identifiers`)
  const value = reader.value(given, 'value', valueKind, where)
  const currency = reader.value(given, 'price_currency', currencyKind, where)
  const quantity = reader.value(given, 'number_items', itemsKind, where)
  const conversionId = reader.value(given, 'conversion_id', conversionIdKind, where)
  const description = reader.value(given, 'description', descriptionKind, where)
  const contents = readContents(reader, given.contents, `${where}.contents`)
  if (at === undefined || event === undefined) return undefined
  return {
    where,
    event,
    at,
    identifiers,
    duplicateKey: conversionId,
    quantity,
    price: priceOf(value, currency),
    details: {
      source: 'api',
      ...(value === undefined ? {} : { value, price_currency: currency ?? DEFAULT_CURRENCY }),
      ...(description === undefined ? {} : { description }),
      ...(contents === undefined ? {} : { contents }),
    },
  }
}

function readTime(reader: MemberReader, sent: unknown, where: string, now: number): number | undefined {
  if (sent === undefined || sent === null) {
    reader.errors.push(missingParameter(where))
    return undefined
  }
  const at = readConversionTime(sent)
  if (at !== undefined && !isFuture(at, now)) return Math.min(at, now)
  reader.errors.push(
    invalidParameter(where, at === undefined ? CONVERSION_TIME_SAYS : 'must not be in the future', sent),
  )
  return undefined
}

/** At least one that identifies somebody; an address or a browser alone does not. */
function readIdentifiers(reader: MemberReader, sent: unknown, where: string): Identifiers {
  const found: Record<string, string[]> = {}
  if (sent === undefined || sent === null) {
    reader.errors.push(missingParameter(where))
    return { clickIds: [], emails: [] }
  }
  const before = reader.errors.length
  for (const [at, item] of reader.list(sent, where, MOST_IDENTIFIERS).entries()) {
    const place = `${where}[${at}]`
    const object = reader.object(item, place, new Set(Object.keys(IDENTIFIERS)))
    if (!object) continue
    for (const [name, kind] of Object.entries(IDENTIFIERS)) {
      // An empty identifier is one that the website does not know.
      const value = object[name] === '' ? undefined : reader.value(object, name, kind, place)
      if (value !== undefined) found[name] = [...(found[name] ?? []), value]
    }
  }
  const names = Object.keys(found)
  const isEnough = names.length > 1 || names.some((name) => name !== 'ip_address' && name !== 'user_agent')
  if (!isEnough && reader.errors.length === before)
    reader.errors.push(
      invalidParameter(
        where,
        names.length === 0
          ? `must have one of ${Object.keys(IDENTIFIERS).join(', ')}`
          : `${names[0]} needs a second identifier of another kind`,
      ),
    )
  return {
    clickIds: found[ADS_KEPT_NAMES.clickId] ?? [],
    emails: (found.hashed_email ?? []).map((hash) => hash.toLowerCase()),
  }
}

function readContents(reader: MemberReader, sent: unknown, where: string): unknown[] | undefined {
  if (sent === undefined || sent === null) return undefined
  return reader.list(sent, where, MOST_CONTENTS).flatMap((item, at) => {
    const place = `${where}[${at}]`
    const object = reader.object(item, place, new Set(Object.keys(CONTENTS)))
    if (!object) return []
    const members = Object.entries(CONTENTS).map(([name, kind]) => [
      name,
      reader.value(object, name, kind as Kind<unknown>, place),
    ])
    return [Object.fromEntries(members.filter(([, value]) => value !== undefined))]
  })
}
