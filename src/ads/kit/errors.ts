import type { Naming } from '../../api-kit/naming/naming.ts'
import { Problem } from '../../api-kit/writing/problem.ts'

// Statuses of the platform's error catalogue. Codes that are not listed here are a 400.
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

/** The members of an error other than its code and message. */
interface ErrorMembers {
  parameter?: string | undefined
  details?: string | undefined
  /** What the client sent. */
  value?: unknown
}

/** One error of a request. Code, message and details are words of the interface; `value` is what the client sent. */
export class AdsError {
  readonly code: string
  readonly message: string
  readonly parameter: string | undefined
  readonly details: string | undefined
  readonly value: unknown
  constructor(code: string, message: string, members: ErrorMembers = {}) {
    this.code = code
    this.message = message
    this.parameter = members.parameter
    this.details = members.details
    this.value = members.value
  }

  /** The same error with other members. */
  with(members: ErrorMembers & { code?: string; message?: string }): AdsError {
    return new AdsError(members.code ?? this.code, members.message ?? this.message, {
      parameter: this.parameter,
      details: this.details,
      value: this.value,
      ...members,
    })
  }

  /** Its JSON form, spelled in a naming. */
  toReply(naming: Naming): Record<string, unknown> {
    return {
      code: naming.rename(this.code),
      message: naming.rename(this.message),
      ...(this.parameter === undefined ? {} : { parameter: naming.rename(this.parameter) }),
      ...(this.details === undefined ? {} : { details: naming.rename(this.details) }),
      ...(this.value === undefined ? {} : { value: this.value }),
    }
  }
}

/** The status that the catalogue gives a code; codes of missing records end in NOT_FOUND. */
const statusOf = (code: string): number => STATUS[code] ?? (code.endsWith('NOT_FOUND') ? 404 : 400)

/** A refusal of the advertising interface. */
export class AdsProblem extends Problem {
  readonly errors: AdsError[]
  /** For a batch: the errors of each of its operations. */
  readonly operationErrors: AdsError[][] | undefined
  /** Replaces the echo of the parameters under `request`. */
  echo: unknown
  constructor(errors: AdsError[], options: { status?: number; operationErrors?: AdsError[][] } = {}) {
    const { operationErrors } = options
    const first = errors[0] ?? operationErrors?.find((item) => item.length > 0)?.[0]
    super(
      options.status ?? statusOf(first?.code ?? 'INVALID_PARAMETER'),
      {},
      {
        contentType: 'application/json; charset=utf-8',
        reason:
          first && `${first.code}${first.parameter ? ` ${first.parameter}` : ''}: ${first.details ?? first.message}`,
      },
    )
    this.errors = errors
    this.operationErrors = operationErrors
  }
}

/** A refusal with one error. */
export const refusal = (code: string, message: string, members: ErrorMembers = {}): AdsProblem =>
  new AdsProblem([new AdsError(code, message, members)])

export const invalidParameter = (parameter: string, details: string, value?: unknown): AdsError =>
  new AdsError('INVALID_PARAMETER', 'Expected a valid value for the parameter', { parameter, details, value })

export const missingParameter = (parameter: string, details?: string): AdsError =>
  new AdsError('MISSING_PARAMETER', 'A required parameter is missing', { parameter, details })

/** Parameters that exclude each other. */
export const exclusiveParameters = (parameter: string, details: string): AdsError =>
  new AdsError('EXCLUSIVE_PARAMETERS', 'Mutually exclusive parameters were given', { parameter, details })

/** Parameters that are needed together. */
export const inclusiveParameters = (parameter: string, details: string): AdsError =>
  new AdsError('INCLUSIVE_PARAMETERS', 'Parameters that belong together were not given together', {
    parameter,
    details,
  })

export const invalidTimeWindow = (parameter: string, details: string): AdsError =>
  new AdsError('INVALID_TIME_WINDOW', 'The time window is not valid', { parameter, details })

/** The errors of a time window; either end may be open. */
export const windowErrors = (start: Date | null | undefined, end: Date | null | undefined): AdsError[] =>
  start && end && end <= start ? [invalidTimeWindow('end_time', 'must be later than start_time')] : []

export const featureNotAvailable = (feature: string, parameter?: string): AdsError =>
  new AdsError('FEATURE_NOT_AVAILABLE', 'The account does not have the feature', {
    parameter,
    details: `needs the account feature ${feature}`,
  })

/** The error for a record that does not exist, with the code of its kind. */
export const notFound = (code: string, parameter: string, value?: unknown): AdsError =>
  new AdsError(code, 'No such record can be found here', { parameter, value })
