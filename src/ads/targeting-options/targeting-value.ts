import { createHash } from 'node:crypto'

/** What kind of thing a targeting value stands for; each kind has values of its own. */
export type TargetingKind = string

/** The targeting value of a thing with a code of its own (a country: its ISO code): the same on every server, so that it needs no table. */
export function targetingValue(kind: TargetingKind, code: string): string {
  return createHash('sha1').update(`${kind}:${code.toLowerCase()}`).digest('hex').slice(0, 16)
}
