import type { Runtime } from '../api-kit/runtime.ts'
import { cutText } from '../process/cut-text.ts'
import type { Db } from '../storage/database.ts'
import { statement } from '../storage/statement.ts'
import type { ChallengeResult } from './challenge.ts'
import { webhookFailed, webhookPassed } from './webhook.statements.ts'

/** Without a success for this long a webhook becomes invalid, even if its failures are inconclusive. */
const GRACE_MS = 28 * 3600_000
/** So many challenges of a webhook are kept, and so many refused registrations of an app. */
const KEPT = 20
const ANSWER_CHARACTERS = 2_000

/** Stores a challenge, and deletes those before the last `$13`: of the webhook, or of the app where none was registered. */
const challengeAdd = statement(
  'webhook_challenge_add',
  {},
  `with old as (
     delete from webhook_challenge where app_id = $1 and webhook_id is not distinct from $2::bigint and id <= (
       select id from webhook_challenge where app_id = $1 and webhook_id is not distinct from $2::bigint
        order by id desc offset $13::int - 1 limit 1)
   )
   insert into webhook_challenge (app_id, webhook_id, url, cause, address, expected, status, answer, passed, reason, ms, created_at)
   select $1, $2::bigint, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12
    where exists (select from client_app where id = $1 for key share)
      and ($2::bigint is null or exists (select from webhook where id = $2::bigint for key share))`,
)

/** Why a webhook was challenged. */
export type ChallengeCause = 'registration' | 'hourly' | 'validation' | 'replay' | 'operator'

/** Which webhook was challenged; without an id its registration was refused. */
export interface ChallengedWebhook {
  id?: string
  appId: string
  url: string
  cause: ChallengeCause
}

/** Keeps the transcript of a challenge for operators. */
export async function storeTranscript(
  db: Db,
  runtime: Runtime,
  webhook: ChallengedWebhook,
  result: ChallengeResult,
): Promise<void> {
  const { address, expected, status, answer, ms } = result.transcript
  await challengeAdd.count(
    db,
    webhook.appId,
    webhook.id ?? null,
    webhook.url,
    webhook.cause,
    address,
    expected,
    status ?? null,
    // Texts cannot contain NUL.
    answer === undefined ? null : cutText(answer, ANSWER_CHARACTERS).replaceAll('\0', ''),
    result.passed,
    result.passed ? null : result.reason,
    ms,
    new Date(runtime.clock.now()),
    KEPT,
  )
}

/** Stores the result of any challenge, which decides whether the webhook is valid. */
export async function recordChallenge(
  runtime: Runtime,
  webhook: ChallengedWebhook & { id: string },
  result: ChallengeResult,
): Promise<void> {
  const { database, clock } = runtime
  const now = clock.now()
  if (result.passed) await webhookPassed.count(database, webhook.id, new Date(now))
  else await webhookFailed.count(database, webhook.id, result.reason, result.conclusive, new Date(now - GRACE_MS))
  await storeTranscript(database, runtime, webhook, result)
}
