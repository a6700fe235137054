import type { AdsEntity, Field, Fields } from './entity.ts'
import type { Param, Params } from './operation.ts'

/** Parameters that write the members of a record. Which members have one depends on the field and the operation. */
type WriteParams<F extends Fields> = {
  [K in keyof F]: Param<(F[K] extends Field<infer T> ? T : never) | null> & { required: false }
}

/** The parameters that a client may send to create or update a record. */
export function writeParams<F extends Fields>(
  entity: Pick<AdsEntity<F>, 'fields' | 'declared'>,
  what: 'create' | 'update',
): WriteParams<F> {
  const { under, initially } = entity.declared
  const params: Params = {}
  for (const [name, item] of Object.entries(entity.fields)) {
    if (item.readOnly || name === under?.field) continue
    if (what === 'create' && !item.updateOnly)
      params[name] = { kind: item.accepts ?? item.kind, required: item.required === true }
    if (what === 'update' && !item.createOnly) {
      const hasInitial = item.initial !== undefined || initially?.[name] !== undefined
      params[name] = {
        kind: item.onUpdate ?? item.accepts ?? item.kind,
        required: false,
        clearable: !item.required && !item.always && !hasInitial,
      }
    }
  }
  return params as WriteParams<F>
}

/** The members that only a creation sets. Clients that send whole records send them in updates too. */
export function unchangingParams({ fields, declared }: Pick<AdsEntity, 'fields' | 'declared'>): Params {
  const fixed = Object.entries(fields).filter(
    ([name, item]) => item.createOnly && !item.readOnly && name !== declared.under?.field,
  )
  return Object.fromEntries(
    fixed.map(([name, item]) => [name, { kind: item.accepts ?? item.kind, required: false, clearable: true }]),
  )
}
