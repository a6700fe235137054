import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { realNow } from '../../process/clock.ts'
import type { Operation } from '../declaring/operation.ts'
import { type Naming, neutral } from '../naming/naming.ts'
import { bodyTooLarge } from '../reading/body.ts'
import type { Runtime } from '../runtime.ts'
import { Problem } from '../writing/problem.ts'
import { blank, invalidRequest } from '../writing/problems.ts'
import { serveOperation } from './serve-operation.ts'
import {
  type HttpResponse,
  problemResponse,
  reasonOf,
  type ServeOptions,
  send,
  standardHeaders,
  unexpected,
  withoutMount,
} from './serve-request.ts'

/** Registers every operation in both namings; two operations on one route, or an unknown scope, end the start. */
export function addRoutes(
  server: FastifyInstance,
  operations: readonly Operation[],
  serveOptions: ServeOptions,
  knownScopes: ReadonlySet<string>,
): void {
  const taken = new Map<string, string>()
  for (const operation of operations) {
    const legacyPath = serveOptions.legacy.rename(operation.path)
    // The names of path values differ without making another route.
    const shared = shapeOf(legacyPath) === shapeOf(operation.path)
    const add = (path: string, spoken: Naming | undefined) => {
      const key = `${operation.method} ${shapeOf(path)}`
      if (taken.has(key)) throw new Error(`${operation.id} and ${taken.get(key)} share the route ${key}`)
      taken.set(key, operation.id)
      server.route({
        method: operation.method,
        url: path.replace(/\{([^}]+)\}/g, ':$1'),
        bodyLimit: operation.bodyLimit,
        exposeHeadRoute: false,
        handler: serveOperation(operation, spoken, serveOptions),
      })
    }
    add(operation.path, shared ? undefined : neutral)
    if (!shared) add(legacyPath, serveOptions.legacy)
    const scopes = operation.auth === 'none' ? [] : (operation.auth.oauth2 ?? [])
    for (const scope of scopes)
      if (!knownScopes.has(scope)) throw new Error(`${operation.id} asks for the unknown scope ${scope}`)
  }
}

/** A path without the names of its values. */
export const shapeOf = (path: string): string => path.replace(/\{[^}]+\}/g, '{}')

/** A family of addresses whose failures have a shape of their own. */
export interface Fallback {
  covers(url: string): boolean
  /** Answers a request that no route takes. */
  notFound(method: string, path: string): HttpResponse
  /** Answers what the framework refused. */
  failure(problem: Problem): HttpResponse
}

/** Gives every failure outside an operation the shape of the interface. */
export function addFallbacks(
  server: FastifyInstance,
  { runtime, apiVersion }: ServeOptions,
  families: readonly Fallback[] = [],
): void {
  const familyOf = (request: FastifyRequest) => {
    const url = withoutMount(request.originalUrl, runtime.mount)
    return families.find((item) => item.covers(url))
  }
  server.setNotFoundHandler((request, reply) => {
    const path = (request.raw.url ?? '/').split('?')[0]!
    const problem = blank(404, `There is no ${request.method} ${path} here.`)
    answer(reply, problem, familyOf(request)?.notFound(request.method, path), runtime, apiVersion)
  })
  server.setErrorHandler((error: FrameworkError, request, reply) => {
    const problem = frameworkProblem(error, runtime)
    answer(reply, problem, familyOf(request)?.failure(problem), runtime, apiVersion)
  })
}

type FrameworkError = Error & { code?: string; statusCode?: number }

/** Answers what the framework refused before an operation saw it. */
export function answerFrameworkError(
  error: FrameworkError,
  reply: FastifyReply,
  runtime: Runtime,
  apiVersion: string,
): void {
  answer(reply, frameworkProblem(error, runtime), undefined, runtime, apiVersion)
}

function frameworkProblem(error: FrameworkError, runtime: Runtime): Problem {
  if (error instanceof Problem) return error
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') return bodyTooLarge()
  if (error.code === 'FST_ERR_BAD_URL' || error.code === 'FST_ERR_MAX_PARAM_LENGTH') {
    return invalidRequest([{ parameters: {}, message: 'The path of the request is not valid.' }])
  }
  if (error.statusCode !== undefined && error.statusCode < 500) return blank(Math.max(400, error.statusCode))
  return unexpected(error, runtime)
}

/** Answers with what a family of addresses says, or else with the problem, and keeps it in the record. */
function answer(
  reply: FastifyReply,
  problem: Problem,
  said: HttpResponse | undefined,
  runtime: Runtime,
  apiVersion: string,
): void {
  const response = said ?? problemResponse(problem, neutral, runtime.problemBase)
  send(reply, response.status, { ...standardHeaders(runtime, apiVersion), ...response.headers }, response.text)
  const { method, originalUrl } = reply.request
  runtime.requestLog.add(realNow(), {
    method,
    path: withoutMount(originalUrl, runtime.mount),
    operation: undefined,
    status: response.status,
    latency_ms: undefined,
    app_id: undefined,
    app: undefined,
    user: undefined,
    credential: undefined,
    naming: neutral.id,
    reason: problem.reason ?? reasonOf(problem),
    details: undefined,
  })
}
