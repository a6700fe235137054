import { createHmac, randomBytes } from 'node:crypto'

/** Keys for an OAuth 1.0a signature. */
export interface SigningKeys {
  consumerKey: string
  consumerSecret: string
  token?: string
  tokenSecret?: string
}

export const encode = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)

/**
 * An Authorization header as a client makes it. It shares no code with the server, so a mistake in the server is found.
 * `form` are the pairs of a form-encoded body.
 */
export function sign(
  method: string,
  url: string,
  keys: SigningKeys,
  options: { form?: Record<string, string>; oauth?: Record<string, string> } = {},
): string {
  const address = new URL(url)
  const oauth: Record<string, string> = {
    oauth_consumer_key: keys.consumerKey,
    oauth_nonce: randomBytes(16).toString('hex'),
    oauth_signature_method: 'HMAC-SHA1',
    oauth_timestamp: String(Math.floor(Date.now() / 1000)),
    oauth_version: '1.0',
    ...(keys.token === undefined ? {} : { oauth_token: keys.token }),
    ...options.oauth,
  }
  const pairs = [...address.searchParams, ...Object.entries(options.form ?? {}), ...Object.entries(oauth)]
    .map(([name, value]) => [encode(name), encode(value)] as const)
    .sort(([name, value], [otherName, otherValue]) =>
      name === otherName ? (value < otherValue ? -1 : 1) : name < otherName ? -1 : 1,
    )
    .map(([name, value]) => `${name}=${value}`)
  const base = [
    method.toUpperCase(),
    encode(`${address.protocol}//${address.host}${address.pathname}`),
    encode(pairs.join('&')),
  ].join('&')
  const key = `${encode(keys.consumerSecret)}&${encode(keys.tokenSecret ?? '')}`
  const signed: Record<string, string> = {
    ...oauth,
    oauth_signature: createHmac('sha1', key).update(base).digest('base64'),
  }
  const words = Object.entries(signed).map(([name, value]) => `${encode(name)}="${encode(value)}"`)
  return `OAuth ${words.join(', ')}`
}
