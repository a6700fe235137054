import type { RequestFacts } from '../../api-kit/declaring/operation.ts'
import type { Runtime } from '../../api-kit/runtime.ts'
import { isStorableId } from '../../process/ids.ts'
import { statement } from '../../storage/statement.ts'

const MOST_USERS = 12

const usersFirst = statement(
  'dev_sign_in_users',
  { id: 'int8', username: 'text', name: 'text' },
  'select id, username, name from user_account where not suspended order by id limit $1',
)
const userById = statement(
  'dev_sign_in_user',
  { id: 'int8', username: 'text' },
  'select id, username from user_account where id = $1 and not suspended',
)

const FORWARDED = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'via']

/**
 * Whether a request may sign in without a password. The setting is on only for a server that listens on loopback. The host name
 * keeps out pages of other sites whose name leads here, and the other headers keep out a proxy on this machine.
 */
export function maySignInByClick({ headers, remoteAddress }: RequestFacts, runtime: Runtime): boolean {
  return (
    runtime.devSignIn &&
    isLoopbackAddress(remoteAddress) &&
    isLoopbackHost(String(headers.host ?? '')) &&
    FORWARDED.every((name) => headers[name] === undefined)
  )
}

const isLoopbackAddress = (address: string): boolean => address === '::1' || /^(::ffff:)?127\./.test(address)
const isLoopbackHost = (host: string): boolean => /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?$/i.test(host)

/** The users that the page offers: the oldest. */
export const usersToClick = (runtime: Runtime) => usersFirst.all(runtime.database, MOST_USERS)

/** The user whose button was clicked; undefined if there is none with this id. */
export const clickedUser = async (runtime: Runtime, id: string) =>
  isStorableId(id) ? userById.first(runtime.database, id) : undefined
