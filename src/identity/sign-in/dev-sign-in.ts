import type { RequestFacts } from '../../api-kit/declaring/operation.ts'
import type { Runtime } from '../../api-kit/runtime.ts'
import { isLocalRequest } from '../../api-kit/serving/local-request.ts'
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

/** Whether a request may sign in without a password. The setting is on only for a server that listens on loopback. */
export const maySignInByClick = (request: RequestFacts, runtime: Runtime): boolean =>
  runtime.devSignIn && isLocalRequest(request)

/** The users that the page offers: the oldest. */
export const usersToClick = (runtime: Runtime) => usersFirst.all(runtime.database, MOST_USERS)

/** The user whose button was clicked; undefined if there is none with this id. */
export const clickedUser = async (runtime: Runtime, id: string) =>
  isStorableId(id) ? userById.first(runtime.database, id) : undefined
