import type { FailureFacts, FailureMaker, FailureName } from '../api-kit/faults/failure.ts'
import type { Problem } from '../api-kit/writing/problem.ts'
import { blank, codedError } from '../api-kit/writing/problems.ts'
import { codedLimitReached } from '../identity/limits.ts'
import { legacyNaming } from '../legacy-words.ts'
import {
  asV1Problem,
  codedBadRequest,
  pageNotFound,
  postNotFound,
  readOnlyApp,
  userNotFound,
} from '../v1-calls/v1-problems.ts'
import { v2Failure } from './v2-failures.ts'

const REASON = 'a fault'
const tooMany = () => codedLimitReached(REASON)
const ofStatus = (status: number) =>
  status > 500 && status !== 503
    ? codedError(status, 131, 'Internal error', { reason: REASON })
    : asV1Problem(blank(status, undefined, REASON), legacyNaming)
const ofVersion2 = (name: FailureName) => (facts: FailureFacts) => asV1Problem(v2Failure(name, facts), legacyNaming)

const BY_NAME: Record<FailureName, (facts: FailureFacts) => Problem> = {
  'rate-limited': tooMany,
  'usage-capped': tooMany,
  'over-capacity': () => ofStatus(503),
  unavailable: ofVersion2('unavailable'),
  'internal-error': () => ofStatus(500),
  'bad-gateway': () => ofStatus(502),
  'gateway-timeout': () => ofStatus(504),
  unauthorized: () => ofStatus(401),
  'invalid-token': ofVersion2('invalid-token'),
  forbidden: () => ofStatus(403),
  suspended: ofVersion2('suspended'),
  'app-suspended': ofVersion2('app-suspended'),
  locked: () =>
    codedError(
      403,
      326,
      'To protect our users from spam and other malicious activity, this account is temporarily locked.',
      { reason: REASON },
    ),
  'client-not-enrolled': () =>
    codedError(403, 453, 'Your client application does not have access to this endpoint.', { reason: REASON }),
  'oauth1-permissions': () => readOnlyApp(REASON),
  duplicate: () => codedError(403, 187, 'Status is a duplicate.', { reason: REASON }),
  'not-found': ({ route }) =>
    route.startsWith('/1.1/users/')
      ? userNotFound()
      : route.startsWith('/1.1/statuses/')
        ? postNotFound()
        : pageNotFound(REASON),
  'invalid-request': () => codedBadRequest('The request is not valid.'),
  conflict: () => ofStatus(409),
  'too-many-connections': tooMany,
}

/** The refusals of version 1.1 and of the OAuth 1.0a endpoints: codes and messages. */
export const codedFailure: FailureMaker = (failure, facts) => {
  if (typeof failure === 'string') return BY_NAME[failure](facts)
  return failure === 429 ? tooMany() : ofStatus(failure)
}
