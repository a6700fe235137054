import type { AdsOperation } from '../kit/operation.ts'
import { componentCards } from './component-card.entity.ts'
import { deleteLegacyCard } from './delete-legacy-card.ts'
import { fetchCardOperations } from './fetch-cards.ts'
import { imageConversationCards } from './image-conversation-card.entity.ts'
import { cards } from './list-cards.ts'
import { pollCards } from './poll-card.entity.ts'
import { videoConversationCards } from './video-conversation-card.entity.ts'

/** Every operation about cards. */
export const cardOperations: readonly AdsOperation[] = [
  ...cards.operations,
  ...componentCards.operations,
  ...pollCards.operations,
  ...imageConversationCards.operations,
  ...videoConversationCards.operations,
  ...fetchCardOperations,
  deleteLegacyCard,
]
