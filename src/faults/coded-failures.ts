import type { FailureMaker, FailureName } from '../api-kit/faults/failure.ts'
import type { Problem } from '../api-kit/writing/problem.ts'
import { codedError } from '../api-kit/writing/problems.ts'
import { codedLimitReached } from '../identity/limits.ts'
import {
  badAuthenticationData,
  couldNotAuthenticate,
  invalidToken,
  suspendedApp,
  suspendedUser,
} from '../identity/oauth1/verify-request.ts'

const REASON = 'a fault'
const coded = (status: number, code: number, message: string) => () =>
  codedError(status, code, message, { reason: REASON })
const tooMany = () => codedLimitReached(REASON)
const internal = (status: number) => coded(status, 131, 'Internal error')
const forbidden = coded(403, 220, 'Your credentials do not allow access to this resource')
const notFound = coded(404, 34, 'Sorry, that page does not exist.')
const overCapacity = coded(503, 130, 'Over capacity')

const BY_NAME: Record<FailureName, () => Problem> = {
  'rate-limited': tooMany,
  'usage-capped': tooMany,
  'over-capacity': overCapacity,
  unavailable: overCapacity,
  'internal-error': internal(500),
  'bad-gateway': internal(502),
  'gateway-timeout': internal(504),
  unauthorized: () => couldNotAuthenticate(REASON),
  'invalid-token': () => invalidToken(REASON),
  forbidden,
  suspended: suspendedUser,
  'app-suspended': suspendedApp,
  locked: coded(
    403,
    326,
    'To protect our users from spam and other malicious activity, this account is temporarily locked.',
  ),
  'client-not-enrolled': coded(403, 453, 'Your client application does not have access to this endpoint.'),
  'oauth1-permissions': coded(403, 261, 'Application cannot perform write actions.'),
  duplicate: coded(403, 187, 'Status is a duplicate.'),
  'not-found': notFound,
  'invalid-request': () => badAuthenticationData(REASON),
  conflict: internal(409),
  'too-many-connections': tooMany,
}

const BY_STATUS: Record<number, () => Problem> = {
  400: BY_NAME['invalid-request'],
  401: BY_NAME.unauthorized,
  403: forbidden,
  404: notFound,
  429: tooMany,
  503: overCapacity,
}

/** The refusals of the OAuth 1.0a endpoints and of version 1.1: codes and messages. */
export const codedFailure: FailureMaker = (failure) =>
  typeof failure === 'string' ? BY_NAME[failure]() : (BY_STATUS[failure] ?? internal(failure))()
