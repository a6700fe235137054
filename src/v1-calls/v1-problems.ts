import type { Naming } from '../api-kit/naming/naming.ts'
import type { Problem, RefusalCause } from '../api-kit/writing/problem.ts'
import { renderBody } from '../api-kit/writing/problem.ts'
import { codedError } from '../api-kit/writing/problems.ts'

// The refusals of version 1.1: a number and a sentence, which client libraries compare.

export const pageNotFound = (reason?: string): Problem =>
  codedError(404, 34, 'Sorry, that page does not exist.', reason === undefined ? {} : { reason })
export const parametersMissing = (names: string): Problem =>
  codedError(400, 25, 'Query parameters are missing.', { reason: `the call needs ${names}` })
export const missingParameter = (name: string): Problem => codedError(400, 38, `${name} parameter is missing.`)
export const invalidParameterCode = (name: string, more = ''): Problem =>
  codedError(400, 44, `${name} parameter is invalid.${more}`)
export const userNotFound = (): Problem => codedError(404, 50, 'User not found.')
export const userIsSuspended = (): Problem => codedError(403, 63, 'User has been suspended.')
export const postNotFound = (): Problem => codedError(404, 144, 'No status found with that ID.')
export const postNotVisible = (): Problem =>
  codedError(403, 179, 'Sorry, you are not authorized to see this status.', {
    reason: 'the caller may not see the post',
  })
export const blockedByAuthor = (naming: Naming): Problem =>
  codedError(403, 136, naming.rename('You have been blocked from the author of this post.'))
export const invalidMedia = (message: string): Problem => codedError(400, 324, message)
export const wrongCredentials = (reason: string): Problem =>
  codedError(403, 220, 'Your credentials do not allow access to this resource', { reason })
export const readOnlyApp = (reason: string): Problem =>
  codedError(403, 261, 'Application cannot perform write actions.', { reason })

/** Refusals of identity, by their cause: status, code and sentence. */
const BY_CAUSE: Record<RefusalCause, [status: number, code: number, message: string]> = {
  'no-credentials': [400, 215, 'Bad Authentication data.'],
  'signature-invalid': [401, 32, 'Could not authenticate you.'],
  'timestamp-invalid': [401, 135, 'Timestamp out of bounds.'],
  'token-invalid': [401, 89, 'Invalid or expired token.'],
  'token-unknown': [401, 89, 'Invalid or expired token.'],
  'app-suspended': [401, 416, 'Invalid / suspended application'],
  'user-suspended': [403, 64, 'Your account is suspended and is not permitted to access this feature.'],
}

const BY_STATUS: Record<number, [code: number, message: string]> = {
  401: [32, 'Could not authenticate you.'],
  403: [200, 'Forbidden.'],
  404: [34, 'Sorry, that page does not exist.'],
  429: [88, 'Rate limit exceeded'],
  500: [131, 'Internal error'],
  503: [130, 'Over capacity'],
  507: [130, 'Over capacity'],
}
const BAD_REQUEST = 214

export const codedBadRequest = (message: string): Problem => codedError(400, BAD_REQUEST, message)

/** A refusal from outside this interface, such as one of identity, with a code of version 1.1. */
export function asV1Problem(problem: Problem, naming: Naming): Problem {
  if (hasCode(problem)) return problem
  const { reason } = problem
  const named = problem.cause && BY_CAUSE[problem.cause]
  if (named) return codedError(named[0], named[1], named[2], { ...(reason ? { reason } : {}) })
  const [code, message] = BY_STATUS[problem.status] ?? [BAD_REQUEST, sentenceOf(problem, naming)]
  const coded = codedError(problem.status, code, message, { ...(reason ? { reason } : {}) })
  coded.headers = problem.headers
  return coded
}

const hasCode = ({ body }: Problem): boolean =>
  typeof (body.errors as { code?: unknown }[] | undefined)?.[0]?.code === 'number'

/** What a refusal of version 2 says, in one sentence. */
export function sentenceOf({ body }: Problem, naming: Naming): string {
  const first = (body.errors as { message?: unknown }[] | undefined)?.[0]
  const words = renderBody(first?.message ?? body.detail ?? body.title, naming, '')
  return typeof words === 'string' ? words : 'Bad request.'
}
