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
  close(): Promise<void>
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
  const server = http.createServer((request, response) => {
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
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
