import { createHash } from 'node:crypto'
import { isStorableId, timeOfId } from '../../../process/ids.ts'
import { shortLink, storeLinks } from '../../../social/links/short-link.ts'
import { conversationOf } from '../../../social/messages/conversation-id.ts'
import { withMentionIds } from '../../../social/posts/prepare-text.ts'
import { composeText } from '../../../social/text/compose-text.ts'
import { jsonText } from '../../../storage/json-text.ts'
import { statement } from '../../../storage/statement.ts'
import type { WorldMessage } from '../things.schema.ts'
import type { World } from '../world.schema.ts'
import { type Applying, KeyedIds, type KnownUser } from './applying.ts'

const eventsRead = statement(
  'world_messages_read',
  { id: 'int8', conversation_id: 'text', sender_id: 'int8?', text: 'text?' },
  'select id, conversation_id, sender_id, text from dm_event where id = any($1::bigint[])',
)
const textsSet = statement(
  'world_message_texts_set',
  {},
  `update dm_event e set text = m.text, entities = m.entities
     from jsonb_to_recordset($1::jsonb) as m (id bigint, text text, entities jsonb) where e.id = m.id`,
)
const conversationsAdd = statement(
  'world_conversations_add',
  {},
  `with sent as materialized (
     select * from jsonb_to_recordset($1::jsonb) as c (id text, is_group bool, created_at timestamptz, member_ids bigint[], writer_ids bigint[])
   ), made as (
     insert into dm_conversation (id, is_group, created_at) select id, is_group, created_at from sent on conflict do nothing
   )
   insert into dm_participant as p (conversation_id, user_id, has_written)
   select sent.id, m.id, m.id = any(sent.writer_ids) from sent, unnest(sent.member_ids) as m (id)
   on conflict (conversation_id, user_id) do update set has_written = true where excluded.has_written and not p.has_written`,
)
const messagesAdd = statement(
  'world_messages_add',
  {},
  `with sent as materialized (
     select * from jsonb_to_recordset($1::jsonb) as e (id bigint, conversation_id text, sender_id bigint, text text, entities jsonb,
       source_app_id bigint, created_at timestamptz)
   ), made as (
     insert into dm_event (id, conversation_id, type, sender_id, text, entities, source_app_id, created_at)
     select id, conversation_id, 'MessageCreate', sender_id, text, entities, source_app_id, created_at from sent
   )
   insert into dm_view (user_id, event_id, conversation_id, type)
   select p.user_id, sent.id, sent.conversation_id, 'MessageCreate' from sent join dm_participant p using (conversation_id)`,
)

/** The key of each message; one without key and id is recognised by who wrote what to whom. */
export function messageKeys(world: World): (string | undefined)[] {
  const times = new Map<string, number>()
  return (world.messages ?? []).map((message) => {
    if (message.key !== undefined) return message.key
    if (message.id !== undefined) return undefined
    const said = [message.from, ...[message.to].flat(), message.group ?? '', message.text].join('\0')
    const digest = createHash('sha256').update(said).digest('base64url').slice(0, 22)
    times.set(digest, (times.get(digest) ?? 0) + 1)
    return ` ${digest} ${times.get(digest)}`
  })
}

interface Draft {
  message: WorldMessage
  id: string
  conversationId: string
  isGroup: boolean
  members: string[]
  sender: KnownUser
  text: string
  entities: unknown
  links: string[]
  where: string
}

/** Creates the direct messages of a file, with their conversations. */
export async function applyMessages(run: Applying, keys: readonly (string | undefined)[]): Promise<void> {
  const drafts = readDrafts(run, keys)
  run.stopOnFaults()
  if (drafts.length === 0) return
  const rows = await eventsRead.all(
    run.tx,
    drafts.map((draft) => draft.id),
  )
  const existing = new Map(rows.map((row) => [row.id, row]))
  const changed: Draft[] = []
  const fresh = drafts.filter((draft) => {
    const row = existing.get(draft.id)
    if (!row) return true
    if (row.conversation_id !== draft.conversationId || row.sender_id !== draft.sender.id)
      run.fault(draft.where, undefined, `the message ${draft.id} exists, and its users cannot change`)
    if (row.text !== draft.text) changed.push(draft)
    run.report.add(row.text === draft.text ? 'unchanged' : 'changed', 'message', `${draft.id}: text`)
    return false
  })
  run.stopOnFaults()
  await storeLinks(
    run.tx,
    [...fresh, ...changed].flatMap((draft) => draft.links),
  )
  if (changed.length > 0) await textsSet.count(run.tx, jsonText(changed))
  await conversationsAdd.count(run.tx, jsonText(conversationsOf(fresh)))
  const first = run.world.apps?.[0]
  const app = first && run.apps.get(first.key ?? first.name)
  const events = fresh.map((draft) => ({
    id: draft.id,
    conversation_id: draft.conversationId,
    sender_id: draft.sender.id,
    text: draft.text,
    entities: draft.entities ?? null,
    source_app_id: app?.id ?? null,
    created_at: new Date(timeOfId(draft.id)),
  }))
  await messagesAdd.count(run.tx, jsonText(events))
  for (const draft of fresh) run.report.add('created', 'message', `${draft.id} of @${draft.sender.username}`)
  for (const [index, draft] of drafts.entries()) {
    const key = keys[index]
    if (key !== undefined) run.items.keep({ kind: 'message', key, id: draft.id })
    if (draft.isGroup && draft.message.group)
      run.items.keep({ kind: 'group', key: draft.message.group, id: draft.conversationId })
  }
}

function readDrafts(run: Applying, keys: readonly (string | undefined)[]): Draft[] {
  const drafts = run.world.messages ?? []
  const ids = new KeyedIds(drafts.flatMap((message) => message.id ?? []))
  const groups = new Map<string, string>()
  const names = new Map([...run.users.values()].map((user) => [user.username.toLowerCase(), user.id]))
  return drafts.flatMap((message, index): Draft[] => {
    const where = `messages[${index}]`
    const sender = run.user(message.from, `${where}.from`)
    const to = [message.to].flat().map((name) => run.user(name, `${where}.to`))
    if (!sender || to.some((user) => user === undefined)) return []
    const members = [...new Set([sender.id, ...to.map((user) => user!.id)])]
    if (members.length < 2) {
      run.fault(`${where}.to`, undefined, 'is the sender')
      return []
    }
    const isGroup = message.group !== undefined || members.length > 2
    if (members.length > 2 && message.group === undefined)
      run.fault(where, undefined, 'a message to several users needs the name of a group')
    const ms = run.moment(message.at, `${where}.at`, run.now - (drafts.length - index))
    const key = keys[index]
    const id = message.id ?? (key && run.items.find('message', key)?.id) ?? ids.of(ms, 'message', key!)
    const group = message.group ?? ''
    const known = groups.get(group) ?? run.items.find('group', group)?.id ?? (isStorableId(group) ? group : undefined)
    const conversationId = isGroup ? (known ?? ids.of(ms, 'group', group)) : conversationOf(members[0]!, members[1]!)
    if (isGroup) groups.set(group, conversationId)
    const composed = composeText(message.text, { shortLink })
    return [
      {
        message,
        id,
        conversationId,
        isGroup,
        members,
        sender,
        text: composed.text,
        entities: withMentionIds(composed.entities, names),
        links: composed.links.map((link) => link.url),
        where,
      },
    ]
  })
}

function conversationsOf(drafts: readonly Draft[]) {
  const conversations = new Map<string, { members: Set<string>; writers: Set<string>; first: Draft }>()
  for (const draft of drafts) {
    const found = conversations.get(draft.conversationId)
    const conversation = found ?? { members: new Set<string>(), writers: new Set<string>(), first: draft }
    for (const id of draft.members) conversation.members.add(id)
    conversation.writers.add(draft.sender.id)
    conversations.set(draft.conversationId, conversation)
  }
  return [...conversations].map(([id, { members, writers, first }]) => ({
    id,
    is_group: first.isGroup,
    created_at: new Date(timeOfId(first.id)),
    member_ids: [...members],
    writer_ids: [...writers],
  }))
}
