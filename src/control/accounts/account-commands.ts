import { closed, Type } from '../../api-kit/declaring/schema.ts'
import { invalidParameter } from '../../api-kit/writing/problems.ts'
import { readConnectedApps } from '../../identity/accounts/connected-apps.ts'
import { endOtherSessions, readSessions } from '../../identity/accounts/own-sessions.ts'
import { isStorableId } from '../../process/ids.ts'
import { deleteAccount } from '../../social/accounts/delete-account.ts'
import { type Command, defineCommand, findUser, NameOrId } from '../command.ts'

const optional = Type.Optional

/** What users see and do on the pages of their accounts. */
export const accountCommands: readonly Command[] = [
  defineCommand(
    'user.apps',
    closed({
      user: NameOrId,
      after: optional(Type.String()),
      limit: optional(Type.Integer({ minimum: 1, maximum: 1000 })),
    }),
    async (runtime, { user: who, after = '0', limit = 100 }) => {
      if (!isStorableId(after)) throw invalidParameter('after', after, 'after must be the id of an app')
      const user = await findUser(runtime, who, 'user')
      return { apps: await readConnectedApps(runtime, user.id, { after, limit }) }
    },
  ),
  defineCommand(
    'user.sessions',
    closed({ user: NameOrId, end: optional(Type.Boolean()) }),
    async (runtime, { user: who, end = false }) => {
      const user = await findUser(runtime, who, 'user')
      if (end) return { ended: await endOtherSessions(runtime.database, user.id, undefined) }
      const sessions = await readSessions(runtime, user.id, undefined)
      return { sessions: sessions.map(({ is_current: _current, ...session }) => session) }
    },
  ),
  defineCommand('user.delete', closed({ user: NameOrId }), async (runtime, { user: who }) => {
    const user = await findUser(runtime, who, 'user')
    return { id: user.id, username: user.username, deleted: await deleteAccount(runtime, user.id) }
  }),
]
