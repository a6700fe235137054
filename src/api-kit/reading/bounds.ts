import { ownBoundOf, type TSchema } from '../declaring/schema.ts'

/** Bounds of what a declaration leaves open. The platform names none for these values. */
export const DEFAULT_BOUNDS = { items: 10_000, members: 1_000, characters: 100_000 } as const

// Values that stay below these are cheap to validate, and validation finds all faults at once.
const CHEAP_ITEMS = 1_000
const CHEAP_CHARACTERS = 10_000

const branches = (schema: TSchema): TSchema[] =>
  (['anyOf', 'oneOf', 'allOf'] as const).flatMap((key) => (schema[key] ?? []) as TSchema[])

/** Bytes are bounded by the largest body of their operation. */
const isBytes = (schema: TSchema): boolean => schema.format === 'byte' || schema.format === 'binary'

/** A schema in which every array, map and string has a bound: that of its declaration, or a default. */
export function withBounds(schema: TSchema): TSchema {
  const copy: Record<string, unknown> = { ...schema }
  if (schema.type === 'string' && !schema.enum && !isBytes(schema))
    copy.maxLength = schema.maxLength ?? ownBoundOf(schema) ?? DEFAULT_BOUNDS.characters
  if (schema.type === 'array') copy.maxItems = schema.maxItems ?? ownBoundOf(schema) ?? DEFAULT_BOUNDS.items
  if (schema.type === 'object' && schema.additionalProperties !== false)
    copy.maxProperties = schema.maxProperties ?? ownBoundOf(schema) ?? DEFAULT_BOUNDS.members
  if (schema.properties) {
    const members = Object.entries(schema.properties as Record<string, TSchema>)
    copy.properties = Object.fromEntries(members.map(([name, member]) => [name, withBounds(member)]))
  }
  if (schema.items) copy.items = withBounds(schema.items as TSchema)
  for (const key of ['anyOf', 'oneOf', 'allOf'] as const)
    if (schema[key]) copy[key] = (schema[key] as TSchema[]).map(withBounds)
  return copy as unknown as TSchema
}

/** A value beyond its bound: where it is, and what is allowed. */
interface Oversize {
  where: string
  message: string
}

/**
 * Finds a value that is far beyond its bound, before anything else looks at the body: validation visits every item and collects
 * a fault for each. Smaller ones are left to validation. `schema` comes from `withBounds`.
 */
export function findOversize(schema: TSchema | undefined, value: unknown, where = '$'): Oversize | undefined {
  if (typeof value === 'string') {
    const most = largest(schema, 'maxLength')
    // A character has at most two units.
    const tooLong = most !== undefined && value.length > Math.max(2 * most, CHEAP_CHARACTERS)
    return tooLong ? { where, message: tooManyCharacters(most) } : undefined
  }
  if (typeof value !== 'object' || value === null) return undefined
  if (Array.isArray(value)) {
    const most = largest(schema, 'maxItems') ?? DEFAULT_BOUNDS.items
    if (value.length > Math.max(most, CHEAP_ITEMS)) return { where, message: tooManyItems(most) }
    const items = memberSchema(schema, (part) => part.items as TSchema | undefined)
    for (let at = 0; at < value.length; at++) {
      const found = findOversize(items, value[at], `${where}[${at}]`)
      if (found) return found
    }
    return undefined
  }
  const names = Object.keys(value)
  if (names.length > DEFAULT_BOUNDS.members) return { where, message: tooManyMembers(DEFAULT_BOUNDS.members) }
  for (const name of names) {
    const member = memberSchema(schema, (part) => ownMember(part.properties, name))
    const found = findOversize(member, (value as Record<string, unknown>)[name], `${where}.${name}`)
    if (found) return found
  }
  return undefined
}

export const tooManyItems = (most: unknown): string => `there must be a maximum of ${most} items in the array`
export const tooManyCharacters = (most: unknown): string => `may only be ${most} characters long`
export const tooManyMembers = (most: unknown): string => `there must be a maximum of ${most} members in the object`

const ownMember = (properties: unknown, name: string): TSchema | undefined =>
  properties && Object.hasOwn(properties, name) ? (properties as Record<string, TSchema>)[name] : undefined

/** The largest bound of a schema and its alternatives; undefined when none of them has one. */
function largest(schema: TSchema | undefined, key: 'maxLength' | 'maxItems'): number | undefined {
  if (!schema) return key === 'maxLength' ? DEFAULT_BOUNDS.characters : DEFAULT_BOUNDS.items
  const own = schema[key] as number | undefined
  const others = branches(schema).flatMap((part) => largest(part, key) ?? [])
  const all = own === undefined ? others : [own, ...others]
  return all.length > 0 ? Math.max(...all) : undefined
}

function memberSchema(schema: TSchema | undefined, find: (part: TSchema) => TSchema | undefined): TSchema | undefined {
  if (!schema) return undefined
  const own = find(schema)
  if (own) return own
  for (const part of branches(schema)) {
    const found = memberSchema(part, find)
    if (found) return found
  }
  return undefined
}
