import type { Caller } from '../../api-kit/declaring/caller.ts'
import { change, type Runtime } from '../../api-kit/runtime.ts'
import type { ProblemBody } from '../../api-kit/writing/problem.ts'
import { emit } from '../../events/emit.ts'
import { capOf } from '../../identity/tier-caps.ts'
import { legacyNaming } from '../../legacy-words.ts'
import { isStorableId } from '../../process/ids.ts'
import { inTurns } from '../../process/in-turns.ts'
import { checkQuery } from '../../search/check-query.ts'
import type { QueryScope } from '../../search/operators.ts'
import { parseQuery, QueryError } from '../../search/parse-query.ts'
import type { Tx } from '../../storage/database.ts'
import { duplicateRule, invalidRule, noncompliantRules, ruleCap } from '../stream-problems.ts'
import {
  projectLock,
  rulesAdd,
  rulesOfNames,
  rulesOfProject,
  rulesOfValues,
  rulesRemove,
  rulesRemoveAll,
} from './rule.statements.ts'
import { findRuleExcess } from './rule-compliance.ts'

/** One of the two rule sets of an app. */
export interface RuleProduct {
  product: 'filtered' | 'power'
  /** Where its queries are used. This decides which operators they may have. */
  place: QueryScope
  /** How many rules all apps of a project may have together. */
  most(caller: Caller): number
}

interface RuleDraft {
  value: string
  tag?: string
}
interface NewRule extends RuleDraft {
  id: string
}

/** Adds the valid rules in one transaction; the errors explain why the others were refused. */
export async function addRules(
  runtime: Runtime,
  caller: Caller,
  set: RuleProduct,
  drafts: readonly RuleDraft[],
  dryRun: boolean,
): Promise<{ added: NewRule[]; errors: ProblemBody[] }> {
  const longest = capOf(caller, 'stream_rule_length')
  const checked = await inTurns(drafts, (draft) => ({ draft, faults: ruleFaults(draft.value, set.place, longest) }))
  const values = checked.filter((item) => item.faults.length === 0).map((item) => item.draft.value)
  return change(runtime, async (tx) => {
    await projectLock.first(tx, caller.app.projectId)
    const existing = await rulesOfValues.all(tx, caller.app.id, set.product, values)
    const idsByValue = new Map(existing.map((rule) => [rule.value, rule.id]))
    const added: NewRule[] = []
    const errors: ProblemBody[] = []
    for (const { draft, faults } of checked) {
      const duplicateId = idsByValue.get(draft.value)
      if (faults.length > 0) errors.push(invalidRule(draft.value, faults))
      else if (duplicateId !== undefined) errors.push(duplicateRule(draft.value, duplicateId))
      else {
        const id = runtime.ids.next()
        idsByValue.set(draft.value, id)
        added.push({ id, ...draft })
      }
    }
    if (added.length > 0) {
      await checkCompliance(tx, caller, set)
      await checkCap(tx, caller, set, added.length)
      if (!dryRun) await storeRules(tx, runtime, caller, set, added)
    }
    return { added, errors }
  })
}

// Longer than any tier allows, also if each character has two units.
const LONGEST_COUNTED = 10_000

// A lone surrogate is not a character and cannot be stored.
const LONE_SURROGATE = /\p{Surrogate}/u

/** What is wrong with a rule. */
export function ruleFaults(value: string, place: QueryScope, longest: number): string[] {
  const length = value.length > LONGEST_COUNTED ? value.length : [...value].length
  if (length > longest)
    return [`The rule has ${length} characters, but this tier allows ${longest} (at position ${longest + 1})`]
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

async function checkCompliance(tx: Tx, caller: Caller, set: RuleProduct): Promise<void> {
  if (set.product !== 'filtered') return
  const { tooLong } = await findRuleExcess(tx, caller)
  if (tooLong !== undefined) throw noncompliantRules(`${tooLong} Delete them before you add others.`)
}

async function checkCap(tx: Tx, caller: Caller, set: RuleProduct, more: number): Promise<void> {
  const most = set.most(caller)
  const existing = await rulesOfProject.first(tx, caller.app.projectId, set.product)
  const count = existing?.count ?? 0
  if (count + more > most)
    throw ruleCap(`The project has ${count} rules and can have ${most} on this tier; the request would add ${more}.`)
}

async function storeRules(
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
  await emitChange(tx, runtime, caller, set)
}

/** Makes open streams read their rules again. */
const emitChange = (tx: Tx, runtime: Runtime, caller: Caller, set: RuleProduct): Promise<void> =>
  emit(tx, runtime, { type: 'stream_rules.change', payload: { app_id: caller.app.id, product: set.product } })

/** Removes rules of an app by id or value; also returns the ids and values that do not exist. */
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
      await emitChange(tx, runtime, caller, set)
    }
    const foundIdSet = new Set(foundIds)
    const foundValues = new Set(found.map((rule) => rule.value))
    return {
      deleted: found.length,
      missing: {
        ids: ids.filter((id) => !foundIdSet.has(id)),
        values: values.filter((value) => !foundValues.has(value)),
      },
    }
  })
}

/** Removes every rule of an app and returns how many there were. */
export function removeAllRules(runtime: Runtime, caller: Caller, set: RuleProduct): Promise<number> {
  return change(runtime, async (tx) => {
    await projectLock.first(tx, caller.app.projectId)
    const deleted = await rulesRemoveAll.count(tx, caller.app.id, set.product)
    if (deleted > 0) await emitChange(tx, runtime, caller, set)
    return deleted
  })
}
