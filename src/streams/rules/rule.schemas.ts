import { closed, component, idSchema, Type } from '../../api-kit/declaring/schema.ts'

export const RuleId = idSchema('RuleId')
export const RuleValue = component('RuleValue', Type.String())
const RuleTag = component('RuleTag', Type.String())

/** A rule as answers show it. */
export const RuleSchema = component(
  'Rule',
  Type.Object({ id: Type.Optional(RuleId), tag: Type.Optional(RuleTag), value: RuleValue }),
)

/** A rule as requests have it. */
export const RuleNoId = component('RuleNoId', closed({ tag: Type.Optional(RuleTag), value: RuleValue }))

const whole = Type.Integer({ format: 'int32' })

const Summary = component(
  'RulesRequestSummary',
  Type.Unsafe<Record<string, number>>({
    oneOf: [
      Type.Object({ created: whole, invalid: whole, not_created: whole, valid: whole }),
      Type.Object({ deleted: whole, not_deleted: whole }),
    ],
  }),
)

export const RulesMeta = component(
  'RulesResponseMetadata',
  Type.Object({
    next_token: Type.Optional(component('NextToken', Type.String({ minLength: 1 }))),
    result_count: Type.Optional(whole),
    sent: Type.String(),
    summary: Type.Optional(Summary),
  }),
)
