import { Agent, type IncomingMessage, type RequestOptions, request } from 'node:http'
import { request as requestTls, Agent as TlsAgent } from 'node:https'
import { RostraError, sentenceOf } from './errors.ts'

// Imported names, not properties: libraries that replace `fetch` or `http.request` in tests do not change these.

/** Calls the control interface of a server. */
export interface ControlClient {
  get<T>(path: string): Promise<T>
  post<T>(path: string, body?: unknown): Promise<T>
  close(): void
}

export function createControlClient(url: string, adminKey: string): ControlClient {
  const isTls = url.startsWith('https:')
  const agent = isTls ? new TlsAgent({ keepAlive: true }) : new Agent({ keepAlive: true })
  const call = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const text = body === undefined ? undefined : JSON.stringify(body)
    const headers = {
      authorization: `Bearer ${adminKey}`,
      accept: 'application/json',
      ...(text === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
    }
    const answer = await send(`${url}${path}`, isTls ? requestTls : request, { method, headers, agent }, text)
    const parsed = parse(answer.text)
    if (answer.status >= 400 || parsed === undefined)
      throw new RostraError(sentenceOf(parsed, answer.status), answer.status, parsed ?? answer.text)
    return parsed as T
  }
  return {
    get: (path) => call('GET', path),
    post: (path, body) => call('POST', path, body ?? {}),
    close: () => agent.destroy(),
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

interface TextAnswer {
  status: number
  text: string
}

function send(
  address: string,
  start: typeof request,
  options: RequestOptions,
  body: string | undefined,
): Promise<TextAnswer> {
  return new Promise((resolve, reject) => {
    const sent = start(address, options, (answer) => readText(answer).then(resolve, reject))
    sent.on('error', (error: NodeJS.ErrnoException) => {
      // The server closed a connection that was kept open, before it read the request.
      if (sent.reusedSocket && error.code === 'ECONNRESET') send(address, start, options, body).then(resolve, reject)
      else
        reject(
          new RostraError(`The server at ${new URL(address).origin} does not answer: ${error.message}`, 0, undefined),
        )
    })
    sent.end(body)
  })
}

async function readText(answer: IncomingMessage): Promise<TextAnswer> {
  const parts: Buffer[] = []
  for await (const part of answer) parts.push(part as Buffer)
  return { status: answer.statusCode!, text: Buffer.concat(parts).toString('utf8') }
}
