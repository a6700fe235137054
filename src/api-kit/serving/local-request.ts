import type { RequestFacts } from '../declaring/operation.ts'

const FORWARDED = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'via']

/**
 * Whether a request comes from a program on this machine and names it so. The host name keeps out pages of other sites whose name
 * leads here, and the other headers keep out a proxy on this machine.
 */
export function isLocalRequest({ headers, remoteAddress }: RequestFacts): boolean {
  return (
    isLoopbackAddress(remoteAddress) &&
    isLoopbackHost(String(headers.host ?? '')) &&
    FORWARDED.every((name) => headers[name] === undefined)
  )
}

const isLoopbackAddress = (address: string): boolean => address === '::1' || /^(::ffff:)?127\./.test(address)
const isLoopbackHost = (host: string): boolean => /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?$/i.test(host)
