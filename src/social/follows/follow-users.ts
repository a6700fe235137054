import { defineOperation } from '../../api-kit/declaring/operation.ts'
import { ErrorsSchema } from '../../api-kit/declaring/reply.ts'
import { closed, component, Type } from '../../api-kit/declaring/schema.ts'
import { change } from '../../api-kit/runtime.ts'
import { FULL_TIERS } from '../../identity/tier-caps.ts'
import { UserId } from '../ids.ts'
import { checkOwnPath } from '../own-path.ts'
import { pairOfPath, pairWithOther } from '../user-pair.ts'
import { follow, unfollow } from './follow.ts'

const oauth2 = ['follows.write', 'post.read', 'users.read']
const limit = { user: '50/15m' }
const flag = Type.Optional(Type.Boolean())

export const followUser = defineOperation({
  id: 'followUser',
  route: 'POST /2/users/{id}/following',
  tag: 'Users',
  summary: 'Follow a user, or request to follow a protected account',
  auth: { oauth1: true, oauth2, tiers: FULL_TIERS },
  limit,
  path: { id: UserId },
  body: component('UsersFollowingCreateRequest', closed({ target_user_id: UserId })),
  reply: component(
    'UsersFollowingCreateResponse',
    Type.Object({
      data: Type.Optional(Type.Object({ following: flag, pending_follow: flag })),
      errors: ErrorsSchema,
    }),
  ),
  handle: async ({ path, body, caller, runtime, context }) => {
    checkOwnPath(caller, path.id)
    const pair = await pairWithOther(context, caller, body.target_user_id, 'follow')
    return {
      data: await change(runtime, (tx, invalidate) => follow(tx, invalidate, runtime, pair, { approved: false })),
    }
  },
})

export const unfollowUser = defineOperation({
  id: 'unfollowUser',
  route: 'DELETE /2/users/{source_user_id}/following/{target_user_id}',
  tag: 'Users',
  summary: 'Unfollow a user, or withdraw a request to follow',
  auth: { oauth1: true, oauth2 },
  limit,
  path: { source_user_id: UserId, target_user_id: UserId },
  reply: component(
    'UsersFollowingDeleteResponse',
    Type.Object({ data: Type.Optional(Type.Object({ following: flag })), errors: ErrorsSchema }),
  ),
  handle: async ({ path, caller, runtime }) => {
    checkOwnPath(caller, path.source_user_id, 'source_user_id')
    const pair = pairOfPath(caller, path.target_user_id)
    if (pair) await change(runtime, (tx, invalidate) => unfollow(tx, invalidate, runtime, pair))
    return { data: { following: false } }
  },
})
