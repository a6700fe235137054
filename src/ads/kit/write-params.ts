import type { AdsEntity } from './entity.ts'
import type { Params } from './operation.ts'

/** The parameters that a client may send to make or change a record. */
export function writeParams(entity: AdsEntity, what: 'create' | 'update'): Params {
  const params: Params = {}
  for (const [name, item] of Object.entries(entity.fields)) {
    if (item.readOnly || name === entity.under?.field) continue
    if (what === 'create' && !item.updateOnly)
      params[name] = { kind: item.reads ?? item.kind, required: item.required === true }
    if (what === 'update' && !item.createOnly)
      params[name] = {
        kind: item.onUpdate ?? item.reads ?? item.kind,
        required: false,
        clearable: !item.required && !item.always && item.initial === undefined,
      }
  }
  return params
}
