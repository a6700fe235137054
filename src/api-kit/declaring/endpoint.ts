import type { Readable } from 'node:stream'
import type { CountFor, EndpointLimit } from '../limits/endpoint-limit.ts'
import type { Runtime } from '../runtime.ts'
import type { RequestNotes } from '../serving/serve-request.ts'
import type { Answer, BytesAnswer, StreamAnswer } from '../writing/answer.ts'
import type { Method, RequestFacts } from './operation.ts'

/** A route that belongs to no family: pages, sign-in steps, the control interface. It reads its request itself. */
export interface Endpoint {
  id: string
  method: Method
  path: string
  /** Successful requests are not logged: frequent reads of the request log would displace the entries of other requests. */
  unrecorded?: boolean
  limit?: EndpointLimit
  /** HEAD is answered as GET without its body: link checkers and monitors ask so. Not where GET has an effect or stays open. */
  takesHead?: boolean
  /** The most bytes of its body, where it may be larger than others. */
  bodyLimit?: number
  handle(request: RequestFacts, runtime: Runtime, extras: EndpointExtras): Promise<Answer | BytesAnswer | StreamAnswer>
  /** The body is not read before the handler runs: `extras.stream` has it. */
  streamsBody?: boolean
}

interface EndpointExtras {
  notes: RequestNotes
  path: Record<string, string>
  countFor: CountFor
  /** The body of an endpoint that streams it; else empty. */
  stream: Readable
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

/** A GET endpoint that answers HEAD too. */
export const withHead = (endpoint: Endpoint): Endpoint => ({ ...endpoint, takesHead: true })

/** An endpoint whose body may be larger than memory. */
export const defineStreamingEndpoint = (
  id: string,
  route: `${Method} /${string}`,
  handle: Endpoint['handle'],
): Endpoint => ({ ...defineEndpoint(id, route, handle), streamsBody: true })
