import { createHmac } from 'node:crypto'

const UNTOUCHED_BY_ENCODE = /[!'()*]/g
// Most names and values of a signed request are of these only.
const NEEDS_NO_ENCODING = /^[\w.~-]*$/

/** Percent-encoding of RFC 3986: everything but letters, digits and `-._~`. */
export function percentEncode(text: string): string {
  if (NEEDS_NO_ENCODING.test(text)) return text
  return encodeURIComponent(text).replace(
    UNTOUCHED_BY_ENCODE,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

// What almost every client sends: nothing in it has to be rewritten.
const PLAIN_ADDRESS = /^(?:http:\/\/[a-z0-9.-]+(?!:80\/)|https:\/\/[a-z0-9.-]+(?!:443\/))(?::[1-9]\d{0,4})?\/[^?#]*$/

/** The address in the base string: lower-case scheme and host, without default port and query. */
export function baseAddress(url: string): string {
  if (PLAIN_ADDRESS.test(url)) return url
  const parsed = new URL(url)
  const path = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*([^?#]*)/i.exec(url)?.[1] ?? parsed.pathname
  return `${parsed.protocol}//${parsed.host}${path === '' ? '/' : path}`
}

/** The text that is signed. `pairs` are decoded and without `oauth_signature`. */
export const signatureBase = (method: string, url: string, pairs: readonly (readonly [string, string])[]): string =>
  signatureBases(method, pairs)(url)

/** The same for several addresses of one request: the parameters are encoded once. */
export function signatureBases(method: string, pairs: readonly (readonly [string, string])[]): (url: string) => string {
  const encoded = pairs.map(([name, value]) => [percentEncode(name), percentEncode(value)] as const)
  encoded.sort((left, right) => compare(left[0], right[0]) || compare(left[1], right[1]))
  const parameters = percentEncode(encoded.map(([name, value]) => `${name}=${value}`).join('&'))
  return (url) => `${method.toUpperCase()}&${percentEncode(baseAddress(url))}&${parameters}`
}

/** HMAC-SHA1 of the base string. */
export function signature(base: string, consumerSecret: string, tokenSecret: string): string {
  return createHmac('sha1', `${percentEncode(consumerSecret)}&${percentEncode(tokenSecret)}`)
    .update(base)
    .digest('base64')
}

const compare = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0)

// One parameter of the header with the comma after it; empty ones are allowed.
const PARAMETER = /\s*(?:([^\s=,]+)\s*=\s*"([^",]*)"\s*)?(?:,|$)/y

/** Reads `OAuth k1="v1", k2="v2"`; undefined when it is not of that form. */
export function parseAuthorization(header: string): Map<string, string> | undefined {
  const text = header.trim()
  const scheme = /^OAuth\s+/i.exec(text)
  if (!scheme) return undefined
  const pairs = new Map<string, string>()
  PARAMETER.lastIndex = scheme[0].length
  while (PARAMETER.lastIndex < text.length) {
    const found = PARAMETER.exec(text)
    if (!found) return undefined
    if (found[1] === undefined) continue
    const name = decoded(found[1])
    const value = decoded(found[2]!)
    if (name === undefined || value === undefined || pairs.has(name)) return undefined
    pairs.set(name, value)
  }
  return pairs
}

/** Without its percent escapes; undefined when one is invalid. */
function decoded(text: string): string | undefined {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
