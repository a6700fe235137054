import { closed, component, type Static, type TSchema, Type, words } from '../../api-kit/declaring/schema.ts'
import { MediaKey } from '../../social/ids.ts'
import { BUTTON_LABELS } from './card-types.data.ts'

const optional = Type.Optional
const Text = Type.String()

const COMPONENT_TYPES = ['MEDIA', 'SWIPEABLE_MEDIA', 'DETAILS', 'BUTTON'] as const
const DESTINATION_TYPES = ['WEBSITE', 'APP'] as const
const Label = { type: words(['ENUM']), value: words(BUTTON_LABELS) }

const DESTINATION = {
  type: words(DESTINATION_TYPES),
  url: optional(Text),
  country_code: optional(Type.String({ pattern: '^[A-Z]{2}$' })),
  platform_a_app_id: optional(Text),
  platform_b_app_store_identifier: optional(Text),
  platform_a_deep_link: optional(Text),
  platform_b_deep_link: optional(Text),
}

// One schema for the four types: the rules check which type has which members, and their errors say it clearly.
const SentComponent = component(
  'CardComponentRequest',
  closed({
    type: words(COMPONENT_TYPES),
    media_key: optional(MediaKey),
    media_keys: optional(Type.Array(MediaKey, { minItems: 2, maxItems: 6 })),
    title: optional(Type.String({ minLength: 1 })),
    label: optional(closed(Label)),
    destination: optional(closed(DESTINATION)),
  }),
)
const SentComponents = Type.Array(SentComponent, { minItems: 2, maxItems: 2 })
const SentSlides = Type.Array(SentComponents, { minItems: 2, maxItems: 6 })
const Name = Type.String({ minLength: 1, maxLength: 80 })

export type CardComponent = Static<typeof SentComponent>
export type Destination = NonNullable<CardComponent['destination']>

/** The body that creates a card. */
export const CardCreateRequest = component(
  'CardCreateRequest',
  closed({ name: Name, components: optional(SentComponents), slides: optional(SentSlides) }),
)
/** The body that updates a card: members that are left out stay. */
export const CardUpdateRequest = component(
  'CardUpdateRequest',
  closed({ name: optional(Name), components: optional(SentComponents), slides: optional(SentSlides) }),
)

const MediaMetadata = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  additionalProperties: Type.Object({
    type: words(['GIF', 'IMAGE', 'VIDEO']),
    url: optional(Text),
    width: optional(Type.Integer()),
    height: optional(Type.Integer()),
    video_duration: optional(Type.Integer()),
    video_aspect_ratio: optional(Text),
  }),
})

const ShownComponent: TSchema = component(
  'CardComponent',
  Type.Object({
    type: words(COMPONENT_TYPES),
    media_key: optional(MediaKey),
    media_keys: optional(Type.Array(MediaKey)),
    media_metadata: optional(MediaMetadata),
    title: optional(Text),
    label: optional(Type.Object(Label)),
    destination: optional(Type.Object({ ...DESTINATION, tco_url: optional(Text) })),
  }),
)

/** Components as replies show them, with facts about their media items and the short form of their address. */
export const ShownComponents = Type.Array(ShownComponent)
export const ShownSlides = Type.Array(ShownComponents)
