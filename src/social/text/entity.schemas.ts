import { component, type TSchema, Type } from '../../api-kit/declaring/schema.ts'
import { MediaKey, UserId, UserName } from '../ids.ts'

const Span = { end: Type.Integer({ minimum: 0 }), start: Type.Integer({ minimum: 0 }) }
const Url = component('Url', Type.String({ format: 'uri' }))

export const UrlEntitySchema = component(
  'UrlEntity',
  Type.Object({
    ...Span,
    description: Type.Optional(Type.String()),
    display_url: Type.Optional(Type.String()),
    expanded_url: Type.Optional(Url),
    images: Type.Optional(
      Type.Array(
        component(
          'UrlImage',
          Type.Object({
            height: Type.Optional(component('MediaHeight', Type.Integer({ minimum: 0 }))),
            url: Type.Optional(Url),
            width: Type.Optional(component('MediaWidth', Type.Integer({ minimum: 0 }))),
          }),
        ),
        { minItems: 1 },
      ),
    ),
    media_key: Type.Optional(MediaKey),
    status: Type.Optional(component('HttpStatusCode', Type.Integer({ minimum: 100, maximum: 599 }))),
    title: Type.Optional(Type.String()),
    unwound_url: Type.Optional(Type.String({ format: 'uri' })),
    url: Url,
  }),
)
const CashtagEntity = component('CashtagEntity', Type.Object({ ...Span, tag: Type.String() }))
const HashtagEntity = component('HashtagEntity', Type.Object({ ...Span, tag: Type.String() }))
const MentionEntity = component(
  'MentionEntity',
  Type.Object({ ...Span, id: Type.Optional(UserId), username: UserName }),
)

const several = <T extends TSchema>(item: T) => Type.Optional(Type.Array(item, { minItems: 1 }))

const textKinds = {
  cashtags: several(CashtagEntity),
  hashtags: several(HashtagEntity),
  mentions: several(MentionEntity),
  urls: several(UrlEntitySchema),
}

/** Entities of a post's text or a user's description. */
export const FullTextEntities = component(
  'FullTextEntities',
  Type.Object({
    annotations: several(
      Type.Object({
        ...Span,
        normalized_text: Type.Optional(Type.String()),
        probability: Type.Optional(Type.Number({ minimum: 0, maximum: 1, format: 'double' })),
        type: Type.Optional(Type.String()),
      }),
    ),
    ...textKinds,
  }),
)

/** Entities of a long post's full text. */
export const NoteEntities = Type.Object(textKinds)
