import { AdsError, AdsProblem, refusal } from '../ads/kit/errors.ts'
import { tooManyAdsRequests } from '../ads/kit/limits.ts'
import type { AdsOperation } from '../ads/kit/operation.ts'
import { asAdsProblem } from '../ads/kit/serving/as-ads-problem.ts'
import { actionNotAllowed, notEnrolled, readOnlyToken, unknownAccount } from '../ads/kit/serving/gate.ts'
import { adsOperations } from '../ads/operations.ts'
import { duplicateAdsPost } from '../ads/posts/prepare-ads-post.ts'
import type { FailureFacts, FailureMaker, FailureName } from '../api-kit/faults/failure.ts'
import type { Problem } from '../api-kit/writing/problem.ts'
import { v2Failure } from './v2-failures.ts'

const tooMany = () => tooManyAdsRequests('the requests of this window are used up')
const otherStatus = (status: number) =>
  new AdsProblem(
    [
      status < 500
        ? new AdsError('INVALID_PARAMETER', 'The request cannot be read')
        : new AdsError('INTERNAL_ERROR', 'Something went wrong on the server'),
    ],
    { status },
  )
const locked = () => refusal('LOCK_ACQUISITION_TIMEOUT', 'Another change to this account is in progress. Try again.')
const ofVersion2 = (name: FailureName) => (facts: FailureFacts) => asAdsProblem(v2Failure(name, facts))

const BY_NAME: Record<FailureName, (facts: FailureFacts) => Problem> = {
  'rate-limited': tooMany,
  'usage-capped': tooMany,
  'over-capacity': () => refusal('OVER_CAPACITY', 'The service is over capacity. Try again.'),
  unavailable: ofVersion2('unavailable'),
  'internal-error': ofVersion2('internal-error'),
  'bad-gateway': () => otherStatus(502),
  'gateway-timeout': () => otherStatus(504),
  unauthorized: ofVersion2('unauthorized'),
  'invalid-token': ofVersion2('invalid-token'),
  forbidden: () => actionNotAllowed('the user has no role on the account that allows it'),
  suspended: ofVersion2('suspended'),
  'app-suspended': ofVersion2('app-suspended'),
  locked: () => refusal('ACCOUNT_LOCKED_OUT', 'The account of the user is locked'),
  'client-not-enrolled': () => notEnrolled('the app is not enrolled'),
  'oauth1-permissions': readOnlyToken,
  duplicate: () => new AdsProblem([duplicateAdsPost()]),
  'not-found': notFound,
  'invalid-request': () => otherStatus(400),
  conflict: locked,
  'too-many-connections': tooMany,
}

const BY_STATUS: Record<number, (facts: FailureFacts) => Problem> = {
  401: BY_NAME.unauthorized,
  403: BY_NAME.forbidden,
  404: notFound,
  405: () => refusal('METHOD_NOT_ALLOWED', 'The path does not take this method'),
  408: () => refusal('CANCELLED_REQUEST', 'The request was cancelled'),
  423: locked,
  429: tooMany,
  500: BY_NAME['internal-error'],
  503: BY_NAME.unavailable,
}

/** The refusals of the advertising interface, with the codes of its catalogue. */
export const adsFailure: FailureMaker = (failure, facts) =>
  typeof failure === 'string' ? BY_NAME[failure](facts) : (BY_STATUS[failure]?.(facts) ?? otherStatus(failure))

const byRoute = new Map<string, AdsOperation>(adsOperations.map((item) => [`${item.method} ${item.path}`, item]))

/** The record that the path names last does not exist. */
function notFound({ method, route, path }: FailureFacts): Problem {
  const values = Object.values(path)
  const names = [...route.matchAll(/\{([^}]+)\}/g)].map((found) => found[1]!)
  const name = names.at(-1)
  const value = values.at(-1)
  if (name === undefined || value === undefined) return refusal('ROUTE_NOT_FOUND', 'There is nothing at this path')
  if (name === 'account_id') return unknownAccount(value)
  const code = byRoute.get(`${method} ${route}`)?.pathParams[name]?.missing ?? 'NOT_FOUND'
  return refusal(code, 'No such record can be found here', { parameter: name, value })
}
