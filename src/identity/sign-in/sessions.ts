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
  { id: 'int8', username: 'text', name: 'text', profile_image_url: 'text?' },
  `select u.id, u.username, u.name, u.profile_image_url
     from web_session s join user_account u on u.id = s.user_id
    where s.token_hash = $1 and s.expires_at > $2 and not u.suspended`,
)
const addSession = statement(
  'web_session_add',
  {},
  'insert into web_session (token_hash, user_id, expires_at) values ($1, $2, $3)',
)
const removeSession = statement('web_session_remove', {}, 'delete from web_session where token_hash = $1')

export async function findSession(runtime: Runtime, browser: Browser): Promise<SignedInUser | undefined> {
  const token = browser.session
  if (token === undefined) return undefined
  return sessionUser.first(runtime.database, digest(token), new Date(runtime.clock.now()))
}

/** Signs the browser in; returns the cookie to set. */
export async function startSession(runtime: Runtime, browser: Browser, userId: string): Promise<string> {
  const token = randomText(40)
  await addSession.count(runtime.database, digest(token), userId, new Date(runtime.clock.now() + SESSION_LIFE_S * 1000))
  return cookie(SESSION_COOKIE, token, { secure: browser.secure, maxAgeS: SESSION_LIFE_S })
}

/** Signs the browser out; returns the cookie that clears the old one. */
export async function endSession(runtime: Runtime, browser: Browser): Promise<string> {
  const token = browser.session
  if (token !== undefined) await removeSession.count(runtime.database, digest(token))
  return cookie(SESSION_COOKIE, '', { secure: browser.secure, maxAgeS: 0 })
}
