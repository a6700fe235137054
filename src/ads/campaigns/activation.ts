import { changeRecord } from '../kit/change-records.ts'
import type { AdsEntity } from '../kit/entity.ts'
import { type AdsOperation, defineAdsOperation } from '../kit/operation.ts'

/** The operation that sets a record to ACTIVE. */
export function activation(entity: AdsEntity, id: string): AdsOperation {
  return defineAdsOperation({
    id,
    route: `PUT ${entity.collection}/{${entity.idName}}/activate`,
    tag: entity.tag,
    summary: `Activate a ${entity.name.replaceAll('_', ' ')}`,
    path: { [entity.idName]: { kind: entity.idKind, missing: entity.notFound } },
    data: entity.schema,
    may: entity.may.manage,
    handle: async (input) => {
      const id = input.path[entity.idName]!
      const record = await changeRecord(entity, input, { kind: 'update', id, given: { entity_status: 'ACTIVE' } })
      return { data: entity.toReply(record, input.runtime.clock.now()) }
    },
  })
}
