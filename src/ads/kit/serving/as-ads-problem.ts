import type { Problem } from '../../../api-kit/writing/problem.ts'
import { AdsError, AdsProblem, refusal } from '../errors.ts'

/** A refusal from outside this interface, such as one of identity, with the codes of this one. */
export function asAdsProblem(problem: Problem): AdsProblem {
  if (problem instanceof AdsProblem) return problem
  const first = (problem.body.errors as { message?: unknown }[] | undefined)?.[0]
  const details = problem.reason ?? (typeof first?.message === 'string' ? first.message : undefined)
  switch (problem.status) {
    case 401:
      return refusal('UNAUTHORIZED_ACCESS', 'This request is not properly authenticated')
    case 403:
      return refusal(
        problem.cause === 'user-suspended' ? 'CURRENT_USER_SUSPENDED' : 'UNAUTHORIZED_CLIENT_APPLICATION',
        'The caller may not use this interface',
        { details },
      )
    case 413:
      return new AdsProblem([new AdsError('REQUEST_TOO_COMPLEX', 'The body is larger than this call allows')], {
        status: 413,
      })
    case 503:
      return Object.assign(refusal('SERVICE_UNAVAILABLE', 'The service is not available now. Try again.'), {
        headers: problem.headers,
      })
    default:
      return problem.status >= 500
        ? refusal('INTERNAL_ERROR', 'Something went wrong on the server')
        : new AdsProblem([new AdsError('INVALID_PARAMETER', 'The request cannot be read', { details })], {
            status: problem.status,
          })
  }
}
