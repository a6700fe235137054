import { closed, component, nullable, Type, words } from '../../api-kit/declaring/schema.ts'
import { ENTITY_TYPES } from './ab-test.rules.ts'

const GROUPS = { minItems: 2, maxItems: 30 }
const ENTITIES_OF_GROUP = { minItems: 1, maxItems: 200 }
const Name = Type.String({ maxLength: 255 })
const Description = Type.String({ maxLength: 1024 })
const Time = Type.String({ format: 'date-time' })
const EntityIds = Type.Array(Type.String(), ENTITIES_OF_GROUP)
const maybe = Type.Optional

/** The body that creates a test. */
export const CreateRequest = component(
  'AbTestCreateRequest',
  closed({
    start_time: Time,
    end_time: Time,
    entity_type: words(ENTITY_TYPES),
    user_groups: Type.Array(
      closed({
        entity_ids: EntityIds,
        size: Type.String(),
        name: maybe(nullable(Name)),
        description: maybe(nullable(Description)),
      }),
      GROUPS,
    ),
    name: maybe(nullable(Name)),
    description: maybe(nullable(Description)),
  }),
)

/** The body that updates a test: members that are left out stay, null removes a text. */
export const UpdateRequest = component(
  'AbTestUpdateRequest',
  closed({
    start_time: maybe(Time),
    end_time: maybe(Time),
    name: maybe(nullable(Name)),
    description: maybe(nullable(Description)),
    user_groups: maybe(
      Type.Array(
        closed({
          id: maybe(Type.String()),
          entity_ids: maybe(EntityIds),
          size: maybe(Type.String()),
          name: maybe(nullable(Name)),
          description: maybe(nullable(Description)),
        }),
        { minItems: 1, maxItems: GROUPS.maxItems },
      ),
    ),
  }),
)
