import { defineObject, field } from '../../api-kit/object.ts'
import { definePart, keyedBy } from '../../api-kit/part-store.ts'
import { component, type TSchema, Type } from '../../api-kit/schema.ts'
import { statement } from '../../storage/statement.ts'
import { MediaKey } from '../ids.ts'

const mediaByKey = statement(
  'media_by_key',
  {
    media_key: 'text',
    type: 'text',
    url: 'text?',
    preview_image_url: 'text?',
    width: 'int4',
    height: 'int4',
    duration_ms: 'int4?',
    alt_text: 'text?',
    variants: 'jsonb?',
    view_count: 'int4',
  },
  `select media_key, type, url, preview_image_url, width, height, duration_ms, alt_text, variants, view_count
     from media where media_key = any($1::text[])`,
)

export const mediaRow = definePart('media', 'row', async (db, keys) =>
  keyedBy((row) => row.media_key, await mediaByKey.all(db, keys)),
)

const Text = Type.String()
const Uri = Type.String({ format: 'uri' })
const Variants = component(
  'Variants',
  Type.Array(
    component(
      'Variant',
      Type.Object({
        bit_rate: Type.Optional(Type.Integer()),
        content_type: Type.Optional(Text),
        url: Type.Optional(Uri),
      }),
    ),
    { minItems: 1 },
  ),
)

// Uploads are not part of the interface yet: rows appear with them, and with their private metrics.
const absent = (schema: TSchema) => field(mediaRow, schema, () => undefined)

/** A photo, video or moving picture as the interface shows it. */
export const media = defineObject({
  name: 'media',
  plural: 'media',
  component: 'Media',
  always: ['media_key', 'type'],
  basis: mediaRow,
  fields: {
    media_key: field(mediaRow, MediaKey, (row) => row.media_key),
    type: field(mediaRow, Text, (row) => row.type),
    url: field(mediaRow, Uri, (row) => (row.type === 'photo' ? row.url : undefined)),
    preview_image_url: field(mediaRow, Uri, (row) => row.preview_image_url),
    width: field(mediaRow, component('MediaWidth', Type.Integer({ minimum: 0 })), (row) => row.width),
    height: field(mediaRow, component('MediaHeight', Type.Integer({ minimum: 0 })), (row) => row.height),
    duration_ms: field(mediaRow, Type.Integer(), (row) => row.duration_ms),
    alt_text: field(mediaRow, Text, (row) => row.alt_text),
    variants: field(mediaRow, Variants, (row) => row.variants as never),
    public_metrics: field(
      mediaRow,
      Type.Object({ view_count: Type.Optional(Type.Integer({ format: 'int32' })) }),
      (row) => (row.type === 'photo' ? undefined : { view_count: row.view_count }),
    ),
    non_public_metrics: absent(Type.Object({})),
    organic_metrics: absent(Type.Object({})),
    promoted_metrics: absent(Type.Object({})),
  },
})
