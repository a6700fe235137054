import type { ExpansionRule, FieldRule, ObjectType } from '../declaring/object.ts'
import type { Parameter, ParameterDescription, QueryValues } from '../declaring/parameters.ts'
import { csv } from '../declaring/parameters.ts'
import type { Part } from '../declaring/part.ts'
import { hasFixedName, type TSchema, words } from '../declaring/schema.ts'
import type { Naming } from '../naming/naming.ts'
import type { Fault } from '../writing/problems.ts'
import { compileWriter } from '../writing/writer.ts'

/** A field that is ready to be written in one naming. */
interface ReadyField {
  name: string
  rule: FieldRule
  key: string
  write: (value: unknown) => string
}

/** The fields of a shape whose parts are of one kind: what is invalidated together is cached together. */
interface Slot {
  kind: string
  parts: Part<unknown>[]
  static: ReadyField[]
}

/** Which fields of an object are shown, ready to run. */
export interface Shape {
  /** Entries cache the JSON of their static fields under this number; -1 when there are too many shapes. */
  number: number
  object: ObjectType
  /** The object's own kind first. */
  slots: Slot[]
  /** Position in `slots` by kind. */
  slotOf: Map<string, number>
  relations: Part<unknown>[]
  viewer: ReadyField[]
}

/** An expansion to follow, and those to follow from its objects. */
export interface ExpansionPlan {
  name: string
  rule: Extract<ExpansionRule, { target: () => ObjectType }>
  target: ObjectType
  nested: ExpansionPlan[]
}

/** The fields and expansions that a request asks for. */
export interface Selection {
  root: Shape
  included: Map<ObjectType, Shape>
  expansions: ExpansionPlan[]
}

const MAX_SHAPES = 2_000
const MAX_CACHED = 2_000
const shapeNumbers = new Map<string, number>()

function makeShape(object: ObjectType, asked: Iterable<string>, links: Part<unknown>[], naming: Naming): Shape {
  const names = new Set([...object.always, ...asked])
  const ordered = Object.keys(object.fields).filter((name) => names.has(name))
  const ready = ordered.map((name) => makeField(name, object.fields[name]!, naming))
  const parts = new Set<Part<unknown>>([object.existence, ...links, ...ready.map((item) => item.rule.part)])
  const kinds = [...new Set([...parts].map((part) => part.kind))]
  const relations = new Set(
    ready.flatMap(({ rule }) => (rule.kind === 'viewer' && rule.relation ? [rule.relation] : [])),
  )
  return {
    number: shapeNumber(`${object.name} ${naming.id} ${ordered.join()}`),
    object,
    slots: kinds.map((kind) => ({
      kind,
      parts: [...parts].filter((part) => part.kind === kind),
      static: ready.filter(({ rule }) => rule.kind === 'static' && rule.part.kind === kind),
    })),
    slotOf: new Map(kinds.map((kind, index) => [kind, index])),
    relations: [...relations],
    viewer: ready.filter((item) => item.rule.kind === 'viewer'),
  }
}

function makeField(name: string, rule: FieldRule, naming: Naming): ReadyField {
  return {
    name,
    rule,
    key: `${JSON.stringify(hasFixedName(rule.schema) ? name : naming.rename(name))}:`,
    write: compileWriter(rule.schema, naming) as (value: unknown) => string,
  }
}

function shapeNumber(key: string): number {
  const known = shapeNumbers.get(key)
  if (known !== undefined) return known
  if (shapeNumbers.size >= MAX_SHAPES) return -1
  shapeNumbers.set(key, shapeNumbers.size)
  return shapeNumbers.size - 1
}

/** Every object that an object's expansions can reach, itself first. */
export function reachableObjects(root: ObjectType): ObjectType[] {
  const seen = new Set([root])
  for (const rule of Object.values(root.expansions)) {
    if (rule.via === undefined) seen.add(rule.target())
    else {
      const first = root.expansions[rule.via]
      const nested = first?.via === undefined ? first?.target().expansions[rule.rest] : undefined
      if (!nested || nested.via !== undefined)
        throw new Error(`${root.name}: the expansion through ${rule.via} to ${rule.rest} does not lead to an object`)
      seen.add(nested.target())
    }
  }
  return [...seen]
}

/** Plans the expansions that were asked for; a nested one also follows the one it goes through. */
function planExpansions(object: ObjectType, names: string[]): ExpansionPlan[] {
  const plans = new Map<string, ExpansionPlan>()
  const plan = (name: string): ExpansionPlan => {
    const rule = object.expansions[name]
    if (!rule || rule.via !== undefined) throw new Error(`${object.name} has no direct expansion ${name}`)
    let made = plans.get(name)
    if (!made) {
      made = { name, rule, target: rule.target(), nested: [] }
      plans.set(name, made)
    }
    return made
  }
  for (const name of names) {
    const rule = object.expansions[name]!
    if (rule.via === undefined) plan(name)
    else {
      const first = plan(rule.via)
      first.nested.push(...planExpansions(first.target, [rule.rest]).map((nested) => ({ ...nested, name })))
    }
  }
  return [...plans.values()]
}

function makeSelection(
  root: ObjectType,
  fields: Map<ObjectType, string[]>,
  expansions: string[],
  naming: Naming,
  always: readonly string[],
): Selection {
  const plans = planExpansions(root, expansions)
  const shapeOf = (object: ObjectType, own: ExpansionPlan[], more: readonly string[] = []) => {
    const links = own.flatMap((plan) => (plan.rule.adds ? [plan.rule.adds] : []))
    return makeShape(
      object,
      [...(fields.get(object) ?? []), ...links, ...more],
      own.map((plan) => plan.rule.part),
      naming,
    )
  }
  const included = new Map<ObjectType, Shape>()
  const walk = (level: ExpansionPlan[]): ExpansionPlan[] => level.flatMap((plan) => [plan, ...walk(plan.nested)])
  const all = walk(plans)
  for (const plan of all) {
    if (included.has(plan.target)) continue
    const onTarget = all.filter((other) => other.target === plan.target).flatMap((other) => other.nested)
    included.set(plan.target, shapeOf(plan.target, onTarget))
  }
  return { root: shapeOf(root, plans, always), included, expansions: plans }
}

/**
 * A key of queries that no client can send: fields that an answer shows whether or not they are asked for, as `post.fields` and the
 * name of the field with an equals sign between them. Refusals do not repeat them.
 */
export const ALWAYS_ASKED = '\0always asked'

const fieldsParameter = (object: ObjectType) => `${object.name}.fields`

/**
 * The `*.fields` and `expansions` parameters of an operation that answers with an object. `always` are fields that this operation
 * shows by default, besides those that the object always shows. With
 * `allByDefault`, a request that names no fields of the object gets all of them.
 */
export function selects(
  root: ObjectType | (() => ObjectType),
  options: { more?: () => ObjectType[]; always?: readonly string[]; allByDefault?: boolean } = {},
): { selection: Parameter<Selection> } {
  const object = () => (typeof root === 'function' ? root() : root)
  const objects = () => [...new Set([...reachableObjects(object()), ...(options.more?.() ?? [])])]
  const lists = () => {
    const made = objects().map((item) => ({ item, name: fieldsParameter(item), list: csvOf(item.offered) }))
    const expansions = Object.keys(object().expansions)
    return { made, expansions: expansions.length === 0 ? undefined : csvOf(expansions) }
  }
  return {
    selection: {
      describe: () => {
        const { made, expansions } = lists()
        const described: ParameterDescription[] = made.flatMap(({ name, list }) => list.describe(name))
        return expansions ? [...described, ...expansions.describe('expansions')] : described
      },
      compile: (_name, naming) => compileSelection(object(), lists(), naming, options),
      kindOfObject: () => object().kind,
    },
  }
}

const csvOf = (values: readonly string[]) => csv(words(values) as TSchema, { unique: true, required: false })

function compileSelection(
  root: ObjectType,
  lists: {
    made: { item: ObjectType; name: string; list: Parameter<unknown[]> }[]
    expansions: Parameter<unknown[]> | undefined
  },
  naming: Naming,
  { always = [], allByDefault = false }: { always?: readonly string[]; allByDefault?: boolean },
) {
  const readers = lists.made.map(({ item, name, list }) => ({
    item,
    spelled: naming.rename(name),
    read: list.compile(name, naming),
  }))
  const readExpansions = lists.expansions?.compile('expansions', naming)
  const spelled = [...readers.map((reader) => reader.spelled), 'expansions', ALWAYS_ASKED]
  // Most requests use one of a few selections, so these are cached by their text.
  const known = new Map<string, Selection>()
  return (query: QueryValues, faults: Fault[]): Selection => {
    let key = ''
    for (const name of spelled) key += `${query.get(name)?.join() ?? '\0'}\n`
    const found = known.get(key)
    if (found) return found
    const before = faults.length
    const fields = new Map(readers.map((reader) => [reader.item, reader.read(query, faults) as string[]]))
    for (const { item } of readers)
      for (const asked of query.get(ALWAYS_ASKED) ?? []) {
        const [parameter, field] = asked.split('=') as [string, string]
        if (parameter === fieldsParameter(item)) fields.set(item, [...(fields.get(item) ?? []), field])
      }
    if (allByDefault && !query.has(naming.rename(fieldsParameter(root)))) fields.set(root, Object.keys(root.fields))
    const expansions = (readExpansions?.(query, faults) ?? []) as string[]
    const selection = makeSelection(root, fields, faults.length > before ? [] : expansions, naming, always)
    if (faults.length === before) {
      if (known.size >= MAX_CACHED) known.clear()
      known.set(key, selection)
    }
    return selection
  }
}
