import type { Runtime } from '../../api-kit/runtime.ts'
import { digest, randomText } from '../../process/secret-box.ts'
import { statement } from '../../storage/statement.ts'
import { type Browser, cookie, SESSION_COOKIE } from './browser.ts'

const SESSION_LIFE_S = 30 * 24 * 3600

/** The user who is signed in with a browser. */
export interface SignedInUser {
  id: string
  username: string
  name: string
  profile_image_url: string | null
}

const sessionUser = statement(
  'web_session_user',
  { id: 'int8', username: 'text', name: 'text', profile_image_url: 'text?', is_seen: 'bool' },
  `select u.id, u.username, u.name, u.profile_image_url, s.last_seen_on is not distinct from $3::date as is_seen
     from web_session s join user_account u on u.id = s.user_id
    where s.token_hash = $1 and s.expires_at > $2 and not u.suspended`,
)
const addSession = statement(
  'web_session_add',
  {},
  `insert into web_session (token_hash, user_id, expires_at, created_at, last_seen_on, agent)
   values ($1, $2, $3, $4::timestamptz, $5::date, $6)`,
)
const markSeen = statement(
  'web_session_seen',
  {},
  'update web_session set last_seen_on = $2::date where token_hash = $1',
)
const removeSession = statement('web_session_remove', {}, 'delete from web_session where token_hash = $1')

export async function findSession(runtime: Runtime, browser: Browser): Promise<SignedInUser | undefined> {
  const token = browser.session
  if (token === undefined) return undefined
  const now = runtime.clock.now()
  const found = await sessionUser.first(runtime.database, digest(token), new Date(now), dayOf(now))
  if (!found) return undefined
  const { is_seen: isSeen, ...user } = found
  // Once a day: users see when their sessions were last used.
  if (!isSeen && !runtime.diskIsFull) await markSeen.count(runtime.database, digest(token), dayOf(now))
  return user
}

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

/** Signs the browser in; returns the cookie to set. */
export async function startSession(runtime: Runtime, browser: Browser, userId: string): Promise<string> {
  const token = randomText(40)
  const now = runtime.clock.now()
  await addSession.count(
    runtime.database,
    digest(token),
    userId,
    new Date(now + SESSION_LIFE_S * 1000),
    new Date(now),
    dayOf(now),
    browser.agent,
  )
  return cookie(SESSION_COOKIE, token, { secure: browser.secure, maxAgeS: SESSION_LIFE_S })
}

/** Signs the browser out; returns the cookie that clears the old one. */
export async function endSession(runtime: Runtime, browser: Browser): Promise<string> {
  const token = browser.session
  if (token !== undefined) await removeSession.count(runtime.database, digest(token))
  return cookie(SESSION_COOKIE, '', { secure: browser.secure, maxAgeS: 0 })
}
