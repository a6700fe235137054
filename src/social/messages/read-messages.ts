import { defineOperation, type Input, userOf } from '../../api-kit/declaring/operation.ts'
import { csv, type Parameter } from '../../api-kit/declaring/parameters.ts'
import { listReply, singleReply } from '../../api-kit/declaring/reply.ts'
import { type TSchema, words } from '../../api-kit/declaring/schema.ts'
import {
  PageMeta,
  type PageRange,
  type PageRequest,
  pages,
  readPage,
  writeToken,
} from '../../api-kit/reading/paging.ts'
import { type Selection, selects } from '../../api-kit/reading/selection.ts'
import { answerOne, answerPage } from '../../api-kit/writing/answer-objects.ts'
import { otherNotFound, resourceNotFound } from '../../api-kit/writing/partial-errors.ts'
import { blank, onlyError } from '../../api-kit/writing/problems.ts'
import { idAt, isStorableId } from '../../process/ids.ts'
import { UserId } from '../ids.ts'
import { userRow } from '../users/user.parts.ts'
import { conversationOf, DmConversationId, DmEventId, namedConversation } from './conversation-id.ts'
import {
  conversationKnown,
  eventsOfConversation,
  eventsOfUser,
  MESSAGE_EVENT_TYPES,
  type MessageEventType,
} from './message.statements.ts'
import { messageEvent, seenEvents } from './message-event.object.ts'
import { noConversation } from './send-message.ts'

const HISTORY_MS = 30 * 24 * 3_600_000

const auth = { oauth1: true, oauth2: ['dm.read', 'post.read', 'users.read'], level: 'read-write-messages' } as const
const limit = { user: '15/15m' }

const types = csv(words([...MESSAGE_EVENT_TYPES].sort()), { unique: true, required: false })

/** The parameter `event_types`; without it, all types. */
const eventTypes: Parameter<readonly MessageEventType[]> = {
  describe: (name) =>
    types
      .describe(name)
      .map((item) => ({ ...item, schema: { ...item.schema, default: MESSAGE_EVENT_TYPES } as TSchema })),
  compile: (name, naming) => {
    const read = types.compile(name, naming)
    return (query, faults) => {
      const given = read(query, faults)
      return given.length === 0 ? MESSAGE_EVENT_TYPES : given
    }
  },
}

// A message has a text, a join or leave has participants; both are shown by default.
const selection = selects(() => messageEvent, { always: ['text', 'participant_ids'] })
const listQuery = {
  ...pages({ min: 1, max: 100, initial: 100, token: 'base32' }),
  event_types: eventTypes,
  ...selection,
}

type ListInput = Pick<Input<unknown, unknown, unknown>, 'caller' | 'context' | 'runtime'>
interface ListQuery {
  page: PageRequest
  event_types: readonly MessageEventType[]
  selection: Selection
}

/** Answers with a page of what the caller sees. `bound` is the conversation, or the event after which the list begins. */
async function answerEvents(
  { caller, context, runtime }: ListInput,
  query: ListQuery,
  list: typeof eventsOfUser,
  bound: string,
) {
  const { page } = query
  const load = ({ direction, key, limit: most }: PageRange) =>
    list[direction].all(runtime.database, userOf(caller).id, key, most, query.event_types, bound)
  const { items, meta } = await readPage(page, load, (item) => item.id)
  const first = items[0]
  // The first page has one too: clients come back with it for what is new.
  const previous =
    page.start === undefined && first
      ? { previous_token: writeToken({ direction: 'newer', key: first.id }, page.token) }
      : {}
  return answerPage(
    context,
    items.map((item) => item.id),
    query.selection,
    { ...meta, ...previous },
  )
}

export const getDirectMessagesEvents = defineOperation({
  id: 'getDirectMessagesEvents',
  route: 'GET /2/dm_events',
  tag: 'Direct Messages',
  summary: 'List the messages of the last 30 days in all conversations of the caller',
  auth,
  limit,
  query: listQuery,
  reply: listReply('Get2DmEventsResponse', messageEvent, PageMeta),
  handle: async (input) => answerEvents(input, input.query, eventsOfUser, idAt(input.runtime.clock.now() - HISTORY_MS)),
})

export const getDirectMessagesEventsByParticipantId = defineOperation({
  id: 'getDirectMessagesEventsByParticipantId',
  route: 'GET /2/dm_conversations/with/{participant_id}/dm_events',
  tag: 'Direct Messages',
  summary: 'List the messages between the caller and a user',
  auth,
  limit,
  path: { participant_id: UserId },
  query: listQuery,
  reply: listReply('Get2DmConversationsWithParticipantIdDmEventsResponse', messageEvent, PageMeta),
  handle: async (input) => {
    const { participant_id: id } = input.path
    const other = isStorableId(id) ? await input.context.parts.one(userRow, id) : undefined
    if (!other) throw onlyError(resourceNotFound('user', 'participant_id', id))
    return answerEvents(input, input.query, eventsOfConversation, conversationOf(userOf(input.caller).id, other.id))
  },
})

export const getDirectMessagesEventsByConversationId = defineOperation({
  id: 'getDirectMessagesEventsByConversationId',
  route: 'GET /2/dm_conversations/{id}/dm_events',
  tag: 'Direct Messages',
  summary: 'List the messages of a conversation of the caller',
  auth,
  limit,
  path: { id: DmConversationId },
  query: listQuery,
  reply: listReply('Get2DmConversationsIdDmEventsResponse', messageEvent, PageMeta),
  handle: async (input) => {
    const userId = userOf(input.caller).id
    const conversation = namedConversation(input.path.id, userId)
    if (!conversation) throw noConversation(input.path.id)
    const known = await conversationKnown.first(input.runtime.database, conversation.id, userId)
    if (!known?.is_known) throw noConversation(input.path.id)
    return answerEvents(input, input.query, eventsOfConversation, conversation.id)
  },
})

/** The refusal of an event that does not exist, or that the caller does not see: nobody learns which. */
export const noMessage = (id: string) => blank(404, `There is no message [${id}].`, UNSEEN)
const UNSEEN = 'the message does not exist, or the caller does not see it'

export const getDirectMessagesEventsById = defineOperation({
  id: 'getDirectMessagesEventsById',
  route: 'GET /2/dm_events/{event_id}',
  tag: 'Direct Messages',
  summary: 'Get a message',
  auth,
  limit,
  path: { event_id: DmEventId },
  query: selection,
  reply: singleReply('Get2DmEventsEventIdResponse', messageEvent),
  handle: async ({ path, query, context }) => {
    const id = path.event_id
    const seen = isStorableId(id) && (await seenEvents(context, [id])).has(id)
    if (!seen) throw onlyError(otherNotFound('message', 'event_id', id), UNSEEN)
    return answerOne(context, { id, value: id }, query.selection, 'event_id')
  },
})
