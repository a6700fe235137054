import { defineOperation, userOf } from '../../../api-kit/declaring/operation.ts'
import { csv } from '../../../api-kit/declaring/parameters.ts'
import { ErrorsSchema } from '../../../api-kit/declaring/reply.ts'
import { closed, component, ownBound, Type, words } from '../../../api-kit/declaring/schema.ts'
import { Answer } from '../../../api-kit/writing/answer.ts'
import { resourceNotFound, userSuspended } from '../../../api-kit/writing/partial-errors.ts'
import { type ProblemBody, renderBody } from '../../../api-kit/writing/problem.ts'
import { isStorableId } from '../../../process/ids.ts'
import { UserId } from '../../ids.ts'
import { checkOwnPath } from '../../own-path.ts'
import { findUserOfPath } from '../../users/find-readable-user.ts'
import { userRow } from '../../users/user.parts.ts'
import { READS_CHAT, WRITES_CHAT } from '../chat-auth.ts'
import { type PublicKeyRow, publicKeysOf } from './public-key.statements.ts'
import { registerKeys } from './register-keys.ts'

const optional = Type.Optional
const Text = Type.String()
const KEY_FIELDS = [
  'identity_public_key_signature',
  'juicebox_config',
  'public_key',
  'public_key_version',
  'signing_public_key',
] as const

const JuiceboxConfig = component(
  'ChatJuiceboxConfig',
  Type.Object({
    key_store_token_map_json: optional(Text),
    max_guess_count: optional(Type.Integer()),
    realm_state_string: optional(Text),
    recover_threshold: optional(Type.Integer()),
    register_threshold: optional(Type.Integer()),
    token_map: optional(
      Type.Array(
        Type.Object({
          key: optional(Text),
          value: optional(Type.Object({ address: optional(Text), public_key: optional(Text), token: optional(Text) })),
        }),
      ),
    ),
  }),
)
const PublicKey = component(
  'PublicKey',
  Type.Object({
    identity_public_key_signature: optional(Text),
    juicebox_config: optional(JuiceboxConfig),
    public_key: optional(Text),
    public_key_version: optional(Text),
    signing_public_key: optional(Text),
    user_id: optional(UserId),
  }),
)
const listReply = (name: string) =>
  component(name, Type.Object({ data: optional(Type.Array(PublicKey)), errors: ErrorsSchema }))

const keyFields = { 'public_key.fields': csv(words(KEY_FIELDS), { unique: true, required: false }) }

type KeyField = (typeof KEY_FIELDS)[number]

/** A version as answers show it: all members unless some are asked for. There is no backup service, so no key has its settings. */
function showKey(row: PublicKeyRow, asked: readonly KeyField[] = []) {
  const shown: Partial<Record<KeyField, string>> = {
    identity_public_key_signature: row.identity_public_key_signature,
    public_key: row.public_key,
    public_key_version: row.version,
    signing_public_key: row.signing_public_key,
  }
  return asked.length === 0 ? shown : Object.fromEntries(asked.map((name) => [name, shown[name]]))
}

export const getUsersPublicKey = defineOperation({
  id: 'getUsersPublicKey',
  route: 'GET /2/users/{id}/public_keys',
  tag: 'Users',
  summary: 'List the public keys of a user, the newest first',
  auth: READS_CHAT,
  path: { id: UserId },
  query: keyFields,
  reply: listReply('Get2UsersIdPublicKeysResponse'),
  handle: async ({ path, query, context, runtime }) => {
    const user = await findUserOfPath(context, path.id)
    const keys = await publicKeysOf.all(runtime.database, [user.id])
    return { data: keys.map((row) => showKey(row, query['public_key.fields'])) }
  },
})

export const getUsersPublicKeys = defineOperation({
  id: 'getUsersPublicKeys',
  route: 'GET /2/users/public_keys',
  tag: 'Users',
  summary: 'List the public keys of several users',
  auth: READS_CHAT,
  query: { ids: csv(UserId, { min: 1, max: 100 }), ...keyFields },
  reply: listReply('Get2UsersPublicKeysResponse'),
  handle: async ({ query, context, runtime }) => {
    const users = await context.parts.many(userRow, [...new Set(query.ids.filter(isStorableId))])
    const keys = await publicKeysOf.all(
      runtime.database,
      [...users.values()].filter((user) => !user.suspended).map((user) => user.id),
    )
    const errors = query.ids.flatMap((id): ProblemBody[] => {
      const user = users.get(id)
      if (!user) return [resourceNotFound('user', 'ids', id)]
      return user.suspended ? [userSuspended('ids', id)] : []
    })
    const data = keys.map((row) => ({ user_id: row.user_id, ...showKey(row, query['public_key.fields']) }))
    if (errors.length === 0) return { data }
    const shown = errors.length === query.ids.length ? undefined : data
    return new Answer(JSON.stringify({ data: shown, errors: renderBody(errors, context.naming, context.problemBase) }))
  },
})

const KeyText = ownBound(Text, 1_000)

export const addUserPublicKey = defineOperation({
  id: 'addUserPublicKey',
  route: 'POST /2/users/{id}/public_keys',
  tag: 'Chat',
  summary: 'Register the public keys of the caller’s chat client',
  auth: WRITES_CHAT,
  limit: { user: '5/15m + 10/24h' },
  path: { id: UserId },
  body: component(
    'ChatAddPublicKeyRequest',
    closed({
      generate_version: optional(Type.Boolean()),
      public_key: closed({
        identity_public_key_signature: optional(KeyText),
        public_key: optional(KeyText),
        public_key_fingerprint: optional(KeyText),
        registration_method: optional(ownBound(Text, 100)),
        signing_public_key: optional(KeyText),
        signing_public_key_signature: optional(KeyText),
      }),
      version: ownBound(Text, 100),
    }),
  ),
  reply: component('ChatAddPublicKeyResponse', Type.Object({ data: optional(PublicKey), errors: ErrorsSchema })),
  handle: async ({ path, body, caller, runtime }) => {
    checkOwnPath(caller, path.id)
    return { data: showKey(await registerKeys(runtime, userOf(caller).id, body)) }
  },
})
