import type { ServerResponse } from 'node:http'

/** An answer that is not plain JSON of the reply schema. */
export class Answer {
  readonly text: string
  readonly status: number | undefined
  readonly contentType: string
  readonly headers: Record<string, string | string[]>
  constructor(
    text: string,
    options: { status?: number; contentType?: string; headers?: Record<string, string | string[]> } = {},
  ) {
    this.text = text
    this.status = options.status
    this.contentType = options.contentType ?? 'application/json; charset=utf-8'
    this.headers = options.headers ?? {}
  }
}

/** An answer that stays open: `open` gets the response once its head has left, and writes lines of the reply schema. */
export class StreamAnswer {
  readonly open: (response: ServerResponse) => void
  constructor(open: (response: ServerResponse) => void) {
    this.open = open
  }
}

/** An answer of bytes whose number is known; they are asked for as fast as the client takes them. */
export class BytesAnswer {
  readonly length: number
  readonly bytes: AsyncIterable<Buffer>
  readonly status: number
  readonly headers: Record<string, string>
  constructor(length: number, bytes: AsyncIterable<Buffer>, status: number, headers: Record<string, string>) {
    this.length = length
    this.bytes = bytes
    this.status = status
    this.headers = headers
  }
}

/** A value of the reply schema with headers beside it. */
export class WithHeaders {
  readonly value: unknown
  readonly headers: Record<string, string>
  constructor(value: unknown, headers: Record<string, string>) {
    this.value = value
    this.headers = headers
  }
}

/** JSON as an answer. */
export const jsonAnswer = (value: unknown, status = 200): Answer => new Answer(JSON.stringify(value), { status })

/** Sends the browser elsewhere. */
export const redirect = (location: string, headers: Record<string, string | string[]> = {}): Answer =>
  new Answer('', { status: 302, contentType: 'text/plain; charset=utf-8', headers: { ...headers, location } })
