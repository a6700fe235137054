import type { RequestFacts } from '../../api-kit/declaring/operation.ts'
import type { Runtime } from '../../api-kit/runtime.ts'
import { isLocalRequest } from '../../api-kit/serving/local-request.ts'
import { isStorableId } from '../../process/ids.ts'
import { statement } from '../../storage/statement.ts'

const MOST_USERS = 12

const usersFirst = statement(
  'dev_sign_in_users',
  { id: 'int8', username: 'text', name: 'text' },
  `select id, username, name from (
     (select u.id, u.username, u.name, 0 as rank
        from (select distinct user_id from oauth1_access_token order by user_id limit $1) t
        join user_account u on u.id = t.user_id where not u.suspended)
     union all
     (select id, username, name, 1 from user_account where not suspended order by id limit $1 * 2)) found
    group by id, username, name order by min(rank), id limit $1`,
)
const userById = statement(
  'dev_sign_in_user',
  { id: 'int8', username: 'text' },
  'select id, username from user_account where id = $1 and not suspended',
)

/** Whether a request may sign in without a password. The setting is on only for a server that listens on loopback. */
export const maySignInByClick = (request: RequestFacts, runtime: Runtime): boolean =>
  runtime.devSignIn && isLocalRequest(request)

/** The users that the page offers: those with tokens, as in credentials.json, then the oldest, who may be seeded ones. */
export const usersToClick = (runtime: Runtime) => usersFirst.all(runtime.database, MOST_USERS)

/** The user whose button was clicked; undefined if there is none with this id. */
export const clickedUser = async (runtime: Runtime, id: string) =>
  isStorableId(id) ? userById.first(runtime.database, id) : undefined
