import type { RequestFacts } from '../../api-kit/declaring/operation.ts'
import { change, type Runtime } from '../../api-kit/runtime.ts'
import type { Tx } from '../../storage/database.ts'
import { statement } from '../../storage/statement.ts'
import type { Browser } from '../sign-in/browser.ts'
import { checkPassword, hashPassword } from '../sign-in/password.ts'
import { countTry, deviceCookie } from '../sign-in/slow-down.ts'
import { FieldFaults, refuseFaults } from './field-faults.ts'
import { endOtherSessions } from './own-sessions.ts'

const SHORTEST_PASSWORD = 8
const LONGEST_PASSWORD = 500

const passwordOf = statement(
  'own_password',
  { id: 'int8', password_hash: 'text?' },
  'select u.id, s.password_hash from user_account u left join user_sign_in s on s.user_id = u.id where u.id = $1',
)
const passwordSet = statement(
  'account_password_set',
  {},
  `insert into user_sign_in (user_id, password_hash, password_changed) values ($1, $2, true)
   on conflict (user_id) do update set password_hash = excluded.password_hash, password_changed = true`,
)

/** Why a password cannot be used; undefined when it can. */
export function passwordFault(password: string): string | undefined {
  if (password.length < SHORTEST_PASSWORD) return `A password has at least ${SHORTEST_PASSWORD} characters.`
  return password.length > LONGEST_PASSWORD ? `A password has at most ${LONGEST_PASSWORD} characters.` : undefined
}

/** Stores a new password and ends the sessions that began with the old one, except that of a browser. */
export async function setPassword(tx: Tx, userId: string, hash: string, keptToken?: string): Promise<void> {
  await passwordSet.count(tx, userId, hash)
  await endOtherSessions(tx, userId, keptToken)
}

/** Refuses unless the signed-in user typed the current password. Wrong ones are counted as those of the sign-in page are. */
export async function requirePassword(
  runtime: Runtime,
  request: RequestFacts,
  browser: Browser,
  userId: string,
  typed: string,
  field = 'current_password',
): Promise<void> {
  const account = await passwordOf.first(runtime.database, userId)
  if (account && account.password_hash === null)
    throw new FieldFaults({ [field]: 'This account has no password. Ask the operator of this server to set one.' })
  const attempt = await countTry(runtime, request, browser, account, userId)
  if (attempt.isRefused) throw new FieldFaults({ [field]: 'Too many attempts. Wait 15 minutes and try again.' })
  if (!(await checkPassword(typed.slice(0, 1_000), account?.password_hash)))
    throw new FieldFaults({ [field]: 'This is not your current password.' })
  await attempt.succeeded()
}

/** Changes the password of the signed-in user. Returns the cookie by which the browser stays known. */
export async function changePassword(
  runtime: Runtime,
  request: RequestFacts,
  browser: Browser,
  userId: string,
  given: { current: string; wanted: string; repeated: string },
): Promise<string> {
  refuseFaults({
    new_password: passwordFault(given.wanted),
    repeated_password: given.wanted === given.repeated ? undefined : 'The two new passwords are not the same.',
  })
  await requirePassword(runtime, request, browser, userId, given.current)
  const hash = await hashPassword(given.wanted)
  await change(runtime, (tx) => setPassword(tx, userId, hash, browser.session))
  runtime.bus.wake('credentials')
  return deviceCookie(runtime, browser, { id: userId, password_hash: hash })
}
