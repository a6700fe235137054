import { defineOperation } from '../../api-kit/declaring/operation.ts'
import { ErrorsSchema } from '../../api-kit/declaring/reply.ts'
import { closed, component, Type } from '../../api-kit/declaring/schema.ts'
import { change } from '../../api-kit/runtime.ts'
import { UserId } from '../ids.ts'
import { checkOwnPath } from '../own-path.ts'
import { pairOfPath, pairWithOther } from '../user-pair.ts'
import { blockUser, unblockUser } from './block.ts'

// The reference does not have these two. Client libraries do, from an earlier version of the interface.
const oauth2 = ['block.write', 'post.read', 'users.read']
const limit = { user: '50/15m' }
const reply = component(
  'BlockUserMutationResponse',
  Type.Object({ data: Type.Optional(Type.Object({ blocking: Type.Optional(Type.Boolean()) })), errors: ErrorsSchema }),
)

export const blockUsers = defineOperation({
  id: 'blockUsers',
  route: 'POST /2/users/{id}/blocking',
  tag: 'Users',
  summary: 'Block a user',
  auth: { oauth1: true, oauth2 },
  limit,
  path: { id: UserId },
  body: component('BlockUserRequest', closed({ target_user_id: UserId })),
  reply,
  handle: async ({ path, body, caller, runtime, context }) => {
    checkOwnPath(caller, path.id)
    const pair = await pairWithOther(context, caller, body.target_user_id, 'block')
    await change(runtime, (tx, invalidate) => blockUser(tx, invalidate, runtime, pair))
    return { data: { blocking: true } }
  },
})

export const unblockUsers = defineOperation({
  id: 'unblockUsers',
  route: 'DELETE /2/users/{source_user_id}/blocking/{target_user_id}',
  tag: 'Users',
  summary: 'Unblock a user',
  auth: { oauth1: true, oauth2 },
  limit,
  path: { source_user_id: UserId, target_user_id: UserId },
  reply,
  handle: async ({ path, caller, runtime }) => {
    checkOwnPath(caller, path.source_user_id, 'source_user_id')
    const pair = pairOfPath(caller, path.target_user_id)
    if (pair) await change(runtime, (tx, invalidate) => unblockUser(tx, invalidate, runtime, pair))
    return { data: { blocking: false } }
  },
})
