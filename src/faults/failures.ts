import type { Failure, FailureMaker, FaultTarget } from '../api-kit/faults/failure.ts'
import type { Problem } from '../api-kit/writing/problem.ts'
import { unknownClient, unverifiedClient } from '../identity/oauth2/client.ts'
import { badToken } from '../identity/oauth2/tokens.ts'
import { adsFailure } from './ads-failures.ts'
import { codedFailure } from './coded-failures.ts'
import { v2Failure } from './v2-failures.ts'

const REASON = 'a fault'

// What the token endpoints say about credentials and tokens; otherwise they refuse like version 2.
const OAUTH2: Partial<Record<Failure, () => Problem>> = {
  400: () => badToken(REASON),
  401: () => unverifiedClient(REASON),
  'invalid-request': () => badToken(REASON),
  'invalid-token': () => badToken(REASON),
  unauthorized: () => unverifiedClient(REASON),
  'app-suspended': () => unknownClient(REASON),
}
const oauth2Failure: FailureMaker = (failure, facts) => OAUTH2[failure]?.() ?? v2Failure(failure, facts)

/** How a route refuses. */
export function failureMaker({ family, path }: FaultTarget): FailureMaker {
  if (family === 'ads') return adsFailure
  if (family === 'v2') return v2Failure
  if (family !== undefined || /^\/oauth2?\//.test(path)) return codedFailure
  return path.startsWith('/2/oauth2/') ? oauth2Failure : v2Failure
}
