import type { Runtime } from '../api-kit/runtime.ts'
import type { ChallengeResult } from './challenge.ts'
import { webhookFailed, webhookPassed } from './webhook.statements.ts'

/** Without a success for this long a webhook becomes invalid, even if its failures are inconclusive. */
const GRACE_MS = 28 * 3600_000

/** Stores the result of any challenge, which decides whether the webhook is valid. */
export async function recordChallenge(runtime: Runtime, webhookId: string, result: ChallengeResult): Promise<void> {
  const now = runtime.clock.now()
  if (result.passed) await webhookPassed.count(runtime.database, webhookId, new Date(now))
  else
    await webhookFailed.count(runtime.database, webhookId, result.reason, result.conclusive, new Date(now - GRACE_MS))
}
