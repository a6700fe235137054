import { STATUS_CODES } from 'node:http'
import { type AsGiven, Problem, type ProblemBody, type RefusalCause, type Sentence } from './problem.ts'
import type { CapWords, ClientReason } from './problem-words.ts'

const JSON_TYPE = 'application/json; charset=utf-8'

/** One fault of an invalid request: its parameters, and what is wrong with them. */
export interface Fault {
  parameters: Record<string, string[]> | AsGiven
  message: string | Sentence
}

/** 400 with every fault that was found. */
export function invalidRequest(faults: Fault[]): Problem {
  return new Problem(400, {
    errors: faults.map((fault) => ({ parameters: fault.parameters, message: fault.message })),
    title: 'Invalid Request',
    detail: 'One or more parameters to your request was invalid.',
    type: 'invalid-request',
  })
}

/** 400 with one fault. */
export const invalidParameter = (name: string, value: string | undefined, message: string | Sentence): Problem =>
  invalidRequest([{ parameters: { [name]: value === undefined ? [] : [value] }, message }])

/** A problem without a type of its own. */
export function blank(
  status: number,
  detail?: string | Sentence,
  reason?: string,
  options: { cause?: RefusalCause } = {},
): Problem {
  const title = STATUS_CODES[status] ?? 'Error'
  return new Problem(status, { title, type: 'about:blank', status, detail: detail ?? title }, { reason, ...options })
}

export const unauthorized = (reason: string, cause?: RefusalCause): Problem =>
  blank(401, undefined, reason, cause && { cause })

/** 403 for a rule of the product, with its sentence. */
export function forbidden(detail: string | Sentence, reason?: string): Problem {
  return new Problem(403, { detail, type: 'about:blank', title: 'Forbidden', status: 403 }, { reason })
}

/** 403: the operation does not accept this kind of credential. */
export function unsupportedAuthentication(used: string, supported: string[]): Problem {
  return new Problem(
    403,
    {
      title: 'Unsupported Authentication',
      detail: `Authenticating with ${used} is forbidden for this endpoint.  Supported authentication types are [${supported.join(', ')}].`,
      type: 'unsupported-authentication',
      status: 403,
    },
    { reason: `the operation does not take ${used}` },
  )
}

/** 403: the app's permission level (OAuth 1.0a) is too low. */
export function oauth1Permissions(reason: string): Problem {
  return new Problem(
    403,
    {
      title: 'Forbidden',
      status: 403,
      detail: 'Your client app is not configured with the appropriate oauth1 app permissions for this endpoint.',
      type: 'oauth1-permissions',
    },
    { reason },
  )
}

/** 403: the app's tier does not include this. */
export function clientForbidden(options: {
  clientId: string
  detail: string | Sentence
  reason: ClientReason
}): Problem {
  return new Problem(
    403,
    {
      client_id: options.clientId,
      detail: options.detail,
      registration_url: 'client-forbidden',
      title: 'Client Forbidden',
      required_enrollment: 'Appropriate Level of API Access',
      reason: options.reason,
      type: 'client-forbidden',
    },
    { reason: 'the tier of the app does not include this' },
  )
}

/** 429: the limit of a window is reached. */
export const tooManyRequests = (reason: string): Problem => blank(429, undefined, reason)

/** 429: a cap of a day or month is reached: of the product, or of the account's budget. */
export const usageCapped = (
  options: CapWords & {
    accountId: string
    product: string
    reason: string
  },
): Problem =>
  new Problem(
    429,
    {
      account_id: options.accountId,
      product_name: options.product,
      title: 'UsageCapExceeded',
      period: options.period,
      scope: options.scope,
      detail: `Usage cap exceeded: ${options.period} ${options.scope.toLowerCase()} cap`,
      type: 'usage-capped',
    },
    { reason: options.reason },
  )

/** 503: the server cannot answer now. The client should send the request again after some seconds. */
export function unavailable(reason: string, retryAfterS: number, status: 503 | 507 = 503): Problem {
  const problem = blank(status, undefined, reason)
  problem.headers['retry-after'] = String(retryAfterS)
  return problem
}

/** 409: the request conflicts with a job that is running. */
export const conflict = (detail: string | Sentence): Problem =>
  new Problem(409, { title: 'Conflict', type: 'conflict', status: 409, detail })

/** 404: the object that a request would change or use does not exist. */
export const objectNotFound = (error: ProblemBody): Problem => new Problem(404, { ...error, status: 404 })

/** 200 with only a partial error: the object that a request reads does not exist, or the caller may not see it. */
export const onlyError = (error: ProblemBody, reason?: string): Problem =>
  new Problem(200, { errors: [error] }, { contentType: JSON_TYPE, reason })

/** The shape of the sign-in endpoints and of version 1.1: a code and a message. */
export function codedError(
  status: number,
  code: number,
  message: string,
  options: { reason?: string; label?: string; cause?: RefusalCause } = {},
): Problem {
  return new Problem(
    status,
    { errors: [{ code, message, ...(options.label ? { label: options.label } : {}) }] },
    { contentType: JSON_TYPE, reason: options.reason, cause: options.cause },
  )
}

/** The shape of the OAuth 2.0 token endpoints. */
export function oauth2Error(status: number, error: string, description: string, reason?: string): Problem {
  return new Problem(status, { error, error_description: description }, { contentType: JSON_TYPE, reason })
}
