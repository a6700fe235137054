import { defineOperation, userOf } from '../../api-kit/declaring/operation.ts'
import { ErrorsSchema } from '../../api-kit/declaring/reply.ts'
import { component, Type } from '../../api-kit/declaring/schema.ts'
import { change } from '../../api-kit/runtime.ts'
import { conflict } from '../../api-kit/writing/problems.ts'
import { emit } from '../../events/emit.ts'
import { checkSignatures, claimsOf, readActions } from './action-signatures.ts'
import { STARTS_GROUPS, WRITES_CHAT } from './chat-auth.ts'
import {
  conversationAdd,
  groupRename,
  memberAccept,
  membersAdd,
  membersOf,
  reservationAdd,
  reservationCount,
  reservationTake,
} from './conversation.statements.ts'
import { ChatConversationOrRecipientId, signedIdOf } from './conversation-id.ts'
import { lockConversation, lookUp, nameOf, noConversation } from './find-conversation.ts'
import { AddRequest, CreateRequest } from './group.schemas.ts'
import { checkAddition, checkNewGroup, checkNewMembers } from './group-rules.ts'
import { checkCoverage, checkDescription, checkNewer } from './key-changes.ts'
import { appendEvents, findRepeated } from './store-events.ts'

const optional = Type.Optional
const MOST_RESERVED = 1_000

export const initializeChatGroup = defineOperation({
  id: 'initializeChatGroup',
  route: 'POST /2/chat/conversations/group/initialize',
  tag: 'Chat',
  summary: 'Reserve the id of a new group',
  auth: STARTS_GROUPS,
  reply: component(
    'ChatInitializeGroupResponse',
    Type.Object({
      data: optional(Type.Object({ conversation_id: optional(Type.String()) })),
      errors: ErrorsSchema,
    }),
  ),
  handle: async ({ caller, runtime }) => {
    const callerId = userOf(caller).id
    const reserved = await reservationCount.first(runtime.database, callerId)
    if (reserved!.count >= MOST_RESERVED)
      throw conflict(
        `You have ${MOST_RESERVED} reserved ids. Create groups with them, or wait a day until they expire.`,
      )
    const id = runtime.ids.next()
    await reservationAdd.count(runtime.database, id, callerId, new Date(runtime.clock.now()))
    return { data: { conversation_id: `g${id}` } }
  },
})

export const createChatConversation = defineOperation({
  id: 'createChatConversation',
  route: 'POST /2/chat/conversations/group',
  tag: 'Chat',
  summary: 'Create a group with a reserved id',
  auth: WRITES_CHAT,
  body: CreateRequest,
  status: 201,
  reply: component(
    'ChatCreateConversationResponse',
    Type.Object({
      data: optional(
        Type.Object({
          conversation_id: optional(Type.String()),
          conversation_key_change_sequence_id: optional(Type.String()),
        }),
      ),
      errors: ErrorsSchema,
    }),
  ),
  handle: async ({ body, caller, context, runtime }) => {
    const callerId = userOf(caller).id
    const name = nameOf(body.conversation_id, callerId)
    if ('pair' in name) throw noConversation(body.conversation_id)
    const [key, creation] = readActions(body.action_signatures, ['key_change', 'group_create'])
    checkDescription(runtime, key.detail, body)
    const group = checkNewGroup(creation.detail, body, callerId)
    await checkSignatures(runtime.database, callerId, claimsOf([key, creation], callerId, signedIdOf(name)))
    await checkNewMembers(context, runtime.database, callerId, group.members, 'group_members')
    const answer = (sequence: string) => ({
      data: { conversation_id: `g${name.group}`, conversation_key_change_sequence_id: sequence },
    })
    return change(runtime, async (tx, invalidate) => {
      const events = [key.event, creation.event]
      if (!(await reservationTake.first(tx, name.group, callerId))) {
        const known = await lookUp(tx, name, callerId)
        if (!known) throw noConversation(body.conversation_id)
        const [repeated] = (await findRepeated(tx, known, callerId, events)) ?? []
        if (repeated) return answer(repeated.sequence)
        throw conflict(`The group [g${name.group}] was created before.`)
      }
      await checkCoverage(tx, key.detail, group.members)
      const now = new Date(runtime.clock.now())
      const { group_name: title, group_avatar_url: avatar, group_description: description } = body
      await conversationAdd.first(
        tx,
        name.group,
        'group',
        null,
        null,
        title ?? creation.detail.title ?? null,
        avatar ?? creation.detail.avatar ?? null,
        description ?? null,
        group.ttlMs ?? null,
        '0',
        now,
      )
      await membersAdd.count(tx, name.group, group.members, group.admins, '0', callerId, '0')
      const empty = { id: name.group, last_sequence: '0' }
      const [first, sequence] = await appendEvents(tx, invalidate, runtime, empty, callerId, events)
      const payload = { conversation_id: name.group, sequence: sequence!, joined_ids: group.members }
      await emit(tx, runtime, { type: 'chat.join', actorId: callerId, payload })
      return answer(first!)
    })
  },
})

export const addChatGroupMembers = defineOperation({
  id: 'addChatGroupMembers',
  route: 'POST /2/chat/conversations/{id}/members',
  tag: 'Chat',
  summary: 'Add members to a group, with a new key',
  auth: WRITES_CHAT,
  path: { id: ChatConversationOrRecipientId },
  body: AddRequest,
  reply: component(
    'ChatAddGroupMembersResponse',
    Type.Object({
      conversation_key_change_sequence_id: optional(Type.String()),
      current_member_ids: optional(Type.Array(Type.String())),
    }),
  ),
  handle: async ({ path, body, caller, context, runtime }) => {
    const callerId = userOf(caller).id
    const name = nameOf(path.id, callerId)
    const found = 'group' in name ? await lookUp(runtime.database, name, callerId) : undefined
    if (!found) throw noConversation(path.id)
    const [key, addition] = readActions(body.action_signatures, ['key_change', 'member_add'])
    checkDescription(runtime, key.detail, body)
    await checkSignatures(runtime.database, callerId, claimsOf([key, addition], callerId, signedIdOf(name)))
    await checkNewMembers(context, runtime.database, callerId, body.user_ids, 'user_ids')
    return change(runtime, async (tx, invalidate) => {
      const group = await lockConversation(tx, found, path.id, callerId)
      const events = [key.event, addition.event]
      const members = await membersOf.all(tx, group.id)
      const memberIds = members.map((member) => member.user_id)
      const [repeated] = (await findRepeated(tx, group, callerId, events)) ?? []
      if (repeated) return { conversation_key_change_sequence_id: repeated.sequence, current_member_ids: memberIds }
      checkAddition(addition.detail, body, group, members)
      const all = [...memberIds, ...body.user_ids]
      await checkCoverage(tx, key.detail, all)
      checkNewer(key.detail, group)
      const [first, sequence] = await appendEvents(tx, invalidate, runtime, group, callerId, events)
      await membersAdd.count(tx, group.id, body.user_ids, [], first!, callerId, sequence!)
      await memberAccept.count(tx, group.id, callerId)
      await groupRename.count(tx, group.id, body.encrypted_title ?? null, body.encrypted_avatar_url ?? null)
      const payload = { conversation_id: group.id, sequence: sequence!, joined_ids: body.user_ids }
      await emit(tx, runtime, { type: 'chat.join', actorId: callerId, payload })
      return { conversation_key_change_sequence_id: first!, current_member_ids: all }
    })
  },
})
