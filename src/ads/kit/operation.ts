import type { Caller } from '../../api-kit/declaring/caller.ts'
import type { Method, RequestFacts } from '../../api-kit/declaring/operation.ts'
import type { Static, TSchema } from '../../api-kit/declaring/schema.ts'
import type { Naming } from '../../api-kit/naming/naming.ts'
import type { Runtime } from '../../api-kit/runtime.ts'
import type { Headers } from '../../api-kit/serving/serve-request.ts'
import type { AccountAccess, Allowlist, Doing } from './access.ts'
import type { AdsError } from './errors.ts'
import type { Limit } from './limits.ts'
import type { Kind } from './values.ts'

/** A parameter that may come in the query or in a form body. */
export interface Param<T> {
  kind: Kind<T>
  required: boolean
  initial?: T
  /** On an update an empty text clears it. */
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

/** A part of the path: its kind, and the code that a value nothing can have is refused with. */
export interface PathParam {
  kind: Kind<string>
  missing: string
  echoAs?: string
}

type ValueOf<P> = P extends Param<infer T> ? (P extends { required: true } ? T : T | undefined) : never
export type ValuesOf<P extends Params> = { [K in keyof P]: ValueOf<P[K]> }

/** A request of the advertising interface: who asks, for which account, where. */
export interface AdsContext {
  path: Record<string, string>
  /** The caller and, on account paths, the account as the caller reaches it. */
  caller: Caller
  user: { id: string; username: string }
  account: AccountAccess
  /** The closed parts that are open to the app. */
  allowlists: ReadonlySet<string>
  sandbox: boolean
  runtime: Runtime
  naming: Naming
  headers: Headers
  request: RequestFacts
}

/** What a handler of the advertising interface gets. */
export interface AdsInput<P = Record<string, unknown>, B = unknown> extends AdsContext {
  params: P
  body: B
}

/** What a handler answers: members of the envelope beside `request`. */
export interface AdsAnswer {
  data?: unknown
  next_cursor?: string | null
  total_count?: number
  message?: string
  /** In place of the echo of path and parameters. */
  request?: unknown
  /** Members that the echo has besides. */
  alsoEchoed?: Record<string, unknown>
}

/** Members that the echo has though nobody sent them, and that it leaves out though they were. */
export interface EchoRule {
  also?: Record<string, string | null>
  without?: readonly string[]
}

export interface AdsOperation {
  id: string
  method: Method
  /** Neutral path with `{name}` parts, with its version. */
  path: string
  tag: string
  summary: string
  pathParams: PathParams
  params: Params
  body: TSchema | undefined
  bodyLimit: number
  data: TSchema | undefined
  /** Members of the envelope. */
  envelope: 'one' | 'list' | 'counted list' | 'batch' | 'message'
  may: Doing
  limit: Limit
  sandboxOnly: boolean
  allowlist: Allowlist | undefined
  feature: string | undefined
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
  /** JSON body; without one, parameters come in the query or a form. */
  body?: B
  bodyLimit?: number
  /** Schema of `data`; for lists that of one item. */
  data?: TSchema
  envelope?: AdsOperation['envelope']
  may?: Doing
  limit?: Limit
  sandboxOnly?: boolean
  allowlist?: Allowlist
  feature?: string
  seesDeletedAccount?: boolean
  echo?: EchoRule
  check?: (params: ValuesOf<P>) => AdsError[]
  handle(input: AdsInput<ValuesOf<P>, B extends TSchema ? Static<B> : undefined>): Promise<AdsAnswer>
}

const DEFAULT_BODY_LIMIT = 1024 * 1024

/** Declares an operation of the advertising interface; route, gates, limits, echo, OpenAPI and coverage follow from it. */
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
    body: declaration.body,
    bodyLimit: declaration.bodyLimit ?? DEFAULT_BODY_LIMIT,
    data: declaration.data,
    envelope: declaration.envelope ?? 'one',
    may: declaration.may ?? 'know the account',
    limit: declaration.limit ?? (method !== 'GET' ? 'writes' : hasAccount ? 'account reads' : 'global reads'),
    sandboxOnly: declaration.sandboxOnly ?? false,
    allowlist: declaration.allowlist,
    feature: declaration.feature,
    seesDeletedAccount: declaration.seesDeletedAccount ?? false,
    echo: declaration.echo,
    check: declaration.check as AdsOperation['check'],
    handle: declaration.handle as AdsOperation['handle'],
  }
}
