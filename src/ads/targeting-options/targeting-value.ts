import { createHash } from 'node:crypto'

/** The targeting value of a thing with a code, such as the ISO code of a country. It is a hash, so it needs no table and is the same on every server. */
export function targetingValue(kind: string, code: string): string {
  return createHash('sha1').update(`${kind}:${code.toLowerCase()}`).digest('hex').slice(0, 16)
}
