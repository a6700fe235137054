import net, { type AddressInfo, type Socket } from 'node:net'
import tls, { type TLSSocket } from 'node:tls'
import { type Arrivals, countServed, noArrivals } from './arrivals.ts'
import type { Authority } from './authority.ts'

/** Where the server listens for plain HTTP. */
export interface Target {
  host: string
  port: number
}

/** The platform's names over TLS, in front of a server. */
export interface Front {
  /** On 127.0.0.1. */
  tlsPort: number
  /** For programs that use the names without TLS. */
  plainPort: number
  arrivals: Arrivals
  /** Also listens on a path or an address of its own, for programs in a namespace. */
  listen(where: { tls: net.ListenOptions; plain: net.ListenOptions }): Promise<void>
  close(): Promise<void>
}

/** TLS alerts of a client that does not trust our authority. */
const DISTRUST = /unknown_?ca|certificate|ECONNRESET/i

/**
 * Serves the platform's names: ends TLS and passes the bytes on, so the Host header stays and streams are not delayed. It offers
 * HTTP/1.1 only, which every client falls back to.
 */
export async function startFront(authority: Authority, target: Target): Promise<Front> {
  const arrivals = noArrivals()
  const open = new Set<Socket>()
  const keep = (socket: Socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  }
  const newTls = () => {
    const { key, certificate: cert } = authority.server
    const server = tls.createServer({ key, cert, ALPNProtocols: ['http/1.1'] })
    server.on('connection', keep)
    server.on('secureConnection', (socket) => {
      const name = socket.servername || 'without a name'
      let hasAsked = false
      // A client that checks the certificate after the handshake leaves without a request.
      socket.once('close', () => {
        if (!hasAsked) arrivals.distrusted.set(name, 'closed without a request')
      })
      passOn(socket, target, () => {
        hasAsked = true
        countServed(arrivals, name)
      })
    })
    server.on('tlsClientError', (error: NodeJS.ErrnoException, socket: TLSSocket) => {
      const reason = error.code ?? error.message
      const name = socket.servername
      if (name && DISTRUST.test(reason)) arrivals.distrusted.set(name, reason)
    })
    return server
  }
  const newPlain = () =>
    net.createServer({ allowHalfOpen: true }, (socket) => {
      keep(socket)
      passOn(socket, target, () => countServed(arrivals, 'http'))
    })
  const servers: net.Server[] = []
  const listenOn = async (server: net.Server, where: net.ListenOptions): Promise<net.Server> => {
    await listening(server, where)
    servers.push(server)
    return server
  }
  const loopback = { host: '127.0.0.1', port: 0 }
  const secure = await listenOn(newTls(), loopback)
  const plain = await listenOn(newPlain(), loopback)
  return {
    tlsPort: portOf(secure),
    plainPort: portOf(plain),
    arrivals,
    listen: async (where) => {
      await listenOn(newTls(), where.tls)
      await listenOn(newPlain(), where.plain)
    },
    close: async () => {
      for (const socket of open) socket.destroy()
      await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
    },
  }
}

/** Resolves when a server listens; rejects when it cannot. */
export function listening(server: net.Server, where: net.ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(where, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

export const portOf = (server: net.Server): number => (server.address() as AddressInfo).port

const AWAY = 'The Rostra server behind this name does not answer.\n'

function passOn(client: Socket, target: Target, onFirstByte: () => void): void {
  client.setNoDelay(true)
  client.once('data', onFirstByte)
  const server = net.connect({ ...target, noDelay: true, allowHalfOpen: true })
  client.pipe(server)
  server.pipe(client)
  client.on('error', () => server.destroy())
  client.once('close', () => server.destroy())
  server.on('error', () => {
    if (server.bytesRead > 0) client.destroy()
    else
      client.end(
        `HTTP/1.1 503 Service Unavailable\r\ncontent-type: text/plain\r\ncontent-length: ${AWAY.length}\r\nconnection: close\r\n\r\n${AWAY}`,
      )
  })
}

/** Joins two sockets: what one side sends, the other gets, until both have ended. */
export function join(left: Socket, right: Socket): void {
  left.pipe(right)
  right.pipe(left)
  for (const [one, other] of [
    [left, right],
    [right, left],
  ] as const) {
    one.on('error', () => other.destroy())
    one.once('close', () => other.destroy())
  }
}
