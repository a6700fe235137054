import { type FieldRule, staticField } from '../../api-kit/declaring/object.ts'
import { component, Type } from '../../api-kit/declaring/schema.ts'
import { postRow } from '../posts/post.parts.ts'
import { entitiesOf } from './dictionary.ts'
import { DOMAINS_BY_ID } from './domains.data.ts'

const Text = Type.String()
const optional = Type.Optional

const annotationFact = (name: string) =>
  component(
    name,
    Type.Object({ description: optional(Text), id: Type.String({ pattern: '^[0-9]{1,19}$' }), name: optional(Text) }),
  )

/** The member `context_annotations` of a post: each entity in each of its domains. */
export const contextAnnotations: FieldRule = staticField(
  postRow,
  Type.Array(
    component(
      'ContextAnnotation',
      Type.Object({
        domain: annotationFact('ContextAnnotationDomainFields'),
        entity: annotationFact('ContextAnnotationEntityFields'),
      }),
    ),
    { minItems: 1 },
  ),
  (row) => {
    const found = entitiesOf(row.context_entity_ids).flatMap(({ id, name, domains }) =>
      domains.map((domain) => ({ domain: DOMAINS_BY_ID.get(domain)!, entity: { id, name } })),
    )
    return found.length === 0 ? undefined : found
  },
)
