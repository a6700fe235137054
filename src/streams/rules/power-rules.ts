import { defineOperation } from '../../api-kit/declaring/operation.ts'
import { ErrorsSchema } from '../../api-kit/declaring/reply.ts'
import { closed, component, Type } from '../../api-kit/declaring/schema.ts'
import { Answer } from '../../api-kit/writing/answer.ts'
import { renderBody } from '../../api-kit/writing/problem.ts'
import { FULL_TIERS } from '../../identity/tier-caps.ts'
import { addRules, type RuleProduct, removeRules } from './change-rules.ts'
import { RuleNoId, RuleSchema } from './rule.schemas.ts'
import { rulesAfter } from './rule.statements.ts'

const MOST_RULES = 1_000

/** The rules of the power stream, which are separate from those of the filtered stream. */
const POWER: RuleProduct = { product: 'power', place: 'power', most: () => MOST_RULES }

const declared = {
  route: '/2/powerstream/rules',
  tag: 'Powerstream',
  auth: { app: true, tiers: FULL_TIERS },
  limit: { app: '50/24h' },
} as const

const Rules = component(
  'PowerstreamRulesRequest',
  closed({ rules: Type.Array(RuleNoId, { minItems: 1, maxItems: 100 }) }),
)
const rulesReply = component(
  'PowerstreamRulesResponse',
  Type.Object({
    data: Type.Object({ rules: Type.Array(RuleSchema) }),
    errors: ErrorsSchema,
  }),
)

export const getPowerstreamRules = defineOperation({
  ...declared,
  id: 'getPowerstreamRules',
  route: `GET ${declared.route}`,
  summary: 'List the rules of the power stream',
  reply: rulesReply,
  handle: async ({ caller, runtime }) => ({
    data: { rules: await rulesAfter.all(runtime.database, caller.app.id, POWER.product, '0', MOST_RULES) },
  }),
})

export const createPowerstreamRules = defineOperation({
  ...declared,
  id: 'createPowerstreamRules',
  route: `POST ${declared.route}`,
  summary: 'Add rules to the power stream',
  body: Rules,
  reply: rulesReply,
  status: 201,
  otherStatus: 200,
  handle: async ({ body, caller, runtime, context }) => {
    const { added, errors } = await addRules(runtime, caller, POWER, body.rules, false)
    const rendered = errors.length === 0 ? undefined : renderBody(errors, context.naming, context.problemBase)
    return new Answer(JSON.stringify({ data: { rules: added }, errors: rendered }), {
      status: added.length > 0 ? 201 : 200,
    })
  },
})

export const deletePowerstreamRules = defineOperation({
  ...declared,
  id: 'deletePowerstreamRules',
  route: `DELETE ${declared.route}`,
  summary: 'Remove rules from the power stream by value',
  body: Rules,
  reply: component(
    'PowerstreamRulesDeleteResponse',
    Type.Object({ data: Type.Object({ deleted: Type.Integer(), not_deleted: Type.Integer() }) }),
  ),
  handle: async ({ body, caller, runtime }) => {
    const values = body.rules.map((rule) => rule.value)
    const { deleted, missing } = await removeRules(runtime, caller, POWER, { values }, false)
    return { data: { deleted, not_deleted: missing.values.length } }
  },
})
