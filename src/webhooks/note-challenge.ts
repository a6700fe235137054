import type { Runtime } from '../api-kit/runtime.ts'
import type { ChallengeResult } from './challenge.ts'
import { webhookFailed, webhookPassed } from './webhook.statements.ts'

/** No success for this long makes a webhook invalid even when its failures prove nothing. */
const GRACE_MS = 28 * 3600_000

/** Keeps what a challenge showed: whatever its occasion, it decides whether the webhook is valid. */
export async function noteChallenge(runtime: Runtime, webhookId: string, result: ChallengeResult): Promise<void> {
  const now = runtime.clock.now()
  if (result.passed) await webhookPassed.count(runtime.database, webhookId, new Date(now))
  else
    await webhookFailed.count(runtime.database, webhookId, result.reason, result.conclusive, new Date(now - GRACE_MS))
}
