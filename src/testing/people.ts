import type { ControlClient } from './control-client.ts'
import { signRequest } from './sign-request.ts'
import type { Credentials, OAuth2Tokens, RostraApp, RostraUser } from './types.ts'

type Args = Record<string, unknown>
type Named = { username: string; name?: string; password?: string } & Args

/** The apps and users that programs under test act as. */
export interface People {
  app(name?: string): RostraApp
  user(username: string): RostraUser
  createUser(options: Named): Promise<RostraUser>
  createApp(options: { name: string; owner?: string } & Args): Promise<RostraApp>
  /** The credentials have changed. */
  refresh(): Promise<void>
  /** The world was replaced: what was made since is gone. */
  forget(): void
}

interface SentTokens {
  access_token: string
  access_token_secret: string
  refresh_token?: string
  scopes?: string[]
  expires_in?: number
}

interface UserFacts {
  id: string
  username: string
  password?: string | undefined
  access_token?: string | undefined
  access_token_secret?: string | undefined
}

export function createPeople(client: ControlClient, credentials: Credentials): People {
  const first = { apps: credentials.apps, users: credentials.users }
  const madeUsers = new Map<string, RostraUser>()
  const madeApps = new Map<string, RostraApp>()
  const run = <T>(name: string, args: Args) => client.post<T>(`/_rostra/commands/${name}`, args)

  const app = (name?: string): RostraApp => {
    const made = name === undefined ? undefined : madeApps.get(name)
    if (made) return made
    const found = name === undefined ? credentials.apps[0] : credentials.apps.find((item) => item.name === name)
    if (found) return readApp(found)
    const known = [...credentials.apps.map((item) => item.name), ...madeApps.keys()]
    throw new Error(`There is no app ${JSON.stringify(name ?? '')}. Known are ${known.join(', ') || 'none'}.`)
  }

  const tokens = async (user: string, given: string | undefined, args: Args) => {
    const of = given ?? app().name
    return run<SentTokens>('user.token', { user, app: madeApps.get(of)?.id ?? of, ...args })
  }

  const createHandle = (facts: UserFacts): RostraUser => {
    const { apiKey, apiKeySecret } = app()
    const handle: RostraUser = {
      id: facts.id,
      username: facts.username,
      password: facts.password,
      accessToken: facts.access_token ?? '',
      accessTokenSecret: facts.access_token_secret ?? '',
      apiKey,
      apiKeySecret,
      oauth2: async (scopes, options): Promise<OAuth2Tokens> => {
        const sent = await tokens(facts.id, options?.app, { oauth2: true, ...(scopes ? { scopes: [...scopes] } : {}) })
        return {
          accessToken: sent.access_token,
          refreshToken: sent.refresh_token ?? undefined,
          scopes: sent.scopes ?? [...(scopes ?? [])],
          expiresIn: sent.expires_in,
        }
      },
      oauth1: async (options = {}) => {
        const level = options.accessLevel === undefined ? {} : { access_level: options.accessLevel }
        const sent = await tokens(facts.id, options.app, level)
        return { accessToken: sent.access_token, accessTokenSecret: sent.access_token_secret }
      },
      authorization: (method, address, form = {}) => signRequest(method, address, Object.entries(form), handle),
    }
    return handle
  }

  const user = (username: string): RostraUser => {
    const name = username.replace(/^@/, '')
    const made = madeUsers.get(name)
    if (made) return made
    const found = credentials.users.find((item) => item.username === name)
    if (found) return createHandle(found)
    const known = [...credentials.users.map((item) => item.username), ...madeUsers.keys()]
    throw new Error(
      `There is no user ${JSON.stringify(name)}. Known are ${known.join(', ') || 'none'}; createUser makes others.`,
    )
  }

  return {
    app,
    user,
    createUser: async (options) => {
      const created = await run<{ id: string; username: string; password: string }>('user.create', options)
      const pair = await tokens(created.id, undefined, {})
      const made = createHandle({ ...created, ...pair })
      madeUsers.set(created.username, made)
      return made
    },
    createApp: async ({ owner, ...options }) => {
      const made = readApp(await run('app.create', { owner: owner ?? credentials.users[0]!.username, ...options }))
      madeApps.set(made.name, made)
      return made
    },
    refresh: async () => {
      Object.assign(credentials, await client.get<Credentials>('/_rostra/credentials'))
    },
    forget: () => {
      Object.assign(credentials, first)
      madeUsers.clear()
      madeApps.clear()
    },
  }
}

function readApp(found: Credentials['apps'][number]): RostraApp {
  return {
    id: found.id,
    name: found.name,
    tier: found.tier,
    apiKey: found.api_key,
    apiKeySecret: found.api_key_secret,
    bearerToken: found.bearer_token ?? '',
    clientId: found.client_id,
    clientSecret: found.client_secret ?? '',
    callbackUrls: found.callback_urls ?? [],
  }
}
