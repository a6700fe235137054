import type { Method } from './declaring/operation.ts'
import type { TSchema } from './declaring/schema.ts'
import type { Window } from './limits/rate-limiter.ts'
import type { Naming } from './naming/naming.ts'
import type { Exchange, HttpResponse, ServeOptions } from './serving/serve-request.ts'
import type { Problem } from './writing/problem.ts'

/** What an operation of every family has. */
export interface FamilyOperation {
  readonly id: string
  readonly method: Method
  /** Neutral path with `{name}` parts. */
  readonly path: string
  readonly tag: string
  /** One line for the OpenAPI document. */
  readonly summary: string
  /** Largest body in bytes. */
  readonly bodyLimit: number
  /** It takes files. */
  readonly bodyAsForm?: boolean
  handle(input: never): Promise<unknown>
}

/** An operation as the reference names it. */
export interface ReferenceOperation {
  id: string
  method: Method
  path: string
}

/**
 * How a family serves one of its operations on one route. `State` is what the family keeps of a request from `begin` to the
 * end; a refusal gets it too.
 */
export interface Phases<State> {
  /** Finds the naming that the request uses and sets the first headers. */
  begin(exchange: Exchange): State
  /** Authenticates the caller, checks access, and counts the use. */
  admit(exchange: Exchange, state: State): Promise<void>
  /** Turns path, query and body into the input of the handler. */
  read(exchange: Exchange, state: State): Promise<unknown>
  /** Turns the result of the handler into a response. */
  write(result: unknown, exchange: Exchange, state: State): HttpResponse
}

/** How a family's OpenAPI document differs from that of the others. */
export interface FamilyDocument<O> {
  /** The endpoint that serves the document. */
  endpoint: { id: string; route: `GET /${string}` }
  title: string
  /** Members of the document other than paths, and what depends on the address: members of schemas, or whole schemas. */
  frame(naming: Naming, baseUrl: string): DocumentFrame
  /** One operation; `schema` moves named schemas to the components. */
  operation(operation: O, naming: Naming, schema: (source: TSchema) => object): object
}

/** What depends on the address of the server. */
export interface DocumentFrame {
  servers: { url: string }[]
  security?: object[]
  securitySchemes: Record<string, object>
  schemas?: Record<string, object>
}

/**
 * An interface with its own naming, access rules, envelopes and errors. Routes, fallbacks, OpenAPI documents, the coverage page
 * and the contract tests are made from a list of families.
 */
export interface Family<O extends FamilyOperation = FamilyOperation, State = unknown> {
  /** Also the name of its reference document, `<id>.openapi.json`, if it has one. */
  readonly id: string
  /** Heading of its part of the coverage page. */
  readonly title: string
  readonly version: string
  readonly operations: readonly O[]
  /** Every operation of the reference as `id method path`. Those that are not among the operations answer that they are not built. Empty when there is no reference document. */
  readonly reference: readonly string[]
  /** Operations that the reference does not have and other sources name, in the same form. They answer that they are not built, too. */
  readonly later?: readonly string[]
  /** Operations of the reference that are endpoints, because they are pages or speak another protocol. */
  readonly endpoints?: readonly ReferenceOperation[]
  readonly legacy: Naming
  readonly document: FamilyDocument<O>
  /** True for addresses of this family, whether or not they have a route. */
  covers(url: string): boolean
  /** The route for an address, where clients use other addresses than the routes have. */
  rewrite?(url: string): string
  /** Throws when an operation is declared wrongly. */
  check?(operation: O): void
  /** Compiles what an operation needs in one naming. At run time this happens on first use; tests do it for all. */
  compile(operation: O, naming: Naming): void
  /** The limit that a caller of this kind reads, where users and apps have different ones. */
  windowOf?(operation: O, caller: 'user' | 'app'): Window
  phases(operation: O, pathNaming: Naming | undefined, options: ServeOptions): Phases<State>
  /** The refusal for an error that is not a `Problem`; undefined for an unexpected one. */
  problemFor?(error: unknown): Problem | undefined
  /** A refusal as it was recorded at the host names of the platform, where that differs. */
  asRecorded?(problem: Problem): Problem
  /** A refusal in the family's shape. `state` is undefined when the request failed before `begin` returned; `baseUrl` is the address at which the client reached the server. */
  refuse(problem: Problem, naming: Naming, state: State | undefined, baseUrl: string): HttpResponse
  /** The refusal of a request that matches no route. */
  notFound(method: string, path: string): Problem
  /** The refusal of an operation of the reference that is not built yet. */
  notBuilt(operation: ReferenceOperation): Problem
}
