import type { AdsOperation } from '../../src/ads/kit/operation.ts'
import type { Naming } from '../../src/api-kit/naming/naming.ts'
import type { As } from '../support/server.ts'
import { type AdsScene, queryOf } from './ads-scene.ts'
import type { AdsCall } from './examples/example.ts'

/** The address of a call, spelled in the naming. */
export function addressOf(scene: AdsScene, operation: AdsOperation, naming: Naming, call: AdsCall): string {
  const values: Record<string, string> = { account_id: scene.account, ...call.path }
  const path = naming.rename(operation.path.replace(/\{[^}]+\}/g, (part) => `:${part.slice(1, -1)}:`))
  const filled = path.replace(/:([a-z0-9_]+):/g, (_, name: string) =>
    encodeURIComponent(values[naming.restore(name)] ?? 'x'),
  )
  const query = Object.entries(call.values ?? {}).map(([name, value]) => {
    const isWord = Object.hasOwn(operation.params, name) && operation.params[name]!.kind.hasWords
    return [naming.rename(name), isWord ? naming.rename(String(value)) : value] as const
  })
  return `/ads-sandbox${filled}${query.length === 0 ? '' : `?${queryOf(Object.fromEntries(query))}`}`
}

/** A JSON body with its member names spelled in the naming. */
export function spelled(json: unknown, naming: Naming): unknown {
  if (Array.isArray(json)) return json.map((item) => spelled(item, naming))
  if (typeof json !== 'object' || json === null) return json
  return Object.fromEntries(Object.entries(json).map(([name, value]) => [naming.rename(name), spelled(value, naming)]))
}

/** Sends a call of an operation. */
export const sendCall = (scene: AdsScene, operation: AdsOperation, naming: Naming, call: AdsCall, as: As) =>
  scene.server.request(operation.method, addressOf(scene, operation, naming, call), {
    as,
    ...(call.json === undefined ? {} : { json: spelled(call.json, naming) }),
  })
