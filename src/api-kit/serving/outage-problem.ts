import type { Outage } from '../../storage/outage.ts'
import type { Method } from '../declaring/operation.ts'
import type { Runtime } from '../runtime.ts'
import type { Problem } from '../writing/problem.ts'
import { unavailable } from '../writing/problems.ts'

const OUTAGES: Record<Outage, { reason: string; retryAfterS: number }> = {
  away: { reason: 'the database is not available', retryAfterS: 5 },
  full: { reason: 'the disk of the database is full', retryAfterS: 30 },
}

/** The refusal while the database cannot do what was asked. */
export function outageProblem(outage: Outage, status: 503 | 507 = 503): Problem {
  const { reason, retryAfterS } = OUTAGES[outage]
  return unavailable(reason, retryAfterS, status)
}

/**
 * Refuses what writes while the disk of the database is full. An operator can still reset the world, which makes room. The upload of
 * a file gets 507: sending it again soon is of no use.
 */
export function refuseWritesWhenFull(
  { diskIsFull }: Runtime,
  { method, path, bodyAsForm }: { method: Method; path: string; bodyAsForm?: boolean },
): void {
  if (diskIsFull && method !== 'GET' && !path.startsWith('/_rostra/'))
    throw outageProblem('full', bodyAsForm ? 507 : 503)
}
