import { Type } from '../../api-kit/declaring/schema.ts'
import { isStorableId } from '../../process/ids.ts'
import { mediaKeyKind } from '../creatives/media-library.object.ts'
import { defineAdsEntity } from '../kit/define-entity.ts'
import { invalidParameter } from '../kit/errors.ts'
import { field, oneOf, reads } from '../kit/field.ts'
import { type Kind, textKind } from '../kit/values.ts'
import {
  conversationCardFields,
  conversationCardRules,
  conversationMediaErrors,
  unlockedImage,
} from './conversation-card.ts'
import { shownMediaKind, shownMediaSql, videoMembers } from './shown-media.ts'
import { typedCardOperations, typedCardRules } from './typed-card.ts'

const Text = Type.Optional(Type.String())

/** The key of a media item, or only its id. */
const posterKind: Kind<string> = {
  ...mediaKeyKind,
  read: (sent, parameter) => {
    const sentText = typeof sent === 'number' ? String(sent) : sent
    if (typeof sentText === 'string' && isStorableId(sentText)) return sentText
    const key = mediaKeyKind.read(sentText, parameter)
    return typeof key === 'string' ? key : invalidParameter(parameter, 'must be the key or id of a media item', sent)
  },
}

/** Cards with a video that start conversations. */
export const videoConversationCards = defineAdsEntity({
  ...typedCardRules,
  ...conversationCardRules,
  name: 'video_conversation_card',
  plural: 'video_conversation_cards',
  tag: 'Video Conversation Cards',
  component: 'VideoConversationCard',
  table: 'ads_video_conversation_card',
  counted: ['VIDEO_CONVERSATION'],
  path: '/12/accounts/{account_id}/cards/video_conversation',
  fields: {
    ...conversationCardFields,
    poster_media_key: field(posterKind, { hidden: true }),
    unlocked_video_media_key: field(mediaKeyKind, { hidden: true }),
    card_type: oneOf(['VIDEO_CONVERSATION'], { readOnly: true, initial: 'VIDEO_CONVERSATION' }),
  },
  joins: `left join media m on m.media_key = r.media_key
    left join media poster on poster.media_key = r.poster_media_key
    ${unlockedImage.join}`,
  reads: {
    media: reads(shownMediaKind, shownMediaSql('m'), { hidden: true }),
    poster_url: reads(textKind(), 'poster.url', { hidden: true }),
    ...unlockedImage.reads,
  },
  shown: {
    media_url: { schema: Text, show: ({ media }) => media?.url },
    // The first frame, unless the advertiser chose a poster.
    poster_media_url: { schema: Text, show: ({ media, poster_url }) => poster_url ?? media?.preview_image_url },
    video_owner_id: { schema: Text, show: ({ media }) => media?.owner_user_id },
    video_width: { schema: Text, show: ({ media }) => videoMembers(media).video_width },
    video_height: { schema: Text, show: ({ media }) => videoMembers(media).video_height },
    ...unlockedImage.shown,
  },
  operations: typedCardOperations(
    {
      list: 'listVideoConversationCards',
      get: 'getVideoConversationCard',
      create: 'createVideoConversationCard',
      update: 'updateVideoConversationCard',
      delete: 'deleteVideoConversationCard',
    },
    {
      cardType: 'video_conversation',
      ofWrites: { also: { card_type: 'VIDEO_CONVERSATION' } },
      ofNewCard: ['media_url', 'poster_media_url', 'video_owner_id', 'video_width', 'video_height'],
    },
  ),
  checkAll: (tx, changes) =>
    conversationMediaErrors(tx, changes, [
      ['media_key', { video: ['16:9'] }],
      ['poster_media_key', { poster: true }],
      ['unlocked_image_media_key', { image: ['5:2'] }],
      ['unlocked_video_media_key', { video: [] }],
    ]),
})
