import { renewPartitions } from '../../events/sequencer.ts'
import { realNow } from '../../process/clock.ts'
import type { Tx } from '../../storage/database.ts'

/**
 * Stores the event log of an import under its own sequences, which is possible in an empty world only. Readers of events go on
 * after it: what happened elsewhere is not delivered a second time. It is kept for seven days from now.
 */
export async function applyEvents(tx: Tx, lastSequence: string): Promise<void> {
  await renewPartitions(tx)
  // The sequencer waits until the end of the transaction.
  await tx.query({ text: 'select from event_head for update' })
  await tx.query({
    text: `insert into event_log (place, type, actor_id, target_id, post_id, payload, happened_at, hidden_users, logged_on)
      select sequence, type, actor_id, target_id, post_id, coalesce(payload, '{}'), happened_at, hidden_users, $1::date from staged_events`,
    values: [new Date(realNow()).toISOString().slice(0, 10)],
  })
  await tx.query({
    text: `update event_head set place = greatest(place, $1::bigint, (select max(sequence) from staged_events))`,
    values: [lastSequence],
  })
  await tx.query({ text: 'update event_reader set place = greatest(place, (select place from event_head))' })
}
