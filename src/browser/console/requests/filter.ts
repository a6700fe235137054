import type { RecordedRequest } from '../../../api-kit/serving/request-log.ts'

/** What the address says about which requests are shown. */
export interface RequestFilter {
  search: string
  status: string
  app: string
  user: string
  operation: string
  /** Also those of the console and of browsers themselves. */
  own: boolean
}

export const STATUSES: [value: string, shown: string][] = [
  ['', 'any'],
  ['refused', 'refused'],
  ['2', '2xx'],
  ['3', '3xx'],
  ['4', '4xx'],
  ['5', '5xx'],
]

export const readFilter = (query: URLSearchParams): RequestFilter => ({
  search: query.get('search') ?? '',
  status: query.get('status') ?? '',
  app: query.get('app') ?? '',
  user: query.get('user') ?? '',
  operation: query.get('operation') ?? '',
  own: query.get('own') === 'true',
})

export const isRefused = ({ status, reason, fault }: RecordedRequest): boolean =>
  status >= 400 ||
  status === 0 ||
  // Sign-in pages also refuse by sending the browser back to the app.
  (status >= 300 && reason !== undefined) ||
  (fault !== undefined && fault.effect !== 'delay')

const OWN = /^\/(_rostra\/|favicon\.ico$|health$|i\/assets\/)/

/** Whether a program sent it, not the console, an operator or a browser by itself. */
export const isOfProgram = ({ path }: RecordedRequest): boolean => !OWN.test(path)

/** Whether a request is one of those that are shown. */
export function fits(request: RecordedRequest, filter: RequestFilter): boolean {
  if (filter.status === 'refused' ? !isRefused(request) : !String(request.status).startsWith(filter.status))
    return false
  if (!filter.own && !isOfProgram(request)) return false
  if (filter.app !== '' && request.app !== filter.app) return false
  if (filter.user !== '' && request.user !== filter.user) return false
  if (filter.operation !== '' && request.operation !== filter.operation) return false
  const { method, path, operation, reason } = request
  return `${method} ${path} ${operation ?? ''} ${reason ?? ''}`.toLowerCase().includes(filter.search.toLowerCase())
}
