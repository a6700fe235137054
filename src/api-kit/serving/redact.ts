import { decodeForm } from '../reading/request-query.ts'

const SECRET_NAMES = new Set([
  'access_token',
  'access_token_secret',
  'admin_key',
  'api_key_secret',
  'bearer_token',
  'csrf',
  'client_secret',
  'code',
  // With the method plain it is the verifier itself.
  'code_challenge',
  'code_verifier',
  'id_token',
  'oauth_signature',
  'oauth_token_secret',
  'oauth_verifier',
  'password',
  'refresh_token',
  'secret',
  'token',
])

/** Holds the address of a page, which has parameters of its own. */
const RETURN_ADDRESS = 'return_to'

const MAY_HOLD_SECRET = /[?&][^=&]*(?:token|secret|code|verifier|password|signature|return_to|%)/i
export const HIDDEN = '…'

/** The value of a parameter for a log: secrets are left out. */
export const redactValue = (name: string, value: string): string =>
  SECRET_NAMES.has(name.toLowerCase()) ? HIDDEN : value

/** A path with its query for a log: secrets are left out. */
export function redactPath(path: string): string {
  const cut = path.indexOf('?')
  // Most queries have no name that looks like a secret, so they are not split.
  if (cut < 0 || !MAY_HOLD_SECRET.test(path)) return path
  const pairs = path
    .slice(cut + 1)
    .split('&')
    .map((pair) => {
      const [name = ''] = pair.split('=', 1)
      const plain = (decodeForm(name) ?? name).toLowerCase()
      if (plain === RETURN_ADDRESS) return `${name}=${redactAddress(pair.slice(name.length + 1))}`
      return SECRET_NAMES.has(plain) ? `${name}=${HIDDEN}` : pair
    })
  return `${path.slice(0, cut)}?${pairs.join('&')}`
}

/** An encoded address for a log; nothing of one that cannot be decoded, such as one that was cut. */
function redactAddress(encoded: string): string {
  const address = decodeForm(encoded)
  if (address === undefined) return HIDDEN
  const redacted = redactPath(address)
  return redacted === address ? encoded : encodeURIComponent(redacted)
}

// In JSON a code is that of an error.
const SECRET_WORDS = [...SECRET_NAMES].filter((name) => name !== 'code').join('|')
const IN_JSON = new RegExp(`"(${SECRET_WORDS}|oauth_token)"\\s*:\\s*"(?:[^"\\\\]|\\\\.)*"?`, 'gi')
const IN_FORM = new RegExp(`(^|&)(${SECRET_WORDS}|code|oauth_token)=[^&]*`, 'gi')
const RETURN_IN_FORM = new RegExp(`(^|&)${RETURN_ADDRESS}=([^&]*)`, 'gi')
const MAY_HOLD = /token|secret|password|code|csrf|admin_key/i

/** A body for a log, JSON or form: the values of secrets are left out, also where the body was cut inside one. */
export function redactText(text: string): string {
  // Most bodies have no name that looks like a secret.
  if (!MAY_HOLD.test(text)) return text
  return text
    .replace(IN_JSON, `"$1":"${HIDDEN}"`)
    .replace(IN_FORM, `$1$2=${HIDDEN}`)
    .replace(
      RETURN_IN_FORM,
      (_all, before: string, address: string) => `${before}${RETURN_ADDRESS}=${redactAddress(address)}`,
    )
}
