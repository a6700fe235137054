import { setTimeout as pause } from 'node:timers/promises'
import { batchTurns } from '../../process/batch-turns.ts'
import { realNow } from '../../process/clock.ts'
import { digest } from '../../process/secret-box.ts'
import type { Db } from '../../storage/database.ts'
import { statement } from '../../storage/statement.ts'

// The marker has no API key. It is asked for by the rows that were kept: without one, nothing is fresh anyway.
const keepNonces = statement(
  'oauth1_nonce_keep',
  { api_key: 'text', nonce: 'text', signed_at: 'int8', known_since: 'int8?' },
  `insert into oauth1_nonce (api_key, nonce, signed_at)
   select * from unnest($1::text[], $2::text[], $3::bigint[])
   on conflict do nothing
   returning api_key, nonce, signed_at, (select max(signed_at) from oauth1_nonce where api_key = '') as known_since`,
)
const markOnce = statement(
  'oauth1_nonce_mark',
  { known_since: 'int8' },
  `with added as (
     insert into oauth1_nonce (api_key, nonce, signed_at)
     select '', '', $1::bigint where not exists (select from oauth1_nonce where api_key = '')
     on conflict do nothing returning signed_at
   )
   select coalesce((select signed_at from added), (select max(signed_at) from oauth1_nonce where api_key = ''), $1::bigint) as known_since`,
)
const dropOldNonces = statement(
  'oauth1_nonce_expire',
  {},
  `delete from oauth1_nonce where signed_at < $1 and api_key <> ''`,
)

/** How far a timestamp may be from the server's clock, either way. */
export const TIMESTAMP_WINDOW_S = 300

interface Use {
  apiKey: string
  nonce: string
  signedAt: number
}

/** Fresh, seen before, or signed at a time of which the server has forgotten what it saw. */
export type NonceState = 'fresh' | 'used' | 'forgotten'

/**
 * Notices signed requests that come a second time. All processes share the table; the uses of one turn are one statement.
 * The table costs no disk flush and is empty after a crash of the database. Then its marker is missing too, and requests
 * signed until now are refused: nobody can tell whether they came before.
 */
export class NonceGuard {
  readonly #db: Db
  readonly #keep: (use: Use) => Promise<NonceState>

  constructor(db: Db) {
    this.#db = db
    this.#keep = batchTurns((uses: Use[]) => keepUses(db, uses))
  }

  /** Keeps a nonce and tells whether it was used before with this key and timestamp. */
  keep(apiKey: string, nonce: string, signedAt: number): Promise<NonceState> {
    // Clients choose how long it is, and an index takes no more than some thousand letters.
    return this.#keep({ apiKey, nonce: digest(nonce).subarray(0, 16).toString('base64url'), signedAt })
  }

  /** Notices an emptied table before a request does; afterwards none that is signed from then on is refused for it. */
  async look(): Promise<void> {
    const knownSince = await mark(this.#db)
    // Clients sign by the second: this one must be over.
    if (knownSince >= nowS()) await pause(Math.min(1_010, (knownSince + 1) * 1000 - realNow() + 10))
  }

  async dropOld(): Promise<void> {
    await mark(this.#db)
    await dropOldNonces.count(this.#db, String(nowS() - 2 * TIMESTAMP_WINDOW_S))
  }
}

const nowS = () => Math.floor(realNow() / 1000)
const nameOf = (apiKey: string, nonce: string, signedAt: number | string) => `${apiKey} ${signedAt} ${nonce}`

async function keepUses(db: Db, uses: Use[]): Promise<NonceState[]> {
  const names = uses.map((use) => nameOf(use.apiKey, use.nonce, use.signedAt))
  // In one order everywhere, so that two processes never wait for each other's rows.
  const sorted = [...new Map(names.map((name, index) => [name, uses[index]!]))].sort(([left], [right]) =>
    left < right ? -1 : 1,
  )
  const rows = await keepNonces.all(
    db,
    sorted.map(([, use]) => use.apiKey),
    sorted.map(([, use]) => use.nonce),
    sorted.map(([, use]) => String(use.signedAt)),
  )
  const fresh = new Set(rows.map((row) => nameOf(row.api_key, row.nonce, row.signed_at)))
  const marked = rows[0]?.known_since
  const knownSince = marked === null ? await mark(db) : Number(marked ?? 0)
  return names.map((name, index) => {
    // Of two equal uses in one turn only one is fresh.
    if (!fresh.delete(name)) return 'used'
    return uses[index]!.signedAt <= knownSince ? 'forgotten' : 'fresh'
  })
}

/** Puts the marker into an emptied table; answers what it says. */
const mark = async (db: Db): Promise<number> => Number((await markOnce.first(db, String(nowS())))!.known_since)
