import { hasFixedName, isNullable, type TSchema } from '../declaring/schema.ts'
import type { Naming } from '../naming/naming.ts'

/** Turns a value into JSON text. */
type Writer = (value: never) => string

type AnyWriter = (value: unknown) => string

/**
 * Makes the JSON writer of a schema in one naming. It writes members in declared order and leaves out undeclared ones. Members
 * without a value are left out, or written as null if they are nullable (if they are optional too, only when they are null).
 */
export function compileWriter(schema: TSchema, naming: Naming): Writer {
  return compile(schema, naming) as Writer
}

function compile(schema: TSchema, naming: Naming): AnyWriter {
  if (schema.enum && schema.type === 'string')
    return enumWriter(schema.enum as string[], hasFixedName(schema) ? undefined : naming)
  if (schema.const !== undefined) return (value) => JSON.stringify(value)
  if (Array.isArray(schema.allOf)) return objectWriter(mergeAll(schema.allOf as TSchema[]), naming)
  // Text or a number; a number with too many digits for JavaScript is a bigint.
  if (Array.isArray(schema.type)) return (value) => (typeof value === 'bigint' ? String(value) : JSON.stringify(value))
  switch (schema.type) {
    case 'object':
      return schema.properties ? objectWriter(schema, naming) : (value) => JSON.stringify(value)
    case 'array':
      return arrayWriter(compile((schema.items ?? {}) as TSchema, naming))
    case 'integer':
    case 'number':
    case 'boolean':
      return String
    case 'string':
      if (schema.format === 'date-time') return quoteTime
      return (value) => JSON.stringify(value)
    default:
      return (value) => JSON.stringify(value)
  }
}

// A time has nothing to escape, and an answer may have thousands of them.
const quoteTime: AnyWriter = (value) => (typeof value === 'string' ? `"${value}"` : JSON.stringify(value))

function mergeAll(schemas: TSchema[]): TSchema {
  return {
    type: 'object',
    properties: Object.assign({}, ...schemas.map((part) => part.properties)),
  } as unknown as TSchema
}

function enumWriter(values: string[], naming: Naming | undefined): AnyWriter {
  const texts = new Map(values.map((value) => [value, JSON.stringify(naming ? naming.rename(value) : value)]))
  return (value) => texts.get(value as string) ?? JSON.stringify(value)
}

function arrayWriter(item: AnyWriter): AnyWriter {
  return (value) => {
    const list = value as unknown[]
    let text = '['
    for (let index = 0; index < list.length; index++) text += (index === 0 ? '' : ',') + item(list[index])
    return `${text}]`
  }
}

function objectWriter(schema: TSchema, naming: Naming): AnyWriter {
  const required = schema.required as string[] | undefined
  const members = Object.entries(schema.properties as Record<string, TSchema>).map(([name, member]) => ({
    name,
    key: `${JSON.stringify(hasFixedName(member) ? name : naming.rename(name))}:`,
    write: compile(member, naming),
    nullable: isNullable(member),
    mayBeAbsent: required !== undefined && !required.includes(name),
  }))
  return (value) => {
    const object = value as Record<string, unknown>
    let text = ''
    for (const member of members) {
      const item = object[member.name]
      if (item === undefined || item === null) {
        if (member.nullable && !(item === undefined && member.mayBeAbsent))
          text += `${text === '' ? '{' : ','}${member.key}null`
        continue
      }
      text += (text === '' ? '{' : ',') + member.key + member.write(item)
    }
    return text === '' ? '{}' : `${text}}`
  }
}
