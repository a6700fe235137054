import { lookup as dnsLookup } from 'node:dns'
import http from 'node:http'
import https from 'node:https'
import { BlockList, isIP, type LookupFunction } from 'node:net'

/** What a receiver answered. */
export interface OutgoingAnswer {
  status: number
  body: string
}

/** Why a call could not be made or got no answer. */
export class OutgoingError extends Error {
  readonly kind: 'forbidden-address' | 'timeout' | 'tls' | 'network' | 'too-large'
  constructor(kind: OutgoingError['kind'], message: string) {
    super(message)
    this.kind = kind
  }
}

/** Calls addresses that clients gave us. Private addresses are refused unless the setting allows them. */
export interface OutgoingClient {
  readonly privateAllowed: boolean
  call(request: {
    method: 'GET' | 'POST'
    url: string
    headers?: Record<string, string>
    body?: string
    timeoutMs: number
    /** Keeps the connection for the next call to the same receiver. */
    keepAlive?: boolean
  }): Promise<OutgoingAnswer>
}

const MAX_ANSWER_BYTES = 64 * 1024
// For each receiver.
const MOST_SOCKETS = 32
const IDLE_SOCKET_MS = 15_000

const reserved = new BlockList()
for (const [network, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const) {
  reserved.addSubnet(network, bits, 'ipv4')
}
for (const [network, bits] of [
  ['::', 128],
  ['::1', 128],
  ['::ffff:0:0', 96],
  ['64:ff9b::', 96],
  ['100::', 64],
  ['2001:db8::', 32],
  ['fc00::', 7],
  ['fe80::', 10],
  ['ff00::', 8],
] as const) {
  reserved.addSubnet(network, bits, 'ipv6')
}

/** True for addresses that are not on the public internet. */
export function isReservedAddress(address: string): boolean {
  return reserved.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
}

export function createOutgoingClient(options: { allowPrivate: boolean }): OutgoingClient {
  // Checked on the address that is connected to, so that a name cannot point elsewhere between check and call.
  const guardedLookup: LookupFunction = (hostname, lookupOptions, callback) => {
    dnsLookup(hostname, { ...lookupOptions, all: true }, (error, addresses) => {
      if (error) return callback(error, '', 0)
      const bad = options.allowPrivate ? undefined : addresses.find((item) => isReservedAddress(item.address))
      if (bad)
        return callback(
          new OutgoingError('forbidden-address', `${hostname} is the private address ${bad.address}`),
          '',
          0,
        )
      if (lookupOptions.all) return (callback as (error: null, addresses: unknown) => void)(null, addresses)
      return callback(null, addresses[0]!.address, addresses[0]!.family)
    })
  }
  const kept = { keepAlive: true, maxSockets: MOST_SOCKETS, maxFreeSockets: MOST_SOCKETS, timeout: IDLE_SOCKET_MS }
  const agents = { 'http:': new http.Agent(kept), 'https:': new https.Agent(kept) }
  const call: OutgoingClient['call'] = (request) =>
    new Promise((resolve, reject) => {
      const url = new URL(request.url)
      const host = url.hostname.replace(/^\[|\]$/g, '')
      // A literal address is never looked up.
      if (!options.allowPrivate && isIP(host) !== 0 && isReservedAddress(host)) {
        reject(new OutgoingError('forbidden-address', `${host} is a private address`))
        return
      }
      const body = request.body === undefined ? undefined : Buffer.from(request.body)
      const sent = (url.protocol === 'https:' ? https : http).request(url, {
        method: request.method,
        headers: { 'user-agent': 'Rostra', ...request.headers, ...(body ? { 'content-length': body.length } : {}) },
        lookup: guardedLookup,
        agent: request.keepAlive ? agents[url.protocol as 'http:' | 'https:'] : false,
      })
      const timer = setTimeout(
        () => sent.destroy(new OutgoingError('timeout', `no answer within ${request.timeoutMs} ms`)),
        request.timeoutMs,
      )
      const fail = (error: Error & { code?: string }) => {
        clearTimeout(timer)
        // The receiver closed a kept connection just as it was used again: nothing is said about the call itself.
        if (sent.reusedSocket && error.code === 'ECONNRESET') resolve(call({ ...request, keepAlive: false }))
        else reject(describe(error))
      }
      sent.on('error', fail)
      sent.on('response', (answer) => {
        const chunks: Buffer[] = []
        let size = 0
        answer.on('error', fail)
        answer.on('data', (chunk: Buffer) => {
          size += chunk.length
          if (size > MAX_ANSWER_BYTES)
            sent.destroy(new OutgoingError('too-large', `the answer is larger than ${MAX_ANSWER_BYTES} bytes`))
          else chunks.push(chunk)
        })
        answer.on('end', () => {
          clearTimeout(timer)
          resolve({ status: answer.statusCode ?? 0, body: Buffer.concat(chunks).toString('utf8') })
        })
      })
      sent.end(body)
    })
  return { privateAllowed: options.allowPrivate, call }
}

function describe(error: Error & { code?: string }): OutgoingError {
  if (error instanceof OutgoingError) return error
  const code = error.code ?? ''
  if (/CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO_VERIFY|EPROTO/.test(code))
    return new OutgoingError('tls', `TLS failed (${code})`)
  return new OutgoingError('network', code === '' ? 'the connection failed' : `the connection failed (${code})`)
}
