import { setTimeout as sleep } from 'node:timers/promises'
import type { Runtime } from '../api-kit/runtime.ts'
import { realNow } from '../process/clock.ts'
import { LOCK } from '../storage/lock-numbers.ts'
import { statement } from '../storage/statement.ts'

// Only what some process does is waited for: a server that is stopped, or an offline command, has no sequencer.
const readersBehind = statement(
  'event_readers_behind',
  { is_behind: 'bool' },
  `with l as (
     select classid::bigint, objid::bigint, objsubid from pg_locks where locktype = 'advisory' and granted
        and database = (select oid from pg_database where datname = current_database())
   )
   select exists (select from l where objsubid = 1 and objid = ${LOCK.sequencer})
      and (exists (select from event_outbox)
        or (exists (select from l where objsubid = 2 and classid = ${LOCK.eventReader})
          and exists (select from event_reader r where r.name = any($1::text[]) and r.place < (select place from event_head)))) as is_behind`,
)

const LOOK_MS = 5
const MOST_MS = 2_000

/** Waits until these readers have handled what has happened so far, but not for long. */
export async function waitForReaders(runtime: Runtime, names: readonly string[]): Promise<void> {
  const deadline = realNow() + MOST_MS
  runtime.bus.wake('outbox')
  while (realNow() < deadline && (await readersBehind.first(runtime.database, names))!.is_behind) await sleep(LOOK_MS)
}
