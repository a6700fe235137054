import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { realNow } from '../../process/clock.ts'
import { inRequest, randomBytes } from '../../process/random.ts'
import { outageOf } from '../../storage/outage.ts'
import type { Caller } from '../declaring/caller.ts'
import type { RequestFacts, SentMethod } from '../declaring/operation.ts'
import type { FaultTarget } from '../faults/failure.ts'
import { faultWords, type NotedFault } from '../faults/noted-fault.ts'
import { NO_LIMIT, unusedWindow, writeLimitHeaders } from '../limits/limit-headers.ts'
import type { Meter } from '../limits/meter.ts'
import type { RequestCost } from '../limits/returned-objects.ts'
import { type Naming, neutral } from '../naming/naming.ts'
import type { Runtime } from '../runtime.ts'
import { BytesAnswer, type StreamAnswer } from '../writing/answer.ts'
import { Problem, problemBaseOf, renderBody } from '../writing/problem.ts'
import { blank } from '../writing/problems.ts'
import { captureExchange } from './capture.ts'
import { compressText } from './compress.ts'
import { endTogether } from './end-together.ts'
import type { HttpReply, HttpRequest } from './http-exchange.ts'
import { outageProblem } from './outage-problem.ts'
import { type PlatformAnswers, withPlatformLinks } from './platform-links.ts'
import { namedHost, reachedAddress, withAddress } from './reached-address.ts'

/** Turns the credentials of a request into a caller, or throws the refusal. */
export type Authenticate = (request: RequestFacts, notes: RequestNotes) => Promise<Caller>

/** What the request log should have besides the answer. */
export interface RequestNotes {
  details?: Record<string, string>
  caller?: Caller
  /** The app that a refused or signing-in request named. */
  app?: { id: string; name: string }
  cost?: RequestCost | undefined
  /** The fault that happened to the request. */
  fault?: NotedFault
  /** The result of authentication: a signature can be checked only once. */
  authentication?: Promise<Caller>
}

/** Makes requests fail on purpose. */
export interface FaultSource {
  /** False when no request fails, which is nearly always. */
  readonly areSet: boolean
  /** What a request gets instead of its answer; undefined when it is served as usual. */
  meet(exchange: Exchange, target: FaultTarget): Promise<Problem | HttpResponse | undefined>
}

/** What serving needs besides the runtime. */
export interface ServeOptions {
  runtime: Runtime
  /** The host names of the platform, and what answers at them have. */
  platform: PlatformAnswers
  /** The naming of requests that use neither spelling; `auto` follows the credential. */
  defaultNaming: 'auto' | 'neutral' | 'legacy'
  authenticate: Authenticate
  /** Absent when nothing is counted. */
  meter?: Meter | undefined
  /** Requests that fail on purpose. Absent where there are none. */
  faults?: FaultSource | undefined
  apiVersion: string
  trustProxy: boolean
  /** Links have the public address of the settings, whatever host a request names. */
  hasPublicUrl: boolean
}

export type Headers = Record<string, string | string[]>

/** A request that is being served: what is known about it so far. */
export interface Exchange {
  request: HttpRequest
  facts: RequestFacts
  notes: RequestNotes
  headers: Headers
  /** The naming of the answer. */
  naming: Naming
}

/** Status, text and headers of an answer. */
export interface HttpResponse {
  status: number
  text: string
  headers: Headers
  /** Present when the answer stays open after its head. */
  stream?: StreamAnswer
  /** The text is compressed for clients that take it. What programs call is not, since it is measured in answers per second. */
  isCompressible?: boolean
  /** Present when the answer is bytes instead of the text. */
  bytes?: BytesAnswer
  /** The connection ends after the text, which is only a part of the answer. Without a text it ends at once. */
  isCut?: boolean
  /** Why it is a refusal, for the request log. */
  reason?: string | undefined
}

const atOnce = <T>(work: () => T): T => work()

/** In which requests run. Only deterministic mode tells them apart from background work: that has a cost. */
export const scopeOf = ({ isDeterministic }: Runtime): typeof atOnce => (isDeterministic ? inRequest : atOnce)

/** Makes a handler around `work`: standard headers, refusals, and the request log. */
export function serveRequest(
  options: ServeOptions,
  endpoint: { id: string; unrecorded?: boolean; mayAnswerSecrets?: boolean; isUncaptured?: boolean },
  work: (exchange: Exchange) => Promise<HttpResponse>,
) {
  const { runtime } = options
  // How often somebody asks how the server is depends on the machine.
  const scope = endpoint.unrecorded || endpoint.id === 'health' ? atOnce : scopeOf(runtime)
  return async function serve(request: HttpRequest, reply: HttpReply): Promise<void> {
    runtime.inFlight.begin()
    const startedAt = realNow()
    const started = performance.now()
    runtime.stalls.check(started)
    const exchange: Exchange = {
      request,
      facts: requestFacts(request, options),
      notes: {},
      headers: scope(() => standardHeaders(runtime, options.apiVersion)),
      naming: neutral,
    }
    let response: HttpResponse
    try {
      response = await scope(() => work(exchange))
      if (response.bytes) response.bytes = await begun(response.bytes)
    } catch (error) {
      const problem = error instanceof Problem ? error : unexpected(error, runtime, endpoint.id)
      response = problemResponse(problem, exchange.naming, exchange.facts.baseUrl)
    }
    runtime.inFlight.end()
    const latency = performance.now() - started
    const headers = Object.assign(exchange.headers, response.headers)
    headers['x-response-time'] = runtime.isDeterministic ? '0' : String(Math.round(latency))
    try {
      if (response.isCut) cutOff(reply, headers, response)
      else if (response.bytes) sendBytes(reply, headers, response.bytes, runtime)
      else if (response.stream) openStream(reply, response.status, headers, response.stream)
      else if (response.isCompressible) await sendCompressed(reply, response.status, headers, response.text)
      else send(reply, response.status, headers, response.text)
    } catch (error) {
      // A header is not valid in HTTP. Without an answer the client would wait forever.
      const problem = unexpected(error, runtime, endpoint.id)
      response = problemResponse(problem, exchange.naming, exchange.facts.baseUrl)
      send(
        reply,
        response.status,
        { ...standardHeaders(runtime, options.apiVersion), ...response.headers },
        response.text,
      )
    }
    if (endpoint.unrecorded && response.status < 400) return
    const { caller, details, cost, fault } = exchange.notes
    const app = caller?.app ?? exchange.notes.app
    runtime.requestLog.add(
      startedAt,
      {
        method: request.method,
        path: withoutMount(request.originalUrl, runtime.mount),
        operation: endpoint.id,
        status: response.status,
        latency_ms: latency,
        app_id: app?.id,
        app: app?.name,
        user: caller?.user?.username,
        credential: caller?.kind,
        naming: exchange.naming.id,
        reason: fault && fault.effect !== 'delay' ? faultWords(fault) : response.reason,
        details,
        cost,
        fault,
      },
      endpoint.isUncaptured || !runtime.requestLog.takesCapture(response.status)
        ? undefined
        : captureExchange(request, { headers, text: response.text }, endpoint.mayAnswerSecrets ?? false),
    )
  }
}

/** A problem as an answer in one naming. */
export function problemResponse(problem: Problem, naming: Naming, baseUrl: string): HttpResponse {
  return {
    status: problem.status,
    text: JSON.stringify(renderBody(problem.body, naming, problemBaseOf(baseUrl))),
    headers: { 'content-type': problem.contentType, ...problem.headers },
    reason: problem.reason ?? reasonOf(problem),
  }
}

function requestFacts(request: HttpRequest, options: ServeOptions): RequestFacts {
  const { runtime, trustProxy, platform } = options
  const host = namedHost(request)
  const isPlatformHost = platform.hosts.has(host)
  const baseUrl = reachedAddress(request, options)
  // As the client signed it: before any rewriting, but without the mount path, which the public address already has.
  const raw = withoutMount(request.originalUrl, runtime.mount)
  const cut = raw.indexOf('?')
  const path = cut < 0 ? raw : raw.slice(0, cut)
  return {
    // There are routes for these only.
    method: request.method as SentMethod,
    url: publicAddress(request, trustProxy, runtime) + path,
    baseUrl,
    isPlatformHost,
    moveLinks: isPlatformHost
      ? (text) => withPlatformLinks(text, runtime.baseUrl, host, platform)
      : (text) => withAddress(text, runtime.baseUrl, baseUrl),
    path,
    mount: raw === request.originalUrl ? '' : runtime.mount,
    rawQuery: cut < 0 ? '' : raw.slice(cut + 1),
    headers: request.headers,
    body: request.body as Buffer | undefined,
    remoteAddress: request.ip,
  }
}

/** An address without the mount path: some proxies keep it and others strip it. */
export const withoutMount = (url: string, mount: string): string =>
  mount !== '' && url.startsWith(`${mount}/`) ? url.slice(mount.length) : url

// The address that the client signed: the public one, or else the host of the request.
function publicAddress(request: HttpRequest, trustProxy: boolean, { baseUrl, origin }: Runtime): string {
  if (trustProxy && request.headers['x-forwarded-host']) return `${request.protocol}://${request.host}`
  const host = request.headers.host
  if (host === undefined || origin.endsWith(`//${host}`)) return baseUrl
  const isSecure = (request.socket as { encrypted?: boolean }).encrypted || origin.startsWith('https:')
  return `${isSecure ? 'https' : 'http'}://${host}`
}

/** Headers of every answer. */
export function standardHeaders(runtime: Runtime, apiVersion: string): Headers {
  const headers: Headers = {
    'api-version': apiVersion,
    'cache-control': 'no-cache, no-store, max-age=0',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'SAMEORIGIN',
    'x-xss-protection': '0',
    'x-transaction-id': transactionId(runtime),
  }
  writeLimitHeaders(headers, 'x-rate-limit', unusedWindow(NO_LIMIT))
  // Otherwise Node adds the real one.
  if (runtime.isDeterministic) headers.date = new Date(runtime.clock.now()).toUTCString()
  if (runtime.baseUrl.startsWith('https:')) headers['strict-transport-security'] = 'max-age=631138519'
  return headers
}

let transactions = Math.floor(Math.random() * 0x7fffffff)
let firstTransaction = randomBytes(4).toString('hex')
// A counter after something random: each answer has one.
function transactionId({ isDeterministic }: Runtime): string {
  if (isDeterministic) return randomBytes(8).toString('hex')
  transactions += 1
  if (transactions > 0xffffffff) {
    transactions = 0
    firstTransaction = randomBytes(4).toString('hex')
  }
  const count = transactions.toString(16)
  return firstTransaction + '00000000'.slice(count.length) + count
}

/** Sends an answer on the raw response, without the hooks of the framework. */
export function send(reply: HttpReply, status: number, headers: Headers, text: string): void {
  reply.hijack()
  // HTTP does not allow the header where there can be no body.
  const length = Buffer.byteLength(text)
  if (status !== 204) headers['content-length'] = String(length)
  reply.raw.writeHead(status, headers)
  // As text, because then head and body are sent in one write. Most texts are ASCII, which is written much faster as Latin 1.
  if (reply.request.method === 'HEAD') reply.raw.end()
  else endTogether(reply.raw, text, length === text.length ? 'latin1' : 'utf8')
}

/** Sends a text in the encoding that the client takes. */
async function sendCompressed(reply: HttpReply, status: number, headers: Headers, text: string): Promise<void> {
  headers.vary = headers.vary === undefined ? 'accept-encoding' : `${headers.vary}, accept-encoding`
  const compressed = await compressText(text, String(reply.request.headers['accept-encoding'] ?? ''))
  if (!compressed) return send(reply, status, headers, text)
  reply.hijack()
  headers['content-encoding'] = compressed.encoding
  headers['content-length'] = String(compressed.bytes.length)
  reply.raw.writeHead(status, headers)
  if (reply.request.method === 'HEAD') reply.raw.end()
  else reply.raw.end(compressed.bytes)
}

// The length says that more follows.
const MISSING_BYTES = 1_024

/** Sends a part of an answer and ends the connection. */
function cutOff(reply: HttpReply, headers: Headers, { status, text }: HttpResponse): void {
  reply.hijack()
  const { raw } = reply
  if (text === '') return void raw.destroy()
  headers['content-length'] = String(Buffer.byteLength(text) + MISSING_BYTES)
  raw.writeHead(status, headers)
  raw.write(text, () => raw.destroy())
}

/** Waits for the first bytes, so an answer that cannot begin is a refusal instead of a connection that ends. */
async function begun({ length, bytes, status, headers }: BytesAnswer): Promise<BytesAnswer> {
  const iterator = bytes[Symbol.asyncIterator]()
  let first: IteratorResult<Buffer> | undefined = await iterator.next()
  const next = (): Promise<IteratorResult<Buffer>> => {
    const read = first ? Promise.resolve(first) : iterator.next()
    first = undefined
    return read
  }
  // Not a generator: one that was never read would not end what it reads from.
  const end = async (): Promise<IteratorResult<Buffer>> => {
    await iterator.return?.()
    return { done: true, value: undefined }
  }
  return new BytesAnswer(length, { [Symbol.asyncIterator]: () => ({ next, return: end }) }, status, headers)
}

function sendBytes(reply: HttpReply, headers: Headers, answer: BytesAnswer, runtime: Runtime): void {
  reply.hijack()
  if (answer.length !== undefined) headers['content-length'] = String(answer.length)
  reply.raw.writeHead(answer.status, headers)
  const sending =
    reply.request.method === 'HEAD'
      ? endUnread(answer, reply)
      : pipeline(Readable.from(answer.bytes, { objectMode: false }), reply.raw)
  sending.catch((error: NodeJS.ErrnoException) => {
    // Clients may disconnect at any time; video players often do.
    if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE') runtime.log.warn({ err: error }, 'an answer ended early')
  })
}

/** Ends an answer without its bytes, and what they are read from. */
async function endUnread({ bytes }: BytesAnswer, { raw }: HttpReply): Promise<void> {
  raw.end()
  await bytes[Symbol.asyncIterator]().return?.()
}

function openStream(reply: HttpReply, status: number, headers: Headers, stream: StreamAnswer): void {
  reply.hijack()
  reply.raw.writeHead(status, headers)
  reply.raw.flushHeaders()
  stream.open(reply.raw)
}

/** Logs an unexpected error and returns a problem without its text. An outage of the database is a 503. */
export function unexpected(error: unknown, runtime: Runtime, operation?: string): Problem {
  const outage = outageOf(error)
  if (outage) {
    const problem = outageProblem(outage)
    runtime.log.warn({ operation, error: String(error) }, problem.reason)
    return problem
  }
  runtime.log.error({ err: error, operation }, 'unexpected error')
  return blank(500, undefined, 'an unexpected error; see the server log')
}

/** Why a request was refused, in the words of the refusal. */
export function reasonOf(problem: Problem): string | undefined {
  const first = (problem.body.errors as { message?: unknown; detail?: unknown }[] | undefined)?.[0]
  const words = first?.message ?? first?.detail ?? problem.body.detail ?? problem.body.error_description
  return typeof words === 'string' ? words : words === undefined ? undefined : String(renderBody(words, neutral, ''))
}
