import type { RequestFacts } from '../../../api-kit/declaring/operation.ts'
import type { Naming } from '../../../api-kit/naming/naming.ts'
import { readQuery } from '../../../api-kit/reading/request-query.ts'
import { AdsError, AdsProblem, invalidParameter, missingParameter, refusal } from '../errors.ts'
import type { AdsOperation, Param, Params } from '../operation.ts'
import { SentWords } from './sent-words.ts'

/** What a request sent, by neutral name. */
export interface Sent {
  values: Map<string, unknown>
  /** Parameters that were sent more than once although they are not lists. */
  repeated: Set<string>
  words: SentWords
  /** True when a name or a value was spelled in the legacy naming. */
  isLegacy: boolean
}

const FORM = /^application\/x-www-form-urlencoded\s*(?:;|$)/i

/** Gathers parameters from the query and, where there is one, the form body. */
export function gatherSent(operation: AdsOperation, facts: RequestFacts, legacy: Naming): Sent {
  const sent: Sent = { values: new Map(), repeated: new Set(), words: new SentWords(legacy), isLegacy: false }
  // Collected before they are read: a parameter may come in the query, in the form, and in either spelling.
  const texts = new Map<string, string[]>()
  const take = (text: string) => {
    for (const [name, values] of readQuery(text)) {
      if (name.startsWith('oauth_')) continue
      const own = legacy.restore(name)
      if (own !== name) sent.isLegacy = true
      texts.set(own, [...(texts.get(own) ?? []), ...values])
    }
  }
  take(facts.rawQuery)
  if (operation.body === undefined && facts.body !== undefined && facts.body.length > 0) {
    const type = String(facts.headers['content-type'] ?? '')
    if (!FORM.test(type)) {
      throw new AdsProblem(
        [
          invalidParameter(
            'Content-Type',
            'parameters are sent in the query or in an application/x-www-form-urlencoded body',
            type,
          ),
        ],
        { status: 415 },
      )
    }
    take(facts.body.toString('utf8'))
  }
  for (const [name, values] of texts) {
    const kind = paramOf(operation.params, name)?.kind
    if (values.length > 1 && kind?.schema.type !== 'array') sent.repeated.add(name)
    const value = values.join(',')
    sent.values.set(name, kind?.hasWords ? sent.words.restore(name, value) : value)
  }
  sent.isLegacy ||= sent.words.areLegacy
  return sent
}

/** The declared parameter of a name. Clients may also send names that every object has, such as `constructor`. */
export const paramOf = (params: Params, name: string): Param<unknown> | undefined =>
  Object.hasOwn(params, name) ? params[name] : undefined

/** Reads the declared parameters. Reports all errors together; a parameter that is not declared is an error. */
export function readParams(
  params: Params,
  sent: ReadonlyMap<string, unknown>,
  options: { isUpdate: boolean; repeated?: ReadonlySet<string> },
): { values: Record<string, unknown>; given: Set<string>; errors: AdsError[] } {
  const values: Record<string, unknown> = {}
  const given = new Set<string>()
  const errors: AdsError[] = []
  for (const name of sent.keys())
    if (!paramOf(params, name))
      errors.push(
        invalidParameter(name, `is not a parameter here; allowed are ${Object.keys(params).join(', ') || 'none'}`),
      )
  for (const [name, param] of Object.entries(params)) {
    if (options.repeated?.has(name)) {
      errors.push(invalidParameter(name, 'is given more than once'))
      continue
    }
    const raw = sent.get(name)
    if (raw === undefined || (raw === null && !options.isUpdate)) {
      if (param.required) errors.push(missingParameter(name))
      else if (param.initial !== undefined) values[name] = param.initial
      continue
    }
    const value = readOne(name, param, raw, options.isUpdate)
    if (value instanceof AdsError) errors.push(value)
    else {
      values[name] = value
      given.add(name)
    }
  }
  return { values, given, errors }
}

function readOne(name: string, param: Param<unknown>, raw: unknown, isUpdate: boolean): unknown {
  if (raw === '' || raw === null) {
    if (isUpdate && param.clearable) return null
    if (param.required) return missingParameter(name, 'is empty')
    if (isUpdate && !param.clearable) return invalidParameter(name, 'cannot be cleared')
  }
  return param.kind.read(raw, name)
}

/** Reads the values of the path. A value that is not a possible id is answered like a missing record. */
export function readPathIds(
  operation: AdsOperation,
  raw: Record<string, string>,
  legacy: Naming,
): Record<string, string> {
  const path: Record<string, string> = {}
  for (const [spelled, text] of Object.entries(raw)) {
    const name = legacy.restore(spelled)
    const param = operation.pathParams[name]
    if (name === 'account_id' || !param) continue
    const value = param.kind.read(param.kind.hasWords ? legacy.restore(text) : text, name)
    if (value instanceof AdsError)
      throw refusal(
        /[^0-9A-Za-z_]/.test(text) ? 'INVALID_ID_ILLEGAL_CHARACTERS' : param.missing,
        'No such record can be found here',
        { parameter: name, value: text.slice(0, 200) },
      )
    path[name] = value
  }
  return path
}
