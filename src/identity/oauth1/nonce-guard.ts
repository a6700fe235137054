import { batchTurns } from '../../process/batch-turns.ts'
import { realNow } from '../../process/clock.ts'
import type { Db } from '../../storage/database.ts'
import { statement } from '../../storage/statement.ts'

const keepNonces = statement(
  'oauth1_nonce_keep',
  { api_key: 'text', nonce: 'text', signed_at: 'int8' },
  `insert into oauth1_nonce (api_key, nonce, signed_at)
   select * from unnest($1::text[], $2::text[], $3::bigint[])
   on conflict do nothing
   returning api_key, nonce, signed_at`,
)
const dropOldNonces = statement('oauth1_nonce_expire', {}, 'delete from oauth1_nonce where signed_at < $1')

/** How far a timestamp may be from the server's clock, either way. */
export const TIMESTAMP_WINDOW_S = 300

interface Use {
  apiKey: string
  nonce: string
  signedAt: number
}

/** Notices signed requests that come a second time. All processes share the table; the uses of one turn are one statement. */
export class NonceGuard {
  readonly #db: Db
  readonly #keep: (use: Use) => Promise<boolean>

  constructor(db: Db) {
    this.#db = db
    this.#keep = batchTurns((uses: Use[]) => keepUses(db, uses))
  }

  /** False when this nonce was used before with this key and timestamp. */
  isFresh(apiKey: string, nonce: string, signedAt: number): Promise<boolean> {
    return this.#keep({ apiKey, nonce, signedAt })
  }

  async dropOld(): Promise<void> {
    await dropOldNonces.count(this.#db, String(Math.floor(realNow() / 1000) - 2 * TIMESTAMP_WINDOW_S))
  }
}

const nameOf = (apiKey: string, nonce: string, signedAt: number | string) => `${apiKey} ${signedAt} ${nonce}`

async function keepUses(db: Db, uses: Use[]): Promise<boolean[]> {
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
  // Of two equal uses in one turn only one is fresh.
  return names.map((name) => fresh.delete(name))
}
