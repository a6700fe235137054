import { words } from '../../api-kit/declaring/schema.ts'
import type { Naming } from '../../api-kit/naming/naming.ts'
import { AdsError } from '../kit/errors.ts'
import { type AdsInput, type AdsOperation, optional, required } from '../kit/operation.ts'
import { localizedName } from '../targeting-options/localized-name.ts'
import { langKind } from '../targeting-options/lookup-operations.ts'
import { targetingCriteria } from './targeting-criterion.entity.ts'
import { typeKind } from './targeting-criterion.fields.ts'
import { factsOf, TYPE_NAMES } from './targeting-types.data.ts'

type Reply = Record<string, unknown>

/** The operations of the entity, with what this kind of record shows differently in each. */
export const criteriaOperations: AdsOperation[] = targetingCriteria.operations.map((operation) => {
  switch (operation.id) {
    case 'listTargetingCriteria':
      return showing(withLang(operation), 'operator')
    case 'getTargetingCriterion':
      return showing(withLang(operation), 'no operator')
    case 'createTargetingCriterion':
      return withSingleTypes(showing(operation, 'no operator'))
    case 'batchTargetingCriteria':
      return showing(operation, 'operator')
    default:
      return showing(operation, 'no operator')
  }
})

function withLang(operation: AdsOperation): AdsOperation {
  return { ...operation, params: { ...operation.params, lang: optional(langKind) } }
}

/** Replies with several records tell the operator; those with one do not. */
function showing(operation: AdsOperation, what: 'operator' | 'no operator'): AdsOperation {
  return {
    ...operation,
    handle: async (input) => {
      const answer = await operation.handle(input)
      const { params, naming } = input as AdsInput<{ lang?: string }>
      const show = (reply: Reply) =>
        spelled(what === 'operator' ? reply : { ...reply, operator_type: undefined }, naming, params.lang)
      const { data } = answer
      return { ...answer, data: Array.isArray(data) ? data.map(show) : show(data as Reply) }
    },
  }
}

/** Names of platforms are words of the interface, and other names may be known in the asked language. */
function spelled(reply: Reply, naming: Naming, lang: string | undefined): Reply {
  const type = reply.targeting_type as string
  const localized = lang === undefined ? undefined : localizedName(type, String(reply.targeting_value), lang)
  const hasWords = type === 'PLATFORM' || type === 'PLATFORM_VERSION'
  return {
    ...reply,
    // Publishers are numbers, of which none may lose its last digits.
    ...(type === 'CONTENT_PUBLISHER_USER' ? { targeting_value: BigInt(reply.targeting_value as string) } : {}),
    ...(hasWords ? { name: naming.rename(reply.name as string) } : {}),
    ...(localized === undefined ? {} : { localized_name: localized }),
  }
}

/** Some types are taken in batches alone. */
function withSingleTypes(operation: AdsOperation): AdsOperation {
  const single = TYPE_NAMES.filter((type) => !factsOf(type).batchOnly)
  return {
    ...operation,
    params: { ...operation.params, targeting_type: required({ ...typeKind, schema: words(single) }) },
    check: batchTypeErrors as AdsOperation['check'],
  }
}

function batchTypeErrors({ targeting_type: type }: { targeting_type: string }): AdsError[] {
  return factsOf(type).batchOnly
    ? [
        new AdsError('INVALID_TARGETING_TYPE', 'The targeting type can not be used here', {
          parameter: 'targeting_type',
          details: 'is taken by batch/accounts/:account_id/targeting_criteria only',
          value: type,
        }),
      ]
    : []
}
