import type { Runtime } from '../api-kit/runtime.ts'
import { appPart } from '../identity/credentials.parts.ts'
import { every } from '../process/every.ts'
import type { Stoppable } from '../process/keep-trying.ts'
import { statement } from '../storage/statement.ts'
import { challenge } from './challenge.ts'
import { recordChallenge } from './record-challenge.ts'

const CHECK_MS = 5_000
const CHALLENGE_EVERY_MS = 3600_000
const AT_ONCE = 20

// A clock that was moved back leaves challenges in the future.
const webhooksToChallenge = statement(
  'webhooks_to_challenge',
  { id: 'int8', app_id: 'int8', url: 'text' },
  `update webhook set last_challenge_at = $2
    where id in (select id from webhook where coalesce(last_challenge_at, created_at) <= $1 or last_challenge_at > $2 order by id limit $3)
   returning id, app_id, url`,
)

/** Challenges some webhooks whose last challenge was an hour ago. Returns how many. */
export async function challengeDue(runtime: Runtime, stopping: AbortSignal): Promise<number> {
  const now = runtime.clock.now()
  const due = await webhooksToChallenge.all(
    runtime.database,
    new Date(now - CHALLENGE_EVERY_MS),
    new Date(now),
    AT_ONCE,
  )
  const apps = await runtime.parts.many(appPart, [...new Set(due.map((row) => row.app_id))])
  await Promise.all(
    due.map(async ({ id, app_id, url }) => {
      const app = apps.get(app_id)
      if (!app) return
      const secret = runtime.secretBox.open(app.api_key_secret_sealed)
      const result = await challenge(runtime.outgoing, url, secret, stopping)
      if (!stopping.aborted) await recordChallenge(runtime, { id, appId: app_id, url, cause: 'hourly' }, result)
    }),
  )
  return due.length
}

/** Challenges every webhook each hour. A webhook gets events only while its receiver has the secret. */
export const startChallenges = (runtime: Runtime): Stoppable =>
  every(
    CHECK_MS,
    (stopping) => challengeDue(runtime, stopping),
    (error) => runtime.log.warn({ err: error }, 'webhooks could not be challenged'),
  )
