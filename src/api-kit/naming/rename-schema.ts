import { componentName, hasFixedName, type TSchema } from '../declaring/schema.ts'
import type { Naming } from './naming.ts'

/** The schema with the names of a naming, for validating its bodies and for its OpenAPI document. */
export function renameSchema(schema: TSchema, naming: Naming): TSchema {
  const copy: Record<string, unknown> = { ...schema }
  const name = componentName(schema)
  if (name) copy['x-component'] = naming.rename(name)
  if (schema.enum && schema.type === 'string' && !hasFixedName(schema))
    copy.enum = (schema.enum as string[]).map((value) => naming.rename(value))
  if (schema.properties) {
    const properties: Record<string, TSchema> = {}
    const renamed = new Map<string, string>()
    for (const [member, memberSchema] of Object.entries(schema.properties as Record<string, TSchema>)) {
      const spelled = hasFixedName(memberSchema) ? member : naming.rename(member)
      renamed.set(member, spelled)
      properties[spelled] = renameSchema(memberSchema, naming)
    }
    copy.properties = properties
    const required = (schema.required ?? []) as string[]
    // An empty list is not allowed in a document.
    if (required.length > 0) copy.required = required.map((member) => renamed.get(member) ?? member)
    else delete copy.required
  }
  if (schema.items) copy.items = renameSchema(schema.items as TSchema, naming)
  for (const key of ['allOf', 'anyOf', 'oneOf'] as const) {
    if (Array.isArray(schema[key])) copy[key] = (schema[key] as TSchema[]).map((part) => renameSchema(part, naming))
  }
  return copy as unknown as TSchema
}

/** Makes the function that gives a valid body of a naming neutral names. */
export function compileRestore(schema: TSchema, naming: Naming): (value: unknown) => unknown {
  if (naming.id === 'neutral') return (value) => value
  if (schema.enum && !hasFixedName(schema))
    return (value) => (typeof value === 'string' ? naming.restore(value) : value)
  if (schema.properties) {
    const members = Object.entries(schema.properties as Record<string, TSchema>).map(([name, member]) => ({
      name,
      spelled: hasFixedName(member) ? name : naming.rename(name),
      restore: compileRestore(member, naming),
    }))
    return (value) => {
      const object = value as Record<string, unknown>
      const result: Record<string, unknown> = {}
      for (const member of members) {
        if (object[member.spelled] !== undefined) result[member.name] = member.restore(object[member.spelled])
      }
      return result
    }
  }
  if (schema.items) {
    const item = compileRestore(schema.items as TSchema, naming)
    return (value) => (value as unknown[]).map(item)
  }
  return (value) => value
}

/**
 * Makes the function that gives neutral members and enumeration values of a body the names of a naming, so a body may mix both;
 * undefined when no name differs.
 */
export function compileRespell(schema: TSchema, naming: Naming): ((value: unknown) => unknown) | undefined {
  if (schema.enum) {
    const words = hasFixedName(schema) ? [] : (schema.enum as unknown[])
    const differs = words.some((word) => typeof word === 'string' && naming.rename(word) !== word)
    if (!differs) return undefined
    return (value) => (typeof value === 'string' && words.includes(value) ? naming.rename(value) : value)
  }
  if (schema.items) {
    const item = compileRespell(schema.items as TSchema, naming)
    return item && ((value) => (Array.isArray(value) ? value.map(item) : value))
  }
  const members = Object.entries((schema.properties ?? {}) as Record<string, TSchema>).flatMap(([name, member]) => {
    const respell = compileRespell(member, naming)
    const spelled = hasFixedName(member) ? name : naming.rename(name)
    return respell || spelled !== name ? [{ name, spelled, respell }] : []
  })
  if (members.length === 0) return undefined
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
    const copy: Record<string, unknown> = { ...value }
    for (const { name, spelled, respell } of members) {
      // A member in both spellings stays, and is refused as an unknown member.
      if (name !== spelled && Object.hasOwn(copy, name) && !Object.hasOwn(copy, spelled)) {
        copy[spelled] = copy[name]
        delete copy[name]
      }
      if (respell && Object.hasOwn(copy, spelled)) copy[spelled] = respell(copy[spelled])
    }
    return copy
  }
}

/** True when a body uses a member or an enumeration value that only the naming has. */
export function usesSpelling(schema: TSchema, naming: Naming, value: unknown): boolean {
  if (typeof value === 'string') {
    const known = hasFixedName(schema) ? undefined : (schema.enum as string[] | undefined)
    return known !== undefined && !known.includes(value) && known.includes(naming.restore(value))
  }
  if (Array.isArray(value))
    return schema.items ? value.some((item) => usesSpelling(schema.items as TSchema, naming, item)) : false
  if (typeof value !== 'object' || value === null || !schema.properties) return false
  const object = value as Record<string, unknown>
  return Object.entries(schema.properties as Record<string, TSchema>).some(([name, member]) => {
    const spelled = hasFixedName(member) ? name : naming.rename(name)
    if (spelled !== name && object[spelled] !== undefined) return true
    return object[name] !== undefined && usesSpelling(member, naming, object[name])
  })
}

/** True when a body has a member that the naming spells otherwise, in its neutral spelling. */
export function usesNeutralSpelling(schema: TSchema, naming: Naming, value: unknown): boolean {
  if (Array.isArray(value))
    return schema.items ? value.some((item) => usesNeutralSpelling(schema.items as TSchema, naming, item)) : false
  if (typeof value !== 'object' || value === null || !schema.properties) return false
  const object = value as Record<string, unknown>
  return Object.entries(schema.properties as Record<string, TSchema>).some(
    ([name, member]) =>
      object[name] !== undefined &&
      ((!hasFixedName(member) && naming.rename(name) !== name) || usesNeutralSpelling(member, naming, object[name])),
  )
}
