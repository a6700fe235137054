import { defineOperation, userOf } from '../../api-kit/declaring/operation.ts'
import { ErrorsSchema, listReply } from '../../api-kit/declaring/reply.ts'
import { closed, component, Type } from '../../api-kit/declaring/schema.ts'
import { PageMeta } from '../../api-kit/reading/paging.ts'
import { selects } from '../../api-kit/reading/selection.ts'
import { change } from '../../api-kit/runtime.ts'
import { answerPage } from '../../api-kit/writing/answer-objects.ts'
import { isStorableId } from '../../process/ids.ts'
import { ListId, UserId } from '../ids.ts'
import { checkOwnPath } from '../own-path.ts'
import { findListToUse } from './find-list.ts'
import { list } from './list.object.ts'
import { pinnedLists, pinRemove } from './list.statements.ts'
import { pinListAs } from './use-list.ts'

const auth = { oauth1: true, oauth2: ['list.write', 'post.read', 'users.read'] }
const limit = { user: '50/15m' }
const pinnedReply = (name: string) =>
  component(
    name,
    Type.Object({ data: Type.Optional(Type.Object({ pinned: Type.Optional(Type.Boolean()) })), errors: ErrorsSchema }),
  )

export const getUsersPinnedLists = defineOperation({
  id: 'getUsersPinnedLists',
  route: 'GET /2/users/{id}/pinned_lists',
  tag: 'Users',
  summary: 'List the lists that the caller has pinned',
  auth: { oauth1: true, oauth2: ['list.read', 'post.read', 'users.read'] },
  limit: { app: '15/15m', user: '15/15m' },
  path: { id: UserId },
  query: selects(() => list),
  reply: listReply(
    'Get2UsersIdPinnedListsResponse',
    list,
    Type.Object({ result_count: PageMeta.properties.result_count }),
  ),
  handle: async ({ path, query, caller, context, runtime }) => {
    checkOwnPath(caller, path.id)
    const pinned = await pinnedLists.all(runtime.database, userOf(caller).id)
    return answerPage(
      context,
      pinned.map((row) => row.id),
      query.selection,
      {},
    )
  },
})

export const pinList = defineOperation({
  id: 'pinList',
  route: 'POST /2/users/{id}/pinned_lists',
  tag: 'Users',
  summary: 'Pin a list',
  auth,
  limit,
  path: { id: UserId },
  body: component('ListPinnedRequest', closed({ list_id: ListId })),
  reply: pinnedReply('ListPinnedResponse'),
  handle: async ({ path, body, caller, runtime, context }) => {
    checkOwnPath(caller, path.id)
    const found = await findListToUse(context, body.list_id, 'pin')
    await change(runtime, (tx) => pinListAs(tx, runtime, userOf(caller).id, found.id))
    return { data: { pinned: true } }
  },
})

export const unpinList = defineOperation({
  id: 'unpinList',
  route: 'DELETE /2/users/{id}/pinned_lists/{list_id}',
  tag: 'Users',
  summary: 'Unpin a list',
  auth,
  limit,
  path: { id: UserId, list_id: ListId },
  reply: pinnedReply('ListUnpinResponse'),
  handle: async ({ path, caller, runtime }) => {
    checkOwnPath(caller, path.id)
    if (isStorableId(path.list_id)) await pinRemove.count(runtime.database, userOf(caller).id, path.list_id)
    return { data: { pinned: false } }
  },
})
