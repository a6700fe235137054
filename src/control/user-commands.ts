import { closed, Type, words } from '../api-kit/declaring/schema.ts'
import { change, type Runtime } from '../api-kit/runtime.ts'
import { invalidParameter } from '../api-kit/writing/problems.ts'
import { setPassword } from '../identity/accounts/own-password.ts'
import { USERNAME_PATTERN } from '../identity/accounts/username-rules.ts'
import { hashPassword } from '../identity/sign-in/password.ts'
import { isStorableId } from '../process/ids.ts'
import { randomText } from '../process/secret-box.ts'
import { createUser } from '../social/users/create-user.ts'
import { FIRST_CURSOR, readUserCursor } from '../social/users/search-cursor.ts'
import { findUsersByText } from '../social/users/search-users.ts'
import { updateUser } from '../social/users/update-user.ts'
import { statement } from '../storage/statement.ts'
import { defineCommand, findUser, Name, NameOrId } from './command.ts'
import { paged } from './inspect/page.ts'

const optional = Type.Optional
const Username = Type.String({ pattern: USERNAME_PATTERN })
const Password = Type.String({ minLength: 8, maxLength: 500 })
/** An empty text removes the address. */
const Email = Type.String({ pattern: '^([^\\s@]+@[^\\s@]+)?$', maxLength: 200 })
/** An empty text removes the picture. */
const Picture = Type.String({ pattern: '^(https?://\\S+)?$', maxLength: 500 })
const WebAddress = Type.String({ pattern: '^https?://\\S+$', maxLength: 500 })
const AffiliationArgs = closed({
  user_id: Type.Array(NameOrId, { minItems: 1, maxItems: 10 }),
  badge_url: optional(WebAddress),
  description: optional(Type.String({ minLength: 1, maxLength: 160 })),
  url: optional(WebAddress),
})
// What a new user and a change have in common.
const ProfileArgs = {
  name: optional(Name),
  description: optional(Type.String({ maxLength: 160 })),
  location: optional(Type.String({ maxLength: 150 })),
  url: optional(Type.String({ maxLength: 200 })),
  protected: optional(Type.Boolean()),
  verified_type: optional(words(['none', 'blue', 'business', 'government'])),
  subscription_type: optional(words(['None', 'Basic', 'Premium', 'PremiumPlus'])),
  password: optional(Password),
}

const listColumns = {
  id: 'int8',
  username: 'text',
  name: 'text',
  protected: 'bool',
  suspended: 'bool',
  verified_type: 'text',
  subscription_type: 'text',
  post_count: 'int4',
  followers_count: 'int4',
} as const
const LISTED = `select u.id, u.username, u.name, u.protected, u.suspended, u.verified_type, u.subscription_type, coalesce(m.post_count, 0) as post_count,
          coalesce(m.followers_count, 0) as followers_count
     from user_account u left join user_metrics m on m.user_id = u.id`
const userList = statement(
  'control_user_list',
  listColumns,
  `${LISTED} where u.id > $1 and u.deactivated_at is null order by u.id limit $2`,
)
const usersHidden = statement(
  'control_users_hidden',
  listColumns,
  `${LISTED} where u.id > $1 and (u.protected or u.suspended) and u.deactivated_at is null and case $3 when 'suspended' then u.suspended else u.protected end
    order by u.id limit $2`,
)
const usersById = statement('control_users_by_id', listColumns, `${LISTED} where u.id = any($1::bigint[])`)

export const userCreate = defineCommand(
  'user.create',
  closed({
    username: Username,
    ...ProfileArgs,
    email: optional(Type.String({ pattern: '^[^\\s@]+@[^\\s@]+$', maxLength: 200 })),
  }),
  async (runtime, args) => {
    const password = args.password ?? randomText(16)
    const draft = { ...args, name: args.name ?? args.username, password }
    const id = await change(runtime, (tx, invalidate) => createUser(tx, invalidate, runtime, draft))
    if (id === undefined) throw invalidParameter('username', args.username, `The username ${args.username} is taken.`)
    return { id, username: args.username, name: draft.name, password }
  },
)

/** Users whose name, username or bio has words that begin with a text; one more by the id that the text may be. */
async function searchUsers(runtime: Runtime, query: string, after: string | undefined, limit: number) {
  const cursor = after === undefined ? FIRST_CURSOR : readUserCursor(after)
  if (!cursor) throw invalidParameter('after', after, 'after must be the next of a page before')
  const text = query.replace(/^@/, '')
  const found = await findUsersByText(runtime.database, text, cursor, limit, true)
  const named = after === undefined && isStorableId(text) ? [BigInt(text).toString()] : []
  const ids = [...new Set([...named, ...found.users])]
  const rows = new Map((await usersById.all(runtime.database, ids)).map((row) => [row.id, row]))
  return { users: ids.flatMap((id) => rows.get(id) ?? []), ...(found.next === undefined ? {} : { next: found.next }) }
}

export const userListCommand = defineCommand(
  'user.list',
  closed({
    query: optional(Type.String({ minLength: 1, maxLength: 50 })),
    state: optional(words(['suspended', 'protected'])),
    after: optional(Type.String({ maxLength: 40 })),
    limit: optional(Type.Integer({ minimum: 1, maximum: 1000 })),
  }),
  async (runtime, { query, state, after, limit = 100 }) => {
    if (query !== undefined) {
      if (state !== undefined) throw invalidParameter('state', state, 'Only one of query, state can be given.')
      return searchUsers(runtime, query, after, limit)
    }
    const last = after ?? '0'
    if (!isStorableId(last)) throw invalidParameter('after', last, 'after must be the id of a user')
    const rows =
      state === undefined
        ? await userList.all(runtime.database, last, limit + 1)
        : await usersHidden.all(runtime.database, last, limit + 1, state)
    const { page, next } = paged(rows, limit, (row) => row.id)
    return { users: page, ...(next === undefined ? {} : { next }) }
  },
)

export const userUpdateCommand = defineCommand(
  'user.update',
  closed({
    user: NameOrId,
    username: optional(Username),
    ...ProfileArgs,
    profile_image_url: optional(Picture),
    profile_banner_url: optional(Picture),
    suspended: optional(Type.Boolean()),
    affiliation: optional(Type.Union([AffiliationArgs, Type.Null()])),
    geo_enabled: optional(Type.Boolean()),
    receives_messages_from_everyone: optional(Type.Boolean()),
    email: optional(Email),
  }),
  async (runtime, args) => {
    const { user: who, password, affiliation, ...changes } = args
    const user = await findUser(runtime, who, 'user')
    const organisations = await Promise.all(
      (affiliation?.user_id ?? []).map((name) => findUser(runtime, name, 'affiliation.user_id')),
    )
    const belongsTo = affiliation ? { ...affiliation, user_id: organisations.map((item) => item.id) } : affiliation
    const hash = password === undefined ? undefined : await hashPassword(password)
    return change(runtime, async (tx, invalidate) => {
      const { username } = await updateUser(tx, invalidate, runtime, user.id, { ...changes, affiliation: belongsTo })
      if (hash !== undefined) await setPassword(tx, user.id, hash)
      return { id: user.id, username, updated: true }
    })
  },
)
