import { type RowOf, statement } from '../../storage/statement.ts'

const eventColumns = {
  conversation_id: 'int8',
  sequence: 'int8',
  previous_sequence: 'int8?',
  message_id: 'text',
  sender_id: 'int8',
  kind: 'text',
  key_version: 'int8?',
  signer_version: 'int8',
  detail: 'bytea?',
  signature: 'bytea',
  created_at: 'timestamptz',
  expires_at: 'timestamptz?',
  signing_public_key: 'text?',
} as const
const own = Object.keys(eventColumns).filter((name) => name !== 'signing_public_key')
const eventNames = own.map((name) => `e.${name}`).join(', ')
const withKey = 'left join chat_public_key k on k.user_id = e.sender_id and k.version = e.signer_version'

/** A stored event, with the key that signed it. */
export type EventRow = RowOf<typeof eventColumns>

/** Stores the events of one request, in order, in a locked conversation. */
export const eventsAdd = statement(
  'chat_events_add',
  {},
  `with added as (
     insert into chat_event (conversation_id, sequence, previous_sequence, message_id, sender_id, kind, key_version, signer_version, detail,
       signature, created_at, expires_at)
     select $1::bigint, n.sequence, nullif(n.previous_sequence, 0), n.message_id, $2::bigint, n.kind, n.key_version, n.signer_version, n.detail,
            n.signature, $3::timestamptz, $4::timestamptz
       from unnest($5::bigint[], $6::bigint[], $7::text[], $8::text[], $9::bigint[], $10::bigint[], $11::bytea[], $12::bytea[])
         as n (sequence, previous_sequence, message_id, kind, key_version, signer_version, detail, signature)
   ), moved as (
     update chat_conversation
        set last_sequence = $13::bigint, updated_at = $3::timestamptz, key_version = coalesce($14::bigint, key_version),
            key_is_stale = key_is_stale and $14::bigint is null
      where id = $1
   )
   update chat_member set last_sequence = $13::bigint where conversation_id = $1 and left_sequence is null`,
)

/** Events with the ids that clients gave them. */
export const eventsByMessage = statement(
  'chat_events_by_message',
  eventColumns,
  `select ${eventNames}, k.signing_public_key from chat_event e ${withKey}
    where e.conversation_id = $1 and e.message_id = any($2::text[]) order by e.sequence`,
)

// A page ends early rather than hold more than this.
const PAGE_BYTES = 4 * 1024 * 1024

/**
 * The events before sequence `$2` that a member sees, the newest first. `found` is how many there are within the limit, which may be
 * more than the page has room for.
 */
export const eventsPage = statement(
  'chat_events_page',
  { ...eventColumns, found: 'int4' },
  `select ${own.join(', ')}, signing_public_key, found from (
     select p.*, sum(coalesce(octet_length(p.detail), 0)) over (order by p.sequence desc) - octet_length(p.detail) as before,
            count(*) over ()::int as found
       from (
         select ${eventNames}, k.signing_public_key from chat_event e ${withKey}
          where e.conversation_id = $1 and e.sequence < $2 and e.sequence >= $4 and e.detail is not null
            and (e.expires_at is null or e.expires_at > $5::timestamptz)
            and not exists (select from chat_hidden_event h
                             where h.conversation_id = e.conversation_id and h.user_id = $6 and h.sequence = e.sequence)
          order by e.sequence desc limit $3
       ) p
   ) w where before < ${PAGE_BYTES} order by sequence desc`,
)

/** The key changes that introduced these versions, from sequence `$3` on. */
export const keyChanges = statement(
  'chat_key_changes',
  eventColumns,
  `select ${eventNames}, k.signing_public_key from chat_event e ${withKey}
    where e.kind = 'key_change' and e.conversation_id = $1 and e.key_version = any($2::bigint[]) and e.sequence >= $3 order by e.sequence`,
)

/** Events by conversation and sequence, each with the key change of its version and with the names of its conversation. */
export const eventsBySequence = statement(
  'chat_events_by_sequence',
  {
    ...eventColumns,
    type: 'text',
    low_user_id: 'int8?',
    high_user_id: 'int8?',
    change_sequence: 'int8?',
  },
  `select ${eventNames}, k.signing_public_key, c.type, c.low_user_id, c.high_user_id, v.sequence as change_sequence
     from unnest($1::bigint[], $2::bigint[]) as q (conversation_id, sequence)
     join chat_event e on e.conversation_id = q.conversation_id and e.sequence = q.sequence
     join chat_conversation c on c.id = e.conversation_id
     ${withKey}
     left join chat_event v on v.kind = 'key_change' and v.conversation_id = e.conversation_id and v.key_version = e.key_version
    where e.detail is not null`,
)

/** Whether a member sees an event with this sequence. */
export const eventExists = statement(
  'chat_event_exists',
  { sequence: 'int8' },
  'select sequence from chat_event where conversation_id = $1 and sequence = $2 and sequence >= $3',
)

/** The messages with these sequences that a member sees. */
export const messagesToDelete = statement(
  'chat_messages_to_delete',
  { sequence: 'int8', sender_id: 'int8', message_id: 'text' },
  `select sequence, sender_id, message_id from chat_event
    where conversation_id = $1 and sequence = any($2::bigint[]) and sequence >= $3 and kind = 'message' order by sequence`,
)

/** Forgets the contents of messages. */
export const messagesErase = statement(
  'chat_messages_erase',
  {},
  `update chat_event set detail = null where conversation_id = $1 and sequence = any($2::bigint[]) and kind = 'message'`,
)

export const messagesHide = statement(
  'chat_messages_hide',
  {},
  `insert into chat_hidden_event (conversation_id, user_id, sequence) select $1, $2, unnest($3::bigint[]) on conflict do nothing`,
)

/** Forgets the contents of messages whose time is over. */
export const messagesExpire = statement(
  'chat_messages_expire',
  {},
  `update chat_event e set detail = null from (
     select conversation_id, sequence from chat_event where expires_at < $1::timestamptz and detail is not null order by expires_at limit $2
   ) o where e.conversation_id = o.conversation_id and e.sequence = o.sequence`,
)
