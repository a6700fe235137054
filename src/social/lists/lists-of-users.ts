import { defineOperation } from '../../api-kit/declaring/operation.ts'
import { listReply } from '../../api-kit/declaring/reply.ts'
import { type KeyedList, PageMeta, type PageRequest, pages, readPage } from '../../api-kit/reading/paging.ts'
import type { ReadContext } from '../../api-kit/reading/read-context.ts'
import { type Selection, selects } from '../../api-kit/reading/selection.ts'
import type { Runtime } from '../../api-kit/runtime.ts'
import type { Answer } from '../../api-kit/writing/answer.ts'
import { answerPage } from '../../api-kit/writing/answer-objects.ts'
import { UserId } from '../ids.ts'
import { findReadableUser } from '../users/find-readable-user.ts'
import { list } from './list.object.ts'
import { followedLists, listMemberships, ownedLists } from './list.statements.ts'

const auth = { app: true, oauth1: true, oauth2: ['list.read', 'post.read', 'users.read'] }
const path = { id: UserId }
const query = { ...pages({ min: 1, max: 100, initial: 100, token: 'decimal' }), ...selects(() => list) }

export const getUsersOwnedLists = defineOperation({
  id: 'getUsersOwnedLists',
  route: 'GET /2/users/{id}/owned_lists',
  tag: 'Users',
  summary: 'List the lists that a user made',
  auth,
  limit: { app: '15/15m', user: '15/15m' },
  path,
  query,
  reply: listReply('Get2UsersIdOwnedListsResponse', list, PageMeta),
  handle: ({ path: { id }, query: requested, context, runtime }) =>
    answerListsOf(context, runtime, requested, ownedLists, id),
})

export const getUsersFollowedLists = defineOperation({
  id: 'getUsersFollowedLists',
  route: 'GET /2/users/{id}/followed_lists',
  tag: 'Users',
  summary: 'List the lists that a user follows',
  auth,
  path,
  query,
  reply: listReply('Get2UsersIdFollowedListsResponse', list, PageMeta),
  handle: ({ path: { id }, query: requested, context, runtime }) =>
    answerListsOf(context, runtime, requested, followedLists, id),
})

export const getUsersListMemberships = defineOperation({
  id: 'getUsersListMemberships',
  route: 'GET /2/users/{id}/list_memberships',
  tag: 'Users',
  summary: 'List the lists that a user is a member of',
  auth,
  limit: { app: '75/15m', user: '75/15m' },
  path,
  query,
  reply: listReply('Get2UsersIdListMembershipsResponse', list, PageMeta),
  handle: ({ path: { id }, query: requested, context, runtime }) =>
    answerListsOf(context, runtime, requested, listMemberships, id),
})

/** Answers with lists that have to do with a user. Private ones are left out for all but their owner, before pages are made. */
async function answerListsOf(
  context: ReadContext,
  runtime: Runtime,
  requested: { page: PageRequest; selection: Selection },
  lists: KeyedList,
  userId: string,
): Promise<Answer> {
  const user = await findReadableUser(context, userId)
  const viewer = context.caller?.user?.id ?? null
  const { items, meta } = await readPage(
    requested.page,
    ({ direction, key, limit }) => lists[direction].all(runtime.database, user.id, key, limit, viewer),
    (item) => item.key,
  )
  const ids = items.map((item) => item.id)
  return answerPage(context, ids, requested.selection, meta)
}
