import { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import type { Endpoint } from '../declaring/endpoint.ts'
import type { Family } from '../family.ts'
import { LimitReached, withinLimit, writeFirstHeaders } from '../limits/endpoint-limit.ts'
import { type Answer, BytesAnswer, StreamAnswer } from '../writing/answer.ts'
import { Problem } from '../writing/problem.ts'
import { refuseWritesWhenFull } from './outage-problem.ts'
import { type HttpResponse, type ServeOptions, serveRequest, withoutMount } from './serve-request.ts'
import type { Handler, Routes } from './serve-routes.ts'

/** Adds endpoints. What begins with a parameter has no address of a family. */
export function addEndpoints(
  routes: Routes,
  endpoints: readonly Endpoint[],
  families: readonly Family[],
  options: ServeOptions,
): void {
  const isOfFamily = ({ originalUrl }: FastifyRequest) => {
    const url = withoutMount(originalUrl, options.runtime.mount)
    return families.some((family) => family.covers(url))
  }
  for (const endpoint of endpoints) {
    const target = { family: undefined, method: endpoint.method, path: endpoint.path, legacy: undefined }
    // What operators send and get is not kept: it is about keys, and would displace what programs sent.
    const isUncaptured = endpoint.path.startsWith('/_rostra/')
    const serve = serveRequest(options, { ...endpoint, mayAnswerSecrets: true, isUncaptured }, async (exchange) => {
      const { runtime } = options
      const path = exchange.request.params as Record<string, string>
      const stream = (endpoint.streamsBody && (exchange.request.body as Readable | undefined)) || Readable.from([])
      if (options.faults?.areSet) {
        writeFirstHeaders(endpoint, exchange)
        const failed = await options.faults.meet(exchange, target)
        if (failed) stream.resume()
        if (failed instanceof Problem) throw failed
        if (failed) return failed
      }
      refuseWritesWhenFull(runtime, endpoint)
      try {
        return responseOf(
          await withinLimit(endpoint, exchange, runtime, (countFor) =>
            endpoint.handle(exchange.facts, runtime, { notes: exchange.notes, path, countFor, stream }),
          ),
          endpoint,
        )
      } catch (error) {
        // What is left of the body is read and dropped, so the client can read the refusal.
        stream.resume()
        if (!(error instanceof LimitReached)) throw error
        const refusal = endpoint.limit!.refuse(error.message)
        if (refusal instanceof Problem) throw refusal
        return { ...responseOf(refusal, endpoint), reason: error.message }
      }
    })
    const { id, method, path, bodyLimit, streamsBody, takesHead } = endpoint
    const handler: Handler = path.startsWith('/{')
      ? (request, reply) => (isOfFamily(request) ? reply.callNotFound() : serve(request, reply))
      : serve
    const route = { id, path, bodyLimit, streamsBody, makeHandler: () => handler }
    routes.add({ ...route, method })
    if (takesHead) routes.add({ ...route, method: 'HEAD' })
  }
}

/** Pages, and what their scripts and the console ask for. */
const isForBrowsers = ({ path }: Endpoint, { contentType }: Answer): boolean =>
  contentType.startsWith('text/html') || path.startsWith('/_rostra/') || path.startsWith('/i/live/')

function responseOf(answer: Answer | BytesAnswer | StreamAnswer, endpoint: Endpoint): HttpResponse {
  if (answer instanceof StreamAnswer) return { status: 200, text: '', headers: answer.headers, stream: answer }
  if (answer instanceof BytesAnswer) return { status: answer.status, text: '', headers: answer.headers, bytes: answer }
  return {
    status: answer.status ?? 200,
    text: answer.text,
    headers: { 'content-type': answer.contentType, ...answer.headers },
    reason: answer.reason,
    isCompressible: isForBrowsers(endpoint, answer),
  }
}
