import type { JSONObject, JSONValue } from '@modelcontextprotocol/server'
import type { AdsOperation, Param } from '../ads/kit/operation.ts'
import { idKind } from '../ads/kit/values.ts'
import { isNullable, type TSchema } from '../api-kit/declaring/schema.ts'

type Json = JSONObject

/** The schema of a tool's arguments: an object that allows only its members. */
export interface ToolInputSchema {
  [key: string]: unknown
  type: 'object'
  properties: Record<string, Json>
  required: string[]
  additionalProperties: false
}

/** The arguments of an operation, some of the values of its path and its parameters, as JSON Schema. */
export function inputSchemaOf(operation: AdsOperation, names: readonly string[]): ToolInputSchema {
  const properties: Record<string, Json> = {}
  const required: string[] = []
  for (const name of names) {
    const param = operation.params[name]
    if (param) properties[name] = parameterSchema(name, param, operation.method === 'PUT')
    else properties[name] = described(name, plainSchema((operation.pathParams[name]?.kind ?? idKind).schema))
    if (!param || param.required) required.push(name)
  }
  return { type: 'object', properties, required, additionalProperties: false }
}

function parameterSchema(name: string, param: Param<unknown>, isUpdate: boolean): Json {
  const isCleared = isUpdate && param.clearable
  const plain = plainSchema(param.kind.schema)
  const schema = isCleared ? withNull(plain) : plain
  return {
    ...described(name, schema, isCleared ? 'Null clears it.' : undefined),
    ...(param.initial === undefined ? {} : { default: param.kind.echo(param.initial) as JSONValue }),
  }
}

const UNITS: readonly [RegExp, string][] = [
  [/_local_micro$/, "Millionths of the account's currency unit."],
  [/_time$/, 'ISO 8601 with a time zone, such as 2026-01-31T08:00:00Z.'],
  [/^cursor$/, 'The next_cursor of the page before.'],
  [/^count$/, 'How many records a page has.'],
  [/^with_deleted$/, 'Also lists deleted records.'],
  [/^account_id$/, 'Id of the ad account, from list_ads_accounts.'],
]

function described(name: string, schema: Json, further?: string): Json {
  const words = [UNITS.find(([pattern]) => pattern.test(name))?.[1], further].filter((text) => text !== undefined)
  return words.length === 0 ? schema : { ...schema, description: words.join(' ') }
}

// As alternatives: some clients know schemas only with one type each.
const withNull = (schema: Json): Json => ({ anyOf: [schema, { type: 'null' }] })

/** A schema of ours as plain JSON Schema: without our own keywords, and with null as a type. */
export function plainSchema(schema: TSchema): Json {
  const plain: Json = {}
  for (const [key, value] of Object.entries(schema)) {
    if (key.startsWith('x-') || key === 'nullable') continue
    if (key === 'properties')
      plain.properties = Object.fromEntries(
        Object.entries(value as Record<string, TSchema>).map(([name, member]) => [name, plainSchema(member)]),
      )
    else if (key === 'items') plain.items = plainSchema(value as TSchema)
    else if (key === 'allOf' || key === 'anyOf' || key === 'oneOf') plain[key] = (value as TSchema[]).map(plainSchema)
    else plain[key] = value as JSONValue
  }
  const { type, ...others } = plain
  const single = Array.isArray(type) ? { anyOf: type.map((one) => ({ ...others, type: one })) } : plain
  return isNullable(schema) ? withNull(single) : single
}
