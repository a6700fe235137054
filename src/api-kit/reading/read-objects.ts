import { groupedBy } from '../../process/grouped-by.ts'
import { isStorableId } from '../../process/ids.ts'
import type { ObjectType, Verdict } from '../declaring/object.ts'
import type { Part } from '../declaring/part.ts'
import type { ReturnedObjects } from '../limits/returned-objects.ts'
import { notAuthorizedForField, resourceNotFound } from '../writing/partial-errors.ts'
import type { ProblemBody } from '../writing/problem.ts'
import type { Section } from '../writing/problem-words.ts'
import { type Entry, type Load, partOf } from './part-cache.ts'
import type { ReadContext } from './read-context.ts'
import type { ExpansionPlan, Selection, Shape } from './selection.ts'

/** An object that a request names: its id if one was found, and the value in the request. */
export interface RequestedObject {
  id: string | undefined
  value: string
}

/** An object that a request names by id. An id that no column can store belongs to no object. */
export const requestedId = (id: string): RequestedObject => ({ id: isStorableId(id) ? id : undefined, value: id })

/** Objects as JSON text, ready for an answer. */
export interface ReadObjects {
  data: string[]
  /** The ids of the objects in `data`. */
  ids: string[]
  includes: Map<string, Map<string, string>>
  errors: ProblemBody[]
}

/**
 * Reads objects and the objects of their expansions. Phases: load the parts of all requested objects, decide which of them the
 * caller may see, write their JSON, collect the ids that expansions lead to, and do the same for those.
 */
export async function readObjects(
  context: ReadContext,
  wanted: readonly RequestedObject[],
  selection: Selection,
  options: { parameter: string; silent?: boolean },
): Promise<ReadObjects> {
  const result: ReadObjects = { data: [], ids: [], includes: new Map(), errors: [] }
  const { root } = selection
  const asked: string[] = []
  for (const { id } of wanted) if (id !== undefined) asked.push(id)
  const read = await readShape(context, asked, root)
  const shown: Loaded[] = []
  let next = 0
  const { parameter } = options
  for (const { id, value } of wanted) {
    const index = id === undefined ? -1 : next++
    const loaded = index < 0 ? undefined : read.loaded[index]
    if (!loaded || !exists(loaded, root)) {
      if (!options.silent) result.errors.push(resourceNotFound(root.object.resource, parameter, value))
      continue
    }
    const refusal = read.refusals?.[index]
    if (refusal) {
      if (!options.silent) result.errors.push(refusal({ parameter, value, section: 'data' }))
      continue
    }
    const errors = guardErrors(context, loaded, root, parameter, 'data')
    if (errors) result.errors.push(...errors)
    else {
      result.data.push(write(context, loaded, root, read.relations))
      result.ids.push(loaded.id)
      shown.push(loaded)
    }
  }
  if (selection.expansions.length > 0) await follow(context, shown, root, selection.expansions, selection, result)
  if (context.returned) noteReturned(context.returned, result, selection)
  return result
}

function noteReturned(returned: ReturnedObjects, result: ReadObjects, { root, included }: Selection): void {
  returned.push([root.object.kind, result.ids])
  for (const object of included.keys()) {
    const group = result.includes.get(object.plural)
    if (group) returned.push([object.kind, [...group.keys()]])
  }
}

/** The loaded data of one object: an entry for each slot of the shape. */
interface Loaded {
  id: string
  entries: Entry[]
}

const valueIn = (loaded: Loaded, shape: Shape, part: Part<unknown>): unknown =>
  partOf(loaded.entries[shape.slotOf.get(part.kind)!]!, part)

const exists = (loaded: Loaded, shape: Shape): boolean =>
  partOf(loaded.entries[0]!, shape.object.existence) !== undefined

interface ShapeRead {
  loaded: Loaded[]
  /** By position in `loaded`. Undefined when the caller may see all of them. */
  refusals: Verdict[] | undefined
  /** Undefined when no field depends on the viewer's relation to the object. */
  relations: Relations | undefined
}

async function readShape(context: ReadContext, ids: readonly string[], shape: Shape): Promise<ShapeRead> {
  const loads: Load[] = []
  let isReady = true
  for (const slot of shape.slots) {
    const load = context.parts.load(slot.kind, ids, slot.parts)
    if (load.ready) isReady = false
    loads.push(load)
  }
  if (!isReady) await Promise.all(loads.map((load) => load.ready))
  const loaded: Loaded[] = []
  const existing: Entry[] = []
  // Without iterators and callbacks: this runs for each object of each answer.
  for (let at = 0; at < ids.length; at++) {
    const entries: Entry[] = []
    for (let slot = 0; slot < loads.length; slot++) entries.push(loads[slot]!.entries[at]!)
    const item = { id: ids[at]!, entries }
    loaded.push(item)
    if (exists(item, shape)) existing.push(entries[0]!)
  }
  const judged = shape.object.judge(context, existing)
  const related = readRelations(context, existing, shape)
  if (!judged && !related) return { loaded, refusals: undefined, relations: undefined }
  const [verdicts, relations] = await Promise.all([judged, related])
  let next = 0
  const refusals = verdicts && loaded.map((item) => (exists(item, shape) ? verdicts[next++] : undefined))
  return { loaded, refusals, relations }
}

/** By the part of the relation, then by viewer and object. */
type Relations = Map<Part<unknown>, Map<string, unknown>>

function readRelations(context: ReadContext, existing: Entry[], shape: Shape): Promise<Relations> | undefined {
  const viewer = context.caller?.user
  if (!viewer || shape.relations.length === 0) return undefined
  const pairs = existing.map(({ id }) => `${viewer.id}:${id}`)
  const read = shape.relations.map(async (relation) => [relation, await context.parts.many(relation, pairs)] as const)
  return Promise.all(read).then((found) => new Map(found))
}

function guardErrors(
  context: ReadContext,
  loaded: Loaded,
  shape: Shape,
  parameter: string,
  section: Section,
): ProblemBody[] | undefined {
  let errors: ProblemBody[] | undefined
  for (const { rule } of shape.viewer) {
    if (rule.kind === 'static' || !rule.guard || rule.guard.allows(valueIn(loaded, shape, rule.part), context)) continue
    errors ??= []
    for (const leaf of rule.guard.leaves)
      errors.push(notAuthorizedForField(shape.object.resource, leaf, parameter, loaded.id, section))
  }
  return errors
}

function write(context: ReadContext, loaded: Loaded, shape: Shape, relations: ShapeRead['relations']): string {
  let text = ''
  for (let index = 0; index < shape.slots.length; index++) {
    const fragment = staticMembers(context, loaded.entries[index]!, shape, index)
    if (fragment !== '') text += text === '' ? fragment : `,${fragment}`
  }
  for (const item of shape.viewer) {
    const source = valueIn(loaded, shape, item.rule.part)
    if (source === undefined || item.rule.kind === 'static') continue
    const relation = item.rule.relation
      ? relations?.get(item.rule.relation)?.get(`${context.caller?.user?.id}:${loaded.id}`)
      : undefined
    const value = item.rule.show(source, context, relation)
    if (value !== undefined && value !== null) text += `,${item.key}${item.write(value)}`
  }
  return `{${text}}`
}

/** The static members of one slot, without braces; made once and cached with the entry. */
function staticMembers(context: ReadContext, entry: Entry, shape: Shape, slot: number): string {
  const known = shape.number >= 0 ? entry.fragments?.[shape.number] : undefined
  if (known !== undefined) return known
  let text = ''
  for (const item of shape.slots[slot]!.static) {
    const source = partOf(entry, item.rule.part)
    const value = source === undefined || item.rule.kind === 'viewer' ? undefined : item.rule.show(source)
    if (value !== undefined && value !== null) text += (text === '' ? '' : ',') + item.key + item.write(value)
  }
  if (shape.number >= 0) context.parts.addFragment(entry, shape.number, text)
  return text
}

async function follow(
  context: ReadContext,
  from: Loaded[],
  fromShape: Shape,
  plans: ExpansionPlan[],
  selection: Selection,
  result: ReadObjects,
): Promise<void> {
  const [first] = plans
  if (plans.length === 1) return followTo(context, from, fromShape, first!.target, plans, selection, result)
  const byTarget = groupedBy(plans, (plan) => plan.target)
  await Promise.all(
    [...byTarget].map(([target, own]) => followTo(context, from, fromShape, target, own, selection, result)),
  )
}

async function followTo(
  context: ReadContext,
  from: Loaded[],
  fromShape: Shape,
  target: ObjectType,
  plans: ExpansionPlan[],
  selection: Selection,
  result: ReadObjects,
): Promise<void> {
  const cause = new Map<string, ExpansionPlan>()
  const reached = plans.map((plan) => {
    const ids = new Set<string>()
    for (const item of from) {
      const value = valueIn(item, fromShape, plan.rule.part)
      if (value !== undefined) for (const id of plan.rule.ids(value)) ids.add(id)
    }
    for (const id of ids) if (!cause.has(id)) cause.set(id, plan)
    return ids
  })
  if (cause.size === 0) return
  const shape = selection.included.get(target)!
  const read = await readShape(context, [...cause.keys()], shape)
  let group = result.includes.get(target.plural)
  const visible = new Map<string, Loaded>()
  for (const [index, item] of read.loaded.entries()) {
    const parameter = cause.get(item.id)!.name
    const refusal = read.refusals?.[index]
    if (!exists(item, shape)) result.errors.push(resourceNotFound(target.resource, parameter, item.id))
    else if (refusal) result.errors.push(refusal({ parameter, value: item.id, section: 'includes' }))
    else {
      const errors = guardErrors(context, item, shape, parameter, 'includes')
      if (errors) {
        result.errors.push(...errors)
        continue
      }
      visible.set(item.id, item)
      if (!group) {
        group = new Map()
        result.includes.set(target.plural, group)
      }
      if (!group.has(item.id)) group.set(item.id, write(context, item, shape, read.relations))
    }
  }
  for (const [index, plan] of plans.entries()) {
    if (plan.nested.length === 0) continue
    const items = [...reached[index]!].flatMap((id) => visible.get(id) ?? [])
    await follow(context, items, shape, plan.nested, selection, result)
  }
}
