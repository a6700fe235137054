import { defineObject, expands, staticField, viewerField } from '../../api-kit/declaring/object.ts'
import { definePart, keyedBy } from '../../api-kit/declaring/part.ts'
import { Type, words } from '../../api-kit/declaring/schema.ts'
import { partOf } from '../../api-kit/reading/part-cache.ts'
import { resourceNotFound } from '../../api-kit/writing/partial-errors.ts'
import { wireTime } from '../../process/clock.ts'
import { statement } from '../../storage/statement.ts'
import { user } from '../users/user.object.ts'
import { shownId } from './conversation-id.ts'

const conversationsById = statement(
  'chat_conversations_by_id',
  {
    id: 'int8',
    type: 'text',
    low_user_id: 'int8?',
    high_user_id: 'int8?',
    group_name: 'text?',
    group_avatar_url: 'text?',
    ttl_msec: 'int8?',
    created_at: 'timestamptz',
    updated_at: 'timestamptz',
    member_ids: 'int8[]',
    admin_ids: 'int8[]',
  },
  `select c.id, c.type, c.low_user_id, c.high_user_id, c.group_name, c.group_avatar_url, c.ttl_msec, c.created_at, c.updated_at,
          m.member_ids, m.admin_ids
     from chat_conversation c
     cross join lateral (
       select coalesce(array_agg(user_id order by position, user_id), '{}') as member_ids,
              coalesce(array_agg(user_id order by position, user_id) filter (where is_admin), '{}') as admin_ids
         from chat_member where conversation_id = c.id and left_sequence is null
     ) m
    where c.id = any($1::bigint[])`,
)

/** Conversations by id. Every event and every change of members invalidates kind `chat_conversation`. */
const conversationRow = definePart('chat_conversation', 'row', async (db, ids) =>
  keyedBy((row) => row.id, await conversationsById.all(db, ids)),
)

const Text = Type.String()
const Ids = Type.Array(Text)
const isGroup = (row: { type: string }) => row.type === 'group'

/** The object `chat_conversation` of the interface. Only its members see it. */
export const chatConversation = defineObject({
  name: 'chat_conversation',
  // Never named in an error: operations find the conversation first, and refuse with 404.
  resource: 'user',
  plural: 'chat_conversations',
  component: 'ChatConversation',
  always: ['id'],
  existence: conversationRow,
  fields: {
    id: staticField(conversationRow, Text, shownId),
    type: staticField(conversationRow, words(['direct', 'group']), (row) => row.type as 'direct' | 'group'),
    group_name: staticField(conversationRow, Text, (row) => row.group_name),
    group_avatar_url: staticField(conversationRow, Text, (row) => row.group_avatar_url),
    message_ttl_msec: staticField(conversationRow, Text, (row) => row.ttl_msec),
    created_at: staticField(conversationRow, Text, (row) => wireTime(row.created_at.getTime())),
    updated_at: staticField(conversationRow, Text, (row) => wireTime(row.updated_at.getTime())),
    participant_ids: staticField(conversationRow, Ids, (row) => row.member_ids),
    member_ids: staticField(conversationRow, Ids, (row) => (isGroup(row) ? row.member_ids : undefined)),
    admin_ids: staticField(conversationRow, Ids, (row) => (isGroup(row) ? row.admin_ids : undefined)),
    // No operation of the interface sets these three.
    is_muted: viewerField(conversationRow, Type.Boolean(), () => false),
    screen_capture_blocking_enabled: viewerField(conversationRow, Type.Boolean(), () => false),
    screen_capture_detection_enabled: viewerField(conversationRow, Type.Boolean(), () => false),
  },
  expansions: {
    admin_ids: expands(
      conversationRow,
      () => user,
      (row) => (isGroup(row) ? row.admin_ids : []),
      'admin_ids',
    ),
    member_ids: expands(
      conversationRow,
      () => user,
      (row) => (isGroup(row) ? row.member_ids : []),
      'member_ids',
    ),
    participant_ids: expands(
      conversationRow,
      () => user,
      (row) => row.member_ids,
      'participant_ids',
    ),
  },
  judge: async (context, entries) =>
    entries.map((entry) => {
      const row = partOf(entry, conversationRow)!
      if (context.caller?.user && row.member_ids.includes(context.caller.user.id)) return undefined
      return (subject) => resourceNotFound('user', subject.parameter, subject.value)
    }),
})
