import { Type } from '../../api-kit/declaring/schema.ts'
import { shortLink } from '../../social/links/short-link.ts'
import { type Loose, type Read, reads, type Shown } from '../kit/entity.ts'
import { field, oneOf, text } from '../kit/field.ts'
import { jsonKind, listKind, textKind } from '../kit/values.ts'
import { type CardComponent, ShownComponents, ShownSlides } from './card-components.schemas.ts'
import { CARD_TYPES } from './card-types.data.ts'
import { ratioParts, type ShownMedia, shownMediaSql } from './shown-media.ts'

/** The columns of a card of components; the same whether such cards are read alone or among others. */
export const componentCardFields = {
  name: text({ min: 1, max: 80, required: true }),
  components: field(jsonKind<CardComponent[]>(ShownComponents), { hidden: true }),
  slides: field(jsonKind<CardComponent[][]>(ShownSlides), { hidden: true }),
  media_keys: field(listKind(textKind()), { hidden: true, readOnly: true }),
  card_uri: text({ readOnly: true, always: true, initial: (draft) => `card://${draft.id}` }),
  card_type: oneOf(CARD_TYPES, { readOnly: true, always: true }),
}

/** Everything known of the media that a card shows. */
export const componentCardJoins = `left join lateral (
    select jsonb_object_agg(m.media_key, ${shownMediaSql('m')}) as by_key from media m where m.media_key = any(r.media_keys)
  ) media on true`

export const componentCardReads: Record<string, Read> = {
  media: reads(jsonKind<Record<string, ShownMedia>>(Type.Unknown()), 'media.by_key', { hidden: true }),
}

/** Either components or slides; the other is left out. */
export const componentCardShown: Record<string, Shown> = {
  components: {
    schema: Type.Optional(ShownComponents),
    show: (record) => record.components && showComponents(record.components, record),
  },
  slides: {
    schema: Type.Optional(ShownSlides),
    show: (record) => record.slides?.map((slide: CardComponent[]) => showComponents(slide, record)),
  },
}

const showComponents = (components: CardComponent[], { media }: Loose): Record<string, unknown>[] =>
  components.map((component) => {
    const keys = component.media_key === undefined ? component.media_keys : [component.media_key]
    const { destination } = component
    return {
      ...component,
      ...(keys ? { media_metadata: metadataOf(keys, media ?? {}) } : {}),
      ...(destination?.url === undefined
        ? {}
        : { destination: { ...destination, tco_url: shortLink(destination.url) } }),
    }
  })

function metadataOf(keys: readonly string[], known: Record<string, ShownMedia>): Record<string, unknown> {
  const described = keys.flatMap((key) => {
    const media = known[key]
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
