import type { Runtime } from '../api-kit/runtime.ts'
import { every } from '../process/every.ts'
import type { Stoppable } from '../process/keep-trying.ts'
import { statement } from '../storage/statement.ts'
import type { Sender } from './send-deliveries.ts'

const CHECK_MS = 500

const hasNothingPending = `not exists (select from webhook_delivery d where d.replay_job_id = r.id and d.state = 'pending')`

/** Plans the status message of each job whose deliveries have all ended. */
const replayStatusesAdd = statement(
  'webhook_replay_statuses_add',
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

/** Ends jobs whose status message was delivered or given up, so the next job can start. `$1` limits it to one webhook. */
export const replaysEnd = statement(
  'webhook_replays_end',
  {},
  `update webhook_replay r set state = r.outcome
    where r.state = 'running' and r.outcome is not null and ($1::bigint is null or r.webhook_id = $1) and ${hasNothingPending}`,
)

/** Watches replay jobs until their deliveries and status messages have ended. */
export function startReplays(runtime: Runtime, sender: Sender): Stoppable {
  const check = async () => {
    await replaysEnd.count(runtime.database, null)
    const planned = await replayStatusesAdd.all(runtime.database, new Date(runtime.clock.now()))
    if (planned.length > 0) sender.wake()
  }
  return every(CHECK_MS, check, (error) => runtime.log.warn({ err: error }, 'replay jobs could not be checked'))
}
