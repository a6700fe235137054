import { setTimeout as pause } from 'node:timers/promises'
import { batchTurns } from '../../process/batch-turns.ts'
import { realNow } from '../../process/clock.ts'
import { digest } from '../../process/secret-box.ts'
import type { Db } from '../../storage/database.ts'
import { statement } from '../../storage/statement.ts'

// The marker is a row without an API key. Only stored rows return it; without one it is read by itself.
const insertNonces = statement(
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

/** `unknown`: signed before the database lost its nonces, so the request may be a repeated one. */
type NonceState = 'fresh' | 'used' | 'unknown'

/**
 * Detects signed requests that are sent a second time. All processes share the table; the uses in one turn of the event loop are
 * one statement. The table is unlogged: it needs no disk flush, and it is empty after a crash of the database. Its marker is then
 * missing too, and requests signed until now are refused, because they may have been sent before.
 */
export class NonceGuard {
  readonly #db: Db
  readonly #store: (use: Use) => Promise<NonceState>

  constructor(db: Db) {
    this.#db = db
    this.#store = batchTurns((uses: Use[]) => storeUses(db, uses))
  }

  /** Stores a nonce and returns whether it was used before with this key and timestamp. */
  store(apiKey: string, nonce: string, signedAt: number): Promise<NonceState> {
    return this.#store({ apiKey, nonce: storedNonce(nonce), signedAt })
  }

  /** Looks for an emptied table before the first request does. Requests signed after that are not refused because of it. */
  async prepare(): Promise<void> {
    const knownSince = await mark(this.#db)
    // Timestamps have a resolution of a second: this second must be over.
    if (knownSince >= nowS()) await pause(Math.min(1_010, (knownSince + 1) * 1000 - realNow() + 10))
  }

  async dropOld(): Promise<void> {
    await mark(this.#db)
    await dropOldNonces.count(this.#db, String(nowS() - 2 * TIMESTAMP_WINDOW_S))
  }
}

// Clients choose the length, and an index row holds at most about 2,700 bytes: of a long one the digest is stored. A digest is
// longer than any nonce that is stored as it is.
const storedNonce = (nonce: string): string => (nonce.length <= 43 ? nonce : `${digest(nonce).toString('base64url')} `)

const nowS = () => Math.floor(realNow() / 1000)
const nameOf = (apiKey: string, nonce: string, signedAt: number | string) => `${apiKey} ${signedAt} ${nonce}`

async function storeUses(db: Db, uses: Use[]): Promise<NonceState[]> {
  const names = uses.map((use) => nameOf(use.apiKey, use.nonce, use.signedAt))
  // Every process uses the same order, so two never wait for each other's rows.
  const sorted = [...new Map(names.map((name, index) => [name, uses[index]!]))].sort(([left], [right]) =>
    left < right ? -1 : 1,
  )
  const rows = await insertNonces.all(
    db,
    sorted.map(([, use]) => use.apiKey),
    sorted.map(([, use]) => use.nonce),
    sorted.map(([, use]) => String(use.signedAt)),
  )
  const fresh = new Set(rows.map((row) => nameOf(row.api_key, row.nonce, row.signed_at)))
  const marked = rows[0]?.known_since
  const knownSince = marked === null || marked === undefined ? await mark(db) : Number(marked)
  return names.map((name, index) => {
    // First: a request that was refused because of the loss is refused for the same reason when it is sent again.
    if (uses[index]!.signedAt <= knownSince) return 'unknown'
    // Of two equal uses in one turn, only one is fresh.
    return fresh.delete(name) ? 'fresh' : 'used'
  })
}

/** Adds the marker to an emptied table; returns its time. */
const mark = async (db: Db): Promise<number> => Number((await markOnce.first(db, String(nowS())))!.known_since)
