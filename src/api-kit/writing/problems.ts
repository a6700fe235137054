import { STATUS_CODES } from 'node:http'
import { type AsGiven, named, Problem, type ProblemBody, type Sentence, say } from './problem.ts'

const JSON_TYPE = 'application/json; charset=utf-8'

/** One fault of an invalid request: which parameters, and what is wrong in words. */
export interface Fault {
  parameters: Record<string, string[]> | AsGiven
  message: string | Sentence
}

/** 400 with every fault that was found. */
export function invalidRequest(faults: Fault[]): Problem {
  return new Problem(
    400,
    {
      errors: faults.map((fault) => ({ parameters: fault.parameters, message: fault.message })),
      title: 'Invalid Request',
      detail: 'One or more parameters to your request was invalid.',
      type: 'invalid-request',
    },
    { contentType: JSON_TYPE },
  )
}

/** 400 with one fault. */
export const invalidParameter = (name: string, value: string | undefined, message: string | Sentence): Problem =>
  invalidRequest([{ parameters: { [name]: value === undefined ? [] : [value] }, message }])

/** A problem that only its status describes. */
export function blank(status: number, detail?: string | Sentence, reason?: string): Problem {
  const title = STATUS_CODES[status] ?? 'Error'
  return new Problem(status, { title, type: 'about:blank', status, detail: detail ?? title }, { reason })
}

export const unauthorized = (reason: string): Problem => blank(401, undefined, reason)

/** 403 for a rule of the product, with its sentence. */
export function forbidden(detail: string | Sentence, reason?: string): Problem {
  return new Problem(
    403,
    { detail, type: 'about:blank', title: 'Forbidden', status: 403 },
    { contentType: JSON_TYPE, reason },
  )
}

/** 403: this kind of credential is not taken here. */
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
  registrationUrl: string
  reason: 'official-client-forbidden' | 'client-not-enrolled'
}): Problem {
  return new Problem(
    403,
    {
      client_id: options.clientId,
      detail: options.detail,
      registration_url: options.registrationUrl,
      title: 'Client Forbidden',
      required_enrollment: 'Appropriate Level of API Access',
      reason: options.reason,
      type: 'client-forbidden',
    },
    { reason: 'the tier of the app does not include this' },
  )
}

/** 429: the window's requests are used up. */
export const tooManyRequests = (reason: string): Problem => blank(429, undefined, reason)

/** 409: one job at a time. */
export const conflict = (detail: string | Sentence): Problem =>
  new Problem(409, { title: 'Conflict', type: 'conflict', status: 409, detail })

/** 429: a usage cap of the plan is reached. */
export function usageCapped(options: {
  detail: string
  period: 'Daily' | 'Monthly'
  scope: 'Account' | 'Product'
}): Problem {
  return new Problem(429, { title: 'UsageCapExceeded', type: 'usage-capped', ...options })
}

/** The kinds that problems can name: clients have them as an enumeration, and anything else is a `blank` 404. */
export type ResourceType = 'user' | 'post' | 'media' | 'list' | 'space' | 'place' | 'poll'
export type Section = 'data' | 'includes'

/** Partial error: no such object. */
export function resourceNotFound(resource: ResourceType, parameter: string, value: string): ProblemBody {
  return {
    value,
    detail: say`Could not find ${named(resource)} with ${named(parameter)}: [${value}].`,
    title: 'Not Found Error',
    resource_type: named(resource),
    parameter: named(parameter),
    resource_id: value,
    type: 'resource-not-found',
  }
}

/** Partial error: the user is suspended. */
export function userSuspended(parameter: string, value: string): ProblemBody {
  return {
    ...resourceNotFound('user', parameter, value),
    detail: say`User has been suspended: [${value}].`,
    title: 'Forbidden',
  }
}

/** Partial error: the caller may not see the object. */
export function notAuthorizedForResource(
  resource: ResourceType,
  parameter: string,
  value: string,
  section: Section,
): ProblemBody {
  const kind = resource.charAt(0).toUpperCase() + resource.slice(1)
  return {
    value,
    detail: say`Sorry, you are not authorized to see the ${named(kind)} with ${named(parameter)}: [${value}].`,
    title: 'Authorization Error',
    resource_type: named(resource),
    parameter: named(parameter),
    resource_id: value,
    section,
    type: 'not-authorized-for-resource',
  }
}

/** Partial error: the caller may see the object but not this field of it. */
export function notAuthorizedForField(
  resource: ResourceType,
  field: string,
  parameter: string,
  value: string,
  section: Section,
): ProblemBody {
  const kind = resource.charAt(0).toUpperCase() + resource.slice(1)
  return {
    resource_type: named(resource),
    field: named(field),
    parameter: named(parameter),
    resource_id: value,
    value,
    title: 'Field Authorization Error',
    section,
    detail: say`Sorry, you are not authorized to access '${named(field)}' on the ${named(kind)} with ${named(parameter)} : [${value}].`,
    type: 'not-authorized-for-field',
  }
}

/** Partial error: the object exists but cannot be had now. */
export function resourceUnavailable(resource: ResourceType, parameter: string, value: string): ProblemBody {
  return {
    parameter: named(parameter),
    resource_id: value,
    resource_type: named(resource),
    title: 'Resource Unavailable',
    detail: say`The ${named(resource)} with ${named(parameter)}: [${value}] is unavailable.`,
    type: 'resource-unavailable',
  }
}

/** Partial error: the object breaks the rules of the interface. */
export function disallowedResource(resource: ResourceType, value: string, section: Section): ProblemBody {
  return {
    resource_id: value,
    resource_type: named(resource),
    section,
    title: 'Disallowed Resource',
    detail: say`The ${named(resource)} [${value}] violates the rules of this interface.`,
    type: 'disallowed-resource',
  }
}

/** Ends a stream: the client has gone away. */
export const clientDisconnected = (): ProblemBody => ({
  title: 'Client Disconnected',
  detail: 'The client has gone away.',
  type: 'client-disconnected',
})

export type DisconnectType =
  | 'OperationalDisconnect'
  | 'UpstreamOperationalDisconnect'
  | 'ForceDisconnect'
  | 'UpstreamUncleanDisconnect'
  | 'SlowReader'
  | 'InternalError'
  | 'ClientApplicationStateDegraded'
  | 'InvalidRules'

/** Ends a stream: the server's last line says why. */
export const operationalDisconnect = (disconnectType: DisconnectType, detail: string): ProblemBody => ({
  title: 'operational-disconnect',
  disconnect_type: disconnectType,
  detail,
  type: 'operational-disconnect',
})

/** A stream can not be opened: 429 for too many connections, 409 without rules, 503 while it is made ready. */
export function streamingConnection(
  issue: 'TooManyConnections' | 'ProvisioningSubscription' | 'RuleConfigurationIssue' | 'RulesInvalidIssue',
  detail: string | Sentence,
): Problem {
  const status = issue === 'TooManyConnections' ? 429 : issue === 'ProvisioningSubscription' ? 503 : 409
  return new Problem(status, {
    title: 'ConnectionException',
    detail,
    connection_issue: issue,
    type: 'streaming-connection',
  })
}

/** Partial error of the rules: the value is there already. */
export const duplicateRule = (value: string, id: string): ProblemBody => ({
  value,
  id,
  title: 'DuplicateRule',
  type: 'duplicate-rules',
})

/** Partial error of the rules: the value can not be read. */
export const invalidRule = (value: string, details: string[]): ProblemBody => ({
  value,
  details,
  title: 'UnprocessableEntity',
  type: 'invalid-rules',
})

/** The rule set goes against the rules of the interface. */
export const noncompliantRules = (detail: string): ProblemBody => ({
  title: 'NonCompliantRules',
  detail,
  type: 'noncompliant-rules',
})

/** 422: no more rules than the tier includes. */
export const ruleCap = (detail: string): Problem =>
  new Problem(422, { title: 'RulesCapExceeded', detail, type: 'rule-cap' })

/** A whole answer that consists of one partial error: a lookup by id that found nothing. */
export const notFoundAnswer = (error: ProblemBody): Problem =>
  new Problem(404, { errors: [error] }, { contentType: JSON_TYPE })

/** The bare or listed code-and-message shape of the sign-in endpoints and of version 1.1. */
export function codedError(
  status: number,
  code: number,
  message: string,
  options: { reason?: string; label?: string } = {},
): Problem {
  return new Problem(
    status,
    { errors: [{ code, message, ...(options.label ? { label: options.label } : {}) }] },
    { contentType: JSON_TYPE, reason: options.reason },
  )
}

/** The shape of the OAuth 2.0 token endpoints. */
export function oauth2Error(status: number, error: string, description: string, reason?: string): Problem {
  return new Problem(status, { error, error_description: description }, { contentType: JSON_TYPE, reason })
}
