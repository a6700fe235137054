import type { ControlClient } from './control-client.ts'
import type { RecordedRequest, RequestFilter, WaitOptions } from './types.ts'
import { waitFor } from './wait.ts'

const MOST = 1_000
const NAMED_AT_MOST = 10
const CONTROL = '/_rostra/'
const RESET = '/_rostra/reset'

interface SentRequest {
  seq: string
  time: string
  method: string
  path: string
  operation?: string
  status: number
  latency_ms?: number
  app_id?: string
  app?: string
  user?: string
  credential?: string
  naming: string
  reason?: string
  details?: Record<string, string>
  cost_micros?: number
  fault?: unknown
}

/** Reads the request log, and waits for requests. */
export interface RequestWatch {
  list(filter?: RequestFilter): Promise<RecordedRequest[]>
  waitFor(
    predicate?: RequestFilter | ((request: RecordedRequest) => boolean),
    options?: WaitOptions,
  ): Promise<RecordedRequest>
}

export function watchRequests(client: ControlClient): RequestWatch {
  const returned = new Set<string>()
  // The request log outlives a reset. Its entry marks where the present world begins.
  let after = '0'
  const all = async (): Promise<RecordedRequest[]> => {
    const { requests } = await client.get<{ requests: SentRequest[] }>(`/_rostra/requests?limit=${MOST}&after=${after}`)
    const last = requests.findLastIndex((item) => item.method === 'POST' && item.path === RESET && item.status < 400)
    if (last >= 0) after = requests[last]!.seq
    return requests
      .slice(last + 1)
      .filter((item) => !item.path.startsWith(CONTROL))
      .map(read)
  }
  return {
    list: async (filter = {}) => (await all()).filter(matcher(filter)),
    async waitFor(predicate = {}, { timeout } = {}) {
      const matches = typeof predicate === 'function' ? predicate : matcher(predicate)
      const look = async () => (await all()).find((item) => !returned.has(item.seq) && matches(item))
      const found = await waitFor('request that matches', timeout, look, async () => describe(await all()))
      returned.add(found.seq)
      return found
    },
  }
}

function matcher(filter: RequestFilter): (request: RecordedRequest) => boolean {
  const { method, path, operation, status, user, app, refused } = filter
  const isPath = (given: string) => {
    const plain = given.split('?')[0]!
    return path instanceof RegExp ? path.test(plain) : plain === path
  }
  return (item) =>
    (method === undefined || item.method === method.toUpperCase()) &&
    (path === undefined || isPath(item.path)) &&
    (operation === undefined || item.operation === operation) &&
    (status === undefined || item.status === status) &&
    (user === undefined || item.user === user) &&
    (app === undefined || item.app === app) &&
    (refused === undefined || item.status >= 400 === refused)
}

function describe(requests: RecordedRequest[]): string {
  if (requests.length === 0) return 'There were no requests. Does the program use the address of this server?'
  const lines = requests
    .slice(-NAMED_AT_MOST)
    .map((item) => `  ${item.status} ${item.method} ${item.path}${item.reason === undefined ? '' : `: ${item.reason}`}`)
  return `The last ones are:\n${lines.join('\n')}`
}

function read({ time, latency_ms, app_id, cost_micros, ...sent }: SentRequest): RecordedRequest {
  return {
    ...sent,
    operation: sent.operation,
    time: new Date(time),
    latencyMs: latency_ms,
    appId: app_id,
    app: sent.app,
    user: sent.user,
    credential: sent.credential,
    reason: sent.reason,
    details: sent.details,
    costMicros: cost_micros,
    fault: sent.fault,
  }
}
