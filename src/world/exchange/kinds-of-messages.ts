import { bool, id, ids, json, orFalse, orNone, required, text, time } from './columns.ts'
import type { Kind } from './kind.ts'

/** Direct messages: private, and part of the operator's export. Encrypted chats are not: nobody but their members can read them. */
export const messageKinds: readonly Kind[] = [
  {
    name: 'conversations',
    table: 'dm_conversation',
    summary: 'conversations of direct messages (private)',
    columns: [text('id', required), bool('is_group', required), time('created_at', required)],
    key: ['id'],
    references: [],
  },
  {
    name: 'conversation_members',
    table: 'dm_participant',
    summary: 'who takes part in which conversation (private)',
    columns: [
      text('conversation_id', required),
      id('user_id', required),
      bool('has_written', orFalse),
      id('last_read_event_id'),
    ],
    key: ['conversation_id', 'user_id'],
    references: [
      { column: 'conversation_id', kind: 'conversations' },
      { column: 'user_id', kind: 'users' },
    ],
  },
  {
    name: 'messages',
    table: 'dm_event',
    summary: 'direct messages, and who joined or left (private)',
    columns: [
      id('id', required),
      text('conversation_id', required),
      text('type', required),
      id('sender_id'),
      ids('participant_ids', orNone),
      text('text'),
      json('entities'),
      text('media_key'),
      ids('referenced_post_ids', orNone),
      id('source_app_id'),
      time('created_at', required),
    ],
    key: ['id'],
    references: [{ column: 'conversation_id', kind: 'conversations' }],
  },
  {
    name: 'message_views',
    table: 'dm_view',
    summary: 'which user sees which message (private)',
    columns: [
      id('user_id', required),
      id('event_id', required),
      text('conversation_id', required),
      text('type', required),
      text('media_key'),
    ],
    key: ['user_id', 'event_id'],
    references: [
      { column: 'user_id', kind: 'users' },
      { column: 'event_id', kind: 'messages' },
    ],
  },
  {
    name: 'message_blocks',
    table: 'dm_block',
    summary: 'who takes no direct messages from whom (private)',
    columns: [id('source_id', required), id('target_id', required), time('created_at', required)],
    key: ['source_id', 'target_id'],
    references: [
      { column: 'source_id', kind: 'users' },
      { column: 'target_id', kind: 'users' },
    ],
  },
]
