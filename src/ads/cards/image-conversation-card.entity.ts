import { Type } from '../../api-kit/declaring/schema.ts'
import { defineAdsEntity } from '../kit/define-entity.ts'
import { oneOf, reads } from '../kit/field.ts'
import {
  conversationCardFields,
  conversationCardRules,
  conversationMediaErrors,
  unlockedImage,
} from './conversation-card.ts'
import { imageMembers, shownMediaKind, shownMediaSql } from './shown-media.ts'
import { typedCardOperations, typedCardRules } from './typed-card.ts'

const Text = Type.Optional(Type.String())

/** Cards with an image that start conversations. */
export const imageConversationCards = defineAdsEntity({
  ...typedCardRules,
  ...conversationCardRules,
  name: 'image_conversation_card',
  plural: 'image_conversation_cards',
  tag: 'Image Conversation Cards',
  component: 'ImageConversationCard',
  table: 'ads_image_conversation_card',
  counted: ['IMAGE_CONVERSATION'],
  path: '/12/accounts/{account_id}/cards/image_conversation',
  fields: {
    ...conversationCardFields,
    card_type: oneOf(['IMAGE_CONVERSATION'], { readOnly: true, initial: 'IMAGE_CONVERSATION' }),
  },
  joins: `left join media m on m.media_key = r.media_key ${unlockedImage.join}`,
  reads: { media: reads(shownMediaKind, shownMediaSql('m'), { hidden: true }), ...unlockedImage.reads },
  shown: {
    media_url: { schema: Text, show: ({ media }) => media?.url },
    image_display_height: { schema: Text, show: ({ media }) => imageMembers(media).image_display_height },
    image_display_width: { schema: Text, show: ({ media }) => imageMembers(media).image_display_width },
    ...unlockedImage.shown,
  },
  operations: typedCardOperations(
    {
      list: 'listImageConversationCards',
      get: 'getImageConversationCard',
      create: 'createImageConversationCard',
      update: 'updateImageConversationCard',
      delete: 'deleteImageConversationCard',
    },
    {
      cardType: 'image_conversation',
      ofWrites: { also: { card_type: 'IMAGE_CONVERSATION' } },
      ofNewCard: ['media_url', 'image_display_height', 'image_display_width'],
    },
  ),
  checkAll: (tx, changes) =>
    conversationMediaErrors(tx, changes, [
      ['media_key', { image: ['1.91:1'] }],
      ['unlocked_image_media_key', { image: ['5:2'] }],
    ]),
})
