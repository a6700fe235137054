import { closed, Type, words } from '../api-kit/declaring/schema.ts'
import { change } from '../api-kit/runtime.ts'
import { invalidParameter } from '../api-kit/writing/problems.ts'
import { endAccess } from '../identity/end-access.ts'
import { issueAccessToken } from '../identity/oauth1/tokens.ts'
import { defineCommand, findApp, findUser, NameOrId } from './command.ts'

// Each level includes the ones before it.
const LEVELS = ['read', 'read-write', 'read-write-messages'] as const
export const Level = words(LEVELS)

export const userToken = defineCommand(
  'user.token',
  closed({ user: NameOrId, app: NameOrId, access_level: Type.Optional(Level) }),
  async (runtime, args) => {
    const user = await findUser(runtime, args.user, 'user')
    const app = await findApp(runtime, args.app)
    const level = args.access_level ?? app.permission_level
    const allowed = LEVELS.slice(0, LEVELS.indexOf(app.permission_level) + 1)
    if (!allowed.includes(level))
      throw invalidParameter(
        'access_level',
        level,
        `access_level [${level}] is higher than that of the app; allowed are [${allowed.join(',')}]`,
      )
    const pair = await change(runtime, (tx, invalidate) =>
      issueAccessToken(tx, invalidate, runtime.secretBox, {
        appId: app.id,
        userId: user.id,
        level,
        now: runtime.clock.now(),
      }),
    )
    return {
      user_id: user.id,
      username: user.username,
      app: app.name,
      access_level: level,
      access_token: pair.token,
      access_token_secret: pair.secret,
    }
  },
)

export const userRevoke = defineCommand(
  'user.revoke',
  closed({ user: NameOrId, app: NameOrId }),
  async (runtime, args) => {
    const user = await findUser(runtime, args.user, 'user')
    const app = await findApp(runtime, args.app)
    const ended = await change(runtime, (tx, invalidate) =>
      endAccess(tx, invalidate, runtime, { userId: user.id, appId: app.id }),
    )
    return {
      user_id: user.id,
      username: user.username,
      app_id: app.id,
      app: app.name,
      oauth1_grants: ended.oauth1,
      oauth2_grants: ended.oauth2,
    }
  },
)
