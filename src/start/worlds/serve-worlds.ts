import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { sameText } from '../../process/secret-box.ts'
import type { WorldServers } from './world-servers.ts'

const NAME = /^\/worlds\/([\w.-]{1,40})$/

interface Answer {
  status: number
  body: unknown
}

/** Serves worlds on a free port of this machine to whoever has the key. */
export async function serveWorlds(worlds: WorldServers, key: string): Promise<{ url: string; close(): void }> {
  const server: Server = createServer((request, response) => {
    // Nothing is read from the body; it is taken off the connection, which is used again.
    request.resume()
    void answer(request, worlds, key)
      .catch((error: Error): Answer => ({ status: 500, body: { detail: error.message } }))
      .then(({ status, body }) => {
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
      })
  })
  // A world takes a second to make, on a busy machine longer.
  server.requestTimeout = 0
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  const close = () => {
    server.close()
    server.closeAllConnections()
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close }
}

async function answer({ method, url, headers }: IncomingMessage, worlds: WorldServers, key: string): Promise<Answer> {
  if (!sameText(headers.authorization ?? '', `Bearer ${key}`))
    return { status: 401, body: { detail: 'This needs the key that `rostra worlds` printed, as a bearer token.' } }
  const name = NAME.exec(url ?? '')?.[1]
  if (name === undefined || (method !== 'POST' && method !== 'DELETE'))
    return {
      status: 404,
      body: {
        detail: 'There are only POST and DELETE /worlds/{name}; a name has 1 to 40 letters, digits, _, - or dots.',
      },
    }
  if (method === 'POST') return { status: 200, body: await worlds.open(name) }
  return (await worlds.end(name))
    ? { status: 200, body: { ended: true } }
    : { status: 404, body: { detail: `There is no world ${name}.` } }
}
