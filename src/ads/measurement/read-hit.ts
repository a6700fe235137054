import type { RequestFacts } from '../../api-kit/declaring/operation.ts'
import { parseJsonBody } from '../../api-kit/reading/body.ts'
import { readQuery } from '../../api-kit/reading/request-query.ts'
import { blank } from '../../api-kit/writing/problems.ts'
import { ADS_KEPT_NAMES } from '../../legacy-words.ts'
import { AdsError } from '../kit/errors.ts'
import { type Kind, textKind } from '../kit/values.ts'
import { conversionIdKind, currencyKind, hashKind, itemsKind, valueKind } from './read-web-conversions.ts'

const VISITOR = /^[0-9a-f]{32}$/

const MEMBERS = {
  event: textKind({ min: 1, max: 50 }),
  [ADS_KEPT_NAMES.clickId]: textKind({ min: 1, max: 500 }),
  visitor: textKind({ pattern: VISITOR, says: 'must be 32 hex digits', max: 32 }),
  hashed_email: hashKind,
  value: valueKind,
  price_currency: currencyKind,
  number_items: itemsKind,
  conversion_id: conversionIdKind,
  description: textKind({ max: 1_000 }),
}

/** What the pixel of a website reports. */
export interface Hit {
  /** Without one, a page was opened. */
  event: string | undefined
  clickId: string | undefined
  /** The number that the website's cookie has. */
  visitor: string | undefined
  hashedEmail: string | undefined
  value: number | undefined
  currency: string | undefined
  items: number | undefined
  conversionId: string | undefined
  description: string | undefined
}

const LONGEST_QUERY = 4_000

/** Reads a hit from the query of an image or from the JSON of a body, whatever type the browser gives it. */
export function readHit(request: RequestFacts): Hit {
  if (request.rawQuery.length > LONGEST_QUERY) throw blank(414, `The query may have ${LONGEST_QUERY} characters.`)
  const sent: Record<string, unknown> =
    request.method === 'GET'
      ? Object.fromEntries([...readQuery(request.rawQuery)].map(([name, values]) => [name, values[0]]))
      : readObject(request.body)
  const value = <T>(name: string, kind: Kind<T>): T | undefined => {
    const given = Object.hasOwn(sent, name) ? sent[name] : undefined
    if (given === undefined || given === null || given === '') return undefined
    const read = kind.read(given, name)
    if (read instanceof AdsError) throw blank(400, `${name} ${read.details}.`)
    return read
  }
  return {
    event: value('event', MEMBERS.event),
    clickId: value(ADS_KEPT_NAMES.clickId, MEMBERS[ADS_KEPT_NAMES.clickId]),
    visitor: value('visitor', MEMBERS.visitor),
    hashedEmail: value('hashed_email', MEMBERS.hashed_email)?.toLowerCase(),
    value: value('value', MEMBERS.value),
    currency: value('price_currency', MEMBERS.price_currency),
    items: value('number_items', MEMBERS.number_items),
    conversionId: value('conversion_id', MEMBERS.conversion_id),
    description: value('description', MEMBERS.description),
  }
}

function readObject(body: Buffer | undefined): Record<string, unknown> {
  const json = parseJsonBody(body, 'application/json')
  if (typeof json !== 'object' || json === null || Array.isArray(json))
    throw blank(400, 'The body must be a JSON object.')
  return json as Record<string, unknown>
}
