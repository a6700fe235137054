import type { Runtime } from '../api-kit/runtime.ts'
import { every } from '../process/every.ts'
import type { Stoppable } from '../process/keep-trying.ts'
import type { Db } from '../storage/database.ts'
import { readFact } from '../storage/instance-facts.ts'
import { statement } from '../storage/statement.ts'

const EVERY_MS = 5_000
const FACT = 'clock_reached_ms'

const raise = statement(
  'reached_time_raise',
  {},
  `insert into instance_fact (name, value) values ('${FACT}', $1::bigint::text)
   on conflict (name) do update set value = excluded.value where instance_fact.value::bigint < excluded.value::bigint`,
)

/** The latest moment in which a process of an earlier run can have made an id. */
export async function readReachedTime(db: Db): Promise<number> {
  const stored = await readFact(db, FACT)
  return stored === undefined ? 0 : Number(stored) + EVERY_MS
}

/** Stores now and then which real time was reached: a start on a clock that was set back meanwhile must not repeat ids. */
export function keepReachedTime({ database, clock, log }: Runtime): Stoppable {
  const store = () => raise.count(database, String(clock.reached()))
  return every(EVERY_MS, store, (error) => log.warn({ err: error }, 'the reached time could not be stored'), {
    atOnce: true,
  })
}
