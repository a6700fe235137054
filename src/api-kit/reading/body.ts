import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import { cutText } from '../../process/cut-text.ts'
import { hasNul, jsonText } from '../../storage/json-text.ts'
import { currentName, type TSchema } from '../declaring/schema.ts'
import type { Naming } from '../naming/naming.ts'
import { compileRespell, compileRestore, renameSchema } from '../naming/rename-schema.ts'
import { AsGiven } from '../writing/problem.ts'
import { blank, type Fault, invalidRequest } from '../writing/problems.ts'
import { findOversize, tooManyCharacters, tooManyItems, tooManyMembers, withBounds } from './bounds.ts'

// Optimized code checks hardly faster and takes twice as long to make, while the first request waits.
const ajv = new Ajv({
  strict: false,
  allErrors: true,
  verbose: true,
  validateFormats: false,
  discriminator: false,
  code: { optimize: false },
})

/** Reads the JSON of a body; undefined when there is none. */
export function parseJsonBody(
  body: Buffer | undefined,
  contentType: string | undefined,
  otherType?: 'multipart/form-data',
): unknown {
  if (body === undefined || body.length === 0) return undefined
  if (!/^application\/(?:[\w.+-]*\+)?json\s*(?:;|$)/i.test(contentType ?? '')) {
    throw invalidRequest([
      {
        parameters: { 'content-type': [contentType ?? ''] },
        message: `Requests with bodies must have content-type of application/json${otherType ? ` or ${otherType}` : ''}.`,
      },
    ])
  }
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch {
    throw malformed('The body is not UTF-8.')
  }
  if (isTooDeep(text)) throw malformed(`The body is nested more than ${MAX_DEPTH} levels deep.`)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw malformed(`The body is not JSON: ${(error as Error).message}`)
  }
  // PostgreSQL cannot store U+0000 in text.
  if (hasNul(text)) throw malformed('A text in the body cannot contain the character U+0000.')
  return HALF_PAIR_ESCAPE.test(text) ? JSON.parse(jsonText(value)) : value
}

const MAX_DEPTH = 100
// Only an escape can write half of a surrogate pair, which PostgreSQL cannot store either.
const HALF_PAIR_ESCAPE = /\\ud[89a-f]/i

// Checked before parsing: functions that visit the value later may be recursive.
function isTooDeep(text: string): boolean {
  let depth = 0
  let inString = false
  for (let at = 0; at < text.length; at++) {
    const sign = text.charCodeAt(at)
    if (inString) {
      if (sign === 92) at += 1
      else if (sign === 34) inString = false
    } else if (sign === 34) inString = true
    else if (sign === 91 || sign === 123) {
      depth += 1
      if (depth > MAX_DEPTH) return true
    } else if (sign === 93 || sign === 125) depth -= 1
  }
  return false
}

const malformed = (message: string) => invalidRequest([{ parameters: {}, message }])

export const bodyTooLarge = () => blank(413, 'The body is larger than this endpoint allows.')

/** What is wrong with one value of a body. */
export interface BodyFault {
  /** `$.member[0]` */
  where: string
  message: string
  isMissing: boolean
  value: string[]
}

const refuseBody = (faults: BodyFault[]): Error =>
  invalidRequest(
    faults.map(
      ({ where, message, value }): Fault => ({
        parameters: new AsGiven({ [where]: value }),
        message: `${where}: ${message}`,
      }),
    ),
  )

/** Makes the reader of an operation's JSON body in one naming: it validates the body and returns it with neutral names. */
export function compileBody(
  schema: TSchema,
  naming: Naming,
  refuse: (faults: BodyFault[]) => Error = refuseBody,
): (value: unknown) => unknown {
  const bounded = withBounds(renameSchema(schema, naming))
  const validate: ValidateFunction = ajv.compile(bounded)
  const restore = compileRestore(schema, naming)
  const respell = naming.id === 'legacy' ? compileRespell(schema, naming) : undefined
  return (sent) => {
    const oversize = findOversize(bounded, sent)
    if (oversize) throw refuse([{ ...oversize, isMissing: false, value: [] }])
    const value = respell ? respell(sent) : sent
    if (!validate(value)) throw refuse((validate.errors ?? []).slice(0, 10).map(toFault))
    return restore(value)
  }
}

function toFault(error: ErrorObject): BodyFault {
  const at = `$${error.instancePath.replace(/\/(\d+)(?=\/|$)/g, '[$1]').replaceAll('/', '.')}`
  const [where, message] = explain(error, at)
  const value = where === at ? shown(error.data) : []
  return { where, message, isMissing: error.keyword === 'required', value }
}

function shown(data: unknown): string[] {
  if (data === undefined) return []
  const text = typeof data === 'string' ? data : JSON.stringify(data)
  return [text.length > 200 ? `${cutText(text, 200)}…` : text]
}

function explain(error: ErrorObject, at: string): [where: string, message: string] {
  const limits = error.params as Record<string, unknown>
  switch (error.keyword) {
    case 'additionalProperties':
      return [
        `${at}.${limits.additionalProperty}`,
        `is not an allowed member; allowed are [${Object.keys((error.parentSchema as TSchema).properties ?? {}).join(',')}]`,
      ]
    case 'required':
      return [`${at}.${limits.missingProperty}`, 'is missing but it is required']
    case 'type':
      return [at, `${kindOf(error.data)} found, ${String(limits.type)} expected`]
    case 'enum': {
      const current = currentName(error.parentSchema as TSchema, error.data)
      if (current !== undefined) return [at, `the name ${String(error.data)} is no longer used; use ${current}`]
      return [at, `does not have a value in the enumeration [${(limits.allowedValues as unknown[]).join(', ')}]`]
    }
    case 'pattern':
      return [at, `does not match the regex pattern ${limits.pattern}`]
    case 'minItems':
      return [at, `there must be a minimum of ${limits.limit} items in the array`]
    case 'maxItems':
      return [at, tooManyItems(limits.limit)]
    case 'minLength':
      return [at, `must be at least ${limits.limit} characters long`]
    case 'maxLength':
      return [at, tooManyCharacters(limits.limit)]
    case 'maxProperties':
      return [at, tooManyMembers(limits.limit)]
    case 'minimum':
      return [at, `must have a minimum value of ${limits.limit}`]
    case 'maximum':
      return [at, `must have a maximum value of ${limits.limit}`]
    default:
      return [at, error.message ?? 'is not valid']
  }
}

function kindOf(data: unknown): string {
  if (data === null) return 'null'
  if (Array.isArray(data)) return 'array'
  if (typeof data === 'number') return Number.isInteger(data) ? 'integer' : 'number'
  return typeof data
}
