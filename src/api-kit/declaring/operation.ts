import { parseWindows, type Window } from '../limits/rate-limiter.ts'
import type { Naming } from '../naming/naming.ts'
import type { ReadContext } from '../reading/read-context.ts'
import type { Runtime } from '../runtime.ts'
import type { Caller, PermissionLevel, Tier } from './caller.ts'
import type { Parameter } from './parameters.ts'
import type { Static, TSchema } from './schema.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'
/** Pages and files answer HEAD as GET, without the body. */
export type SentMethod = Method | 'HEAD'

/** Who may call an operation. */
export interface AuthRule {
  /** App-only bearer tokens. */
  app?: boolean
  /** OAuth 1.0a user context. */
  oauth1?: boolean
  /** OAuth 2.0 user context with all of these scopes. */
  oauth2?: readonly string[]
  /** The request decides which of these scopes is needed: the operation itself checks them. */
  scopesByRequest?: boolean
  /** Level that an OAuth 1.0a credential needs; writing operations need `read-write` unless set. */
  level?: PermissionLevel
  /** Tiers whose apps may call it. Default: all. */
  tiers?: readonly Tier[]
}

/** Since when an operation is deprecated, and the path of the operation that replaces it. */
export interface Deprecation {
  since: Date
  successor: string
}

/** A request as it was sent. */
export interface RequestFacts {
  method: SentMethod
  /** The address that the client used, without query. */
  url: string
  /** The address at which the client reached the server, for links in the answer. */
  baseUrl: string
  /** The request names a host of the platform: answers are as they were recorded there. */
  isPlatformHost: boolean
  /** Changes the links of a written answer to addresses that the client can reach. */
  moveLinks(text: string): string
  /** Path without the mount path of the public address. */
  path: string
  /** The mount path if the request has it; empty when a proxy has stripped it or there is none. */
  mount: string
  rawQuery: string
  headers: Record<string, string | string[] | undefined>
  /** The body as sent. */
  body: Buffer | undefined
  remoteAddress: string
}

/** What a handler gets. */
export interface Input<P, Q, B> {
  path: P
  query: Q
  body: B
  /** Present unless the operation takes no credentials. */
  caller: Caller
  runtime: Runtime
  naming: Naming
  context: ReadContext
  request: RequestFacts
}

type PathOf<P> = { [K in keyof P]: P[K] extends TSchema ? Static<P[K]> : never }
type QueryOf<Q> = { [K in keyof Q]: Q[K] extends Parameter<infer T> ? T : never }
type BodyOf<B> = B extends TSchema ? Static<B> : undefined

interface Declaration<
  P extends Record<string, TSchema>,
  Q extends Record<string, Parameter<unknown>>,
  B extends TSchema | undefined,
> {
  id: string
  route: `${Method} /${string}`
  tag: string
  /** One line for the OpenAPI document and the coverage page. */
  summary: string
  auth: AuthRule | 'none'
  /** Windows as `parseWindows` reads them. */
  limit?: { app?: string; user?: string }
  path?: P
  query?: Q
  body?: B
  /** The body may be left out. */
  bodyOptional?: boolean
  /** The body may also be a form, `multipart/form-data` or URL-encoded; its bytes become base64, as in JSON. */
  bodyAsForm?: boolean
  /** Largest body in bytes. */
  bodyLimit?: number
  reply: TSchema
  /** Status of success. */
  status?: number
  /** Status of an answer that is not a refusal, but did nothing that `status` reports, such as 200 beside 201. */
  otherStatus?: number
  /** Clients should use another operation: answers say so. */
  deprecated?: Deprecation
  /** The version that added it, where that is later than the version of the reference. */
  since?: string
  /** The answer is a stream of lines, each of the reply schema. */
  streaming?: boolean
  /** The answer is bytes, `application/octet-stream`. */
  bytes?: boolean
  handle(input: Input<PathOf<P>, QueryOf<Q>, BodyOf<B>>): Promise<unknown>
}

/** A declared operation of version 2: routes, OpenAPI, limits, gates, coverage and contract tests are derived from it. */
export interface Operation {
  id: string
  method: Method
  /** Neutral path with `{name}` parts. */
  path: string
  tag: string
  summary: string
  auth: AuthRule | 'none'
  limits: { app: Window[]; user: Window[] }
  pathSchemas: Record<string, TSchema>
  query: Record<string, Parameter<unknown>>
  body: TSchema | undefined
  bodyOptional: boolean
  bodyAsForm: boolean
  bodyLimit: number
  reply: TSchema
  status: number
  otherStatus: number | undefined
  deprecated: Deprecation | undefined
  since: string | undefined
  streaming: boolean
  bytes: boolean
  handle(input: Input<never, never, never>): Promise<unknown>
}

const DEFAULT_BODY_LIMIT = 1024 * 1024

/** Declares an operation. */
export function defineOperation<
  P extends Record<string, TSchema> = Record<never, TSchema>,
  Q extends Record<string, Parameter<unknown>> = Record<never, Parameter<unknown>>,
  B extends TSchema | undefined = undefined,
>(declaration: Declaration<P, Q, B>): Operation {
  const [method, path] = declaration.route.split(' ') as [Method, string]
  return {
    id: declaration.id,
    method,
    path,
    tag: declaration.tag,
    summary: declaration.summary,
    auth: declaration.auth,
    limits: {
      app: declaration.limit?.app ? parseWindows(declaration.limit.app) : [],
      user: declaration.limit?.user ? parseWindows(declaration.limit.user) : [],
    },
    pathSchemas: declaration.path ?? {},
    query: declaration.query ?? {},
    body: declaration.body,
    bodyOptional: declaration.bodyOptional ?? false,
    bodyAsForm: declaration.bodyAsForm ?? false,
    bodyLimit: declaration.bodyLimit ?? DEFAULT_BODY_LIMIT,
    reply: declaration.reply,
    status: declaration.status ?? 200,
    otherStatus: declaration.otherStatus,
    deprecated: declaration.deprecated,
    since: declaration.since,
    streaming: declaration.streaming ?? false,
    bytes: declaration.bytes ?? false,
    handle: declaration.handle as Operation['handle'],
  }
}

/** The user of a credential; only for operations that take only user context. */
export function userOf(caller: Caller): { id: string; username: string } {
  if (!caller.user) throw new Error('The operation takes app-only credentials but needs a user.')
  return caller.user
}

/** Runs an operation with input that its own readers have read: operations with different inputs share one type, which hides them. */
export const runOperation = (operation: Operation, input: Input<unknown, unknown, unknown>): Promise<unknown> =>
  operation.handle(input as Input<never, never, never>)
