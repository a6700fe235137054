// OAuth 1.0a signatures for the benchmarks.
import { createHmac, randomBytes } from 'node:crypto'

const encode = (text) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)

/** Prepares OAuth 1.0a signatures without the server's own code. What does not change is computed before the measurement. */
export function signer(method, url, app, user) {
  const [address, query = ''] = url.split('?')
  const sent = [...new URLSearchParams(query)]
  const key = `${encode(app.api_key_secret)}&${encode(user.access_token_secret)}`
  return () => {
    const oauth = {
      oauth_consumer_key: app.api_key,
      oauth_nonce: randomBytes(12).toString('hex'),
      oauth_signature_method: 'HMAC-SHA1',
      oauth_timestamp: String(Math.floor(Date.now() / 1000)),
      oauth_token: user.access_token,
      oauth_version: '1.0',
    }
    const pairs = [...Object.entries(oauth), ...sent].map(([name, value]) => `${encode(name)}=${encode(value)}`)
    const base = [method, encode(address), encode(pairs.sort().join('&'))].join('&')
    const signature = createHmac('sha1', key).update(base).digest('base64')
    return `OAuth ${[...Object.entries(oauth), ['oauth_signature', signature]].map(([name, value]) => `${name}="${encode(value)}"`).join(', ')}`
  }
}
