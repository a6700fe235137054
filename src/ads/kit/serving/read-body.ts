import type { RequestFacts } from '../../../api-kit/declaring/operation.ts'
import type { TSchema } from '../../../api-kit/declaring/schema.ts'
import { neutral } from '../../../api-kit/naming/naming.ts'
import { type BodyFault, compileBody, parseJsonBody } from '../../../api-kit/reading/body.ts'
import { adsLegacyNaming } from '../../../legacy-words.ts'
import { AdsProblem, invalidParameter, missingParameter } from '../errors.ts'
import type { Ignores } from '../operation.ts'

/** Reads a JSON body with neutral names. `onLegacyName` is called for a name in the legacy spelling, before anything is refused. */
export type BodyReader = (facts: RequestFacts, onLegacyName: () => void, ignores: Ignores) => unknown

/** Makes the reader of an operation's JSON body; it takes both spellings. */
export function compileAdsBody(schema: TSchema): BodyReader {
  const read = compileBody(schema, neutral, refuseBody)
  return (facts, onLegacyName, ignores) => {
    const json = restoreNames(readJson(facts), onLegacyName)
    dropUnknown(schema, json, ignores)
    return read(json)
  }
}

/** Removes members that a closed object of the schema does not have, as far as they are ignored. */
function dropUnknown(schema: TSchema, json: unknown, ignores: Ignores): void {
  if (typeof json !== 'object' || json === null) return
  if (Array.isArray(json)) {
    if (schema.items) for (const item of json) dropUnknown(schema.items as TSchema, item, ignores)
    return
  }
  const members = (schema.properties ?? {}) as Record<string, TSchema>
  const object = json as Record<string, unknown>
  for (const name of Object.keys(object)) {
    if (Object.hasOwn(members, name)) dropUnknown(members[name]!, object[name], ignores)
    else if (schema.additionalProperties === false && ignores(name)) delete object[name]
  }
}

function readJson(facts: RequestFacts): unknown {
  const type = String(facts.headers['content-type'] ?? '')
  if (!/^application\/json\s*(?:;|$)/i.test(type))
    throw new AdsProblem([invalidParameter('Content-Type', 'must be application/json', type)], { status: 415 })
  const json = parseJsonBody(facts.body, type)
  if (json === undefined) throw new AdsProblem([missingParameter('body', 'the request needs a JSON body')])
  return json
}

// Members are names of the interface at every depth.
function restoreNames(json: unknown, onLegacyName: () => void): unknown {
  if (Array.isArray(json)) {
    for (let at = 0; at < json.length; at++) json[at] = restoreNames(json[at], onLegacyName)
    return json
  }
  if (typeof json !== 'object' || json === null) return json
  const object = json as Record<string, unknown>
  for (const name of Object.keys(object)) {
    const own = adsLegacyNaming.restore(name)
    const value = restoreNames(object[name], onLegacyName)
    if (own !== name) {
      onLegacyName()
      if (Object.hasOwn(object, own)) throw new AdsProblem([invalidParameter(own, 'is given in both spellings')])
      delete object[name]
    }
    object[own] = value
  }
  return object
}

function refuseBody(faults: BodyFault[]): AdsProblem {
  return new AdsProblem(
    faults.map(({ where, message, isMissing, value }) => {
      const parameter = where.replace(/^\$\.?/, '') || 'body'
      return isMissing ? missingParameter(parameter) : invalidParameter(parameter, message, value[0])
    }),
  )
}
