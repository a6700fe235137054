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
  done(fresh: boolean): void
  failed(error: unknown): void
}

/** Notices signed requests that come a second time. All processes share the table; the uses of one turn are one statement. */
export class NonceGuard {
  readonly #db: Db
  #waiting: Use[] = []

  constructor(db: Db) {
    this.#db = db
  }

  /** False when this nonce was used before with this key and timestamp. */
  isFresh(apiKey: string, nonce: string, signedAt: number): Promise<boolean> {
    return new Promise((done, failed) => {
      if (this.#waiting.length === 0) setImmediate(() => void this.#run())
      this.#waiting.push({ apiKey, nonce, signedAt, done, failed })
    })
  }

  async dropOld(): Promise<void> {
    await dropOldNonces.count(this.#db, String(Math.floor(realNow() / 1000) - 2 * TIMESTAMP_WINDOW_S))
  }

  async #run(): Promise<void> {
    const uses = this.#waiting
    this.#waiting = []
    const name = (apiKey: string, nonce: string, signedAt: number | string) => `${apiKey} ${signedAt} ${nonce}`
    // In one order everywhere, so that two processes never wait for each other's rows.
    uses.sort((left, right) =>
      name(left.apiKey, left.nonce, left.signedAt) < name(right.apiKey, right.nonce, right.signedAt) ? -1 : 1,
    )
    try {
      const rows = await keepNonces.all(
        this.#db,
        uses.map((use) => use.apiKey),
        uses.map((use) => use.nonce),
        uses.map((use) => String(use.signedAt)),
      )
      const fresh = new Set(rows.map((row) => name(row.api_key, row.nonce, row.signed_at)))
      // Of two equal uses in one turn only one is fresh.
      for (const use of uses) use.done(fresh.delete(name(use.apiKey, use.nonce, use.signedAt)))
    } catch (error) {
      for (const use of uses) use.failed(error)
    }
  }
}
