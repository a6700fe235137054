import { createHmac } from 'node:crypto'
import { readQuery } from '../../api-kit/reading/request-query.ts'
import { signatureBase } from '../../identity/oauth1/signature.ts'
import { withQuery } from '../../identity/sign-in/callback.ts'
import { sameText } from '../../process/secret-box.ts'
import type { PartnerKey } from './partner-keys.ts'

/** Base64 of HMAC-SHA1 over method, encoded address and encoded sorted query. */
const sign = (url: string, pairs: readonly (readonly [string, string])[], key: string): string =>
  createHmac('sha1', key)
    .update(signatureBase('GET', url, pairs))
    .digest('base64')

const pairsOf = (query: ReadonlyMap<string, string[]>): [string, string][] =>
  [...query].flatMap(([name, values]) => values.map((value): [string, string] => [name, value]))

/** The key with which a partner signed the address of a request; undefined when there is none. */
export function findSigningKey(url: string, rawQuery: string, keys: readonly PartnerKey[]): PartnerKey | undefined {
  const query = readQuery(rawQuery)
  // A plus sign that was not encoded is read as a space, which Base64 does not have.
  const given = (query.get('signature')?.[0] ?? '').replaceAll(' ', '+')
  query.delete('signature')
  const pairs = pairsOf(query)
  return keys.find((key) => sameText(sign(url, pairs, key.secret), given))
}

/** The address of a partner with what became of its request, signed for it and for the user that it named. */
export function signedCallback(
  callbackUrl: string,
  values: Record<string, string>,
  { secret }: PartnerKey,
  userId: string,
): string {
  const address = withQuery(callbackUrl, values)
  const cut = address.indexOf('?')
  const pairs = pairsOf(readQuery(address.slice(cut + 1)))
  return withQuery(address, { signature: sign(address.slice(0, cut), pairs, `${secret}&${userId}`) })
}
