import { Problem } from '../../api-kit/writing/problem.ts'

// Statuses of the catalogue; what is not listed is a 400.
const STATUS: Record<string, number> = {
  UNAUTHORIZED_ACCESS: 401,
  ACCOUNT_LOCKED_OUT: 403,
  ACCOUNT_NOT_FOUND: 403,
  ACTION_NOT_ALLOWED: 403,
  CURRENT_USER_SUSPENDED: 403,
  FUNDING_INSTRUMENT_ACCESS_NOT_ALLOWED: 403,
  FUNDING_INSTRUMENT_EXCEEDS_AVAILABLE_CREDIT_LIMIT: 403,
  GENERIC_POST_ERROR: 403,
  MALWARE_STATUS: 403,
  READONLY_CLIENT_APPLICATION: 403,
  POST_IS_SPAM: 403,
  UNAUTHORIZED_CLIENT_APPLICATION: 403,
  USER_NOT_FOUND: 403,
  INVALID_APP_ID: 404,
  INVALID_APP_STORE: 404,
  INVALID_IAB_CATEGORY: 404,
  INVALID_ID_ILLEGAL_CHARACTERS: 404,
  NO_PROVIDER_AVAILABLE_FOR_THIS_CLIENT_APPLICATION: 404,
  METHOD_NOT_ALLOWED: 405,
  CANCELLED_REQUEST: 408,
  LOCK_ACQUISITION_TIMEOUT: 423,
  TOO_MANY_REQUESTS: 429,
  POST_RATE_LIMIT_EXCEEDED: 429,
  INTERNAL_ERROR: 500,
  SERVICE_UNAVAILABLE: 503,
  OVER_CAPACITY: 503,
}

/** One thing that is wrong with a request. Messages and details are our words alone; what the client sent is `value`. */
export interface AdsFault {
  code: string
  message: string
  parameter?: string
  details?: string
  value?: unknown
}

/** The status that the catalogue gives a code; records that are not there end in _NOT_FOUND. */
export const statusOf = (code: string): number => STATUS[code] ?? (code.endsWith('NOT_FOUND') ? 404 : 400)

/** A refusal of the advertising interface. */
export class AdsProblem extends Problem {
  readonly faults: AdsFault[]
  /** What stands under `request` in place of the echo of parameters. */
  echo: unknown
  constructor(faults: AdsFault[], options: { status?: number; operationFaults?: AdsFault[][] } = {}) {
    const first = faults[0] ?? options.operationFaults?.find((item) => item.length > 0)?.[0]
    super(
      options.status ?? statusOf(first?.code ?? 'INVALID_PARAMETER'),
      { errors: faults, ...(options.operationFaults ? { operation_errors: options.operationFaults } : {}) },
      {
        contentType: 'application/json; charset=utf-8',
        reason:
          first && `${first.code}${first.parameter ? ` ${first.parameter}` : ''}: ${first.details ?? first.message}`,
      },
    )
    this.faults = faults
  }
}

/** Refuses for one reason. */
export const refusal = (code: string, message: string, more: Omit<AdsFault, 'code' | 'message'> = {}): AdsProblem =>
  new AdsProblem([{ code, message, ...more }])

export const invalidParameter = (parameter: string, details: string, value?: unknown): AdsFault => ({
  code: 'INVALID_PARAMETER',
  message: 'Expected a valid value for the parameter',
  parameter,
  details,
  ...(value === undefined ? {} : { value }),
})

export const missingParameter = (parameter: string, details?: string): AdsFault => ({
  code: 'MISSING_PARAMETER',
  message: 'A required parameter is missing',
  parameter,
  ...(details === undefined ? {} : { details }),
})

/** Parameters that exclude each other. */
export const exclusiveParameters = (parameter: string, details: string): AdsFault => ({
  code: 'EXCLUSIVE_PARAMETERS',
  message: 'Mutually exclusive parameters were given',
  parameter,
  details,
})

/** Parameters that are needed together. */
export const inclusiveParameters = (parameter: string, details: string): AdsFault => ({
  code: 'INCLUSIVE_PARAMETERS',
  message: 'Parameters that belong together were not given together',
  parameter,
  details,
})

export const invalidTimeWindow = (parameter: string, details: string): AdsFault => ({
  code: 'INVALID_TIME_WINDOW',
  message: 'The time window is not valid',
  parameter,
  details,
})

/** What is wrong with two times of which either may be open. */
export const windowFaults = (start: Date | null | undefined, end: Date | null | undefined): AdsFault[] =>
  start && end && end <= start ? [invalidTimeWindow('end_time', 'must be later than start_time')] : []

export const featureNotAvailable = (feature: string, parameter?: string): AdsFault => ({
  code: 'FEATURE_NOT_AVAILABLE',
  message: 'The account does not have the feature',
  ...(parameter === undefined ? {} : { parameter }),
  details: `needs the account feature ${feature}`,
})

/** A record that is not there, by its own code. */
export const notFound = (code: string, parameter: string, value?: unknown): AdsFault => ({
  code,
  message: 'No such record can be found here',
  parameter,
  ...(value === undefined ? {} : { value }),
})
