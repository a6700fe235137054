import { closed, component, Type } from '../../api-kit/declaring/schema.ts'
import { statement } from '../../storage/statement.ts'
import { LEAST_PEOPLE } from '../audiences/count-audiences.ts'
import type { AccountAccess } from '../kit/access.ts'
import { AdsError, AdsProblem } from '../kit/errors.ts'
import { defineAdsOperation } from '../kit/operation.ts'
import { oneOfKind } from '../kit/values.ts'
import { criterionTypeErrors } from '../targeting/criterion.rules.ts'
import { referenceErrors } from '../targeting/referred-records.ts'
import { type CriterionFacts, typeKind, valueKind } from '../targeting/targeting-criterion.fields.ts'
import { CRITERION_OPERATORS, factsOf } from '../targeting/targeting-types.data.ts'
import { readTargetingValue } from '../targeting/targeting-values.ts'
import { audienceSizeOf, namesAudience, rangeOf } from './audience-size.ts'

const MOST_CRITERIA = 2_500

const operatorKind = oneOfKind(CRITERION_OPERATORS)

/** A criterion as it was sent. The allowed values of its members depend on its type. */
interface Sent {
  targeting_type?: unknown
  targeting_value?: unknown
  operator_type?: unknown
}

const EstimateBody = closed({
  targeting_criteria: Type.Array(
    closed({
      targeting_type: Type.Unknown(),
      targeting_value: Type.Unknown(),
      operator_type: Type.Optional(Type.Unknown()),
    }),
    { minItems: 1, maxItems: MOST_CRITERIA },
  ),
})

type ReadCriterion = CriterionFacts & { value_id: string | null }

function readCriterion(sent: Sent, account: AccountAccess): ReadCriterion | AdsError[] {
  const type = typeKind.read(sent.targeting_type, 'targeting_type')
  if (type instanceof AdsError) return [type]
  const operator = sent.operator_type === undefined ? 'EQ' : operatorKind.read(sent.operator_type, 'operator_type')
  if (operator instanceof AdsError) return [operator]
  const text = valueKind.read(sent.targeting_value, 'targeting_value')
  if (text instanceof AdsError) return [text]
  const criterion = { targeting_type: type, targeting_value: text, operator_type: operator }
  const errors = criterionTypeErrors(criterion, account)
  if (errors.length > 0) return errors
  const read = readTargetingValue(type, text)
  return read instanceof AdsError ? [read] : { ...criterion, targeting_value: read.value, value_id: read.id ?? null }
}

const primaryNeeded = new AdsError('INVALID_PARAMETER', 'Expected a valid value for the parameter', {
  parameter: 'targeting_criteria',
  details:
    'at least one criterion must be of a primary type: keywords, followers, interests, custom audiences or television shows',
})

/** Puts the criterion that errors belong to into their parameters. */
const withCriterion = (errors: readonly AdsError[], at: number): AdsError[] =>
  errors.map((error) => error.with({ parameter: `targeting_criteria[${at}].${error.parameter}` }))

const LEAST_STEP = 5

const hasDoNotReachList = statement(
  'ads_has_do_not_reach_list',
  { id: 'int8' },
  'select id from ads_do_not_reach_list where account_id = $1 and not deleted limit 1',
)

export const createAudienceEstimate = defineAdsOperation({
  id: 'createAudienceEstimate',
  route: 'POST /12/accounts/{account_id}/audience_estimate',
  tag: 'Audience Estimate',
  summary: 'Estimate how many people targeting criteria reach',
  body: EstimateBody,
  data: component(
    'AudienceEstimate',
    Type.Object({
      audience_size: Type.Object({
        min: Type.Integer({ format: 'int64' }),
        max: Type.Integer({ format: 'int64' }),
      }),
    }),
  ),
  may: 'see campaigns',
  echo: { also: { targeting_criteria: null } },
  handle: async ({ body, account, runtime }) => {
    const read = body.targeting_criteria.map((item) => readCriterion(item, account))
    const errors = read.flatMap((item, at) => (Array.isArray(item) ? withCriterion(item, at) : []))
    if (errors.length > 0) throw new AdsProblem(errors)
    const criteria = read as ReadCriterion[]
    if (!criteria.some((item) => factsOf(item.targeting_type).primary)) throw new AdsProblem([primaryNeeded])
    const missing = (await referenceErrors(runtime.database, account.id, criteria)).flatMap(withCriterion)
    if (missing.length > 0) throw new AdsProblem(missing)
    const asked = criteria.map((item) => ({
      type: item.targeting_type,
      value: item.targeting_value,
      id: item.value_id ?? undefined,
      excludes: item.operator_type === 'NE',
    }))
    const size = await audienceSizeOf(runtime.database, account.id, asked, runtime.clock.now())
    const isPrivate =
      namesAudience(asked) || (await hasDoNotReachList.first(runtime.database, account.id)) !== undefined
    return { data: { audience_size: rangeOf(size, isPrivate ? LEAST_PEOPLE : LEAST_STEP) } }
  },
})
