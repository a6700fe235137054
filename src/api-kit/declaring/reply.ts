import { reachableObjects } from '../reading/selection.ts'
import type { ObjectType } from './object.ts'
import { component, type TSchema, Type } from './schema.ts'

/** The members that all problems in answers have. */
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

/** Sets the objects that `includes` can have; `app.ts` calls it once. */
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

/** The schema of an answer with one object. */
export function singleReply(name: string, object: ObjectType): TSchema {
  return withIncludes(name, object, { data: Type.Optional(object.schema), errors: ErrorsSchema })
}

/** The schema of an answer with a list of objects, and with `meta` if the list has pages. */
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

/** Adds the member `includes` to an object schema. It is read late, because all objects must be declared first. */
export function addIncludes<S extends TSchema>(schema: S): S {
  Object.defineProperty(schema.properties, 'includes', { enumerable: true, get: () => Type.Optional(lazyIncludes()) })
  return schema
}

/** Throws if an expansion does not lead to an object. */
export const checkExpansions = (objects: ObjectType[]): void => {
  for (const object of objects) reachableObjects(object)
}
