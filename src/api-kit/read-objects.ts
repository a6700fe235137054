import { isStorableId } from '../process/ids.ts'
import type { ObjectType, ReadContext, Verdict } from './object.ts'
import { type Entry, type Part, partOf } from './part-store.ts'
import type { ProblemBody } from './problem.ts'
import { notAuthorizedForField, resourceNotFound, type Section } from './problems.ts'
import type { ExpansionPlan, Selection, Shape } from './selection.ts'

/** One object that a request names: its id where one was found, and the value that the request gave for it. */
export interface Wanted {
  id: string | undefined
  value: string
}

/** An object by its id, as a request gave it; an id that no column can hold is of no object. */
export const wantedId = (id: string): Wanted => ({ id: isStorableId(id) ? id : undefined, value: id })

/** Objects as JSON text, ready to be put into an answer. */
export interface ReadObjects {
  data: string[]
  includes: Map<string, Map<string, string>>
  errors: ProblemBody[]
}

/**
 * Reads objects and what their expansions bring. Phases: load the parts of all wanted objects, judge what the caller
 * may see, write their JSON, collect the ids that expansions point to, and do the same for those.
 */
export async function readObjects(
  context: ReadContext,
  wanted: readonly Wanted[],
  selection: Selection,
  options: { parameter: string; silent?: boolean },
): Promise<ReadObjects> {
  const result: ReadObjects = { data: [], includes: new Map(), errors: [] }
  const asked = wanted.flatMap((item) => (item.id === undefined ? [] : [item.id]))
  const read = await readShape(context, asked, selection.root)
  const shown: Entry[] = []
  let next = 0
  for (const item of wanted) {
    const index = item.id === undefined ? -1 : next++
    const entry = index < 0 ? undefined : read.entries[index]
    const refusal = entry ? read.refusals[index] : undefined
    const place = { parameter: options.parameter, value: item.value, section: 'data' as Section }
    if (!entry || partOf(entry, selection.root.object.basis) === undefined) {
      if (!options.silent)
        result.errors.push(resourceNotFound(selection.root.object.name, place.parameter, place.value))
    } else if (refusal) {
      if (!options.silent) result.errors.push(refusal(place))
    } else {
      const errors = guardErrors(context, entry, selection.root, place.parameter, 'data')
      if (errors.length > 0) result.errors.push(...errors)
      else {
        result.data.push(write(context, entry, selection.root, read.relations))
        shown.push(entry)
      }
    }
  }
  if (selection.expansions.length > 0) await follow(context, shown, selection.expansions, selection, result)
  return result
}

interface ShapeRead {
  entries: Entry[]
  refusals: Verdict[]
  relations: Map<Part<unknown>, Map<string, unknown>>
}

async function readShape(context: ReadContext, ids: readonly string[], shape: Shape): Promise<ShapeRead> {
  const entries = await context.parts.entries(shape.object.kind, ids, shape.parts)
  const existing = entries.filter((entry) => partOf(entry, shape.object.basis) !== undefined)
  const judged = shape.object.judge(context, existing)
  const relations = new Map<Part<unknown>, Map<string, unknown>>()
  const viewer = context.caller?.user
  if (viewer) {
    for (const relation of shape.relations) {
      relations.set(
        relation,
        await context.parts.many(
          relation,
          existing.map((entry) => `${viewer.id}:${entry.id}`),
        ),
      )
    }
  }
  if (!judged) return { entries, refusals: [], relations }
  const verdicts = await judged
  const byEntry = new Map(existing.map((entry, index) => [entry, verdicts[index]]))
  return { entries, refusals: entries.map((entry) => byEntry.get(entry)), relations }
}

function guardErrors(
  context: ReadContext,
  entry: Entry,
  shape: Shape,
  parameter: string,
  section: Section,
): ProblemBody[] {
  const errors: ProblemBody[] = []
  for (const { rule } of shape.live) {
    if (!rule.live || !rule.guard || rule.guard.allows(partOf(entry, rule.part), context)) continue
    for (const leaf of rule.guard.leaves)
      errors.push(notAuthorizedForField(shape.object.name, leaf, parameter, entry.id, section))
  }
  return errors
}

function write(context: ReadContext, entry: Entry, shape: Shape, relations: ShapeRead['relations']): string {
  let text = shape.number >= 0 ? entry.fragments?.[shape.number] : undefined
  if (text === undefined) {
    text = ''
    for (const item of shape.still) {
      const source = partOf(entry, item.rule.part)
      const value = source === undefined || item.rule.live ? undefined : item.rule.show(source)
      if (value !== undefined && value !== null) text += (text === '' ? '{' : ',') + item.key + item.write(value)
    }
    if (shape.number >= 0) context.parts.addFragment(entry, shape.number, text)
  }
  for (const item of shape.live) {
    const source = partOf(entry, item.rule.part)
    if (source === undefined || !item.rule.live) continue
    const relation = item.rule.relation
      ? relations.get(item.rule.relation)?.get(`${context.caller?.user?.id}:${entry.id}`)
      : undefined
    const value = item.rule.show(source, context, relation)
    if (value !== undefined && value !== null) text += `,${item.key}${item.write(value)}`
  }
  return `${text}}`
}

async function follow(
  context: ReadContext,
  from: Entry[],
  plans: ExpansionPlan[],
  selection: Selection,
  result: ReadObjects,
): Promise<void> {
  const byTarget = new Map<ObjectType, ExpansionPlan[]>()
  for (const plan of plans) byTarget.set(plan.target, [...(byTarget.get(plan.target) ?? []), plan])
  await Promise.all([...byTarget].map(([target, own]) => followTo(context, from, target, own, selection, result)))
}

async function followTo(
  context: ReadContext,
  from: Entry[],
  target: ObjectType,
  plans: ExpansionPlan[],
  selection: Selection,
  result: ReadObjects,
): Promise<void> {
  const cause = new Map<string, ExpansionPlan>()
  const reached = plans.map((plan) => {
    const ids = new Set<string>()
    for (const entry of from) {
      const value = partOf(entry, plan.rule.part)
      if (value !== undefined) for (const id of plan.rule.ids(value)) ids.add(id)
    }
    for (const id of ids) if (!cause.has(id)) cause.set(id, plan)
    return ids
  })
  if (cause.size === 0) return
  const shape = selection.included.get(target)!
  const read = await readShape(context, [...cause.keys()], shape)
  let group = result.includes.get(target.plural)
  const visible = new Map<string, Entry>()
  for (let index = 0; index < read.entries.length; index++) {
    const entry = read.entries[index]!
    const place = { parameter: cause.get(entry.id)!.name, value: entry.id, section: 'includes' as Section }
    const refusal = read.refusals[index]
    if (partOf(entry, target.basis) === undefined)
      result.errors.push(resourceNotFound(target.name, place.parameter, place.value))
    else if (refusal) result.errors.push(refusal(place))
    else {
      const errors = guardErrors(context, entry, shape, place.parameter, 'includes')
      if (errors.length > 0) {
        result.errors.push(...errors)
        continue
      }
      visible.set(entry.id, entry)
      if (!group) {
        group = new Map()
        result.includes.set(target.plural, group)
      }
      if (!group.has(entry.id)) group.set(entry.id, write(context, entry, shape, read.relations))
    }
  }
  for (const [index, plan] of plans.entries()) {
    if (plan.nested.length === 0) continue
    const entries = [...reached[index]!].flatMap((id) => visible.get(id) ?? [])
    await follow(context, entries, plan.nested, selection, result)
  }
}
