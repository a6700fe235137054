import { defineOperation, userOf } from '../../api-kit/declaring/operation.ts'
import { ErrorsSchema, listReply } from '../../api-kit/declaring/reply.ts'
import { closed, component, Type } from '../../api-kit/declaring/schema.ts'
import { PageMeta, pages } from '../../api-kit/reading/paging.ts'
import { selects } from '../../api-kit/reading/selection.ts'
import { change, changeByStatement } from '../../api-kit/runtime.ts'
import { answerKeyedPage } from '../../api-kit/writing/answer-objects.ts'
import { isStorableId } from '../../process/ids.ts'
import { ListId, UserId } from '../ids.ts'
import { checkOwnPath } from '../own-path.ts'
import { user } from '../users/user.object.ts'
import { findListToUse, findReadableList } from './find-list.ts'
import { followers, followRemove } from './list.statements.ts'
import { followListAs } from './use-list.ts'

const auth = { oauth1: true, oauth2: ['list.write', 'post.read', 'users.read'] }
const limit = { user: '50/15m' }
const reply = component(
  'ListFollowedResponse',
  Type.Object({ data: Type.Optional(Type.Object({ following: Type.Optional(Type.Boolean()) })), errors: ErrorsSchema }),
)

export const getListsFollowers = defineOperation({
  id: 'getListsFollowers',
  route: 'GET /2/lists/{id}/followers',
  tag: 'Lists',
  summary: 'List the users who follow a list',
  auth: { app: true, oauth1: true, oauth2: ['list.read', 'post.read', 'users.read'] },
  path: { id: ListId },
  query: { ...pages({ min: 1, max: 100, initial: 100, token: 'decimal' }), ...selects(() => user) },
  reply: listReply('Get2ListsIdFollowersResponse', user, PageMeta),
  handle: async ({ path, query, context, runtime }) => {
    const { id } = await findReadableList(context, path.id)
    return answerKeyedPage(context, runtime, query, followers, id)
  },
})

export const followList = defineOperation({
  id: 'followList',
  route: 'POST /2/users/{id}/followed_lists',
  tag: 'Users',
  summary: 'Follow a list',
  auth,
  limit,
  path: { id: UserId },
  body: component('ListFollowedRequest', closed({ list_id: ListId })),
  reply,
  handle: async ({ path, body, caller, runtime, context }) => {
    checkOwnPath(caller, path.id)
    const list = await findListToUse(context, body.list_id, 'follow')
    await change(runtime, (tx, invalidate) => followListAs(tx, invalidate, runtime, userOf(caller).id, list.id))
    return { data: { following: true } }
  },
})

export const unfollowList = defineOperation({
  id: 'unfollowList',
  route: 'DELETE /2/users/{id}/followed_lists/{list_id}',
  tag: 'Users',
  summary: 'Unfollow a list',
  auth,
  limit,
  path: { id: UserId, list_id: ListId },
  reply,
  handle: async ({ path, caller, runtime }) => {
    checkOwnPath(caller, path.id)
    if (!isStorableId(path.list_id)) return { data: { following: false } }
    await changeByStatement(runtime, (db, invalidate) => {
      invalidate('list_metrics', BigInt(path.list_id).toString())
      return followRemove.count(db, userOf(caller).id, path.list_id)
    })
    return { data: { following: false } }
  },
})
