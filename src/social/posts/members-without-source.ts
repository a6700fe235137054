import { type FieldRule, staticField } from '../../api-kit/declaring/object.ts'
import { component, type TSchema, Type, words } from '../../api-kit/declaring/schema.ts'
import { CountryCode } from '../ids.ts'
import { UrlEntitySchema } from '../text/entity.schemas.ts'
import { postRow } from './post.parts.ts'

const Text = Type.String()
const optional = Type.Optional

// Clients may request these members, but nothing that would fill them (notes, takedowns) is stored yet.
const absent = (schema: TSchema): FieldRule => staticField(postRow, schema, () => undefined)

export const membersWithoutSource: Record<string, FieldRule> = {
  matched_media_notes: absent(
    Type.Object({
      match_status: optional(Text),
      note_id: optional(component('NoteId', Type.String({ pattern: '^[0-9]{1,19}$' }))),
    }),
  ),
  media_metadata: absent(Type.Array(Type.Object({}))),
  note_request_suggestions: absent(
    Type.Object({ source_link: optional(UrlEntitySchema), suggestion: optional(Text), suggestion_id: optional(Text) }),
  ),
  scopes: absent(Type.Object({ followers: optional(Type.Boolean()) })),
  suggested_source_links: absent(Type.Array(UrlEntitySchema, { minItems: 0 })),
  suggested_source_links_with_counts: absent(
    Type.Object({ count: optional(Type.Integer()), url: optional(UrlEntitySchema) }),
  ),
  withheld: absent(
    component(
      'PostWithheld',
      Type.Object({
        copyright: Type.Boolean(),
        country_codes: Type.Array(CountryCode, { minItems: 1, uniqueItems: true }),
        scope: optional(words(['post', 'user'])),
      }),
    ),
  ),
}
