import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** A request as serving reads it. Those of the framework have this shape too. */
export interface HttpRequest {
  readonly raw: IncomingMessage
  readonly method: string
  readonly headers: IncomingHttpHeaders
  /** The address as the client sent it. */
  readonly originalUrl: string
  /** The values of the path, by name. */
  params: unknown
  readonly body: unknown
  readonly ip: string
  readonly protocol: string
  readonly host: string
  readonly socket: Socket
}

/** Where the answer to a request goes. */
export interface HttpReply {
  readonly raw: ServerResponse
  readonly request: HttpRequest
  /** Says that the answer is sent on the raw response. */
  hijack(): unknown
}

/** A request without a body that no framework has looked at. */
export class PlainRequest implements HttpRequest {
  readonly raw: IncomingMessage
  readonly originalUrl: string
  readonly headers: IncomingHttpHeaders
  params: unknown

  constructor(raw: IncomingMessage, params: unknown) {
    this.raw = raw
    this.originalUrl = raw.url!
    this.headers = raw.headers
    this.params = params
  }

  get method(): string {
    return this.raw.method!
  }

  get body(): undefined {
    return undefined
  }

  get ip(): string {
    return this.raw.socket.remoteAddress!
  }

  get protocol(): string {
    return (this.raw.socket as { encrypted?: boolean }).encrypted ? 'https' : 'http'
  }

  get host(): string {
    return this.headers.host ?? ''
  }

  get socket(): Socket {
    return this.raw.socket
  }
}

/** The reply to a request that no framework has looked at. */
export class PlainReply implements HttpReply {
  readonly raw: ServerResponse
  readonly request: HttpRequest

  constructor(raw: ServerResponse, request: HttpRequest) {
    this.raw = raw
    this.request = request
  }

  hijack(): void {}
}
