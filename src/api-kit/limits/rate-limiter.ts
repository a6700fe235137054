import { batchTurns } from '../../process/batch-turns.ts'
import { realNow } from '../../process/clock.ts'
import { digest } from '../../process/secret-box.ts'
import type { Db } from '../../storage/database.ts'
import { statement } from '../../storage/statement.ts'

/** At most `limit` uses in a window of `seconds`. */
export interface Window {
  limit: number
  seconds: number
  /** Operations with the same pool are counted together; without a pool each operation has its own counter. */
  pool?: string
}

/** The state of a limit after a use. */
export interface LimitState {
  limit: number
  remaining: number
  /** Unix seconds. */
  reset: number
  exceeded: boolean
}

const takeFromCounters = statement(
  'rate_counter_take',
  { name: 'text', used: 'int4', resets_at: 'int8' },
  `insert into rate_counter as c (name, used, resets_at)
   select * from unnest($1::text[], $2::int[], $3::bigint[]) as t (name, used, resets_at)
   on conflict (name) do update set
     used = case when c.resets_at <= $4 then excluded.used else c.used + excluded.used end,
     resets_at = case when c.resets_at <= $4 then excluded.resets_at else c.resets_at end
   returning name, used, resets_at`,
)
const giveBackToCounters = statement(
  'rate_counter_give_back',
  {},
  'update rate_counter set used = used - 1 where name = any($1::text[]) and used > 0',
)
const clearCounters = statement('rate_counter_clear', {}, 'delete from rate_counter')
const dropOldCounters = statement('rate_counter_expire', {}, 'delete from rate_counter where resets_at < $1')

interface Use {
  name: string
  window: Window
  /** How many uses it stands for. */
  uses: number
}

/**
 * Counts uses in fixed windows that start with the first use. The counters are rows that all processes share; the uses in one
 * turn of the event loop are one statement.
 */
export class RateLimiter {
  readonly #db: Db
  readonly #count: (use: Use) => Promise<LimitState>

  constructor(db: Db) {
    this.#db = db
    this.#count = batchTurns((uses: Use[]) => countUses(db, uses))
  }

  take(name: string, window: Window, uses = 1): Promise<LimitState> {
    return this.#count({ name: keyOf(name), window, uses })
  }

  /** Gives back uses that turned out not to count. */
  async giveBack(names: string[]): Promise<void> {
    await giveBackToCounters.count(this.#db, names.map(keyOf).toSorted())
  }

  async clear(): Promise<void> {
    await clearCounters.count(this.#db)
  }

  async dropOld(): Promise<void> {
    await dropOldCounters.count(this.#db, String(Math.floor(realNow() / 1000) - 60))
  }
}

/**
 * A name as it is stored. Names contain what clients send, such as addresses from a proxy. A name that does not fit into the
 * index would fail all requests that are counted in the same turn.
 */
const keyOf = (name: string): string =>
  /^[\x20-\x7e]{1,200}$/.test(name)
    ? name
    : `${name.slice(0, 30).replace(/[^\x20-\x7e]/g, '?')}#${digest(name).toString('base64url')}`

async function countUses(db: Db, uses: Use[]): Promise<LimitState[]> {
  const groups = new Map<string, { window: Window; count: number }>()
  // Several uses of one counter in a turn are numbered.
  const ranks = uses.map(({ name, window, uses: many }) => {
    const group = groups.get(name) ?? { window, count: 0 }
    group.count += many
    groups.set(name, group)
    return group.count
  })
  // Every process uses the same order, so two never wait for each other's rows.
  const names = [...groups.keys()].sort()
  const now = Math.floor(realNow() / 1000)
  const rows = await takeFromCounters.all(
    db,
    names,
    names.map((name) => groups.get(name)!.count),
    names.map((name) => String(now + groups.get(name)!.window.seconds)),
    String(now),
  )
  const byName = new Map(rows.map((row) => [row.name, row]))
  return uses.map(({ name, window }, index) => {
    const row = byName.get(name)!
    const used = row.used - groups.get(name)!.count + ranks[index]!
    return {
      limit: window.limit,
      remaining: Math.max(0, window.limit - used),
      reset: Number(row.resets_at),
      exceeded: used > window.limit,
    }
  })
}

const UNIT_SECONDS: Record<string, number> = { s: 1, m: 60, h: 3600 }

/** Parses `3500/15m` or `50/15m + 1000/24h`; `1000/24h of likes` is a window of the pool `likes`. */
export function parseWindows(text: string): Window[] {
  return text.split('+').map((part) => {
    const match = /^(\d+)\/(\d+)([smh])(?: of ([a-z]+))?$/.exec(part.trim())
    if (!match) throw new Error(`Not a limit: ${text}`)
    const window = { limit: Number(match[1]), seconds: Number(match[2]) * UNIT_SECONDS[match[3]!]! }
    return match[4] === undefined ? window : { ...window, pool: match[4] }
  })
}
