import type { Runtime } from '../../api-kit/runtime.ts'
import { type App, accountPart } from '../credentials.parts.ts'
import { BANNED_CALLBACK_SCHEMES } from '../pages/urls.ts'

/** Adds parameters to an address and leaves the rest unchanged; works for app schemes too. */
export function withQuery(address: string, parameters: Record<string, string>): string {
  const added = Object.entries(parameters)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join('&')
  const [before, fragment] = address.split('#', 2) as [string, string | undefined]
  const joint = before.includes('?') ? (/[?&]$/.test(before) ? '' : '&') : '?'
  return `${before}${joint}${added}${fragment === undefined ? '' : `#${fragment}`}`
}

/** Why an address cannot be registered as a callback; undefined when it can. */
export function callbackFault(address: string): string | undefined {
  if (!URL.canParse(address)) return `${address} is not a valid address`
  const { protocol, hash } = new URL(address)
  if (BANNED_CALLBACK_SCHEMES.has(protocol.slice(0, -1)))
    return `callbacks cannot use the scheme ${protocol.slice(0, -1)}`
  if (hash !== '') return 'callbacks cannot have a fragment'
  return /^[\x21-\x7e]+$/.test(address)
    ? undefined
    : 'callbacks can have only printable ASCII characters; write others as percent escapes, or as xn-- in host names'
}

/** An app as the consent page shows it. `callback` is null for out-of-band. */
export async function appOnPage(runtime: Runtime, app: App, callback: string | null) {
  const owner = await runtime.parts.one(accountPart, app.owner_user_id)
  return {
    name: app.name,
    description: app.description === '' ? undefined : app.description,
    websiteUrl: app.website_url === '' ? undefined : app.website_url,
    ownerUsername: owner?.username,
    callbackHost: callback === null ? null : callbackHost(callback),
  }
}

function callbackHost(callback: string): string {
  const url = new URL(callback)
  return /^https?:$/.test(url.protocol) ? url.host : url.protocol
}
