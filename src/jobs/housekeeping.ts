import type { House } from '../api-kit/house.ts'
import { NonceGuard } from '../identity/oauth1/nonce-guard.ts'
import { idAt } from '../process/ids.ts'
import { statement } from '../storage/statement.ts'

const EVERY_MS = 60_000
const DUPLICATE_WINDOW_MS = 24 * 3600_000

const dropExpired = [
  statement('housekeeping_request_tokens', {}, 'delete from oauth1_request_token where expires_at < $1'),
  statement('housekeeping_codes', {}, 'delete from oauth2_code where expires_at < $1'),
  statement('housekeeping_access_tokens', {}, 'delete from oauth2_access_token where expires_at < $1'),
  statement('housekeeping_refresh_tokens', {}, 'delete from oauth2_refresh_token where expires_at < $1'),
  statement('housekeeping_sessions', {}, 'delete from web_session where expires_at < $1'),
]
const dropTexts = statement('housekeeping_recent_texts', {}, 'delete from post_recent_text where post_id < $1')

/** Removes what has run out, once a minute; returns how to end it. */
export function startHousekeeping(house: House): () => Promise<void> {
  const nonces = new NonceGuard(house.database)
  let running: Promise<void> = Promise.resolve()
  const tidy = async () => {
    // A day more: a code or token that is used late still gets its own refusal instead of an unknown one.
    const expired = new Date(house.clock.now() - DUPLICATE_WINDOW_MS)
    for (const drop of dropExpired) await drop.count(house.database, expired)
    await dropTexts.count(house.database, idAt(house.clock.now() - DUPLICATE_WINDOW_MS))
    await nonces.dropOld()
    await house.limiter.dropOld()
  }
  const timer = setInterval(() => {
    running = running.then(tidy).catch((error: unknown) => house.log.error({ err: error }, 'housekeeping'))
  }, EVERY_MS)
  return async () => {
    clearInterval(timer)
    await running
  }
}
