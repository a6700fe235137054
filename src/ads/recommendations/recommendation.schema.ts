import { component, type TSchema, Type, words } from '../../api-kit/declaring/schema.ts'
import { idKind } from '../kit/values.ts'

const ENTITIES = ['campaigns', 'line_items', 'targeting_criteria', 'promoted_posts'] as const

/** A proposed change. Without an operation the entity stays unchanged and only contains the changes below it. */
export interface ProposedChange {
  entity_type: (typeof ENTITIES)[number]
  operation_type: 'Create' | 'Update' | 'Delete' | null
  params: Record<string, unknown>
  dependent_entities: ProposedChange[]
}

// The writer of replies does not support recursive schemas, so the three levels of the tree are written out.
const level = (below: TSchema) =>
  Type.Object({
    entity_type: words(ENTITIES),
    operation_type: { ...words(['Create', 'Update', 'Delete']), nullable: true },
    params: Type.Record(Type.String(), Type.Unknown()),
    dependent_entities: Type.Array(below),
  })
const leaf = level(Type.Object({}))

const members = {
  id: idKind.schema,
  account_id: idKind.schema,
  funding_instrument_id: idKind.schema,
  status: words(['PENDING']),
  message: Type.String(),
  created_at: Type.String({ format: 'date-time' }),
  updated_at: Type.String({ format: 'date-time' }),
}

export const RecommendationSchema = component('Recommendation', Type.Object(members))
export const RecommendationDetailSchema = component(
  'RecommendationDetail',
  Type.Object({ ...members, changes: Type.Array(level(level(leaf))) }),
)
