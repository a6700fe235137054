import { closed, component, ownBound, type Static, Type, words } from '../../api-kit/declaring/schema.ts'
import { MediaId, UserId } from '../ids.ts'

/** The longest text of a message, in characters. */
export const LONGEST_MESSAGE = 10_000

const Text = ownBound(Type.String({ minLength: 1 }), LONGEST_MESSAGE)
const Attachments = ownBound(
  component('DmAttachments', Type.Array(component('DmMediaAttachment', closed({ media_id: MediaId })))),
  1,
)

export const CreateMessageRequest = component(
  'CreateMessageRequest',
  Type.Union([
    component('CreateTextMessageRequest', closed({ attachments: Type.Optional(Attachments), text: Text })),
    component('CreateAttachmentsMessageRequest', closed({ attachments: Attachments, text: Type.Optional(Text) })),
  ]),
)

export const CreateDmConversationRequest = component(
  'CreateDmConversationRequest',
  closed({
    conversation_type: words(['Group']),
    message: CreateMessageRequest,
    participant_ids: component('DmParticipants', Type.Array(UserId, { minItems: 2, maxItems: 49 })),
  }),
)

/** A message as a client writes it. */
export type MessageDraft = Static<typeof CreateMessageRequest>
