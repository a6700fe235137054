import { percentEncode, signature, signatureBase } from '../identity/oauth1/signature.ts'
import { realNow } from '../process/clock.ts'
import { randomText } from '../process/secret-box.ts'

/** The keys of an app and a token of a user. */
export interface SigningKeys {
  apiKey: string
  apiKeySecret: string
  accessToken: string
  accessTokenSecret: string
}

/** The Authorization header of a request by OAuth 1.0a. `form` are the pairs of a form body. */
export function signRequest(
  method: string,
  address: string,
  form: readonly (readonly [string, string])[],
  keys: SigningKeys,
): string {
  const own: [string, string][] = [
    ['oauth_consumer_key', keys.apiKey],
    ['oauth_nonce', randomText(24)],
    ['oauth_signature_method', 'HMAC-SHA1'],
    ['oauth_timestamp', String(Math.floor(realNow() / 1000))],
    ['oauth_token', keys.accessToken],
    ['oauth_version', '1.0'],
  ]
  const pairs = [...new URL(address).searchParams, ...form.map(([name, value]): [string, string] => [name, value])]
  const base = signatureBase(method, address, [...pairs, ...own])
  const signed = [...own, ['oauth_signature', signature(base, keys.apiKeySecret, keys.accessTokenSecret)] as const]
  return `OAuth ${signed.map(([name, value]) => `${percentEncode(name)}="${percentEncode(value)}"`).join(', ')}`
}
