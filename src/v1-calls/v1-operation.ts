import type { Caller, PermissionLevel } from '../api-kit/declaring/caller.ts'
import type { Method, RequestFacts } from '../api-kit/declaring/operation.ts'
import type { FamilyOperation } from '../api-kit/family.ts'
import { parseWindows, type Window } from '../api-kit/limits/rate-limiter.ts'
import type { ReadContext } from '../api-kit/reading/read-context.ts'
import type { Runtime } from '../api-kit/runtime.ts'
import type { V1Object } from '../social/v1/v1-json.ts'
import type { V1Params } from './v1-params.ts'

/** What a handler gets. */
export interface V1Input {
  params: V1Params
  caller: Caller
  runtime: Runtime
  context: ReadContext
  request: RequestFacts
}

/** What a handler returns. Without a body the answer is empty. */
export interface V1Answer {
  status?: number
  body?: V1Object
}

/** A call of version 1.1. */
export interface V1Operation extends FamilyOperation {
  /** App-only tokens are accepted too. */
  readonly auth: { app: boolean; oauth1: true }
  readonly level: PermissionLevel
  readonly limits: { app: Window[]; user: Window[] }
  /** The parameters with a line about each. */
  readonly params: Readonly<Record<string, string>>
  handle(input: V1Input): Promise<V1Answer>
}

interface Declaration {
  id: string
  route: `${Method} /${string}`
  tag: string
  summary: string
  /** App-only tokens are accepted too. */
  app?: boolean
  level?: PermissionLevel
  limit: { app?: string; user: string }
  params: Record<string, string>
  bodyAsForm?: boolean
  bodyLimit?: number
  handle(input: V1Input): Promise<V1Answer>
}

const DEFAULT_BODY_LIMIT = 64 * 1024

/** Declares a call of version 1.1. */
export function defineV1Operation(declaration: Declaration): V1Operation {
  const { id, tag, summary, params, limit, handle } = declaration
  const [method, path] = declaration.route.split(' ') as [Method, string]
  return {
    id,
    method,
    path,
    tag,
    summary,
    auth: { app: declaration.app ?? false, oauth1: true },
    level: declaration.level ?? (method === 'GET' ? 'read' : 'read-write'),
    limits: { app: limit.app ? parseWindows(limit.app) : [], user: parseWindows(limit.user) },
    params,
    bodyAsForm: declaration.bodyAsForm ?? false,
    bodyLimit: declaration.bodyLimit ?? DEFAULT_BODY_LIMIT,
    handle,
  }
}
