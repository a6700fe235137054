import { type ClockState, RUNNING } from '../process/clock.ts'
import type { Db } from './database.ts'
import { statement } from './statement.ts'

/** Real time that clocks of this installation have been frozen. It belongs to the installation, not to its world. */
export const FROZEN_SPENT = 'clock_frozen_spent_ms'

const stateRead = statement(
  'clock_state_read',
  { offset_ms: 'text?', frozen: 'text?', spent_ms: 'text?' },
  `select (select value from instance_fact where name = 'clock_offset_ms') as offset_ms,
          (select value from instance_fact where name = 'clock_frozen') as frozen,
          (select value from instance_fact where name = '${FROZEN_SPENT}') as spent_ms`,
)
const stateWrite = statement(
  'clock_state_write',
  {},
  `with running as (delete from instance_fact where name = 'clock_frozen' and $2::text is null)
   insert into instance_fact (name, value)
   select name, value from (values ('clock_offset_ms', $1::text), ('clock_frozen', $2::text), ('${FROZEN_SPENT}', $3::text)) as n (name, value)
    where value is not null
   on conflict (name) do update set value = excluded.value`,
)

// Ids of a frozen clock have room for about a quarter of an hour of real time in a second (process/ids.ts). A clock that is frozen
// begins again before that room is half used.
const MOST_SPENT_MS = 450_000

/** The state of the clock, as all processes of all machines share it; `home` where it was never changed. */
export async function readClockState(db: Db, home: ClockState = RUNNING): Promise<ClockState> {
  const row = (await stateRead.first(db))!
  if (row.offset_ms === null && row.frozen === null) return home
  const offsetMs = Number(row.offset_ms ?? 0)
  if (row.frozen === null) return { offsetMs }
  const [atMs, sinceMs, spentMs] = row.frozen.split(' ').map(Number)
  return { offsetMs, frozen: { atMs: atMs!, sinceMs: sinceMs!, spentMs: spentMs! } }
}

/** Stores a clock that runs with an offset. */
export async function storeRunning(db: Db, offsetMs: number, realMs: number): Promise<ClockState> {
  await stateWrite.count(db, String(offsetMs), null, String(await spentUntil(db, realMs)))
  return { offsetMs }
}

/** Stores a clock that stands at a moment. Its ids continue after those of the times that it was frozen before. */
export async function storeFrozen(db: Db, atMs: number, realMs: number): Promise<ClockState> {
  const spentMs = await spentUntil(db, realMs)
  const offsetMs = atMs - realMs
  await stateWrite.count(db, String(offsetMs), `${atMs} ${realMs} ${spentMs}`, String(spentMs))
  return { offsetMs, frozen: { atMs, sinceMs: realMs, spentMs } }
}

// A second more, because the processes learn of a change one after the other.
const APART_MS = 1_000

async function spentUntil(db: Db, realMs: number): Promise<number> {
  const row = (await stateRead.first(db))!
  const before = Number(row.spent_ms ?? 0)
  if (row.frozen === null) return before
  const [, sinceMs, spentMs] = row.frozen.split(' ').map(Number)
  const until = Math.max(before, spentMs! + Math.max(0, realMs - sinceMs!)) + APART_MS
  return until > MOST_SPENT_MS ? 0 : until
}
