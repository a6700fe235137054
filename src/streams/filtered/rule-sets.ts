import { onNewWorld, type Runtime } from '../../api-kit/runtime.ts'
import { legacyNaming } from '../../legacy-words.ts'
import { checkQuery } from '../../search/check-query.ts'
import type { MatchablePost } from '../../search/matchable-post.ts'
import { parseQuery, type QueryNode } from '../../search/parse-query.ts'
import { listsIn, namesIn } from '../../search/query-sql.ts'
import { RuleIndex } from '../../search/rule-index.ts'
import { usernamePart } from '../../social/users/user.parts.ts'
import { statement } from '../../storage/statement.ts'

const rulesOfApps = statement(
  'stream_rules_of_apps',
  { id: 'int8', app_id: 'int8', value: 'text', tag: 'text?' },
  `select id, app_id, value, tag from stream_rule where app_id = any($1::bigint[]) and product = 'filtered' order by id`,
)

const MOST_KEPT = 1_000

/** The rules of one app, and by the id of a rule its tag and the lists that it refers to. */
interface RuleSet {
  index: RuleIndex<string>
  tags: Map<string, string>
  lists: Map<string, readonly string[]>
}

/** The compiled rules of apps with open streams or linked webhooks. Each set is read on first use. */
export class RuleSets {
  readonly #runtime: Runtime
  readonly #sets = new Map<string, RuleSet>()
  readonly #stale = new Set<string>()
  #turn: Promise<void> = Promise.resolve()

  constructor(runtime: Runtime) {
    this.#runtime = runtime
    // After a read in progress, which may still have found the rules of the world before.
    onNewWorld(runtime, () => {
      this.#turn = this.#turn.then(() => this.#sets.clear())
    })
  }

  /** The sets of these apps. Missing and changed sets are read. */
  async of(appIds: readonly string[]): Promise<Map<string, RuleSet>> {
    // One read at a time, so a call during a read does not get the old set.
    const reading = this.#turn.then(() => this.#read(appIds))
    this.#turn = reading.catch(() => {})
    await reading
    return new Map(appIds.map((id) => [id, this.#sets.get(id)!]))
  }

  /** Marks the rules of an app as changed. They are read again on the next use. */
  invalidate(appId: string): void {
    this.#stale.add(appId)
  }

  // Compiling a rule costs far more than a lookup, so only the new rules of a changed set are compiled.
  async #read(wanted: readonly string[]): Promise<void> {
    const appIds = wanted.filter((id) => !this.#sets.has(id) || this.#stale.has(id))
    if (appIds.length === 0) return
    if (this.#sets.size + appIds.length > MOST_KEPT) this.#keepOnly(wanted)
    for (const id of appIds) this.#stale.delete(id)
    try {
      await this.#readSets(appIds)
    } catch (error) {
      for (const id of appIds) this.#stale.add(id)
      throw error
    }
  }

  #keepOnly(wanted: readonly string[]): void {
    const kept = new Set(wanted)
    for (const id of this.#sets.keys()) if (!kept.has(id)) this.#sets.delete(id)
  }

  async #readSets(appIds: readonly string[]): Promise<void> {
    const rows = await rulesOfApps.all(this.#runtime.database, appIds)
    const fresh = rows.flatMap((row) => (this.#sets.get(row.app_id)?.tags.has(row.id) ? [] : this.#compile(row)))
    const names = [...new Set(fresh.flatMap(({ tree }) => namesIn(tree)))]
    const userIds = names.length === 0 ? new Map<string, string>() : await this.#runtime.parts.many(usernamePart, names)
    for (const id of appIds) {
      const own = fresh.filter(({ row }) => row.app_id === id)
      const rules = own.map(({ row, tree }) => ({ key: row.id, tree, userIds }))
      const known = this.#sets.get(id)
      const set: RuleSet = known ?? { index: new RuleIndex(rules), tags: new Map<string, string>(), lists: new Map() }
      if (known) {
        const kept = new Set(rows.map((row) => row.id))
        for (const ruleId of known.tags.keys()) {
          if (kept.has(ruleId)) continue
          known.index.remove(ruleId)
          known.tags.delete(ruleId)
          known.lists.delete(ruleId)
        }
        for (const rule of rules) known.index.add(rule)
      }
      for (const { row, tree } of own) {
        set.tags.set(row.id, row.tag ?? '')
        const lists = listsIn(tree)
        if (lists.length > 0) set.lists.set(row.id, lists)
      }
      this.#sets.set(id, set)
    }
  }

  #compile(row: StoredRule): { row: StoredRule; tree: QueryNode }[] {
    try {
      return [{ row, tree: checkQuery(parseQuery(row.value), 'stream', legacyNaming) }]
    } catch (error) {
      this.#runtime.log.warn({ err: error, rule: row.id }, 'a stored rule cannot be parsed and is skipped')
      return []
    }
  }
}

interface StoredRule {
  id: string
  app_id: string
  value: string
  tag: string | null
}

/** The ids of the rules of a set that match a post, and the member of an answer that has them; undefined when none match. */
export function matchingRules(set: RuleSet, post: MatchablePost): { ids: readonly string[]; more: string } | undefined {
  const ids = set.index.match(post)
  if (ids.length === 0) return undefined
  return { ids, more: `,"matching_rules":${JSON.stringify(ids.map((id) => ({ id, tag: set.tags.get(id) })))}` }
}
