import type { Server } from 'node:http'
import tls from 'node:tls'
import { openAuthority } from './authority.ts'
import { listening } from './front.ts'

/** The platform's names, served over TLS by a process of the server itself. */
export interface ServedNames {
  close(): void
}

export interface ServedNamesOptions {
  dataDir: string
  host: string
  port: number
}

const RENEWED_EVERY_MS = 24 * 3600_000

/**
 * Serves the platform's names over TLS: connections become connections of the HTTP server, without another hop. The certificate is
 * read again each day, since it may be renewed while the server runs.
 */
export async function serveNames(server: Server, { dataDir, host, port }: ServedNamesOptions): Promise<ServedNames> {
  const context = () => {
    const { key, certificate: cert } = openAuthority(dataDir).server
    return { key, cert }
  }
  const names = tls.createServer({ ...context(), ALPNProtocols: ['http/1.1'] })
  names.on('secureConnection', (socket) => server.emit('connection', socket))
  // A client that does not trust the certificate; the connection is closed already.
  names.on('tlsClientError', (_error, socket) => socket.destroy())
  // A hosts file names 127.0.0.1, and `localhost` may mean another address first.
  await listening(names, { port, host: host === 'localhost' ? '127.0.0.1' : host })
  const renewing = setInterval(() => names.setSecureContext(context()), RENEWED_EVERY_MS)
  renewing.unref()
  return {
    close: () => {
      clearInterval(renewing)
      names.close()
    },
  }
}
