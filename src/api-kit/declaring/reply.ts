import { reachableObjects } from '../reading/selection.ts'
import type { ObjectType } from './object.ts'
import { component, type TSchema, Type } from './schema.ts'

/** The common form of problems in answers. */
export const ProblemSchema = component(
  'Problem',
  Type.Object({
    detail: Type.Optional(Type.String()),
    status: Type.Optional(Type.Integer()),
    title: Type.String(),
    type: Type.String(),
  }),
)

export const ErrorsSchema = Type.Optional(Type.Array(ProblemSchema, { minItems: 1 }))

let includesSchema: TSchema | undefined

/** Every group that `includes` can hold; the objects are handed over once, where the parts meet. */
export function setIncludes(objects: ObjectType[]): void {
  includesSchema = component(
    'Expansions',
    Type.Object(
      Object.fromEntries(
        objects.map((object) => [object.plural, Type.Optional(Type.Array(object.schema, { minItems: 1 }))]),
      ),
    ),
  )
}

const lazyIncludes = (): TSchema => includesSchema ?? Type.Object({})

/** Answer with one object. */
export function singleReply(name: string, object: ObjectType): TSchema {
  return withIncludes(name, object, { data: Type.Optional(object.schema), errors: ErrorsSchema })
}

/** Answer with a list of objects, and `meta` where the list has pages. */
export function listReply(name: string, object: ObjectType, meta?: TSchema): TSchema {
  return withIncludes(name, object, {
    data: Type.Optional(Type.Array(object.schema, { minItems: 1 })),
    errors: ErrorsSchema,
    ...(meta ? { meta: Type.Optional(meta) } : {}),
  })
}

function withIncludes(name: string, object: ObjectType, members: Record<string, TSchema>): TSchema {
  const schema = component(name, Type.Object(members))
  return Object.keys(object.expansions).length > 0 ? addIncludes(schema) : schema
}

/** Gives an object schema the member `includes`. Read late: the groups are known only when all objects are declared. */
export function addIncludes<S extends TSchema>(schema: S): S {
  Object.defineProperty(schema.properties, 'includes', { enumerable: true, get: () => Type.Optional(lazyIncludes()) })
  return schema
}

/** Fails at start when an expansion names no object. */
export const checkExpansions = (objects: ObjectType[]): void => {
  for (const object of objects) reachableObjects(object)
}
