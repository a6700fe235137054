import { isIPv6 } from 'node:net'

const IPV6_GROUPS = 8
const NETWORK_GROUPS = 4

/**
 * Whom to count a client as, by its address: one machine has a whole /64 of IPv6, so it could use another address for each
 * request. An IPv4 address is itself, also when it is written as IPv6.
 */
export function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)
  if (mapped) return mapped[1]!
  const [plain = ''] = address.split('%')
  if (!isIPv6(plain)) return address
  const [before = '', after] = plain.toLowerCase().split('::')
  const groups = before === '' ? [] : before.split(':')
  const later = after === undefined || after === '' ? [] : after.split(':')
  const all = [...groups, ...Array<string>(Math.max(0, IPV6_GROUPS - groups.length - later.length)).fill('0'), ...later]
  const network = all.slice(0, NETWORK_GROUPS).map((group) => group.replace(/^0+(?=.)/, ''))
  return `${network.join(':')}::/64`
}

/** True where only this machine can connect. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\./.test(host)
}

/** True for the address of a NATS server. */
export function isNatsAddress(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname, username, password } = new URL(text)
  try {
    decodeURIComponent(username + password)
  } catch {
    return false
  }
  return /^(nats|tls):$/.test(protocol) && hostname !== ''
}
