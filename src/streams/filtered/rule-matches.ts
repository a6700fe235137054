import { onNewWorld, type Runtime } from '../../api-kit/runtime.ts'
import { defineSingleton } from '../../api-kit/singleton.ts'
import { transaction } from '../../storage/database.ts'
import { statement } from '../../storage/statement.ts'

const STORE_MS = 500
/** Matches that wait while the database is away. Later ones are not counted then. */
const MOST_WAITING = 50_000

const countedBegin = statement(
  'stream_rules_counted_begin',
  {},
  `insert into stream_rules_counted (app_id, sequence) select id, 0 from client_app where id = any($1::bigint[]) order by id
   on conflict do nothing`,
)
const countedLock = statement(
  'stream_rules_counted_lock',
  { app_id: 'int8', sequence: 'int8' },
  'select app_id, sequence from stream_rules_counted where app_id = any($1::bigint[]) order by app_id for update',
)
const countedMove = statement(
  'stream_rules_counted_move',
  {},
  `update stream_rules_counted c set sequence = g.sequence
     from unnest($1::bigint[], $2::bigint[]) as g (app_id, sequence) where c.app_id = g.app_id`,
)
const matchesAdd = statement(
  'stream_rule_matches_add',
  {},
  `insert into stream_rule_match as m (rule_id, matches, first_at, last_at)
   select r.id, g.matches, $3, $3 from unnest($1::bigint[], $2::bigint[]) as g (rule_id, matches) join stream_rule r on r.id = g.rule_id
    order by r.id
   on conflict (rule_id) do update set matches = m.matches + excluded.matches, last_at = excluded.last_at`,
)

interface Match {
  sequence: bigint
  ruleIds: readonly string[]
}

/**
 * Counts the posts that each rule matches. Several processes match the same post when each has a stream of the app, and a stream
 * may read posts again. So each app has the sequence up to which its matches are counted: only later ones are added.
 */
export class RuleMatches {
  readonly #runtime: Runtime
  #waiting = new Map<string, Match[]>()
  #size = 0
  #timer: NodeJS.Timeout | undefined
  #storing: Promise<void> = Promise.resolve()

  constructor(runtime: Runtime) {
    this.#runtime = runtime
    onNewWorld(runtime, () => this.#take())
  }

  note(appId: string, sequence: string, ruleIds: readonly string[]): void {
    if (this.#size >= MOST_WAITING) return
    const matches = this.#waiting.get(appId) ?? []
    matches.push({ sequence: BigInt(sequence), ruleIds })
    this.#waiting.set(appId, matches)
    this.#size += 1
    this.#timer ??= setTimeout(() => void this.store(), STORE_MS).unref()
  }

  /** Stores what was noted. */
  store(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#storing = this.#storing.then(async () => {
      const waiting = this.#take()
      if (waiting.size === 0) return
      try {
        await this.#add(waiting)
      } catch (error) {
        // Counts are for people to look at: they are not worth keeping a backlog.
        this.#runtime.log.warn({ err: error }, 'the matches of stream rules could not be counted')
      }
    })
    return this.#storing
  }

  #take(): Map<string, Match[]> {
    const waiting = this.#waiting
    this.#waiting = new Map()
    this.#size = 0
    return waiting
  }

  async #add(waiting: Map<string, Match[]>): Promise<void> {
    const { database, clock } = this.#runtime
    await transaction(database, async (tx) => {
      const appIds = [...waiting.keys()]
      await countedBegin.count(tx, appIds)
      const counted = await countedLock.all(tx, appIds)
      const counts = new Map<string, number>()
      const reached = counted.map(({ app_id: appId, sequence }) => {
        let last = BigInt(sequence)
        const matches = waiting.get(appId)!.sort((left, right) => (left.sequence < right.sequence ? -1 : 1))
        for (const match of matches) {
          if (match.sequence <= last) continue
          last = match.sequence
          for (const id of match.ruleIds) counts.set(id, (counts.get(id) ?? 0) + 1)
        }
        return { appId, last }
      })
      if (counts.size === 0) return
      const ids = [...counts.keys()]
      await matchesAdd.count(tx, ids, [...counts.values()].map(String), new Date(clock.now()))
      const apps = reached.map((item) => item.appId)
      await countedMove.count(
        tx,
        apps,
        reached.map((item) => String(item.last)),
      )
    })
  }
}

/** The counter of this process. */
export const ruleMatches = defineSingleton({
  name: 'rule matches',
  create: (runtime) => new RuleMatches(runtime),
  stop: (counter) => counter.store(),
})
