import { defineOperation, userOf } from '../../api-kit/declaring/operation.ts'
import { ErrorsSchema, singleReply } from '../../api-kit/declaring/reply.ts'
import { closed, component, Type } from '../../api-kit/declaring/schema.ts'
import { requestedId } from '../../api-kit/reading/read-objects.ts'
import { selects } from '../../api-kit/reading/selection.ts'
import { change } from '../../api-kit/runtime.ts'
import { answerOne } from '../../api-kit/writing/answer-objects.ts'
import { invalidParameter } from '../../api-kit/writing/problems.ts'
import { ListId } from '../ids.ts'
import { createList, deleteList, updateList } from './change-list.ts'
import { findOwnList } from './find-list.ts'
import { list } from './list.object.ts'

const optional = Type.Optional
const limit = { user: '300/15m' }
const write = { oauth1: true, oauth2: ['list.write', 'post.read', 'users.read'] }
const Name = Type.String({ minLength: 1, maxLength: 25 })
const Description = Type.String({ minLength: 0, maxLength: 100 })

export const createLists = defineOperation({
  id: 'createLists',
  route: 'POST /2/lists',
  tag: 'Lists',
  summary: 'Create a list',
  auth: { oauth1: true, oauth2: ['list.read', 'list.write', 'post.read', 'users.read'] },
  limit,
  body: component(
    'ListCreateRequest',
    closed({ description: optional(Description), name: Name, private: optional(Type.Boolean({ default: false })) }),
  ),
  reply: component(
    'ListCreateResponse',
    Type.Object({ data: optional(Type.Object({ id: ListId, name: Type.String() })), errors: ErrorsSchema }),
  ),
  handle: async ({ body, caller, runtime }) => {
    checkName(body.name)
    const id = await change(runtime, (tx) => createList(tx, runtime, userOf(caller).id, body))
    return { data: { id, name: body.name } }
  },
})

export const getListsById = defineOperation({
  id: 'getListsById',
  route: 'GET /2/lists/{id}',
  tag: 'Lists',
  summary: 'Get a list',
  auth: { app: true, oauth1: true, oauth2: ['list.read', 'post.read', 'users.read'] },
  limit: { app: '75/15m', user: '75/15m' },
  path: { id: ListId },
  query: selects(() => list),
  reply: singleReply('Get2ListsIdResponse', list),
  handle: ({ path, query, context }) => answerOne(context, requestedId(path.id), query.selection, 'id'),
})

export const updateLists = defineOperation({
  id: 'updateLists',
  route: 'PUT /2/lists/{id}',
  tag: 'Lists',
  summary: 'Change the name, description or privacy of a list',
  auth: write,
  limit,
  path: { id: ListId },
  body: component(
    'ListUpdateRequest',
    closed({ description: optional(Description), name: optional(Name), private: optional(Type.Boolean()) }),
  ),
  reply: component(
    'ListUpdateResponse',
    Type.Object({ data: optional(Type.Object({ updated: optional(Type.Boolean()) })), errors: ErrorsSchema }),
  ),
  handle: async ({ path, body, caller, runtime, context }) => {
    if (body.name !== undefined) checkName(body.name)
    const { id } = await findOwnList(context, caller, path.id, 'update')
    await change(runtime, (tx, invalidate) => updateList(tx, invalidate, runtime, id, body))
    return { data: { updated: true } }
  },
})

export const deleteLists = defineOperation({
  id: 'deleteLists',
  route: 'DELETE /2/lists/{id}',
  tag: 'Lists',
  summary: 'Delete a list',
  auth: write,
  limit,
  path: { id: ListId },
  reply: component(
    'ListDeleteResponse',
    Type.Object({ data: optional(Type.Object({ deleted: optional(Type.Boolean()) })), errors: ErrorsSchema }),
  ),
  handle: async ({ path, caller, runtime, context }) => {
    const { id } = await findOwnList(context, caller, path.id, 'delete')
    await change(runtime, (tx, invalidate) => deleteList(tx, invalidate, runtime, id))
    return { data: { deleted: true } }
  },
})

function checkName(name: string): void {
  if (name.trim() === '') throw invalidParameter('$.name', name, '$.name: must contain more than spaces')
}
