import { defineOperation } from '../../api-kit/declaring/operation.ts'
import { ErrorsSchema, listReply } from '../../api-kit/declaring/reply.ts'
import { closed, component, Type } from '../../api-kit/declaring/schema.ts'
import { PageMeta, pages } from '../../api-kit/reading/paging.ts'
import { selects } from '../../api-kit/reading/selection.ts'
import { change } from '../../api-kit/runtime.ts'
import { answerKeyedPage } from '../../api-kit/writing/answer-objects.ts'
import { isStorableId } from '../../process/ids.ts'
import { ListId, UserId } from '../ids.ts'
import { findUserToActOn } from '../users/find-readable-user.ts'
import { user } from '../users/user.object.ts'
import { addMember, removeMember } from './change-list.ts'
import { findOwnList, findReadableList } from './find-list.ts'
import { members } from './list.statements.ts'

const auth = { oauth1: true, oauth2: ['list.write', 'post.read', 'users.read'] }
const limit = { user: '300/15m' }
const reply = component(
  'ListMutateResponse',
  Type.Object({ data: Type.Optional(Type.Object({ is_member: Type.Optional(Type.Boolean()) })), errors: ErrorsSchema }),
)

export const getListsMembers = defineOperation({
  id: 'getListsMembers',
  route: 'GET /2/lists/{id}/members',
  tag: 'Lists',
  summary: 'List the members of a list',
  auth: { app: true, oauth1: true, oauth2: ['list.read', 'post.read', 'users.read'] },
  limit: { app: '900/15m', user: '900/15m' },
  path: { id: ListId },
  query: { ...pages({ min: 1, max: 100, initial: 100, token: 'decimal' }), ...selects(() => user) },
  reply: listReply('Get2ListsIdMembersResponse', user, PageMeta),
  handle: async ({ path, query, context, runtime }) => {
    const { id } = await findReadableList(context, path.id)
    return answerKeyedPage(context, runtime, query, members, id)
  },
})

export const addListsMember = defineOperation({
  id: 'addListsMember',
  route: 'POST /2/lists/{id}/members',
  tag: 'Lists',
  summary: 'Add a user to a list',
  auth,
  limit,
  path: { id: ListId },
  body: component('ListAddUserRequest', closed({ user_id: UserId })),
  reply,
  handle: async ({ path, body, caller, runtime, context }) => {
    const list = await findOwnList(context, caller, path.id, 'add')
    const added = await findUserToActOn(context, body.user_id, 'user_id')
    await change(runtime, (tx, invalidate) => addMember(tx, invalidate, runtime, list.id, added.id))
    return { data: { is_member: true } }
  },
})

export const removeListsMemberByUserId = defineOperation({
  id: 'removeListsMemberByUserId',
  route: 'DELETE /2/lists/{id}/members/{user_id}',
  tag: 'Lists',
  summary: 'Remove a user from a list',
  auth,
  limit,
  path: { id: ListId, user_id: UserId },
  reply,
  handle: async ({ path, caller, runtime, context }) => {
    const list = await findOwnList(context, caller, path.id, 'remove')
    if (isStorableId(path.user_id)) {
      // Without leading zeros, like the keys of the cache.
      const userId = BigInt(path.user_id).toString()
      await change(runtime, (tx, invalidate) => removeMember(tx, invalidate, runtime, list.id, userId))
    }
    return { data: { is_member: false } }
  },
})
