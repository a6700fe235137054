import { Type } from '../../api-kit/declaring/schema.ts'
import { shortLink } from '../../social/links/short-link.ts'
import type { Shown } from '../kit/entity.ts'
import { field, oneOf, reads, text } from '../kit/field.ts'
import { jsonKind, listKind, textKind } from '../kit/values.ts'
import { type CardComponent, ShownComponents, ShownSlides } from './card-components.schemas.ts'
import { CARD_TYPES } from './card-types.data.ts'
import { ratioParts, type ShownMedia, shownMediaSql } from './shown-media.ts'

/** The members of a component card. The list of all cards shows them too. */
export const componentCardFields = {
  name: text({ min: 1, max: 80, required: true }),
  components: field(jsonKind<CardComponent[]>(ShownComponents), { hidden: true }),
  slides: field(jsonKind<CardComponent[][]>(ShownSlides), { hidden: true }),
  media_keys: field(listKind(textKind()), { hidden: true, readOnly: true }),
  card_uri: text({ readOnly: true, always: true }),
  card_type: oneOf(CARD_TYPES, { readOnly: true, always: true }),
}

/** The media items that a card shows. */
export const componentCardJoins = `left join lateral (
    select jsonb_object_agg(m.media_key, ${shownMediaSql('m')}) as by_key from media m where m.media_key = any(r.media_keys)
  ) media on true`

type MediaByKey = Record<string, ShownMedia>

export const componentCardReads = {
  media: reads(jsonKind<MediaByKey>(Type.Unknown()), 'media.by_key', { hidden: true }),
}

/** Either components or slides; the other is left out. */
export const componentCardShown: Record<string, Shown<typeof componentCardFields, typeof componentCardReads>> = {
  components: {
    schema: Type.Optional(ShownComponents),
    show: ({ components, media }) => components && showComponents(components, media ?? {}),
  },
  slides: {
    schema: Type.Optional(ShownSlides),
    show: ({ slides, media }) => slides?.map((slide) => showComponents(slide, media ?? {})),
  },
}

const showComponents = (components: CardComponent[], media: MediaByKey): Record<string, unknown>[] =>
  components.map((component) => {
    const keys = component.media_key === undefined ? component.media_keys : [component.media_key]
    const { destination } = component
    return {
      ...component,
      ...(keys ? { media_metadata: metadataOf(keys, media) } : {}),
      ...(destination?.url === undefined
        ? {}
        : { destination: { ...destination, tco_url: shortLink(destination.url) } }),
    }
  })

function metadataOf(keys: readonly string[], mediaByKey: MediaByKey): Record<string, unknown> {
  const described = keys.flatMap((key) => {
    const media = mediaByKey[key]
    return media ? [[key, describe(media)] as const] : []
  })
  return Object.fromEntries(described)
}

const describe = (media: ShownMedia): Record<string, unknown> => ({
  type: media.type === 'video' ? 'VIDEO' : 'IMAGE',
  url: media.url ?? undefined,
  width: media.width,
  height: media.height,
  ...(media.type === 'video'
    ? { video_duration: media.duration_ms, video_aspect_ratio: ratioParts(media).join(':') }
    : {}),
})
