import type { Caller } from '../../api-kit/declaring/caller.ts'
import type { Method, RequestFacts } from '../../api-kit/declaring/operation.ts'
import type { Static, TSchema } from '../../api-kit/declaring/schema.ts'
import type { Naming } from '../../api-kit/naming/naming.ts'
import type { Runtime } from '../../api-kit/runtime.ts'
import type { Headers } from '../../api-kit/serving/serve-request.ts'
import type { AccountAccess, AdsAction, Allowlist } from './access.ts'
import type { AdsError } from './errors.ts'
import type { Limit } from './limits.ts'
import type { Kind } from './values.ts'

/** A parameter that may come in the query or in a form body. */
export interface Param<T> {
  kind: Kind<T>
  required: boolean
  initial?: T
  /** An empty value in an update clears the member. */
  clearable?: boolean
  /** Its name in `request.params`, where that differs. */
  echoAs?: string
}

type ParamOptions<T> = { initial?: T; clearable?: boolean; echoAs?: string }

/** A parameter that must be given. */
export const required = <T>(
  kind: Kind<T>,
  options: Pick<ParamOptions<T>, 'echoAs'> = {},
): Param<T> & { required: true } => ({ kind, required: true, ...options })
/** A parameter that may be left out. */
export const optional = <T>(kind: Kind<T>, options: ParamOptions<T> = {}): Param<T> & { required: false } => ({
  kind,
  required: false,
  ...options,
})

export type Params = Record<string, Param<unknown>>
export type PathParams = Record<string, PathParam>

/** A part of the path: its kind, and the error code for a value that no record can have. */
export interface PathParam {
  kind: Kind<string>
  missing: string
  echoAs?: string
}

type ValueOf<P> = P extends Param<infer T> ? (P extends { required: true } ? T : T | undefined) : never
export type ValuesOf<P extends Params> = { [K in keyof P]: ValueOf<P[K]> }

/** A request of the advertising interface: its caller, its account and its environment. */
export interface AdsContext {
  path: Record<string, string>
  /** The caller. Below it, the account with the caller's permissions, on paths with an account. */
  caller: Caller
  user: { id: string; username: string }
  account: AccountAccess
  /** The allowlists that the app is on. */
  allowlists: ReadonlySet<string>
  sandbox: boolean
  runtime: Runtime
  naming: Naming
  headers: Headers
  request: RequestFacts
  /** Whether to ignore a name that the operation does not know. One that is ignored is noted in the request log. */
  ignores: Ignores
}

export type Ignores = (name: string) => boolean

/** What a handler of the advertising interface receives. */
export interface AdsInput<P = Record<string, unknown>, B = unknown> extends AdsContext {
  params: P
  body: B
}

/** What a handler returns: the members of the envelope other than `request`. */
export interface AdsAnswer {
  data?: unknown
  next_cursor?: string | null
  total_count?: number
  message?: string
  /** What statistics are of, and how many values each of their series has. */
  data_type?: string
  time_series_length?: number
  /** Replaces the echo of path and parameters. */
  request?: unknown
  /** Additional members of the echo. */
  alsoEchoed?: Record<string, unknown>
}

/** Members that the echo has although they were not sent, and members that it omits although they were. */
export interface EchoRule {
  also?: Record<string, string | null>
  without?: readonly string[]
}

export interface AdsOperation {
  id: string
  method: Method
  /** Path in the neutral naming, with its version and `{name}` parts. */
  path: string
  tag: string
  summary: string
  pathParams: PathParams
  params: Params
  /** Members that never change: an update takes them with the value that the record has. */
  unchanging: Params
  /** Values that an update may not send are compared with the record before they are refused. */
  comparesRecord: boolean
  body: TSchema | undefined
  bodyLimit: number
  data: TSchema | undefined
  /** Members of the envelope. A whole list has no pages. */
  envelope: 'one' | 'list' | 'counted list' | 'whole list' | 'batch' | 'message' | 'statistics'
  may: AdsAction
  limit: Limit
  sandboxOnly: boolean
  allowlist: Allowlist | undefined
  /** Apps that are enrolled for conversions only may use it too. */
  forConversions: boolean
  /** Answers for a deleted account too. */
  seesDeletedAccount: boolean
  /** How the echo differs from the path and the parameters. */
  echo: EchoRule | undefined
  /** Further checks of the parameters together. */
  check: ((params: Record<string, unknown>) => AdsError[]) | undefined
  handle(input: AdsInput): Promise<AdsAnswer>
}

interface Declaration<P extends Params, B extends TSchema | undefined> {
  id: string
  route: `${Method} /${string}`
  tag: string
  summary: string
  path?: PathParams
  params?: P
  unchanging?: Params
  comparesRecord?: boolean
  /** JSON body; without one, parameters are sent in the query or a form. */
  body?: B
  bodyLimit?: number
  /** Schema of `data`; for lists that of one item. */
  data?: TSchema
  envelope?: AdsOperation['envelope']
  may?: AdsAction
  limit?: Limit
  sandboxOnly?: boolean
  allowlist?: Allowlist
  forConversions?: boolean
  seesDeletedAccount?: boolean
  echo?: EchoRule
  check?: (params: ValuesOf<P>) => AdsError[]
  handle(input: AdsInput<ValuesOf<P>, B extends TSchema ? Static<B> : undefined>): Promise<AdsAnswer>
}

const DEFAULT_BODY_LIMIT = 1024 * 1024

/** Declares an operation of the advertising interface. Route, gates, limits, echo, OpenAPI and coverage are derived from it. */
export function defineAdsOperation<P extends Params = Record<never, never>, B extends TSchema | undefined = undefined>(
  declaration: Declaration<P, B>,
): AdsOperation {
  const [method, path] = declaration.route.split(' ') as [Method, string]
  const hasAccount = path.includes('{account_id}')
  return {
    id: declaration.id,
    method,
    path,
    tag: declaration.tag,
    summary: declaration.summary,
    pathParams: declaration.path ?? {},
    params: declaration.params ?? {},
    unchanging: declaration.unchanging ?? {},
    comparesRecord: declaration.comparesRecord ?? false,
    body: declaration.body,
    bodyLimit: declaration.bodyLimit ?? DEFAULT_BODY_LIMIT,
    data: declaration.data,
    envelope: declaration.envelope ?? 'one',
    may: declaration.may ?? 'see the account',
    limit: declaration.limit ?? (method !== 'GET' ? 'writes' : hasAccount ? 'account reads' : 'global reads'),
    sandboxOnly: declaration.sandboxOnly ?? false,
    allowlist: declaration.allowlist,
    forConversions: declaration.forConversions ?? false,
    seesDeletedAccount: declaration.seesDeletedAccount ?? false,
    echo: declaration.echo,
    check: declaration.check as AdsOperation['check'],
    handle: declaration.handle as AdsOperation['handle'],
  }
}
