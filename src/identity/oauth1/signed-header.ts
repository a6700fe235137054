import { realNow } from '../../process/clock.ts'
import { randomText } from '../../process/secret-box.ts'
import { percentEncode, signature, signatureBase } from './signature.ts'

/** What a request is signed with. */
export interface SigningKeys {
  consumerKey: string
  consumerSecret: string
  token: string
  tokenSecret: string
}

/** The Authorization header of a request, as a client signs it. `pairs` are those of a form body. */
export function signedHeader(
  method: string,
  address: string,
  pairs: readonly (readonly [string, string])[],
  keys: SigningKeys,
): string {
  const own: [string, string][] = [
    ['oauth_consumer_key', keys.consumerKey],
    ['oauth_nonce', randomText(24)],
    ['oauth_signature_method', 'HMAC-SHA1'],
    ['oauth_timestamp', String(Math.floor(realNow() / 1000))],
    ['oauth_token', keys.token],
    ['oauth_version', '1.0'],
  ]
  const base = signatureBase(method, address, [...new URL(address).searchParams, ...pairs, ...own])
  const signed = [...own, ['oauth_signature', signature(base, keys.consumerSecret, keys.tokenSecret)] as const]
  return `OAuth ${signed.map(([name, value]) => `${percentEncode(name)}="${percentEncode(value)}"`).join(', ')}`
}
