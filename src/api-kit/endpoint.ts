import type { FastifyInstance } from 'fastify'
import type { House } from './house.ts'
import { Answer, BytesAnswer, type Method, type RequestFacts } from './operation.ts'
import { type RequestNotes, type Surroundings, serveRequest } from './serve-request.ts'

/** A route outside the described interface: pages, sign-in steps, the control interface. It reads its request itself. */
export interface Endpoint {
  id: string
  method: Method
  path: string
  bodyLimit?: number
  handle(
    request: RequestFacts,
    house: House,
    extras: { notes: RequestNotes; path: Record<string, string> },
  ): Promise<Answer | BytesAnswer>
}

export function defineEndpoint(id: string, route: `${Method} /${string}`, handle: Endpoint['handle']): Endpoint {
  const [method, path] = route.split(' ') as [Method, string]
  return { id, method, path, handle }
}

/** JSON as an answer. */
export const jsonAnswer = (value: unknown, status = 200): Answer => new Answer(JSON.stringify(value), { status })

/** Sends the browser elsewhere. */
export const redirect = (location: string, headers: Record<string, string | string[]> = {}): Answer =>
  new Answer('', { status: 302, contentType: 'text/plain; charset=utf-8', headers: { ...headers, location } })

export function addEndpoints(
  server: FastifyInstance,
  endpoints: readonly Endpoint[],
  surroundings: Surroundings,
): void {
  for (const endpoint of endpoints) {
    const serve = serveRequest(surroundings, endpoint, async ({ facts, notes, request }) => {
      const answer = await endpoint.handle(facts, surroundings.house, {
        notes,
        path: request.params as Record<string, string>,
      })
      if (answer instanceof BytesAnswer)
        return { status: answer.status, text: '', headers: answer.headers, bytes: answer }
      return {
        status: answer.status ?? 200,
        text: answer.text,
        headers: { 'content-type': answer.contentType, ...answer.headers },
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
