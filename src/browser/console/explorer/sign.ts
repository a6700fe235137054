import { CallError } from '../kit/client.ts'

/** The four parts of an OAuth 1.0a credential. */
export interface OAuth1Keys {
  consumerKey: string
  consumerSecret: string
  token: string
  tokenSecret: string
}

const encoded = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)

const sorted = (pairs: [string, string][]): string =>
  pairs
    .map(([name, value]) => [encoded(name), encoded(value)] as const)
    .sort(([left, first], [right, second]) => (left === right ? (first < second ? -1 : 1) : left < right ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join('&')

/** The Authorization header of OAuth 1.0a, signed with HMAC-SHA1. */
export async function signed(
  method: string,
  url: string,
  query: readonly [string, string][],
  keys: OAuth1Keys,
): Promise<string> {
  if (!crypto.subtle)
    throw new CallError(0, { detail: 'Browsers sign only at https addresses and at localhost. Use OAuth 2.0 here.' })
  const oauth: [string, string][] = [
    ['oauth_consumer_key', keys.consumerKey],
    ['oauth_nonce', crypto.randomUUID().replaceAll('-', '')],
    ['oauth_signature_method', 'HMAC-SHA1'],
    ['oauth_timestamp', String(Math.floor(Date.now() / 1000))],
    ['oauth_token', keys.token],
    ['oauth_version', '1.0'],
  ]
  const base = [method, url, sorted([...oauth, ...query])].map(encoded).join('&')
  const bytes = new TextEncoder()
  const secret = bytes.encode(`${encoded(keys.consumerSecret)}&${encoded(keys.tokenSecret)}`)
  const key = await crypto.subtle.importKey('raw', secret, { name: 'HMAC', hash: 'SHA-1' }, false, ['sign'])
  const signature = new Uint8Array(await crypto.subtle.sign('HMAC', key, bytes.encode(base)))
  const all = [...oauth, ['oauth_signature', btoa(String.fromCharCode(...signature))] as [string, string]]
  return `OAuth ${all.map(([name, value]) => `${name}="${encoded(value)}"`).join(', ')}`
}
