import type { FastifyInstance } from 'fastify'
import { bodyTooLarge } from './body.ts'
import { type Naming, neutral } from './naming.ts'
import type { Operation } from './operation.ts'
import { Problem } from './problem.ts'
import { blank } from './problems.ts'
import { serveOperation } from './serve-operation.ts'
import { problemOutcome, type Surroundings, send, standardHeaders, unexpected } from './serve-request.ts'

/** Registers every operation in both namings; two operations on one route, or an unknown scope, end the start. */
export function addRoutes(
  server: FastifyInstance,
  operations: readonly Operation[],
  surroundings: Surroundings,
  knownScopes: ReadonlySet<string>,
): void {
  const taken = new Map<string, string>()
  for (const operation of operations) {
    const legacyPath = surroundings.legacy.rename(operation.path)
    const shared = legacyPath === operation.path
    const add = (path: string, spoken: Naming | undefined) => {
      const key = `${operation.method} ${path.replace(/\{[^}]+\}/g, '{}')}`
      if (taken.has(key)) throw new Error(`${operation.id} and ${taken.get(key)} share the route ${key}`)
      taken.set(key, operation.id)
      server.route({
        method: operation.method,
        url: path.replace(/\{([^}]+)\}/g, ':$1'),
        bodyLimit: operation.bodyLimit,
        exposeHeadRoute: false,
        handler: serveOperation(operation, spoken, surroundings),
      })
    }
    add(operation.path, shared ? undefined : neutral)
    if (!shared) add(legacyPath, surroundings.legacy)
    const scopes = operation.auth === 'none' ? [] : (operation.auth.oauth2 ?? [])
    for (const scope of scopes)
      if (!knownScopes.has(scope)) throw new Error(`${operation.id} asks for the unknown scope ${scope}`)
  }
}

/** Gives every failure outside an operation the shape of the interface. */
export function addFallbacks(server: FastifyInstance, surroundings: Surroundings): void {
  const answer = (reply: Parameters<typeof send>[0], problem: Problem) => {
    const outcome = problemOutcome(problem, neutral, surroundings.house.problemBase)
    const headers = { ...standardHeaders(surroundings.house, surroundings.apiVersion), ...outcome.headers }
    send(reply, outcome.status, headers, outcome.text)
  }
  server.setNotFoundHandler((request, reply) => {
    answer(reply, blank(404, `There is no ${request.method} ${request.raw.url?.split('?')[0]} here.`))
  })
  server.setErrorHandler((error: Error & { code?: string; statusCode?: number }, _request, reply) => {
    if (error instanceof Problem) return answer(reply, error)
    if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') return answer(reply, bodyTooLarge())
    if (error.statusCode !== undefined && error.statusCode < 500)
      return answer(reply, blank(Math.max(400, error.statusCode)))
    answer(reply, unexpected(error, surroundings.house))
  })
}
