import { type TObject, type TProperties, type TSchema, Type } from '@sinclair/typebox'

export { type Static, type TSchema, Type } from '@sinclair/typebox'

/** Names a schema: the OpenAPI document lists it once and refers to it. */
export function component<T extends TSchema>(name: string, schema: T): T {
  return { ...schema, 'x-component': name } as T
}

/** Marks a member or value whose name is the same in both namings. */
export function fixedName<T extends TSchema>(schema: T): T {
  return { ...schema, 'x-fixed-name': true } as T
}

export const componentName = (schema: TSchema): string | undefined => schema['x-component'] as string | undefined
export const hasFixedName = (schema: TSchema): boolean => schema['x-fixed-name'] === true

/** Bounds an array, map or string for which the platform names no bound: it is checked, but no keyword of the interface. */
export function ownBound<T extends TSchema>(schema: T, most: number): T {
  return { ...schema, 'x-most': most } as T
}

export const ownBoundOf = (schema: TSchema): number | undefined => schema['x-most'] as number | undefined

/** An object that allows only its members: for request bodies. */
export const closed = <P extends TProperties>(properties: P): TObject<P> =>
  Type.Object(properties, { additionalProperties: false })

/** A member that is written as null when it has no value; other members are left out then. */
export function nullable<T extends TSchema>(schema: T): T {
  return { ...schema, nullable: true } as T
}

export const isNullable = (schema: TSchema): boolean => schema.nullable === true

/** One of some words. */
export function words<const T extends string>(values: readonly T[]) {
  return Type.Unsafe<T>({ type: 'string', enum: [...values] })
}

/** Words of which some had other names: a former name is refused with the current one. */
export function renamedWords<T extends TSchema>(schema: T, current: Readonly<Record<string, string>>): T {
  return { ...schema, 'x-former-names': current } as T
}

export function currentName(schema: TSchema, former: unknown): string | undefined {
  const names = schema['x-former-names'] as Record<string, string> | undefined
  return names && typeof former === 'string' && Object.hasOwn(names, former) ? names[former] : undefined
}

export const DateTime = Type.String({ format: 'date-time' })
export const Count = Type.Integer()

/** Decimal id of up to 19 digits. */
export const idSchema = (name: string) => component(name, Type.String({ pattern: '^[0-9]{1,19}$' }))
