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

const MAY_HOLD_SECRET = /[?&][^=&]*(?:token|secret|code|verifier|password|signature|%)/i
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
      return SECRET_NAMES.has((decodeForm(name) ?? name).toLowerCase()) ? `${name}=${HIDDEN}` : pair
    })
  return `${path.slice(0, cut)}?${pairs.join('&')}`
}

// In JSON a code is that of an error.
const SECRET_WORDS = [...SECRET_NAMES].filter((name) => name !== 'code').join('|')
const IN_JSON = new RegExp(`"(${SECRET_WORDS}|oauth_token)"\\s*:\\s*"(?:[^"\\\\]|\\\\.)*"?`, 'gi')
const IN_FORM = new RegExp(`(^|&)(${SECRET_WORDS}|code|oauth_token)=[^&]*`, 'gi')
const MAY_HOLD = /token|secret|password|code|csrf|admin_key/i

/** A body for a log, JSON or form: the values of secrets are left out, also where the body was cut inside one. */
export function redactText(text: string): string {
  // Most bodies have no name that looks like a secret.
  if (!MAY_HOLD.test(text)) return text
  return text.replace(IN_JSON, `"$1":"${HIDDEN}"`).replace(IN_FORM, `$1$2=${HIDDEN}`)
}
