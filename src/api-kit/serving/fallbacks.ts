import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { realNow } from '../../process/clock.ts'
import type { RequestFacts } from '../declaring/operation.ts'
import type { Family } from '../family.ts'
import { neutral } from '../naming/naming.ts'
import { bodyTooLarge } from '../reading/body.ts'
import type { Runtime } from '../runtime.ts'
import type { Answer } from '../writing/answer.ts'
import { Problem } from '../writing/problem.ts'
import { blank, invalidRequest } from '../writing/problems.ts'
import { captureExchange } from './capture.ts'
import { namedHost, reachedAddress } from './reached-address.ts'
import {
  type ServeOptions,
  scopeOf,
  send,
  serveRequest,
  standardHeaders,
  unexpected,
  withoutMount,
} from './serve-request.ts'

/** Answers failures outside an operation in the shape of their family; an address of no family gets that of the first one. */
export function addFallbacks(
  server: FastifyInstance,
  families: readonly [Family, ...Family[]],
  options: ServeOptions,
  /** The page of an address that has none, for browsers. */
  pageNotFound?: NotFoundPage,
): void {
  const familyOf = (request: FastifyRequest): Family => {
    const url = withoutMount(request.originalUrl, options.runtime.mount)
    return families.find((family) => family.covers(url)) ?? families[0]
  }
  const notFound =
    pageNotFound &&
    serveRequest(options, { id: 'pageNotFound' }, async (exchange) => {
      const { text, status, contentType, headers } = await pageNotFound(exchange.facts, options.runtime)
      return { text, status: status ?? 404, headers: { ...headers, 'content-type': contentType }, isCompressible: true }
    })
  server.setNotFoundHandler((request, reply) => {
    const path = (request.raw.url ?? '/').split('?')[0]!
    const family = familyOf(request)
    const isForPeople = request.method === 'GET' && String(request.headers.accept ?? '').includes('text/html')
    if (notFound && isForPeople && !families.some(({ covers }) => covers(path))) return notFound(request, reply)
    answerFailure(family, family.notFound(request.method, path), reply, options)
  })
  server.setErrorHandler((error: FrameworkError, request, reply) =>
    answerFailure(familyOf(request), frameworkProblem(error, options.runtime), reply, options),
  )
}

/** Makes the page of an address that has none. */
export type NotFoundPage = (request: RequestFacts, runtime: Runtime) => Promise<Answer>

type FrameworkError = Error & { code?: string; statusCode?: number }

/** Answers what the framework refused before it looked for a route. */
export function answerFrameworkError(
  error: FrameworkError,
  family: Family,
  reply: FastifyReply,
  options: ServeOptions,
): void {
  answerFailure(family, frameworkProblem(error, options.runtime), reply, options)
}

/** Answers a request that has a longer value in its path than any route takes. */
export function answerLongPath(family: Family, reply: FastifyReply, options: ServeOptions): void {
  answerFailure(family, invalidPath(), reply, options)
}

const invalidPath = (): Problem =>
  invalidRequest([{ parameters: {}, message: 'The path of the request is not valid.' }])

function frameworkProblem(error: FrameworkError, runtime: Runtime): Problem {
  if (error instanceof Problem) return error
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') return bodyTooLarge()
  if (error.code === 'FST_ERR_BAD_URL') return invalidPath()
  if (error.statusCode !== undefined && error.statusCode < 500) return blank(Math.max(400, error.statusCode))
  return unexpected(error, runtime)
}

/** Sends the family's refusal and adds it to the request log. */
function answerFailure(family: Family, problem: Problem, reply: FastifyReply, options: ServeOptions): void {
  const { runtime, apiVersion } = options
  const isPlatformHost = options.platform.hosts.has(namedHost(reply.request))
  const naming = isPlatformHost ? family.legacy : neutral
  const response = family.refuse(problem, naming, undefined, reachedAddress(reply.request, options))
  const headers = scopeOf(runtime)(() => standardHeaders(runtime, apiVersion))
  send(reply, response.status, { ...headers, ...response.headers }, response.text)
  const { method, originalUrl } = reply.request
  runtime.requestLog.add(
    realNow(),
    {
      method,
      path: withoutMount(originalUrl, runtime.mount),
      operation: undefined,
      status: response.status,
      latency_ms: undefined,
      app_id: undefined,
      app: undefined,
      user: undefined,
      credential: undefined,
      naming: naming.id,
      reason: response.reason,
      details: undefined,
    },
    captureExchange(reply.request, { headers: response.headers, text: response.text }, false),
  )
}
