import { request as httpRequest, type IncomingMessage } from 'node:http'

/** An answer to `sendRaw`. */
export interface RawAnswer {
  status: number
  headers: IncomingMessage['headers']
  text: string
}

/** A request with any headers, such as another Host. */
export function sendRaw(
  url: string,
  options: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(
      url,
      { method: options.method ?? 'GET', headers: options.headers, agent: false },
      (answer) => {
        let text = ''
        answer.setEncoding('utf8').on('data', (piece: string) => {
          text += piece
        })
        answer.on('end', () => resolve({ status: answer.statusCode!, headers: answer.headers, text }))
      },
    )
    sent.on('error', reject)
    sent.end(options.body)
  })
}

const FROM_CONSOLE = { 'x-rostra-console': '1' }

/** Exchanges the code of a link, as the console does. The answer has the cookie. */
export const exchange = (link: string, headers: Record<string, string> = {}): Promise<RawAnswer> => {
  const url = new URL(link)
  const [mount] = url.pathname.split('/_rostra/')
  return sendRaw(`${url.origin}${mount}/_rostra/console-session`, {
    method: 'POST',
    headers: { ...FROM_CONSOLE, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ code: url.searchParams.get('code') }),
  })
}

/** The headers of a request of the console in a browser that the link signed in. */
export async function signInWith(link: string): Promise<Record<string, string>> {
  const { status, headers, text } = await exchange(link)
  if (status !== 200) throw new Error(`the link is refused: ${status} ${text}`)
  return { ...FROM_CONSOLE, cookie: headers['set-cookie']![0]!.split(';')[0]! }
}

/** One message of a live channel. */
export interface LiveMessage {
  id: string
  event: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look at members whose shape they assert.
  data: any
}

/** A reader of server-sent events. */
export interface LiveReader {
  messages: LiveMessage[]
  /** The id after which a reader goes on. */
  lastId(): string
  /** Everything of a topic so far. */
  // biome-ignore lint/suspicious/noExplicitAny: see above.
  items(topic: string): any[]
  close(): void
}

/** Opens a live channel and resolves when it is open. */
export async function openLive(
  url: string,
  headers: Record<string, string>,
  options: { until?: string } = {},
): Promise<LiveReader> {
  const cut = new AbortController()
  const answer = await fetch(url, { headers, signal: cut.signal })
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`)
  const messages: LiveMessage[] = []
  let opened = () => {}
  const open = new Promise<void>((resolve) => {
    opened = resolve
  })
  const read = async () => {
    let text = ''
    for await (const piece of answer.body!.pipeThrough(new TextDecoderStream())) {
      text += piece
      const parts = text.split('\n\n')
      text = parts.pop()!
      for (const part of parts) {
        const fields = new Map(part.split('\n').map((line) => line.split(/: (.*)/s) as [string, string]))
        const event = fields.get('event')
        if (event === undefined) continue
        messages.push({ id: fields.get('id') ?? '', event, data: JSON.parse(fields.get('data')!) })
        if (event === (options.until ?? 'open')) opened()
      }
    }
  }
  read().catch(() => {})
  await open
  return {
    messages,
    lastId: () => messages.at(-1)!.id,
    items: (topic) => messages.filter((message) => message.event === topic).flatMap((message) => message.data),
    close: () => cut.abort(),
  }
}
