import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { neutral } from '../naming/naming.ts'
import { blank } from '../writing/problems.ts'
import { problemResponse, type ServeOptions, scopeOf, standardHeaders } from './serve-request.ts'

/** Refusals of what is not an HTTP request, by the error code of the parser. */
const REFUSALS: Record<string, [status: number, detail: string]> = {
  HPE_HEADER_OVERFLOW: [431, 'The headers of the request are larger than 16 KB.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request did not arrive in time.'],
}
const UNREADABLE: [status: number, detail: string] = [400, 'The request is not valid HTTP.']

/** Answers bytes that are not a request, in the usual shape of refusals, and closes the connection. */
export function answerBrokenRequest(
  error: Error & { code?: string },
  socket: Socket,
  { runtime, apiVersion }: Pick<ServeOptions, 'runtime' | 'apiVersion'>,
): void {
  if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy()
  const [status, detail] = REFUSALS[error.code ?? ''] ?? UNREADABLE
  const { text, headers } = problemResponse(blank(status, detail), neutral, runtime.baseUrl)
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `content-type: ${headers['content-type']}`,
    ...Object.entries(scopeOf(runtime)(() => standardHeaders(runtime, apiVersion))).map((pair) => pair.join(': ')),
    `content-length: ${Buffer.byteLength(text)}`,
    'connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${text}`)
}
