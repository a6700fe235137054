import type { ServerResponse } from 'node:http'

/** An answer whose text is already written. */
export class Answer {
  readonly text: string
  readonly status: number | undefined
  readonly contentType: string
  readonly headers: Record<string, string | string[]>
  /** Why the request was refused, for the request log. */
  readonly reason: string | undefined
  constructor(
    text: string,
    options: {
      status?: number
      contentType?: string
      headers?: Record<string, string | string[]>
      reason?: string | undefined
    } = {},
  ) {
    this.text = text
    this.status = options.status
    this.contentType = options.contentType ?? 'application/json; charset=utf-8'
    this.headers = options.headers ?? {}
    this.reason = options.reason
  }
}

/** An answer that stays open: `open` gets the response after its head was sent, and writes lines of the reply schema. */
export class StreamAnswer {
  readonly open: (response: ServerResponse) => void
  readonly headers: Record<string, string>
  constructor(open: (response: ServerResponse) => void, headers: Record<string, string> = {}) {
    this.open = open
    this.headers = headers
  }
}

/** An answer of bytes, which are produced as fast as the client reads them. A length that is not known yet is undefined. */
export class BytesAnswer {
  readonly length: number | undefined
  readonly bytes: AsyncIterable<Buffer>
  readonly status: number
  readonly headers: Record<string, string>
  constructor(
    length: number | undefined,
    bytes: AsyncIterable<Buffer>,
    status: number,
    headers: Record<string, string>,
  ) {
    this.length = length
    this.bytes = bytes
    this.status = status
    this.headers = headers
  }
}

/** A value of the reply schema, with further headers. */
export class WithHeaders {
  readonly value: unknown
  readonly headers: Record<string, string>
  constructor(value: unknown, headers: Record<string, string>) {
    this.value = value
    this.headers = headers
  }
}

/** An answer with JSON. */
export const jsonAnswer = (value: unknown, status = 200): Answer => new Answer(JSON.stringify(value), { status })

/** An answer that redirects the browser. */
export const redirect = (
  location: string,
  headers: Record<string, string | string[]> = {},
  status: 302 | 303 = 302,
): Answer => new Answer('', { status, contentType: 'text/plain; charset=utf-8', headers: { ...headers, location } })

/** A refusal that the client learns from the address to which the browser is sent. */
export const redirectRefusal = (location: string, reason: string): Answer =>
  new Answer('', { status: 302, contentType: 'text/plain; charset=utf-8', headers: { location }, reason })
