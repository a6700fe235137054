import type { RequestFacts } from '../../../api-kit/declaring/operation.ts'
import type { Naming } from '../../../api-kit/naming/naming.ts'
import { readQuery } from '../../../api-kit/reading/request-query.ts'
import { AdsError, AdsProblem, invalidParameter, missingParameter, refusal } from '../errors.ts'
import type { AdsOperation, Ignores, Param, Params } from '../operation.ts'
import { RefusedValue } from '../refused-value.ts'
import { idKind } from '../values.ts'
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
    const kind = (paramOf(operation.params, name) ?? paramOf(operation.unchanging, name))?.kind
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

interface ReadOptions {
  isUpdate: boolean
  ignores: Ignores
  /** Members that never change. They are read, and compared with the record later. */
  unchanging?: Params
  /** Refused values are kept and compared with the record later. */
  comparesRecord?: boolean
  repeated?: ReadonlySet<string>
}

/** Reads the declared parameters. Reports all errors together; a parameter that is not declared is ignored or an error. */
export function readParams(
  params: Params,
  sent: ReadonlyMap<string, unknown>,
  options: ReadOptions,
): { values: Record<string, unknown>; given: Set<string>; errors: AdsError[] } {
  const values: Record<string, unknown> = {}
  const given = new Set<string>()
  const errors: AdsError[] = []
  const refuse = (error: AdsError, name: string, raw: unknown) => {
    if (options.comparesRecord) values[name] = new RefusedValue(error, raw)
    else errors.push(error)
  }
  for (const [name, raw] of sent) {
    if (paramOf(params, name)) continue
    if (!options.ignores(name)) {
      const allowed = Object.keys(params).join(', ') || 'none'
      errors.push(invalidParameter(name, `is not a parameter here; allowed are ${allowed}`))
      continue
    }
    const fixed = paramOf(options.unchanging ?? {}, name)
    const value = fixed && readOne(name, fixed, raw, true)
    if (value instanceof AdsError) values[name] = new RefusedValue(value, raw)
    else if (fixed)
      values[name] = new RefusedValue(invalidParameter(name, 'cannot be changed after creation', raw), raw, value)
  }
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
    if (value instanceof AdsError) refuse(value, name, raw)
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

/** Takes ids that repeat the path out of what was sent. An id that differs from the path is an error. */
export function takeRepeatedPath(
  path: Record<string, string>,
  { values }: Sent,
  operation: AdsOperation,
  ignores: Ignores,
): AdsError[] {
  return Object.entries(path).flatMap(([name, id]) => {
    if (!values.has(name) || paramOf(operation.params, name) || !ignores(name)) return []
    const sent = values.get(name)
    values.delete(name)
    const read = (operation.pathParams[name]?.kind ?? idKind).read(sent, name)
    return read === id ? [] : [invalidParameter(name, 'differs from the one in the path', sent)]
  })
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
