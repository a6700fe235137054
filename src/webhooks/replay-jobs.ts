import type { House } from '../api-kit/house.ts'
import { every, type Repeated } from '../process/every.ts'
import { statement } from '../storage/statement.ts'
import type { Sender } from './send-deliveries.ts'

const LOOK_MS = 500

/** Ends jobs of which nothing is pending any more, and plans the event that tells the receiver so. */
const replaysFinish = statement(
  'webhook_replays_finish',
  { id: 'int8' },
  `with over as (
     update webhook_replay r set state = case when exists (
         select from webhook_delivery d where d.replay_job_id = r.id and d.state = 'given_up') then 'incomplete' else 'complete' end
      where r.state = 'running' and not exists (select from webhook_delivery d where d.replay_job_id = r.id and d.state = 'pending')
     returning r.id, r.webhook_id, r.app_id, r.state
   )
   insert into webhook_delivery (webhook_id, app_id, kind, body, next_attempt_at, created_at)
   select webhook_id, app_id, 'replay-status', json_build_object('replay_job_status', json_build_object(
            'webhook_id', webhook_id::text,
            'job_state', case state when 'complete' then 'Complete' else 'Incomplete' end,
            'job_state_description', case state when 'complete' then 'Job completed successfully'
              else 'Job failed to deliver all events, please retry your replay job' end,
            'job_id', id::text))::text, $1::timestamptz, $1::timestamptz
     from over returning id`,
)

/** Watches replay jobs until everything they repeat has ended. */
export function startReplays(house: House, sender: Sender): Repeated {
  const look = async () => {
    const told = await replaysFinish.all(house.database, new Date(house.clock.now()))
    if (told.length > 0) sender.nudge()
  }
  return every(LOOK_MS, look, (error) => house.log.warn({ err: error }, 'watching replay jobs'))
}
