import { createHmac } from 'node:crypto'
import http from 'node:http'
import type { AddressInfo } from 'node:net'

type Reply = (response: http.ServerResponse, token: string) => void

/** A webhook receiver on this machine. It shares no code with the server. */
export interface Receiver {
  url(path?: string): string
  /** The received challenges in order: method, path and query. */
  challenges: string[]
  /** Sets the answer to later challenges. */
  answerChallengesWith(reply: Reply): void
  /** The received deliveries in order. */
  deliveries: Delivery[]
  /** Sets the answer to later deliveries; 200 at first. */
  answerDeliveriesWith(reply: (response: http.ServerResponse, delivery: Delivery) => void): void
  /** Resolves when `count` deliveries have arrived in total. */
  received(count: number, withinMs?: number): Promise<Delivery[]>
  close(): Promise<void>
}

/** A delivery as received. */
export interface Delivery {
  path: string
  headers: http.IncomingHttpHeaders
  raw: Buffer
  // biome-ignore lint/suspicious/noExplicitAny: tests look at members of bodies whose shape they assert.
  body: any
}

/** The correct answer to a challenge. */
export const correctAnswer = (secret: string, token: string): string =>
  JSON.stringify({ response_token: `sha256=${createHmac('sha256', secret).update(token).digest('base64')}` })

/** A reply with the correct token for a secret. */
export const answersCorrectly =
  (secret: string): Reply =>
  (response, token) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(correctAnswer(secret, token))

/** A reply with this status, text and headers. */
export const repliesWith =
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
    answerChallengesWith: (next) => {
      reply = next
    },
    deliveries,
    answerDeliveriesWith: (next) => {
      take = next
    },
    received: async (count, withinMs = 60_000) => {
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
