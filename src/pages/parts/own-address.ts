import type { PageRequest } from '../page-request.ts'

/** The path of an address on this server. Others are not shown: a page asks no other host for anything. */
export function ownAddress({ request, runtime }: PageRequest, address: string | undefined): string | undefined {
  const base = [request.baseUrl, runtime.baseUrl].find((own) => address?.startsWith(`${own}/`))
  return base === undefined ? undefined : `${runtime.mount}${address!.slice(base.length)}`
}
