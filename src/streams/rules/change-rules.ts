import type { Caller } from '../../api-kit/declaring/caller.ts'
import { change, type Runtime } from '../../api-kit/runtime.ts'
import type { ProblemBody } from '../../api-kit/writing/problem.ts'
import { emit } from '../../events/emit.ts'
import { capOf } from '../../identity/tier-caps.ts'
import { legacyNaming } from '../../legacy-words.ts'
import { isStorableId } from '../../process/ids.ts'
import { checkQuery } from '../../search/check-query.ts'
import type { Place } from '../../search/operators.ts'
import { parseQuery, QueryError } from '../../search/parse-query.ts'
import type { Tx } from '../../storage/database.ts'
import { duplicateRule, invalidRule, ruleCap } from '../stream-problems.ts'
import {
  projectLock,
  rulesAdd,
  rulesOfNames,
  rulesOfProject,
  rulesOfValues,
  rulesRemove,
  rulesRemoveAll,
} from './rule.statements.ts'

/** One of the two sets of rules that an app has. */
export interface RuleProduct {
  product: 'filtered' | 'power'
  /** Where its queries are used: which operators they may have. */
  place: Place
  /** How many rules the apps of a project may have together. */
  most(caller: Caller): number
}

export interface RuleDraft {
  value: string
  tag?: string
}
export interface NewRule extends RuleDraft {
  id: string
}

/** Adds the rules that can be added, in one piece; the errors say why the others can not. */
export async function addRules(
  runtime: Runtime,
  caller: Caller,
  set: RuleProduct,
  drafts: readonly RuleDraft[],
  dryRun: boolean,
): Promise<{ added: NewRule[]; errors: ProblemBody[] }> {
  const longest = capOf(caller, 'stream_rule_length')
  const checked = drafts.map((draft) => ({ draft, faults: faultsOf(draft.value, set.place, longest) }))
  const values = checked.filter((item) => item.faults.length === 0).map((item) => item.draft.value)
  return change(runtime, async (tx) => {
    await projectLock.first(tx, caller.app.projectId)
    const known = await rulesOfValues.all(tx, caller.app.id, set.product, values)
    const idsByValue = new Map(known.map((rule) => [rule.value, rule.id]))
    const added: NewRule[] = []
    const errors: ProblemBody[] = []
    for (const { draft, faults } of checked) {
      const twin = idsByValue.get(draft.value)
      if (faults.length > 0) errors.push(invalidRule(draft.value, faults))
      else if (twin !== undefined) errors.push(duplicateRule(draft.value, twin))
      else {
        const id = runtime.ids.next()
        idsByValue.set(draft.value, id)
        added.push({ id, ...draft })
      }
    }
    if (added.length > 0) {
      await checkRoom(tx, caller, set, added.length)
      if (!dryRun) await keepRules(tx, runtime, caller, set, added)
    }
    return { added, errors }
  })
}

// A surrogate that stands alone is no character and can not be stored.
const LONE_SURROGATE = /\p{Surrogate}/u

function faultsOf(value: string, place: Place, longest: number): string[] {
  const length = [...value].length
  if (length > longest)
    return [
      `The rule has ${length} characters, which is more than the ${longest} of this tier (at position ${longest + 1})`,
    ]
  const half = LONE_SURROGATE.exec(value)
  if (half) return [`Half of a character pair (at position ${half.index + 1})`]
  try {
    checkQuery(parseQuery(value), place, legacyNaming)
    return []
  } catch (error) {
    if (!(error instanceof QueryError)) throw error
    return error.reasons
  }
}

async function checkRoom(tx: Tx, caller: Caller, set: RuleProduct, more: number): Promise<void> {
  const most = set.most(caller)
  const have = await rulesOfProject.first(tx, caller.app.projectId, set.product)
  const count = have?.count ?? 0
  if (count + more > most)
    throw ruleCap(`The project has ${count} rules and can have ${most} on this tier; the request would add ${more}.`)
}

async function keepRules(
  tx: Tx,
  runtime: Runtime,
  caller: Caller,
  set: RuleProduct,
  rules: readonly NewRule[],
): Promise<void> {
  await rulesAdd.count(
    tx,
    caller.app.id,
    set.product,
    rules.map((rule) => rule.id),
    rules.map((rule) => rule.value),
    rules.map((rule) => rule.tag ?? null),
    new Date(runtime.clock.now()),
  )
  await tellChange(tx, runtime, caller, set)
}

/** Open streams read their rules again. */
const tellChange = (tx: Tx, runtime: Runtime, caller: Caller, set: RuleProduct): Promise<void> =>
  emit(tx, runtime, { type: 'stream_rules.change', payload: { app_id: caller.app.id, product: set.product } })

/** Removes the rules of an app that are named by id or by value, and tells which names have none. */
export async function removeRules(
  runtime: Runtime,
  caller: Caller,
  set: RuleProduct,
  names: { ids?: readonly string[]; values?: readonly string[] },
  dryRun: boolean,
): Promise<{ deleted: number; missing: { ids: string[]; values: string[] } }> {
  const ids = [...new Set(names.ids ?? [])]
  const values = [...new Set(names.values ?? [])]
  return change(runtime, async (tx) => {
    await projectLock.first(tx, caller.app.projectId)
    const found = await rulesOfNames.all(tx, caller.app.id, set.product, ids.filter(isStorableId), values)
    const foundIds = found.map((rule) => rule.id)
    if (found.length > 0 && !dryRun) {
      await rulesRemove.count(tx, caller.app.id, set.product, foundIds)
      await tellChange(tx, runtime, caller, set)
    }
    const knownIds = new Set(foundIds)
    const knownValues = new Set(found.map((rule) => rule.value))
    return {
      deleted: found.length,
      missing: {
        ids: ids.filter((id) => !knownIds.has(id)),
        values: values.filter((value) => !knownValues.has(value)),
      },
    }
  })
}

/** Removes every rule of an app and says how many there were. */
export function removeAllRules(runtime: Runtime, caller: Caller, set: RuleProduct): Promise<number> {
  return change(runtime, async (tx) => {
    await projectLock.first(tx, caller.app.projectId)
    const deleted = await rulesRemoveAll.count(tx, caller.app.id, set.product)
    if (deleted > 0) await tellChange(tx, runtime, caller, set)
    return deleted
  })
}
