import type { Runtime } from '../api-kit/runtime.ts'
import { every } from '../process/every.ts'
import type { Stoppable } from '../process/keep-trying.ts'
import { statement } from '../storage/statement.ts'
import type { Sender } from './send-deliveries.ts'

const LOOK_MS = 500

const hasNothingPending = `not exists (select from webhook_delivery d where d.replay_job_id = r.id and d.state = 'pending')`

/** Plans the event that tells the receivers of jobs of which nothing is pending any more how they ended. */
const replaysTell = statement(
  'webhook_replays_tell',
  { id: 'int8' },
  `with sent as (
     update webhook_replay r set outcome = case when exists (
         select from webhook_delivery d where d.replay_job_id = r.id and d.state = 'given_up') then 'incomplete' else 'complete' end
      where r.state = 'running' and r.outcome is null and ${hasNothingPending}
     returning r.id, r.webhook_id, r.app_id, r.outcome
   )
   insert into webhook_delivery (webhook_id, app_id, kind, body, next_attempt_at, created_at, replay_job_id)
   select webhook_id, app_id, 'replay-status', json_build_object('replay_job_status', json_build_object(
            'webhook_id', webhook_id::text,
            'job_state', case outcome when 'complete' then 'Complete' else 'Incomplete' end,
            'job_state_description', case outcome when 'complete' then 'Job completed successfully'
              else 'Job failed to deliver all events, please retry your replay job' end,
            'job_id', id::text))::text, $1::timestamptz, $1::timestamptz, id
     from sent returning id`,
)

/** Ends the jobs, of one webhook where it is given, of which the receiver was told or could not be told: the next one may begin. */
export const replaysEnd = statement(
  'webhook_replays_end',
  {},
  `update webhook_replay r set state = r.outcome
    where r.state = 'running' and r.outcome is not null and ($1::bigint is null or r.webhook_id = $1) and ${hasNothingPending}`,
)

/** Watches replay jobs until everything they repeat has ended, and their receivers were told so. */
export function startReplays(runtime: Runtime, sender: Sender): Stoppable {
  const look = async () => {
    await replaysEnd.count(runtime.database, null)
    const told = await replaysTell.all(runtime.database, new Date(runtime.clock.now()))
    if (told.length > 0) sender.wake()
  }
  return every(LOOK_MS, look, (error) => runtime.log.warn({ err: error }, 'watching replay jobs'))
}
