import { closed, Type, words } from '../api-kit/declaring/schema.ts'
import { createAgents } from '../world/agents/create-agents.ts'
import { readScopes } from './access-commands.ts'
import { defineCommand, findAppOrFirst, NameOrId } from './command.ts'

const optional = Type.Optional
const MOST_AGENTS = 100_000

/** Creates many users at once, with tokens for an app and follows among each other. */
export const agentsCreate = defineCommand(
  'agents.create',
  closed({
    count: Type.Integer({ minimum: 1, maximum: MOST_AGENTS }),
    prefix: optional(Type.String({ pattern: '^[A-Za-z0-9_]{1,14}$' })),
    app: optional(NameOrId),
    tokens: optional(Type.Array(words(['oauth1', 'oauth2']), { maxItems: 2 })),
    scopes: optional(Type.Array(Type.String({ minLength: 1, maxLength: 40 }), { minItems: 1, maxItems: 50 })),
    follows: optional(Type.String({ pattern: '^random:[0-9]{1,4}$' })),
    passwords: optional(Type.Boolean()),
  }),
  async (runtime, args) => {
    const tokens = args.tokens ?? ['oauth1']
    const app = tokens.length === 0 ? undefined : await findAppOrFirst(runtime, args.app)
    const agents = await createAgents(runtime, {
      count: args.count,
      prefix: args.prefix ?? 'agent',
      app,
      tokens,
      scopes: args.scopes && readScopes(args.scopes).scopes,
      follows: Number(args.follows?.slice('random:'.length) ?? 0),
      withPasswords: args.passwords ?? false,
    })
    return { ...(app ? { app_id: app.id, app: app.name } : {}), agents }
  },
)
