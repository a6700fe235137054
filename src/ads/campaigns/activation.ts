import { changeRecord } from '../kit/change-records.ts'
import type { AdsEntity } from '../kit/entity.ts'
import { type AdsOperation, defineAdsOperation } from '../kit/operation.ts'

/** The call that sets a record to ACTIVE. */
export function activation(entity: AdsEntity, id: string): AdsOperation {
  return defineAdsOperation({
    id,
    route: `PUT ${entity.collection as `/${string}`}/{${entity.idName}}/activate`,
    tag: entity.tag,
    summary: 'Set it to ACTIVE',
    path: { [entity.idName]: { kind: entity.idKind, missing: entity.notFound } },
    data: entity.schema,
    may: entity.may.manage,
    handle: async (input) => {
      const wish = { kind: 'update' as const, id: input.path[entity.idName]!, given: { entity_status: 'ACTIVE' } }
      const record = await changeRecord(entity, input, wish)
      return { data: entity.toReply(record, input.runtime.clock.now()) }
    },
  })
}
