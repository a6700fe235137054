import { SCOPES } from '../../../identity/oauth2/scopes.ts'
import { makeToken } from '../../../identity/oauth2/tokens.ts'
import { digest, randomText } from '../../../process/secret-box.ts'
import { statement } from '../../../storage/statement.ts'
import { type NewGrant, storeOauth1Tokens, storeOauth2Tokens, TEN_YEARS_MS } from '../../bulk/store-tokens.ts'
import type { WorldToken } from '../people.schema.ts'
import type { Applying, KnownApp, KnownUser } from './applying.ts'

const oauth1Read = statement(
  'world_oauth1_read',
  { app_id: 'int8', user_id: 'int8', access_level: 'text', token_sealed: 'bytea', secret_sealed: 'bytea' },
  `select t.app_id, t.user_id, t.access_level, t.token_sealed, t.secret_sealed
     from unnest($1::bigint[], $2::bigint[]) as k (app_id, user_id) join oauth1_access_token t using (app_id, user_id)`,
)
const oauth2Read = statement(
  'world_oauth2_read',
  { token_hash: 'bytea', grant_id: 'int8', app_id: 'int8', user_id: 'int8', scopes: 'text[]', is_valid: 'bool' },
  `select t.token_hash, t.grant_id, g.app_id, g.user_id, g.scopes, not g.revoked and t.expires_at > $2 as is_valid
     from oauth2_access_token t join oauth2_grant g on g.id = t.grant_id where t.token_hash = any($1::bytea[])`,
)
const tokensTaken = statement(
  'world_oauth1_taken',
  { app_id: 'int8', user_id: 'int8', token_hash: 'bytea' },
  'select app_id, user_id, token_hash from oauth1_access_token where token_hash = any($1::bytea[])',
)
const grantWiden = statement('world_grant_scopes', {}, 'update oauth2_grant set scopes = $2::text[] where id = $1')
const tokenRemove = statement('world_oauth2_remove', {}, 'delete from oauth2_access_token where token_hash = $1')

interface Draft {
  user: KnownUser
  app: KnownApp
  token: WorldToken
  where: string
}

/** Creates and changes the access tokens of the users of a file. */
export async function applyTokens(run: Applying): Promise<void> {
  const drafts = (run.world.users ?? []).flatMap(({ username, tokens = [] }, at) =>
    tokens.flatMap((token, index): Draft[] => {
      const where = `users[${at}].tokens[${index}]`
      const app = run.app(token.app, `${where}.app`)
      const user = run.users.get(username.toLowerCase())
      if ((token.access_token === undefined) !== (token.access_token_secret === undefined))
        run.fault(where, undefined, 'access_token and access_token_secret are given together')
      if (token.oauth2_refresh_token !== undefined && token.oauth2_access_token === undefined)
        run.fault(where, undefined, 'oauth2_refresh_token is given together with oauth2_access_token')
      return app && user ? [{ user, app, token, where }] : []
    }),
  )
  run.stopOnFaults()
  if (drafts.length === 0) return
  await applyOauth1(
    run,
    drafts.filter(({ token }) => token.access_token !== undefined || !isOauth2(token)),
  )
  await applyOauth2(
    run,
    drafts.filter(({ token }) => isOauth2(token)),
  )
}

const isOauth2 = (token: WorldToken) => token.oauth2_access_token !== undefined || token.scopes !== undefined
const pairOf = (appId: string, userId: string) => `${appId} ${userId}`

async function applyOauth1(run: Applying, drafts: Draft[]): Promise<void> {
  const box = run.runtime.secretBox
  const rows = await oauth1Read.all(
    run.tx,
    drafts.map(({ app }) => app.id),
    drafts.map(({ user }) => user.id),
  )
  const existing = new Map(rows.map((row) => [pairOf(row.app_id, row.user_id), row]))
  const given = drafts.flatMap(({ token }) => (token.access_token === undefined ? [] : [digest(token.access_token)]))
  const takers = await tokensTaken.all(run.tx, given)
  const taken = new Map(takers.map((row) => [row.token_hash.toString('hex'), pairOf(row.app_id, row.user_id)]))
  const changed = drafts.flatMap(({ user, app, token, where }) => {
    const pair = pairOf(app.id, user.id)
    const row = existing.get(pair)
    const owner = token.access_token === undefined ? pair : taken.get(digest(token.access_token).toString('hex'))
    if (owner !== undefined && owner !== pair)
      run.fault(`${where}.access_token`, undefined, 'another user or app has this token')
    const level = token.access_level ?? row?.access_level ?? 'read-write-messages'
    const isSame =
      row !== undefined &&
      row.access_level === level &&
      (token.access_token === undefined ||
        (box.open(row.token_sealed) === token.access_token &&
          box.open(row.secret_sealed) === token.access_token_secret))
    const outcome = isSame ? 'unchanged' : row ? 'changed' : 'created'
    run.report.add(outcome, 'oauth1 token', `@${user.username} for ${app.name}`)
    if (isSame) return []
    return [
      {
        appId: app.id,
        userId: user.id,
        level,
        token: token.access_token ?? (row ? box.open(row.token_sealed) : `${user.id}-${randomText(30)}`),
        secret: token.access_token_secret ?? (row ? box.open(row.secret_sealed) : randomText(45)),
      },
    ]
  })
  run.stopOnFaults()
  await storeOauth1Tokens(run.tx, box, changed, new Date(run.runtime.clock.now()))
}

async function applyOauth2(run: Applying, drafts: Draft[]): Promise<void> {
  const now = run.runtime.clock.now()
  const wanted = drafts.map((draft) => {
    const secrets = run.items.find('user', draft.user.username.toLowerCase())?.secrets
    const kept = secrets?.oauth2?.[draft.app.id]
    return { ...draft, access: draft.token.oauth2_access_token ?? kept?.access, kept }
  })
  const hashes = wanted.flatMap(({ access }) => (access === undefined ? [] : [digest(access)]))
  const rows = await oauth2Read.all(run.tx, hashes, new Date(now))
  const existing = new Map(rows.map((row) => [row.token_hash.toString('hex'), row]))
  const grants: NewGrant[] = []
  for (const { user, app, token, where, access, kept } of wanted) {
    const row = access === undefined ? undefined : existing.get(digest(access).toString('hex'))
    if (row && pairOf(row.app_id, row.user_id) !== pairOf(app.id, user.id)) {
      run.fault(`${where}.oauth2_access_token`, undefined, 'another user or app has this token')
      continue
    }
    const what = `@${user.username} for ${app.name}`
    const scopes = [...new Set(token.scopes ?? row?.scopes ?? SCOPES)]
    if (row?.is_valid) {
      const isSame = [...scopes].sort().join() === [...row.scopes].sort().join()
      if (!isSame) await grantWiden.count(run.tx, row.grant_id, scopes)
      run.report.add(isSame ? 'unchanged' : 'changed', 'oauth2 token', what)
      continue
    }
    // A token that has ended becomes valid again with a new grant.
    if (row) await tokenRemove.count(run.tx, row.token_hash)
    const isGiven = token.oauth2_access_token !== undefined
    const made = {
      access: access ?? makeToken(now, 'at'),
      refresh: isGiven ? (token.oauth2_refresh_token ?? null) : (kept?.refresh ?? makeToken(now, 'rt')),
    }
    grants.push({ id: run.runtime.ids.next(), appId: app.id, userId: user.id, scopes, ...made })
    const key = user.username.toLowerCase()
    const secrets = run.items.find('user', key)?.secrets ?? {}
    run.items.keep({
      kind: 'user',
      key,
      id: user.id,
      secrets: { ...secrets, oauth2: { ...secrets.oauth2, [app.id]: made } },
    })
    run.report.add(row ? 'changed' : 'created', 'oauth2 token', what)
  }
  run.stopOnFaults()
  await storeOauth2Tokens(run.tx, grants, now, TEN_YEARS_MS)
}
