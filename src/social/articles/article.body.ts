import {
  closed,
  component,
  fixedName,
  ownBound,
  type Static,
  type TSchema,
  Type,
  words,
} from '../../api-kit/declaring/schema.ts'

const optional = Type.Optional
const Index = Type.Integer({ minimum: 0 })
const text = (most: number) => ownBound(Type.String(), most)
const list = <T extends TSchema>(items: T, most: number) => ownBound(Type.Array(items), most)

/** The most characters of all blocks together. */
export const MOST_CHARACTERS = 100_000

const MediaItem = closed({ media_category: text(50), media_id: text(19) })
const Found = list(closed({ from_index: Index, text: text(2_048), to_index: Index }), 500)

const Block = closed({
  data: optional(
    closed({ cashtags: optional(Found), hashtags: optional(Found), mentions: optional(Found), urls: optional(Found) }),
  ),
  entity_ranges: optional(list(closed({ key: Index, length: Index, offset: Index }), 500)),
  inline_style_ranges: optional(
    list(closed({ length: Index, offset: Index, style: words(['bold', 'italic', 'strikethrough']) }), 500),
  ),
  key: optional(text(100)),
  text: text(25_000),
  type: words([
    'unstyled',
    'header-one',
    'header-two',
    'header-three',
    'unordered-list-item',
    'ordered-list-item',
    'blockquote',
    'atomic',
  ]),
})

const Entity = closed({
  key: text(100),
  value: closed({
    data: closed({
      caption: optional(text(1_000)),
      entity_key: optional(text(100)),
      markdown: optional(text(25_000)),
      media_items: optional(list(MediaItem, 20)),
      post_id: optional(fixedName(text(19))),
      url: optional(text(2_048)),
    }),
    mutability: words(['immutable', 'mutable', 'segmented']),
    type: fixedName(words(['post', 'link', 'image'])),
  }),
})

export const ArticleDraftCreateRequest = component(
  'ArticleDraftCreateRequest',
  closed({
    content_state: closed({ blocks: list(Block, 1_000), entities: list(Entity, 500) }),
    cover_media: optional(MediaItem),
    title: ownBound(Type.String({ minLength: 1 }), 150),
  }),
)
export type ArticleDraft = Static<typeof ArticleDraftCreateRequest>
