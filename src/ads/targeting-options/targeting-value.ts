import { createHash } from 'node:crypto'
import { PUBLISHED_VALUES } from './data/published-values.data.ts'

/**
 * The targeting value of a thing with a code, such as the ISO code of a country: the published one, where there is one.
 * Otherwise it is a hash, so it needs no table and is the same on every server.
 */
export function targetingValue(kind: string, code: string): string {
  const name = `${kind}:${code.toLowerCase()}`
  return PUBLISHED_VALUES[name] ?? createHash('sha1').update(name).digest('hex').slice(0, 16)
}
