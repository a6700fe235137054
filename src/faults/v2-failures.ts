import type { Caller } from '../api-kit/declaring/caller.ts'
import type { Failure, FailureFacts, FailureMaker, FailureName } from '../api-kit/faults/failure.ts'
import { bodyTooLarge } from '../api-kit/reading/body.ts'
import { tierTooLow } from '../api-kit/serving/gate.ts'
import { otherNotFound, resourceNotFound } from '../api-kit/writing/partial-errors.ts'
import type { Problem } from '../api-kit/writing/problem.ts'
import type { ResourceType } from '../api-kit/writing/problem-words.ts'
import {
  blank,
  clientForbidden,
  conflict,
  forbidden,
  invalidRequest,
  oauth1Permissions,
  objectNotFound,
  onlyError,
  tooManyRequests,
  unauthorized,
  unavailable,
} from '../api-kit/writing/problems.ts'
import { suspendedApp, suspendedUser } from '../identity/authenticate.ts'
import { invalidToken } from '../identity/oauth1/verify-request.ts'
import { FULL_TIERS } from '../identity/tier-caps.ts'
import { refusal as usageRefusal } from '../identity/usage/caps.ts'
import { duplicatePost } from '../social/posts/create-post.ts'
import { streamingConnection } from '../streams/stream-problems.ts'

// The request log says which fault it was.
const REASON = 'a fault'
const RETRY_AFTER_S = 5

const invalid = () => invalidRequest([{ parameters: {}, message: 'The request is not valid.' }])
const tooMany = () => tooManyRequests(REASON)
const away = () => unavailable(REASON, RETRY_AFTER_S)

const BY_NAME: Record<FailureName, (facts: FailureFacts) => Problem> = {
  'rate-limited': tooMany,
  'usage-capped': ({ caller }) =>
    caller ? usageRefusal(caller, { period: 'Monthly', scope: 'Product', reason: REASON }) : tooMany(),
  'over-capacity': () => blank(503, undefined, REASON),
  unavailable: away,
  'internal-error': () => blank(500, undefined, REASON),
  'bad-gateway': () => blank(502, undefined, REASON),
  'gateway-timeout': () => blank(504, undefined, REASON),
  unauthorized: () => unauthorized(REASON),
  'invalid-token': () => invalidToken(REASON),
  forbidden: () => blank(403, undefined, REASON),
  suspended: suspendedUser,
  'app-suspended': suspendedApp,
  locked: () =>
    forbidden('To protect our users from spam and other malicious activity, this account is temporarily locked.'),
  'client-not-enrolled': ({ caller }) => (caller ? notEnrolled(caller) : blank(403, undefined, REASON)),
  'oauth1-permissions': () => oauth1Permissions(REASON),
  duplicate: duplicatePost,
  'not-found': notFound,
  'invalid-request': invalid,
  conflict: () => conflict('The request conflicts with another one.'),
  'too-many-connections': () =>
    streamingConnection('TooManyConnections', 'This stream is currently at the maximum allowed connection limit.'),
}

const BY_STATUS: Record<number, () => Problem> = {
  400: invalid,
  401: () => unauthorized(REASON),
  409: () => conflict('The request conflicts with another one.'),
  413: bodyTooLarge,
  429: tooMany,
  503: away,
}

/** The app may have every tier: then the usual sentence would contradict itself. */
const notEnrolled = (caller: Caller): Problem =>
  FULL_TIERS.includes(caller.app.tier)
    ? clientForbidden({
        clientId: caller.app.id,
        detail: 'The app is not enrolled for this endpoint or option.',
        reason: 'client-not-enrolled',
      })
    : tierTooLow(caller, FULL_TIERS)

/** The refusals of version 2, made by the functions that make them elsewhere. */
export const v2Failure: FailureMaker = (failure: Failure, facts) =>
  typeof failure === 'string' ? BY_NAME[failure](facts) : (BY_STATUS[failure]?.() ?? blank(failure, undefined, REASON))

const RESOURCES: Record<string, ResourceType> = {
  posts: 'post',
  users: 'user',
  lists: 'list',
  spaces: 'space',
  media: 'media',
}
/** Kinds that a problem cannot name. */
const OTHERS: Record<string, string> = { news: 'news', communities: 'community', dm_events: 'message' }

/** The object that the path names first does not exist. A read says so with 200, as the platform does. */
function notFound({ method, route, path }: FailureFacts): Problem {
  const named = /^\/2\/([a-z_]+)(?:\/by\/username)?\/\{([^}]+)\}/.exec(route)
  const resource = named && RESOURCES[named[1]!]
  const other = named && OTHERS[named[1]!]
  const [value] = Object.values(path)
  if (other && value !== undefined && method === 'GET') return onlyError(otherNotFound(other, named[2]!, value), REASON)
  if (!resource || value === undefined) return blank(404, undefined, REASON)
  const error = resourceNotFound(resource, named[2]!, value)
  return method === 'GET' ? onlyError(error, REASON) : objectNotFound(error)
}
