import { defineOperation } from '../../api-kit/declaring/operation.ts'
import { ErrorsSchema, listReply } from '../../api-kit/declaring/reply.ts'
import { closed, component, Type } from '../../api-kit/declaring/schema.ts'
import { PageMeta, pages } from '../../api-kit/reading/paging.ts'
import { selects } from '../../api-kit/reading/selection.ts'
import { change } from '../../api-kit/runtime.ts'
import { answerKeyedPage } from '../../api-kit/writing/answer-objects.ts'
import { UserId } from '../ids.ts'
import { checkOwnPath } from '../own-path.ts'
import { pairOfPath, pairWithOther } from '../user-pair.ts'
import { user } from '../users/user.object.ts'
import { muting } from './mute.statements.ts'
import { mute, unmute } from './mute.ts'

const oauth2 = ['mute.write', 'post.read', 'users.read']
const limit = { user: '50/15m' }
const reply = component(
  'MuteUserMutationResponse',
  Type.Object({ data: Type.Optional(Type.Object({ muting: Type.Optional(Type.Boolean()) })), errors: ErrorsSchema }),
)

export const muteUser = defineOperation({
  id: 'muteUser',
  route: 'POST /2/users/{id}/muting',
  tag: 'Users',
  summary: 'Mute a user',
  auth: { oauth1: true, oauth2 },
  limit,
  path: { id: UserId },
  body: component('MuteUserRequest', closed({ target_user_id: UserId })),
  reply,
  handle: async ({ path, body, caller, runtime, context }) => {
    checkOwnPath(caller, path.id)
    const pair = await pairWithOther(context, caller, body.target_user_id, 'mute')
    await change(runtime, (tx, invalidate) => mute(tx, invalidate, runtime, pair))
    return { data: { muting: true } }
  },
})

export const unmuteUser = defineOperation({
  id: 'unmuteUser',
  route: 'DELETE /2/users/{source_user_id}/muting/{target_user_id}',
  tag: 'Users',
  summary: 'Unmute a user',
  auth: { oauth1: true, oauth2 },
  limit,
  path: { source_user_id: UserId, target_user_id: UserId },
  reply,
  handle: async ({ path, caller, runtime }) => {
    checkOwnPath(caller, path.source_user_id, 'source_user_id')
    const pair = pairOfPath(caller, path.target_user_id)
    if (pair) await change(runtime, (tx, invalidate) => unmute(tx, invalidate, runtime, pair))
    return { data: { muting: false } }
  },
})

export const getUsersMuting = defineOperation({
  id: 'getUsersMuting',
  route: 'GET /2/users/{id}/muting',
  tag: 'Users',
  summary: 'List the users whom the caller mutes',
  auth: { oauth1: true, oauth2: ['mute.read', 'post.read', 'users.read'] },
  limit: { user: '15/15m' },
  path: { id: UserId },
  query: { ...pages({ min: 1, max: 1000, initial: 100, token: 'decimal' }), ...selects(() => user) },
  reply: listReply('Get2UsersIdMutingResponse', user, PageMeta),
  handle: async ({ path, query, caller, context, runtime }) => {
    checkOwnPath(caller, path.id)
    return answerKeyedPage(context, runtime, query, muting, path.id)
  },
})
