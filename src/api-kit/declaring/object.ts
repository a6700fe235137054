import type { Entry } from '../reading/part-cache.ts'
import type { ReadContext } from '../reading/read-context.ts'
import type { ProblemBody } from '../writing/problem.ts'
import type { ResourceType, Section } from '../writing/problem-words.ts'
import type { Part } from './part.ts'
import { component, type Static, type TSchema, Type } from './schema.ts'

/** The object that an error is about: the parameter or expansion that names it, its value, and where it would be in the answer. */
interface ErrorSubject {
  parameter: string
  value: string
  section: Section
}

/** Why the caller may not see an object; undefined when they may. */
export type Verdict = ((subject: ErrorSubject) => ProblemBody) | undefined

interface CommonField {
  schema: TSchema
  part: Part<unknown>
}

/** A field that depends only on the object: its JSON is cached. */
interface StaticField extends CommonField {
  kind: 'static'
  show(value: unknown): unknown
}

/** A field that depends on the viewer or the time: it is computed for each request. */
interface ViewerField extends CommonField {
  kind: 'viewer'
  /** A part about viewer and object together, keyed `viewer:object`. */
  relation: Part<unknown> | undefined
  show(value: unknown, context: ReadContext, relation: unknown): unknown
  /** Who may see the field. `leaves` are the members that the error names for the others. */
  guard: { allows(value: unknown, context: ReadContext): boolean; leaves: string[] } | undefined
}

export type FieldRule = StaticField | ViewerField

/** A field that depends only on the object. `show` returns undefined when the object has no value for it. */
export function staticField<V, S extends TSchema>(
  part: Part<V>,
  schema: S,
  show: (value: V) => Static<S> | null | undefined,
): FieldRule {
  return { kind: 'static', part: part as Part<unknown>, schema, show: show as (value: unknown) => unknown }
}

/** A field that depends on the caller or the time. */
export function viewerField<V, S extends TSchema>(
  part: Part<V>,
  schema: S,
  show: (value: V, context: ReadContext) => Static<S> | null | undefined,
): FieldRule {
  return {
    kind: 'viewer',
    part: part as Part<unknown>,
    schema,
    relation: undefined,
    guard: undefined,
    show: show as ViewerField['show'],
  }
}

/** A field about the caller's relation to the object; left out when no user calls. */
export function relationField<V, R, S extends TSchema>(
  part: Part<V>,
  relation: Part<R>,
  schema: S,
  show: (relation: R, value: V, context: ReadContext) => Static<S> | null | undefined,
): FieldRule {
  return {
    kind: 'viewer',
    part: part as Part<unknown>,
    schema,
    relation: relation as Part<unknown>,
    guard: undefined,
    show: (value, context, found) => (found === undefined ? undefined : show(found as R, value as V, context)),
  }
}

/** A field that only some callers may see. Others do not get the object, and an error names each leaf. */
export function guardedField<V, S extends TSchema>(
  part: Part<V>,
  schema: S,
  guard: { allows(value: NoInfer<V>, context: ReadContext): boolean; leaves: string[] },
  show: (value: V) => Static<S> | null | undefined,
): FieldRule {
  return {
    kind: 'viewer',
    part: part as Part<unknown>,
    schema,
    relation: undefined,
    guard: guard as ViewerField['guard'],
    show: show as ViewerField['show'],
  }
}

/** How an expansion finds its objects: from a part, or through another expansion. */
export type ExpansionRule =
  | {
      via?: undefined
      part: Part<unknown>
      target: () => ObjectType
      ids(value: unknown): readonly string[]
      adds: string | undefined
    }
  | { via: string; rest: string }

/** An expansion from a part to objects by id; `adds` names the field that holds the link. */
export function expands<V>(
  part: Part<V>,
  target: () => ObjectType,
  ids: (value: V) => readonly string[],
  adds?: string,
): ExpansionRule {
  return { part: part as Part<unknown>, target, ids: ids as (value: unknown) => readonly string[], adds }
}

/** An expansion of the objects that another expansion adds. */
export const through = (via: string, rest: string): ExpansionRule => ({ via, rest })

/** A kind of object of the interface: a table of fields. */
export interface ObjectType {
  readonly name: string
  /** Its name in problems. */
  readonly resource: ResourceType
  readonly plural: string
  readonly kind: string
  readonly always: readonly string[]
  /** The fields that requests can ask for. */
  readonly offered: readonly string[]
  /** The part that decides whether the object exists. */
  readonly existence: Part<unknown>
  readonly fields: Record<string, FieldRule>
  readonly expansions: Record<string, ExpansionRule>
  readonly schema: TSchema
  /** Decides for each existing entry whether the caller may see it. */
  judge(context: ReadContext, entries: Entry[]): Promise<Verdict[]> | undefined
}

/** Declares an object. Fields are sorted by name, as the interface lists them. */
export function defineObject(declaration: {
  name: string
  resource: ResourceType
  plural: string
  component: string
  always: string[]
  /** Fields that are always shown, and that no request asks for. */
  unlisted?: readonly string[]
  existence: Part<unknown> | Part<never>
  fields: Record<string, FieldRule>
  expansions?: Record<string, ExpansionRule>
  judge?: (context: ReadContext, entries: Entry[]) => Promise<Verdict[]> | undefined
}): ObjectType {
  const names = Object.keys(declaration.fields).sort()
  const existence = declaration.existence as Part<unknown>
  for (const name of declaration.always)
    if (!declaration.fields[name]) throw new Error(`${declaration.name} has no field ${name}`)
  const properties = Object.fromEntries(
    names.map((name) => {
      const { schema } = declaration.fields[name]!
      return [name, declaration.always.includes(name) ? schema : Type.Optional(schema)]
    }),
  )
  return {
    name: declaration.name,
    resource: declaration.resource,
    plural: declaration.plural,
    kind: existence.kind,
    always: declaration.always,
    offered: names.filter((name) => !declaration.unlisted?.includes(name)),
    existence,
    fields: Object.fromEntries(names.map((name) => [name, declaration.fields[name]!])),
    expansions: declaration.expansions ?? {},
    schema: component(declaration.component, Type.Object(properties)),
    judge: declaration.judge ?? (() => undefined),
  }
}
