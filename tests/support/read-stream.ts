import http from 'node:http'
import type { TestServer } from './server.ts'

/** A stream as a client reads it. */
export interface ReadStream {
  status: number
  headers: Headers
  /** The body of a refusal. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look at members of answers whose shape they assert.
  body: any
  /** The next line that is not a heart-beat; undefined when the stream has ended. */
  // biome-ignore lint/suspicious/noExplicitAny: see above.
  next(withinMs?: number): Promise<any>
  /** Everything that was received so far, heart-beats included. */
  readonly text: string
  /** Closes the connection. */
  close(): void
}

/** Opens a stream with an app's bearer token. */
export async function openStream(
  server: Pick<TestServer, 'baseUrl' | 'credentials'>,
  path: string,
  as: 'app' | 'second-app' | { bearer: string } = 'app',
  more: Record<string, string> = {},
): Promise<ReadStream> {
  const bearer = typeof as === 'object' ? as.bearer : server.credentials.apps[as === 'app' ? 0 : 1]!.bearer_token
  const { request, answer } = await ask(server.baseUrl + path, { authorization: `Bearer ${bearer}`, ...more })
  const status = answer.statusCode!
  const headers = new Headers(answer.headers as Record<string, string>)
  if (status !== 200) {
    const text = (await answer.setEncoding('utf8').toArray()).join('')
    return { status, headers, body: JSON.parse(text), next: async () => undefined, text, close: () => {} }
  }
  let text = ''
  let rest = ''
  let isOver = false
  const lines: unknown[] = []
  let arrived = () => {}
  const pump = async () => {
    for await (const words of answer.setEncoding('utf8')) {
      text += words
      rest += words
      const parts = rest.split('\r\n')
      rest = parts.pop()!
      for (const part of parts) if (part !== '') lines.push(JSON.parse(part))
      arrived()
    }
  }
  const pumping = pump()
    .catch(() => {})
    .finally(() => {
      isOver = true
      arrived()
    })
  return {
    status,
    headers,
    body: undefined,
    async next(withinMs = 60_000) {
      const deadline = performance.now() + withinMs
      while (lines.length === 0) {
        if (isOver) return undefined
        const left = deadline - performance.now()
        if (left <= 0) throw new Error(`No line within ${withinMs} ms`)
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, left)
          arrived = () => {
            clearTimeout(timer)
            resolve()
          }
        })
      }
      return lines.shift()
    },
    get text() {
      return text
    },
    close() {
      request.destroy()
      void pumping
    },
  }
}

// Each stream has its own connection: fetch opens another one when one breaks, which keeps a server from closing.
function ask(
  url: string,
  headers: Record<string, string>,
): Promise<{ request: http.ClientRequest; answer: http.IncomingMessage }> {
  return new Promise((resolve, reject) => {
    const request = http.get(url, { agent: false, headers }, (answer) => resolve({ request, answer }))
    request.on('error', reject)
  })
}
