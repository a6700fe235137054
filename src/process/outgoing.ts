import { lookup as dnsLookup } from 'node:dns'
import http from 'node:http'
import https from 'node:https'
import { BlockList, isIP, type LookupFunction } from 'node:net'

/** What a receiver answered. */
interface OutgoingAnswer {
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
    stopping?: AbortSignal
  }): Promise<OutgoingAnswer>
  /** Opens an answer of any size and passes it on as it arrives. Redirects are followed, and each address is checked again. */
  download(request: {
    url: string
    /** How long the receiver may send nothing. */
    idleMs: number
    maxBytes: number
    stopping?: AbortSignal
  }): Promise<Download>
}

/** An answer in progress; `chunks` is read to its end or closed. */
interface Download {
  status: number
  chunks: AsyncIterable<Buffer>
  close(): void
}

const MAX_ANSWER_BYTES = 64 * 1024
// For each receiver.
const MOST_SOCKETS = 32
const IDLE_SOCKET_MS = 15_000
const MOST_REDIRECTS = 3

// One list for each family: a list compares IPv4 addresses with the IPv6 ranges that carry them too, and so would refuse all of them.
const reserved4 = new BlockList()
const reserved6 = new BlockList()
for (const [network, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const) {
  reserved4.addSubnet(network, bits, 'ipv4')
}
// Only 2000::/3 is given out. This covers the ranges that carry an IPv4 address (compatible, mapped, NAT64), and the local ones.
for (const [network, bits] of [
  ['::', 3],
  ['4000::', 2],
  ['8000::', 1],
  // Teredo and other protocols, documentation, and 6to4.
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const) {
  reserved6.addSubnet(network, bits, 'ipv6')
}

/** True for addresses that are not on the public internet. */
export function isReservedAddress(address: string): boolean {
  const [plain = ''] = address.split('%')
  return isIP(plain) === 6 ? reserved6.check(plain, 'ipv6') : reserved4.check(plain, 'ipv4')
}

// The same words whether a name does not exist or has a private address: callers must not explore our network by its names.
const notPublic = (hostname: string) =>
  new OutgoingError('forbidden-address', `${hostname} has no address on the public internet`)

/** Creates the client of a process. */
export function createOutgoingClient(options: { allowPrivate: boolean }): OutgoingClient {
  // Checked on the address that is connected to, so a name cannot resolve to another address between check and call.
  const guardedLookup: LookupFunction = (hostname, lookupOptions, callback) => {
    dnsLookup(hostname, { ...lookupOptions, all: true }, (error, addresses) => {
      if (!options.allowPrivate && (error || addresses.some((item) => isReservedAddress(item.address))))
        return callback(notPublic(hostname), '', 0)
      if (error) return callback(error, '', 0)
      if (lookupOptions.all) return (callback as (error: null, addresses: unknown) => void)(null, addresses)
      return callback(null, addresses[0]!.address, addresses[0]!.family)
    })
  }
  const kept = { keepAlive: true, maxSockets: MOST_SOCKETS, maxFreeSockets: MOST_SOCKETS, timeout: IDLE_SOCKET_MS }
  const agents = { 'http:': new http.Agent(kept), 'https:': new https.Agent(kept) }
  const call: OutgoingClient['call'] = (request) =>
    new Promise((resolve, reject) => {
      const url = new URL(request.url)
      const forbidden = options.allowPrivate ? undefined : privateLiteral(url)
      if (forbidden) {
        reject(forbidden)
        return
      }
      const body = request.body === undefined ? undefined : Buffer.from(request.body)
      const sent = (url.protocol === 'https:' ? https : http).request(url, {
        method: request.method,
        headers: { 'user-agent': 'Rostra', ...request.headers, ...(body ? { 'content-length': body.length } : {}) },
        lookup: guardedLookup,
        agent: request.keepAlive ? agents[url.protocol as 'http:' | 'https:'] : false,
        ...(request.stopping ? { signal: request.stopping } : {}),
      })
      const timer = setTimeout(
        () => sent.destroy(new OutgoingError('timeout', `no answer within ${request.timeoutMs} ms`)),
        request.timeoutMs,
      )
      const fail = (error: Error & { code?: string }) => {
        clearTimeout(timer)
        // The receiver closed a kept connection just as it was used again: it did not see the call.
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
  const open = (request: Parameters<OutgoingClient['download']>[0], redirects: number): Promise<Download> =>
    new Promise((resolve, reject) => {
      const url = new URL(request.url)
      const forbidden = options.allowPrivate ? undefined : privateLiteral(url)
      if (forbidden) {
        reject(forbidden)
        return
      }
      const sent = (url.protocol === 'https:' ? https : http).get(url, {
        headers: { 'user-agent': 'Rostra', 'accept-encoding': 'identity' },
        lookup: guardedLookup,
        agent: false,
        ...(request.stopping ? { signal: request.stopping } : {}),
      })
      sent.setTimeout(request.idleMs, () =>
        sent.destroy(new OutgoingError('timeout', `nothing came for ${request.idleMs} ms`)),
      )
      sent.on('error', (error) => reject(describe(error)))
      sent.on('response', (answer) => {
        const status = answer.statusCode ?? 0
        const { location } = answer.headers
        if (location === undefined || ![301, 302, 303, 307, 308].includes(status)) {
          resolve({ status, chunks: boundedChunks(answer, request.maxBytes), close: () => sent.destroy() })
          return
        }
        sent.destroy()
        const next = URL.canParse(location, url.href) ? new URL(location, url) : undefined
        if (redirects === 0 || !next || !/^https?:$/.test(next.protocol))
          reject(new OutgoingError('network', redirects === 0 ? 'too many redirects' : 'a redirect leads nowhere'))
        else resolve(open({ ...request, url: next.href }, redirects - 1))
      })
    })
  return { privateAllowed: options.allowPrivate, call, download: (request) => open(request, MOST_REDIRECTS) }
}

// A literal address is not looked up by the system.
function privateLiteral(url: URL): OutgoingError | undefined {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  return isIP(host) !== 0 && isReservedAddress(host)
    ? new OutgoingError('forbidden-address', `${host} is a private address`)
    : undefined
}

async function* boundedChunks(answer: http.IncomingMessage, maxBytes: number): AsyncGenerator<Buffer> {
  let size = 0
  try {
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > maxBytes) throw new OutgoingError('too-large', `the answer is larger than ${maxBytes} bytes`)
      yield chunk
    }
  } catch (error) {
    throw describe(error as Error)
  } finally {
    answer.destroy()
  }
}

function describe(error: Error & { code?: string }): OutgoingError {
  if (error instanceof OutgoingError) return error
  const code = error.code ?? ''
  if (/CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO_VERIFY|EPROTO/.test(code))
    return new OutgoingError('tls', `TLS failed (${code})`)
  return new OutgoingError('network', code === '' ? 'the connection failed' : `the connection failed (${code})`)
}
