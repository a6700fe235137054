import type { Runtime } from '../runtime.ts'
import type { HttpRequest } from './http-exchange.ts'
import type { PlatformAnswers } from './platform-links.ts'

/** What decides about the address: the public one of the settings, and whether to believe a proxy. */
interface AddressOptions {
  runtime: Pick<Runtime, 'baseUrl' | 'mount'>
  trustProxy: boolean
  hasPublicUrl: boolean
  platform: PlatformAnswers
}

/** A host name or an address, with or without a port. Anything else does not become part of a link. */
const HOST = /^(?:[\w.-]{1,255}|\[[\da-fA-F:.]{2,45}\])(?::\d{1,5})?$/

/** The host that the client named, also through a trusted proxy, without its port and in lower case. */
export const namedHost = ({ host }: HttpRequest): string => (host ?? '').split(':', 1)[0]!.toLowerCase()

/**
 * The address at which a client reached the server, for links in answers: that of the platform at its host names, or else the one
 * that a trusted proxy names, or else the public one of the settings, or else the host that the request names.
 */
export function reachedAddress(request: HttpRequest, options: AddressOptions): string {
  const { runtime, trustProxy, hasPublicUrl, platform } = options
  if (platform.hosts.has(namedHost(request))) return platform.apiBase
  const isForwarded = trustProxy && request.headers['x-forwarded-host'] !== undefined
  if (!isForwarded && hasPublicUrl) return runtime.baseUrl
  const { host, protocol } = request
  const address = `${protocol}://${host}${runtime.mount}`
  if (address === lastAddress) return address
  // A port above 65535, or a number that is not an address, is no host either.
  if (!HOST.test(host ?? '') || !URL.canParse(address)) return runtime.baseUrl
  lastAddress = address
  return address
}

// Nearly all requests name the same host, and to check it takes time.
let lastAddress = ''

/** A member with a link. People wrote the values of the three excluded ones. */
const LINK = /"(?!expanded_url"|unwound_url"|display_url")[a-z_]*ur[il][a-z_]*":"$/

/** JSON text whose links to the server, such as those of media, begin with another of its addresses. */
export function withAddress(text: string, from: string, to: string): string {
  if (from === to) return text
  const [first, ...rest] = text.split(`${from}/`)
  let moved = first!
  for (const part of rest) moved += `${LINK.test(moved.slice(-LONGEST_NAME)) ? to : from}/${part}`
  return moved
}

const LONGEST_NAME = 40
