import { component, type TSchema, Type, words } from '../../api-kit/declaring/schema.ts'
import { changeRecord } from '../kit/change-records.ts'
import type { AdsEntity } from '../kit/entity.ts'
import { AdsProblem, notFound, refusal } from '../kit/errors.ts'
import { defineAdsOperation } from '../kit/operation.ts'
import { idKind, textKind } from '../kit/values.ts'
import { OLDER_CARD_TYPES, TYPED_CARD_TYPES } from './card-types.data.ts'
import { imageConversationCards } from './image-conversation-card.entity.ts'
import { pollCards } from './poll-card.entity.ts'
import { videoConversationCards } from './video-conversation-card.entity.ts'

const ENTITIES: Record<string, AdsEntity> = {
  image_conversation: imageConversationCards,
  video_conversation: videoConversationCards,
  poll: pollCards,
}

/** The members that every typed card has. The others depend on the type. */
const COMMON = ['id', 'name', 'card_uri', 'created_at', 'updated_at', 'deleted']
const members = Object.assign({}, ...Object.values(ENTITIES).map(({ schema }) => schema.properties)) as Record<
  string,
  TSchema
>
const TypedCard = component(
  'TypedCard',
  Type.Object({
    ...Object.fromEntries(
      Object.entries(members).map(([name, schema]) => [name, COMMON.includes(name) ? schema : Type.Optional(schema)]),
    ),
    card_type: words(TYPED_CARD_TYPES),
  }),
)

const olderTypes: readonly string[] = OLDER_CARD_TYPES

/** Deletes a card of a typed path. Where the type has routes of its own, those take precedence and answer the same. */
export const deleteLegacyCard = defineAdsOperation({
  id: 'deleteLegacyCard',
  route: 'DELETE /12/accounts/{account_id}/cards/{card_type}/{card_id}',
  tag: 'Cards',
  summary: 'Delete a card of a typed path',
  path: {
    card_type: { kind: textKind({ min: 1, max: 100 }), missing: 'UNKNOWN_CARD_TYPE' },
    card_id: { kind: idKind, missing: 'CARD_NOT_FOUND' },
  },
  data: TypedCard,
  may: 'manage creatives',
  handle: async (input) => {
    const id = input.path.card_id!
    const name = input.path.card_type!.toLowerCase()
    const entity = Object.hasOwn(ENTITIES, name) ? ENTITIES[name] : undefined
    if (entity) {
      const record = await changeRecord(entity, input, { kind: 'delete', id })
      return { data: entity.toReply(record, input.runtime.clock.now()) }
    }
    // Cards of the older types can no longer be created, so there are none.
    if (olderTypes.includes(name)) throw new AdsProblem([notFound('CARD_NOT_FOUND', 'card_id', idKind.show(id))])
    throw refusal('UNKNOWN_CARD_TYPE', 'There is no such card type', {
      parameter: 'card_type',
      details: `must be one of ${[...Object.keys(ENTITIES), ...olderTypes].join(', ')}`,
      value: input.path.card_type!,
    })
  },
})
