import { closed, Type, words } from '../api-kit/declaring/schema.ts'
import { isLegacyName } from '../api-kit/naming/naming.ts'
import { change, type Runtime } from '../api-kit/runtime.ts'
import { invalidParameter } from '../api-kit/writing/problems.ts'
import { endAccess } from '../identity/end-access.ts'
import { issueAccessToken } from '../identity/oauth1/tokens.ts'
import { SCOPES } from '../identity/oauth2/scopes.ts'
import { ACCESS_TOKEN_LIFE_S, grantAdd, issueTokens } from '../identity/oauth2/tokens.ts'
import { legacyNaming } from '../legacy-words.ts'
import { defineCommand, findApp, findAppOrFirst, findUser, NameOrId } from './command.ts'

// Each level includes the ones before it.
const LEVELS = ['read', 'read-write', 'read-write-messages'] as const
export const Level = words(LEVELS)

const Scopes = Type.Array(Type.String({ minLength: 1, maxLength: 40 }), { minItems: 1, maxItems: 50 })

export const userToken = defineCommand(
  'user.token',
  closed({
    user: NameOrId,
    app: Type.Optional(NameOrId),
    access_level: Type.Optional(Level),
    oauth2: Type.Optional(Type.Boolean()),
    scopes: Type.Optional(Scopes),
  }),
  async (runtime, args) => {
    const user = await findUser(runtime, args.user, 'user')
    const app = await findAppOrFirst(runtime, args.app)
    const whose = { user_id: user.id, username: user.username, app_id: app.id, app: app.name }
    if (args.oauth2) {
      if (args.access_level !== undefined)
        throw invalidParameter(
          'access_level',
          args.access_level,
          'access_level is for OAuth 1.0a; OAuth 2.0 has scopes',
        )
      return { ...whose, ...(await giveOauth2Tokens(runtime, app.id, user.id, readScopes(args.scopes))) }
    }
    if (args.scopes !== undefined)
      throw invalidParameter('scopes', args.scopes.join(' '), 'scopes are for OAuth 2.0; set oauth2 to true')
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
    return { ...whose, access_level: level, access_token: pair.token, access_token_secret: pair.secret }
  },
)

/** The wanted scopes by their neutral names; all of them if none is named. */
export function readScopes(given: readonly string[] | undefined): { scopes: string[]; naming: 'neutral' | 'legacy' } {
  if (given === undefined) return { scopes: [...SCOPES], naming: 'neutral' }
  const unknown = given.find((scope) => !SCOPES.has(legacyNaming.restore(scope)))
  if (unknown !== undefined)
    throw invalidParameter(
      'scopes',
      unknown,
      `the scope ${unknown} does not exist; allowed are [${[...SCOPES].join(',')}]`,
    )
  const isLegacy = given.some((scope) => isLegacyName(legacyNaming, scope))
  return {
    scopes: [...new Set(given.map((scope) => legacyNaming.restore(scope)))],
    naming: isLegacy ? 'legacy' : 'neutral',
  }
}

/** What the user would get after approving the app, without the pages. */
async function giveOauth2Tokens(
  runtime: Runtime,
  appId: string,
  userId: string,
  { scopes, naming }: { scopes: string[]; naming: string },
) {
  const now = runtime.clock.now()
  const tokens = await change(runtime, async (tx) => {
    const id = runtime.ids.next()
    await grantAdd.count(tx, id, appId, userId, scopes, naming, new Date(now))
    return issueTokens(tx, { id, scopes }, now)
  })
  return {
    token_type: 'bearer',
    expires_in: ACCESS_TOKEN_LIFE_S,
    access_token: tokens.access,
    ...(tokens.refresh === undefined ? {} : { refresh_token: tokens.refresh }),
    scopes,
  }
}

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
