import type { Caller } from '../declaring/caller.ts'
import type { Method } from '../declaring/operation.ts'
import type { Window } from '../limits/rate-limiter.ts'
import type { Naming } from '../naming/naming.ts'
import type { Problem } from '../writing/problem.ts'

/** The refusals of the platform that an operator can ask for by name. */
export const FAILURE_NAMES = [
  'rate-limited',
  'usage-capped',
  'over-capacity',
  'unavailable',
  'internal-error',
  'bad-gateway',
  'gateway-timeout',
  'unauthorized',
  'invalid-token',
  'forbidden',
  'suspended',
  'app-suspended',
  'locked',
  'client-not-enrolled',
  'oauth1-permissions',
  'duplicate',
  'not-found',
  'invalid-request',
  'conflict',
  'too-many-connections',
] as const
export type FailureName = (typeof FAILURE_NAMES)[number]

/** These name the app of the caller, so the caller is authenticated first. */
export const NAMES_ABOUT_CALLER: ReadonlySet<string> = new Set<FailureName>(['usage-capped', 'client-not-enrolled'])

/** A refusal by name, or the one that the interface has for a status. */
export type Failure = FailureName | number

/** What a refusal may say about the request. */
export interface FailureFacts {
  method: Method
  /** Neutral path of the route with `{name}` parts. */
  route: string
  /** The values of the path, by their names in the route that was used. */
  path: Record<string, string>
  /** Known where the fault needed it. */
  caller: Caller | undefined
}

/** A route as faults see it. */
export interface FaultTarget {
  /** The family of an operation; endpoints have none. */
  family: string | undefined
  method: Method
  /** Neutral path with `{name}` parts. */
  path: string
  /** The second naming of the family. */
  legacy: Naming | undefined
  /** The limit of users or of apps, where they differ. */
  windowOf?: ((caller: 'user' | 'app') => Window) | undefined
}

/** Makes the refusals of one interface. */
export type FailureMaker = (failure: Failure, facts: FailureFacts) => Problem
