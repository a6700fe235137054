import type { Naming } from '../naming/naming.ts'
import { type ReadObjects, readObjects, type Wanted } from '../reading/read-objects.ts'
import { reachableObjects, type Selection } from '../reading/selection.ts'
import { renderBody } from '../writing/problem.ts'
import { notFoundAnswer } from '../writing/problems.ts'
import type { ObjectType, ReadContext } from './object.ts'
import { Answer } from './operation.ts'
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

/** Looks up objects and answers with the list. */
export async function answerList(
  context: ReadContext,
  wanted: readonly Wanted[],
  selection: Selection,
  parameter: string,
): Promise<Answer> {
  const read = await readObjects(context, wanted, selection, { parameter })
  return new Answer(
    `{${[dataPart(read), ...sideParts(read, context.naming, context.problemBase)].filter(Boolean).join()}}`,
  )
}

/**
 * Answers with a page of a list; what the caller may not see is left out without a word. `meta` may depend on the ids
 * of what is shown.
 */
export async function answerPage(
  context: ReadContext,
  ids: readonly string[],
  selection: Selection,
  meta: object | ((shown: readonly string[]) => object),
): Promise<Answer> {
  const wanted = ids.map((id) => ({ id, value: id }))
  const read = await readObjects(context, wanted, selection, { parameter: 'id', silent: true })
  const parts = [dataPart(read), ...sideParts(read, context.naming, context.problemBase)].filter(Boolean)
  const told = { ...(typeof meta === 'function' ? meta(read.ids) : meta), result_count: read.data.length }
  return new Answer(`{${[...parts, `"meta":${JSON.stringify(told)}`].join()}}`)
}

/** Looks up one object; a missing one is a 404 with the reason. */
export async function answerOne(
  context: ReadContext,
  wanted: Wanted,
  selection: Selection,
  parameter: string,
): Promise<Answer> {
  const read = await readObjects(context, [wanted], selection, { parameter })
  if (read.data.length === 0) {
    const [error] = read.errors
    if (error?.type === 'resource-not-found') throw notFoundAnswer(error)
  }
  const data = read.data.length === 0 ? '' : `"data":${read.data[0]}`
  return new Answer(`{${[data, ...sideParts(read, context.naming, context.problemBase)].filter(Boolean).join()}}`)
}

/**
 * Each visible object as the members of an answer of its own, `"data":{...},"includes":{...}`, by id: for answers that
 * are put together elsewhere, such as the lines of a stream.
 */
export async function renderEach(
  context: ReadContext,
  ids: readonly string[],
  selection: Selection,
): Promise<Map<string, string>> {
  const read = (some: readonly string[]) =>
    readObjects(
      context,
      some.map((id) => ({ id, value: id })),
      selection,
      { parameter: 'id', silent: true },
    )
  // Read together first, so that everything is there in few queries; then each finds its own.
  if (ids.length > 1) await read(ids)
  const rendered = new Map<string, string>()
  for (const id of ids) {
    const one = await read([id])
    if (one.data.length === 0) continue
    rendered.set(id, [`"data":${one.data[0]}`, ...sideParts(one, context.naming, context.problemBase)].join())
  }
  return rendered
}

const dataPart = (read: ReadObjects): string => (read.data.length === 0 ? '' : `"data":[${read.data.join()}]`)

function sideParts(read: ReadObjects, naming: Naming, problemBase: string): string[] {
  const parts: string[] = []
  if (read.includes.size > 0) {
    const groups = [...read.includes].map(
      ([plural, items]) => `"${naming.rename(plural)}":[${[...items.values()].join()}]`,
    )
    parts.push(`"includes":{${groups.join()}}`)
  }
  if (read.errors.length > 0) parts.push(`"errors":${JSON.stringify(renderBody(read.errors, naming, problemBase))}`)
  return parts
}
