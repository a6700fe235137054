import type { Runtime } from '../api-kit/runtime.ts'
import type { Db } from '../storage/database.ts'
import { statement } from '../storage/statement.ts'
import type { EventType, NewEvent } from './catalog.ts'

/** Which of these users are not public, as SQL: an object of reasons by id, or null. `users` is a list of expressions. */
export const hiddenUsersSql = (...users: string[]): string =>
  `(select jsonb_object_agg(u.id::text, case when u.suspended then 'suspended' else 'protected' end)
      from user_account u where u.id = any(array[${users.join(', ')}]) and (u.suspended or u.protected))`

const outboxAdd = statement(
  'event_outbox_add',
  {},
  `insert into event_outbox (type, actor_id, target_id, post_id, payload, happened_at, hidden_users)
   select e.type, e.actor_id, e.target_id, e.post_id, coalesce(e.payload, '{}'), $2,
          case when e.closed_for is null then ${hiddenUsersSql('e.actor_id', 'e.target_id')} else jsonb_build_object(e.closed_for, 'closed') end
     from jsonb_to_recordset($1::jsonb) as e (type text, actor_id bigint, target_id bigint, post_id bigint, payload jsonb, closed_for text)`,
)

/** Writes events to the outbox in the transaction that causes them: they are kept or lost together. */
export async function emit<T extends EventType>(db: Db, runtime: Runtime, ...events: NewEvent<T>[]): Promise<void> {
  if (events.length === 0) return
  const rows = events.map((item) => ({
    type: item.type,
    actor_id: item.actorId ?? null,
    target_id: item.targetId ?? null,
    post_id: item.postId ?? null,
    payload: item.payload,
    closed_for: item.closedFor ?? null,
  }))
  await outboxAdd.count(db, JSON.stringify(rows), new Date(runtime.clock.now()))
  runtime.bus.wake('outbox')
}
