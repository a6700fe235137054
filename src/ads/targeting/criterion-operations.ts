import { words } from '../../api-kit/declaring/schema.ts'
import type { Naming } from '../../api-kit/naming/naming.ts'
import { AdsError } from '../kit/errors.ts'
import { type AdsAnswer, type AdsInput, optional, type Params, required } from '../kit/operation.ts'
import { localizedName } from '../targeting-options/localized-name.ts'
import { langKind } from '../targeting-options/lookup-operations.ts'
import { typeKind } from './targeting-criterion.fields.ts'
import { factsOf, TYPE_NAMES } from './targeting-types.data.ts'

type Reply = Record<string, unknown>
type Handler = (input: AdsInput) => Promise<AdsAnswer>

export const langParam: Params = { lang: optional(langKind) }

/** The types that one criterion can be created with; the others are only accepted in batches. */
const singleTypes = TYPE_NAMES.filter((type) => !factsOf(type).batchOnly)
export const singleTypeParam: Params = { targeting_type: required({ ...typeKind, schema: words(singleTypes) }) }

export function batchTypeErrors({ targeting_type: type }: Record<string, unknown>): AdsError[] {
  return typeof type === 'string' && factsOf(type).batchOnly
    ? [
        new AdsError('INVALID_TARGETING_TYPE', 'The targeting type cannot be used here', {
          parameter: 'targeting_type',
          details: 'is only accepted by batch/accounts/:account_id/targeting_criteria',
          value: type,
        }),
      ]
    : []
}

/** Replies with several criteria show the operator. */
export async function withOperator(input: AdsInput, standard: Handler): Promise<AdsAnswer> {
  return mapReplies(await standard(input), (reply) => spelled(reply, input))
}

/** Replies with one criterion do not show the operator. */
export async function withoutOperator(input: AdsInput, standard: Handler): Promise<AdsAnswer> {
  return mapReplies(await standard(input), (reply) => spelled({ ...reply, operator_type: undefined }, input))
}

const mapReplies = (answer: AdsAnswer, show: (reply: Reply) => Reply): AdsAnswer => ({
  ...answer,
  data: Array.isArray(answer.data) ? answer.data.map(show) : show(answer.data as Reply),
})

/** Names of platforms are words of the interface; other names may exist in the language of the request. */
function spelled(reply: Reply, { naming, params }: { naming: Naming; params: { lang?: unknown } }): Reply {
  const type = String(reply.targeting_type)
  const value = String(reply.targeting_value)
  const localized = typeof params.lang === 'string' ? localizedName(type, value, params.lang) : undefined
  const hasWords = type === 'PLATFORM' || type === 'PLATFORM_VERSION'
  return {
    ...reply,
    // The ids of publishers are numbers in JSON and must keep all of their digits.
    ...(type === 'CONTENT_PUBLISHER_USER' ? { targeting_value: BigInt(value) } : {}),
    ...(hasWords ? { name: naming.rename(String(reply.name)) } : {}),
    ...(localized === undefined ? {} : { localized_name: localized }),
  }
}
