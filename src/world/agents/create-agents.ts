import { change, type Runtime } from '../../api-kit/runtime.ts'
import { invalidParameter } from '../../api-kit/writing/problems.ts'
import { SCOPES } from '../../identity/oauth2/scopes.ts'
import { makeToken } from '../../identity/oauth2/tokens.ts'
import { hashPassword } from '../../identity/sign-in/password.ts'
import { randomBelow } from '../../process/random.ts'
import { randomText } from '../../process/secret-box.ts'
import { sqlState, type Tx } from '../../storage/database.ts'
import { jsonText } from '../../storage/json-text.ts'
import { statement } from '../../storage/statement.ts'
import { type NewRelation, storeFollows } from '../bulk/store-follows.ts'
import { storeOauth1Tokens, storeOauth2Tokens, TEN_YEARS_MS } from '../bulk/store-tokens.ts'
import { storeUsers } from '../bulk/store-users.ts'
import { claimWorld } from '../world-lock.ts'

/** What agents are made from. */
export interface AgentsOrder {
  count: number
  prefix: string
  app: { id: string; permission_level: string } | undefined
  tokens: readonly ('oauth1' | 'oauth2')[]
  scopes: readonly string[] | undefined
  /** How many other agents each one follows. */
  follows: number
  withPasswords: boolean
}

/** An agent with what a program needs to act as it. */
export interface Agent {
  id: string
  username: string
  password?: string
  access_token?: string
  access_token_secret?: string
  oauth2_access_token?: string
  oauth2_refresh_token?: string
}

const UNIQUE_VIOLATION = '23505'
const LONGEST_USERNAME = 15
const AGENTS_PER_STATEMENT = 2_000
const FOLLOWS_PER_STATEMENT = 20_000

/** The largest number that a username with this prefix ends with. */
const namesTaken = statement(
  'agent_names_taken',
  { last: 'int8' },
  `select coalesce(max(substring(lower(username) from length($1) + 1)::bigint), 0) as last from user_account
    where lower(username) ~ ('^' || $1 || '[0-9]{1,12}$')`,
)

/**
 * Creates users in bulk, with tokens, follows and search terms, all or nothing. Their usernames are the prefix and a number,
 * which goes on after the last one that exists. Without a password nobody can sign in as them: one costs as much as a hundred
 * agents.
 */
export async function createAgents(runtime: Runtime, order: AgentsOrder): Promise<Agent[]> {
  const passwords = order.withPasswords ? Array.from({ length: order.count }, () => randomText(16)) : []
  const hashes = await Promise.all(passwords.map((password) => hashPassword(password)))
  return change(runtime, async (tx, invalidate) => {
    // Two orders with one prefix would choose the same names.
    await claimWorld(tx)
    const { last } = (await namesTaken.first(tx, order.prefix.toLowerCase()))!
    const agents = Array.from({ length: order.count }, (_, index): Agent => {
      const username = `${order.prefix}${Number(last) + index + 1}`
      const password = passwords[index]
      return { id: runtime.ids.next(), username, ...(password === undefined ? {} : { password }) }
    })
    const longest = agents.at(-1)!.username
    if (longest.length > LONGEST_USERNAME)
      throw invalidParameter(
        'prefix',
        order.prefix,
        `the username ${longest} would be longer than ${LONGEST_USERNAME} characters; choose a shorter prefix`,
      )
    await storeAgents(tx, runtime, agents, hashes)
    await giveTokens(tx, runtime, order, agents)
    await follow(tx, runtime, order.follows, agents)
    invalidate('username', ...agents.map((agent) => agent.username.toLowerCase()))
    return agents
  })
}

async function storeAgents(tx: Tx, runtime: Runtime, agents: readonly Agent[], hashes: readonly string[]) {
  const now = new Date(runtime.clock.now())
  for (let from = 0; from < agents.length; from += AGENTS_PER_STATEMENT) {
    const rows = agents.slice(from, from + AGENTS_PER_STATEMENT).map(({ id, username }, index) => ({
      id,
      username,
      name: username,
      description: '',
      description_entities: null,
      location: '',
      url: '',
      url_entities: null,
      profile_image_url: null,
      profile_banner_url: null,
      protected: false,
      suspended: false,
      verified_type: 'none',
      subscription_type: 'None',
      geo_enabled: true,
      receives_messages_from_everyone: true,
      created_at: now,
      email: null,
      password_hash: hashes[from + index] ?? null,
    }))
    await storeUsers(tx, jsonText(rows), now).catch((error: unknown) => {
      if (sqlState(error) !== UNIQUE_VIOLATION) throw error
      throw invalidParameter(
        'prefix',
        undefined,
        'A user with one of these names was created at this moment. Try again.',
      )
    })
  }
}

async function giveTokens(tx: Tx, runtime: Runtime, order: AgentsOrder, agents: readonly Agent[]): Promise<void> {
  const { app, tokens } = order
  if (!app) return
  const now = runtime.clock.now()
  if (tokens.includes('oauth1'))
    for (const agent of agents) {
      agent.access_token = `${agent.id}-${randomText(30)}`
      agent.access_token_secret = randomText(45)
    }
  if (tokens.includes('oauth2'))
    for (const agent of agents) {
      agent.oauth2_access_token = makeToken(now, 'at')
      agent.oauth2_refresh_token = makeToken(now, 'rt')
    }
  for (let from = 0; from < agents.length; from += AGENTS_PER_STATEMENT) {
    const some = agents.slice(from, from + AGENTS_PER_STATEMENT)
    const pairs = some.flatMap(({ id, access_token: token, access_token_secret: secret }) =>
      token && secret ? [{ appId: app.id, userId: id, level: app.permission_level, token, secret }] : [],
    )
    await storeOauth1Tokens(tx, runtime.secretBox, pairs, new Date(now))
    const grants = some.flatMap(({ id, oauth2_access_token: access, oauth2_refresh_token: refresh }) =>
      access && refresh
        ? [{ id: runtime.ids.next(), appId: app.id, userId: id, scopes: order.scopes ?? [...SCOPES], access, refresh }]
        : [],
    )
    await storeOauth2Tokens(tx, grants, now, TEN_YEARS_MS)
  }
}

/** Lets each agent follow others of the same order, chosen at random. */
async function follow(tx: Tx, runtime: Runtime, count: number, agents: readonly Agent[]): Promise<void> {
  const each = Math.min(count, agents.length - 1)
  if (each === 0) return
  let some: NewRelation[] = []
  for (const [index, agent] of agents.entries()) {
    for (const other of others(index, each, agents.length))
      some.push({ sourceId: agent.id, targetId: agents[other]!.id, id: runtime.ids.next() })
    if (some.length < FOLLOWS_PER_STATEMENT) continue
    await storeFollows(tx, some)
    some = []
  }
  if (some.length > 0) await storeFollows(tx, some)
}

/** Different numbers below `most`, without the own one. */
function others(own: number, count: number, most: number): Set<number> {
  const chosen = new Set<number>()
  // Where nearly all are wanted, the others are chosen.
  if (count * 2 > most) {
    const left = new Set<number>([own])
    while (left.size < most - count) left.add(randomBelow(most))
    for (let number = 0; number < most; number++) if (!left.has(number)) chosen.add(number)
    return chosen
  }
  while (chosen.size < count) {
    const number = randomBelow(most)
    if (number !== own) chosen.add(number)
  }
  return chosen
}
