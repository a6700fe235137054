import type { FastifyInstance } from 'fastify'
import { type CountFor, type EndpointLimit, LimitReached, withinLimit } from '../limits/endpoint-limit.ts'
import type { Runtime } from '../runtime.ts'
import { type Outcome, type RequestNotes, type ServeOptions, serveRequest } from '../serving/serve-request.ts'
import { Problem } from '../writing/problem.ts'
import { Answer, BytesAnswer, type Method, type RequestFacts } from './operation.ts'

/** A route outside the described interface: pages, sign-in steps, the control interface. It reads its request itself. */
export interface Endpoint {
  id: string
  method: Method
  path: string
  /** Answers are not kept in the record: who looks at it again and again would push out what they look for. */
  unrecorded?: boolean
  limit?: EndpointLimit
  handle(
    request: RequestFacts,
    runtime: Runtime,
    extras: { notes: RequestNotes; path: Record<string, string>; countFor: CountFor },
  ): Promise<Answer | BytesAnswer>
}

export function defineEndpoint(
  id: string,
  route: `${Method} /${string}`,
  handle: Endpoint['handle'],
  limit?: EndpointLimit,
): Endpoint {
  const [method, path] = route.split(' ') as [Method, string]
  return { id, method, path, handle, limit }
}

/** JSON as an answer. */
export const jsonAnswer = (value: unknown, status = 200): Answer => new Answer(JSON.stringify(value), { status })

/** Sends the browser elsewhere. */
export const redirect = (location: string, headers: Record<string, string | string[]> = {}): Answer =>
  new Answer('', { status: 302, contentType: 'text/plain; charset=utf-8', headers: { ...headers, location } })

export function addEndpoints(
  server: FastifyInstance,
  endpoints: readonly Endpoint[],
  serveOptions: ServeOptions,
): void {
  for (const endpoint of endpoints) {
    const serve = serveRequest(serveOptions, endpoint, async (exchange) => {
      const { runtime } = serveOptions
      const path = exchange.request.params as Record<string, string>
      try {
        return outcomeOf(
          await withinLimit(endpoint, exchange, runtime, (countFor) =>
            endpoint.handle(exchange.facts, runtime, { notes: exchange.notes, path, countFor }),
          ),
        )
      } catch (error) {
        if (!(error instanceof LimitReached)) throw error
        const refusal = endpoint.limit!.refuse(error.message)
        if (refusal instanceof Problem) throw refusal
        return { ...outcomeOf(refusal), reason: error.message }
      }
    })
    server.route({
      method: endpoint.method,
      url: endpoint.path.replace(/\{([^}]+)\}/g, ':$1'),
      exposeHeadRoute: false,
      handler: serve,
    })
  }
}

function outcomeOf(answer: Answer | BytesAnswer): Outcome {
  if (answer instanceof BytesAnswer) return { status: answer.status, text: '', headers: answer.headers, bytes: answer }
  return {
    status: answer.status ?? 200,
    text: answer.text,
    headers: { 'content-type': answer.contentType, ...answer.headers },
  }
}
