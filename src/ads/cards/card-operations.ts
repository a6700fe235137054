import type { AdsOperation } from '../kit/operation.ts'
import { componentCardOperations } from './component-card.entity.ts'
import { deleteLegacyCard } from './delete-legacy-card.ts'
import { fetchCardOperations } from './fetch-cards.ts'
import { imageConversationCardOperations } from './image-conversation-card.entity.ts'
import { listCards } from './list-cards.ts'
import { pollCardOperations } from './poll-card.entity.ts'
import { videoConversationCardOperations } from './video-conversation-card.entity.ts'

/** Every operation about cards. */
export const cardOperations: readonly AdsOperation[] = [
  listCards,
  ...componentCardOperations,
  ...pollCardOperations,
  ...imageConversationCardOperations,
  ...videoConversationCardOperations,
  ...fetchCardOperations,
  deleteLegacyCard,
]
