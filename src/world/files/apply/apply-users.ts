import { isReservedName, reservedSentence } from '../../../identity/accounts/username-rules.ts'
import { checkPassword, hashPassword } from '../../../identity/sign-in/password.ts'
import { timeOfId } from '../../../process/ids.ts'
import { storeLinks } from '../../../social/links/short-link.ts'
import { profileText } from '../../../social/users/profile-text.ts'
import { type UserChanges, updateUser } from '../../../social/users/update-user.ts'
import { sqlState } from '../../../storage/database.ts'
import { jsonText } from '../../../storage/json-text.ts'
import { statement } from '../../../storage/statement.ts'
import { storeUsers } from '../../bulk/store-users.ts'
import { isRelative } from '../moments.ts'
import type { WorldUser } from '../people.schema.ts'
import { type Applying, KeyedIds } from './applying.ts'

const usersRead = statement(
  'world_users_read',
  {
    id: 'int8',
    username: 'text',
    name: 'text',
    description: 'text',
    location: 'text',
    url: 'text',
    profile_image_url: 'text?',
    profile_banner_url: 'text?',
    protected: 'bool',
    suspended: 'bool',
    verified_type: 'text',
    subscription_type: 'text',
    geo_enabled: 'bool',
    receives_messages_from_everyone: 'bool',
    created_at: 'timestamptz',
    email: 'text?',
    password_changed: 'bool?',
    password_hash: 'text?',
  },
  `select u.id, u.username, u.name, u.description, u.location, u.url, u.profile_image_url, u.profile_banner_url, u.protected, u.suspended,
          u.verified_type, u.subscription_type, u.geo_enabled, u.receives_messages_from_everyone, u.created_at, s.email,
          s.password_changed, s.password_hash
     from user_account u left join user_sign_in s on s.user_id = u.id
    where lower(u.username) = any($1::text[]) or u.id = any($2::bigint[])`,
)
const passwordsSet = statement(
  'world_passwords_set',
  {},
  `update user_sign_in s set password_hash = p.hash, password_changed = false
     from unnest($1::bigint[], $2::text[]) as p (user_id, hash) where s.user_id = p.user_id`,
)
const sessionsEnd = statement('world_sessions_end', {}, 'delete from web_session where user_id = any($1::bigint[])')

type UserRow = NonNullable<Awaited<ReturnType<typeof usersRead.first>>>

/** The members that a change can set, in the form in which they are stored. */
const COMPARED = [
  'username',
  'name',
  'description',
  'location',
  'url',
  'profile_image_url',
  'profile_banner_url',
  'protected',
  'suspended',
  'verified_type',
  'subscription_type',
  'geo_enabled',
  'receives_messages_from_everyone',
  'email',
] as const

/** Creates and changes the users of a file, and finds the others that it refers to. */
export async function applyUsers(run: Applying, others: { names: string[]; ids: string[] }): Promise<void> {
  const users = run.world.users ?? []
  const rows = await usersRead.all(
    run.tx,
    [...users.map((user) => user.username.toLowerCase()), ...others.names],
    [...users.flatMap((user) => user.id ?? []), ...others.ids],
  )
  const byName = new Map(rows.map((row) => [row.username.toLowerCase(), row]))
  const byId = new Map(rows.map((row) => [row.id, row]))
  for (const row of rows) {
    run.users.set(row.id, row)
    run.users.set(row.username.toLowerCase(), row)
  }
  const fresh: { draft: WorldUser; id: string; createdMs: number }[] = []
  const existing: { draft: WorldUser; row: UserRow; where: string }[] = []
  const ids = new KeyedIds([...byId.keys(), ...users.flatMap((user) => user.id ?? [])])
  const seen = new Map<string, number>()
  for (const [index, draft] of users.entries()) {
    const where = `users[${index}]`
    const earlier = seen.get(draft.username.toLowerCase())
    if (earlier !== undefined) run.fault(`${where}.username`, draft.username, `users[${earlier}] has this username too`)
    seen.set(draft.username.toLowerCase(), index)
    const row = byName.get(draft.username.toLowerCase()) ?? (draft.id === undefined ? undefined : byId.get(draft.id))
    if (row) {
      if (draft.id !== undefined && draft.id !== row.id)
        run.fault(`${where}.id`, draft.id, `@${row.username} exists with the id ${row.id}, and an id cannot change`)
      existing.push({ draft, row, where })
      run.users.set(draft.username.toLowerCase(), { ...row, ...defined(draft), id: row.id })
      continue
    }
    if (isReservedName(draft.username)) run.fault(`${where}.username`, draft.username, reservedSentence(draft.username))
    const createdMs = run.moment(draft.created_at, `${where}.created_at`, draft.id ? timeOfId(draft.id) : run.now)
    const id = draft.id ?? ids.of(createdMs, 'user', draft.username.toLowerCase())
    fresh.push({ draft, id, createdMs })
    const known = { id, username: draft.username, subscription_type: draft.subscription_type ?? 'None' }
    run.users.set(draft.username.toLowerCase(), known)
    run.users.set(id, known)
  }
  for (const [index, draft] of (run.world.users ?? []).entries())
    for (const name of ['profile_image_url', 'profile_banner_url'] as const)
      if (draft[name] && !/^https?:\/\/\S+$/.test(draft[name]))
        run.fault(`users[${index}].${name}`, draft[name], 'is not an http or https address')
  run.stopOnFaults()
  await addUsers(run, fresh)
  await changeUsers(run, existing)
}

const defined = (draft: WorldUser) => ({
  username: draft.username,
  ...(draft.subscription_type === undefined ? {} : { subscription_type: draft.subscription_type }),
})

async function addUsers(run: Applying, fresh: { draft: WorldUser; id: string; createdMs: number }[]): Promise<void> {
  if (fresh.length === 0) return
  const links: string[] = []
  const rows = await Promise.all(
    fresh.map(async ({ draft, id, createdMs }) => {
      const profile = profileText(draft)
      links.push(...profile.links)
      return {
        id,
        username: draft.username,
        name: draft.name ?? draft.username,
        description: profile.description ?? '',
        description_entities: parsed(profile.descriptionEntities),
        location: draft.location ?? '',
        url: profile.url ?? '',
        url_entities: parsed(profile.urlEntities),
        profile_image_url: draft.profile_image_url || null,
        profile_banner_url: draft.profile_banner_url || null,
        protected: draft.protected ?? false,
        suspended: draft.suspended ?? false,
        verified_type: draft.verified_type ?? 'none',
        subscription_type: draft.subscription_type ?? 'None',
        geo_enabled: draft.geo_enabled ?? true,
        receives_messages_from_everyone: draft.receives_messages_from_everyone ?? true,
        created_at: new Date(createdMs),
        email: draft.email ?? null,
        password_hash: draft.password === undefined || run.isDryRun ? null : await hashPassword(draft.password),
      }
    }),
  )
  await storeUsers(run.tx, jsonText(rows), new Date(run.runtime.clock.now())).catch((error: unknown) => {
    if (sqlState(error) !== '23505') throw error
    // The only unique values that were not looked up before.
    run.fault('users', undefined, 'an e-mail address of a new user, or an id, is taken')
    run.stopOnFaults()
  })
  await storeLinks(run.tx, links)
  for (const { draft, id } of fresh) {
    const secrets = draft.password === undefined ? {} : { password: draft.password }
    run.items.keep({ kind: 'user', key: draft.username.toLowerCase(), id, secrets })
    run.report.add('created', 'user', `@${draft.username}`)
  }
}

const parsed = (text: string | null): unknown => (text === null ? null : JSON.parse(text))

async function changeUsers(
  run: Applying,
  existing: { draft: WorldUser; row: UserRow; where: string }[],
): Promise<void> {
  const passwords: { id: string; hash: string }[] = []
  for (const { draft, row, where } of existing) {
    const differing = differences(draft, row)
    if (draft.created_at !== undefined && !isRelative(draft.created_at)) {
      const given = run.moment(draft.created_at, `${where}.created_at`, 0)
      if (given !== row.created_at.getTime())
        run.fault(
          `${where}.created_at`,
          draft.created_at,
          `@${row.username} exists since ${row.created_at.toISOString()}, which cannot change`,
        )
    }
    const key = draft.username.toLowerCase()
    const known = run.items.find('user', key)
    const secrets = { ...known?.secrets }
    const hasNewPassword = draft.password !== undefined && !(await hasPassword(row, draft.password, secrets.password))
    if (draft.password !== undefined) secrets.password = draft.password
    if (hasNewPassword && !run.isDryRun) passwords.push({ id: row.id, hash: await hashPassword(draft.password!) })
    const names = [...differing, ...(hasNewPassword ? ['password'] : [])]
    run.items.keep({ kind: 'user', key, id: row.id, secrets })
    run.report.add(names.length > 0 ? 'changed' : 'unchanged', 'user', `@${draft.username}: ${names.join(', ')}`)
    if (differing.length === 0) continue
    const changes = Object.fromEntries(differing.map((name) => [name, draft[name]])) as UserChanges
    await run.checking(where, undefined, () => updateUser(run.tx, run.invalidate, run.runtime, row.id, changes))
  }
  run.stopOnFaults()
  if (passwords.length === 0) return
  const changed = passwords.map((item) => item.id)
  await passwordsSet.count(
    run.tx,
    changed,
    passwords.map((item) => item.hash),
  )
  await sessionsEnd.count(run.tx, changed)
}

/** Whether a user has this password. Most come from a file, which is faster to compare with than the stored hash. */
async function hasPassword(row: UserRow, password: string, fromFile: string | undefined): Promise<boolean> {
  if (row.password_changed === false && fromFile !== undefined) return fromFile === password
  return checkPassword(password, row.password_hash)
}

/** The members that a file gives and that are different from what is stored. */
function differences(draft: WorldUser, row: UserRow): (typeof COMPARED)[number][] {
  const profile = profileText(draft)
  return COMPARED.filter((name) => {
    if (draft[name] === undefined) return false
    if (name === 'description') return profile.description !== row.description
    if (name === 'url') return profile.url !== row.url
    return draft[name] !== (row[name] ?? '')
  })
}
