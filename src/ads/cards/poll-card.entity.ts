import { Type } from '../../api-kit/declaring/schema.ts'
import { mediaKeyKind } from '../creatives/media-library.object.ts'
import { defineAdsEntity } from '../kit/define-entity.ts'
import { type AdsError, featureNotAvailable, inclusiveParameters } from '../kit/errors.ts'
import { field, oneOf, reads, text, time } from '../kit/field.ts'
import { type Kind, wholeKind } from '../kit/values.ts'
import { type Fit, findLibraryMedia, mediaErrors } from './card-media.ts'
import { POLL_CARD_TYPES } from './card-types.data.ts'
import { imageMembers, type ShownMedia, shownMediaKind, shownMediaSql, videoMembers } from './shown-media.ts'
import { typedCardFields, typedCardOperations, typedCardRules } from './typed-card.ts'

const FIT: Fit = { image: ['1.91:1'], video: ['16:9'] }
const MEDIA_POLLS = 'PROMOTED_MEDIA_POLLS'

const CHOICE = { min: 1, max: 25 } as const

const minutes = wholeKind({ min: 5, max: 10_080 })
/** Sent and echoed as a number, shown as text. */
const shownMinutes: Kind<number> = { ...minutes, schema: Type.String({ pattern: '^[0-9]+$' }), show: String }

const member = (name: string, membersOf: typeof imageMembers) => ({
  schema: Type.Optional(Type.String()),
  show: ({ media }: { media: ShownMedia | null }) => membersOf(media)[name],
})
const IMAGE_MEMBERS = ['image', 'image_display_height', 'image_display_width']
const VIDEO_MEMBERS = [
  'video_url',
  'video_hls_url',
  'video_width',
  'video_height',
  'video_poster_url',
  'video_poster_width',
  'video_poster_height',
  'content_duration_seconds',
]

/** Polls, which run from the moment that the card is created. */
export const pollCards = defineAdsEntity({
  ...typedCardRules,
  name: 'poll_card',
  plural: 'poll_cards',
  tag: 'Poll Cards',
  component: 'PollCard',
  table: 'ads_poll_card',
  counted: POLL_CARD_TYPES,
  path: '/12/accounts/{account_id}/cards/poll',
  fields: {
    ...typedCardFields,
    first_choice: text({ ...CHOICE, required: true }),
    second_choice: text({ ...CHOICE, required: true }),
    third_choice: text(CHOICE),
    fourth_choice: text(CHOICE),
    duration_in_minutes: field(shownMinutes, { accepts: minutes, required: true }),
    start_time: time({ readOnly: true, always: true, initial: ({ now }) => now }),
    end_time: time({ readOnly: true, always: true }),
    media_key: field(mediaKeyKind, { hidden: true }),
    card_type: oneOf(POLL_CARD_TYPES, { readOnly: true, initial: 'TEXT_POLLS' }),
  },
  joins: 'left join media m on m.media_key = r.media_key',
  reads: { media: reads(shownMediaKind, shownMediaSql('m'), { hidden: true }) },
  shown: {
    ...Object.fromEntries(IMAGE_MEMBERS.map((name) => [name, member(name, imageMembers)])),
    ...Object.fromEntries(VIDEO_MEMBERS.map((name) => [name, member(name, videoMembers)])),
  },
  operations: typedCardOperations(
    { list: 'listPollCards', get: 'getPollCard', create: 'createPollCard', delete: 'deletePollCard' },
    { cardType: 'poll', ofWrites: { without: ['account_id'] } },
  ),
  initially: {
    end_time: ({ duration_in_minutes: duration }, { now }) => new Date(now.getTime() + duration * 60_000),
  },
  check: (draft, { account }) => [
    ...(draft.fourth_choice !== null && draft.third_choice === null
      ? [inclusiveParameters('fourth_choice', 'fourth_choice needs third_choice')]
      : []),
    ...(draft.media_key !== null && !account.features.has(MEDIA_POLLS)
      ? [featureNotAvailable(MEDIA_POLLS, 'media_key')]
      : []),
  ],
  checkAll: async (tx, changes) => {
    const keys = changes.flatMap(({ kind, record }) => (kind === 'create' ? (record.media_key ?? []) : []))
    const found = await findLibraryMedia(tx, changes[0]!.context.account.id, keys)
    return changes.map(({ kind, record }): AdsError[] => {
      if (kind !== 'create' || record.media_key === null) return []
      const media = found.get(record.media_key)
      record.card_type = media?.type === 'video' ? 'VIDEO_POLLS' : 'IMAGE_POLLS'
      return mediaErrors(media, FIT, 'media_key', record.media_key)
    })
  },
})
