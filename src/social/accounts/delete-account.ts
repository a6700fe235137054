import { change, type Runtime } from '../../api-kit/runtime.ts'
import { emit } from '../../events/emit.ts'
import { endOtherSessions } from '../../identity/accounts/own-sessions.ts'
import { allCountsChanged } from '../../search/slices/count-changes.ts'
import { statement } from '../../storage/statement.ts'
import { userPairLock } from '../user-pair.ts'

// Suspended too: everything that hides suspended accounts hides this one. What reads users by id or name does not find it.
const userDeactivate = statement(
  'account_deactivate',
  { username: 'text' },
  `with gone as (
     update user_account set deactivated_at = $2, suspended = true, suspended_at = coalesce(suspended_at, $2)
      where id = $1 and deactivated_at is null returning id, username
   ), noted as (insert into deleted_account (user_id, deleted_at) select id, $2 from gone)
   select username from gone`,
)
const appsSuspend = statement(
  'account_apps_suspend',
  { id: 'int8' },
  'update client_app set suspended = true where owner_user_id = $1 returning id',
)

/**
 * Deletes the account of a user. From now on nobody finds it or its posts, its tokens and those of its apps are refused, and
 * it is signed out everywhere. A background step removes what is left. False when it was deleted before.
 */
export async function deleteAccount(runtime: Runtime, userId: string): Promise<boolean> {
  const isDeleted = await change(runtime, async (tx, invalidate) => {
    await userPairLock.count(tx, [userId])
    const gone = await userDeactivate.first(tx, userId, new Date(runtime.clock.now()))
    if (!gone) return false
    const apps = await appsSuspend.all(tx, userId)
    await endOtherSessions(tx, userId, undefined)
    await allCountsChanged.count(tx)
    invalidate('user', userId)
    invalidate('username', gone.username.toLowerCase())
    invalidate('app', ...apps.map((app) => app.id))
    await emit(tx, runtime, { type: 'user.delete', actorId: userId, payload: {} })
    return true
  })
  runtime.bus.wake('credentials')
  return isDeleted
}
