import { createHmac } from 'node:crypto'
import http from 'node:http'
import type { AddressInfo } from 'node:net'

type Reply = (response: http.ServerResponse, token: string) => void

/** A webhook receiver on this machine, written apart from the server's own code. */
export interface Receiver {
  url(path?: string): string
  /** The challenges that came in: path with query, in order. */
  challenges: string[]
  /** How the next challenges are answered. */
  answerWith(reply: Reply): void
  /** The deliveries that came in, in order. */
  deliveries: Delivery[]
  /** How the next deliveries are answered; 200 at first. */
  takeWith(reply: (response: http.ServerResponse, delivery: Delivery) => void): void
  /** Resolves when so many deliveries have come in all. */
  received(count: number, withinMs?: number): Promise<Delivery[]>
  close(): Promise<void>
}

/** A delivery as it came over the wire. */
export interface Delivery {
  path: string
  headers: http.IncomingHttpHeaders
  raw: Buffer
  // biome-ignore lint/suspicious/noExplicitAny: tests look at members of bodies whose shape they assert.
  body: any
}

/** What a receiver that knows the secret answers. */
export const rightAnswer = (secret: string, token: string): string =>
  JSON.stringify({ response_token: `sha256=${createHmac('sha256', secret).update(token).digest('base64')}` })

/** A reply with the right token for a secret. */
export const knows =
  (secret: string): Reply =>
  (response, token) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(rightAnswer(secret, token))

/** A reply with this status, text and headers. */
export const says =
  (status: number, text = '', headers: Record<string, string> = {}): Reply =>
  (response) =>
    response.writeHead(status, headers).end(text)

export async function startReceiver(initial: Reply): Promise<Receiver> {
  let reply = initial
  const challenges: string[] = []
  const deliveries: Delivery[] = []
  let take = (response: http.ServerResponse, _delivery: Delivery): void => void response.writeHead(200).end()
  let arrived = () => {}
  const server = http.createServer((request, response) => {
    if (request.method === 'POST') {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        const raw = Buffer.concat(chunks)
        const delivery = { path: request.url ?? '', headers: request.headers, raw, body: JSON.parse(raw.toString()) }
        deliveries.push(delivery)
        take(response, delivery)
        arrived()
      })
      return
    }
    challenges.push(`${request.method} ${request.url}`)
    reply(response, new URL(request.url ?? '/', 'http://receiver').searchParams.get('crc_token') ?? '')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: (path = '/hook') => `http://127.0.0.1:${port}${path}`,
    challenges,
    answerWith: (next) => {
      reply = next
    },
    deliveries,
    takeWith: (next) => {
      take = next
    },
    received: async (count, withinMs = 8_000) => {
      const deadline = performance.now() + withinMs
      while (deliveries.length < count) {
        const left = deadline - performance.now()
        if (left <= 0) throw new Error(`${deliveries.length} of ${count} deliveries within ${withinMs} ms`)
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, left)
          arrived = () => {
            clearTimeout(timer)
            resolve()
          }
        })
      }
      return deliveries
    },
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
