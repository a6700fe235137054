import type { RequestFacts } from '../../../api-kit/declaring/operation.ts'
import { requestHost } from '../../../api-kit/naming/spoken-naming.ts'
import { LEGACY_ADS_SANDBOX_HOSTS } from '../../../legacy-words.ts'

/** The version that answers; older client libraries still send the one before. */
export const ADS_VERSION = '12'
const ANSWERED_AS_CURRENT = '11'

const SANDBOX_MOUNT = '/ads-sandbox/'
const MOUNTS = ['/ads/', SANDBOX_MOUNT]

/** The route for an address of the advertising interface: without its mount, in the version that answers. */
export function adsRoute(url: string): string {
  const mount = MOUNTS.find((item) => url.startsWith(item))
  const path = mount ? url.slice(mount.length - 1) : url
  if (path.startsWith(`/${ANSWERED_AS_CURRENT}/`)) return `/${ADS_VERSION}${path.slice(ANSWERED_AS_CURRENT.length + 1)}`
  return /^\/(?:(?:12|5)\/|(?:mcp|link_managed_account)(?:\?|$))/.test(path) ? path : url
}

/** True for addresses of the advertising interface, whether or not they have a route. */
export const isAdsAddress = (url: string): boolean => /^\/(?:ads|ads-sandbox|1[0-2]|[03-9])(?:\/|\?|$)/.test(url)

const CURRENT_ADDRESS = new RegExp(`^(?:/ads|/ads-sandbox)?/${ADS_VERSION}/`)

/** True when a request names the version that answers. */
export const isCurrentAddress = (url: string): boolean => CURRENT_ADDRESS.test(url)

const FORMER_ADDRESS = new RegExp(`^(?:/ads|/ads-sandbox)?/${ANSWERED_AS_CURRENT}/`)

/** True when a request names the version before, which had only the legacy words. */
export const isFormerAddress = (url: string): boolean => FORMER_ADDRESS.test(url)

export const isSandboxRequest = ({ path, headers }: RequestFacts): boolean =>
  path.startsWith(SANDBOX_MOUNT) || LEGACY_ADS_SANDBOX_HOSTS.has(requestHost(headers))
