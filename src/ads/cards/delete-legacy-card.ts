import { changeRecord } from '../kit/change-records.ts'
import type { AdsEntity } from '../kit/entity.ts'
import { AdsProblem, notFound, refusal } from '../kit/errors.ts'
import { defineAdsOperation } from '../kit/operation.ts'
import { idKind, textKind } from '../kit/values.ts'
import { OLDER_CARD_KINDS } from './card-types.data.ts'
import { imageConversationCards } from './image-conversation-card.entity.ts'
import { pollCards } from './poll-card.entity.ts'
import { DeletedTypedCard } from './typed-card.ts'
import { videoConversationCards } from './video-conversation-card.entity.ts'

const KINDS: Record<string, AdsEntity> = {
  image_conversation: imageConversationCards,
  video_conversation: videoConversationCards,
  poll: pollCards,
}
const older: readonly string[] = OLDER_CARD_KINDS

/** The general form of removing a typed card. The paths of the kinds that can be made are routes of their own, which answer alike. */
export const deleteLegacyCard = defineAdsOperation({
  id: 'deleteLegacyCard',
  route: 'DELETE /12/accounts/{account_id}/cards/{card_type}/{card_id}',
  tag: 'Cards',
  summary: 'Delete a card of a typed path',
  path: {
    card_type: { kind: textKind({ min: 1, max: 100 }), missing: 'UNKNOWN_CARD_TYPE' },
    card_id: { kind: idKind, missing: 'CARD_NOT_FOUND' },
  },
  data: DeletedTypedCard,
  may: 'manage creatives',
  handle: async (input) => {
    const id = input.path.card_id!
    const name = input.path.card_type!.toLowerCase()
    const kind = Object.hasOwn(KINDS, name) ? KINDS[name] : undefined
    if (kind) {
      const record = await changeRecord(kind, input as never, { kind: 'delete', id, given: {} })
      return { data: kind.toReply(record, input.runtime.clock.now()) }
    }
    // Cards of the older kinds can no longer be made, so that there are none.
    if (older.includes(name)) throw new AdsProblem([notFound('CARD_NOT_FOUND', 'card_id', idKind.show(id))])
    throw refusal('UNKNOWN_CARD_TYPE', 'There is no such type of cards', {
      parameter: 'card_type',
      details: `must be one of ${[...Object.keys(KINDS), ...older].join(', ')}`,
      value: input.path.card_type!,
    })
  },
})
