import { statement } from '../../storage/statement.ts'

export const FAULT_COLUMNS = {
  id: 'int8',
  target: 'text',
  match: 'text?',
  app_id: 'int8?',
  user_id: 'int8?',
  webhook_id: 'int8?',
  effect: 'text',
  value: 'text',
  times: 'int4?',
  rate: 'float8?',
  seed: 'text',
  used: 'int4',
  created_at: 'timestamptz',
} as const
const names = Object.keys(FAULT_COLUMNS).join(', ')

/** A fault as it is stored. */
export type FaultRow = Awaited<ReturnType<typeof faultsActive.all>>[number]

/** Those that can still happen. */
export const faultsActive = statement(
  'fault_active',
  FAULT_COLUMNS,
  `select ${names} from fault where times is null or used < times order by id`,
)

/** Adds a fault unless `$11` are active, and drops the oldest of those that are used up beyond as many. */
export const faultAdd = statement(
  'fault_add',
  FAULT_COLUMNS,
  `with spent as (
     delete from fault where id in (select id from fault where used >= times order by id desc offset $11::int)
   )
   insert into fault (target, match, app_id, user_id, webhook_id, effect, value, times, rate, seed, created_at)
   select $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $12
    where (select count(*) from fault where times is null or used < times) < $11::int
   returning ${names}`,
)
export const faultsClear = statement('fault_clear', {}, 'delete from fault where $1::bigint is null or id = $1::bigint')

// The share of the hash below 1. The same seed chooses the same requests.
const chance = (count: string) =>
  `('x' || left(encode(sha256(convert_to(seed || ':' || ${count}, 'UTF8')), 'hex'), 8))::bit(32)::bigint / 4294967296.0`

/**
 * Takes one use of a fault: the only place that decides, so the number is exact over all processes. No row: it is used up or was
 * cleared.
 */
export const faultTake = statement(
  'fault_take',
  { happens: 'bool', is_spent: 'bool' },
  `update fault set seen = seen + 1, used = used + (rate is null or ${chance('(seen + 1)')} < rate)::int
    where id = $1 and (times is null or used < times)
   returning rate is null or ${chance('seen')} < rate as happens, coalesce(used >= times, false) as is_spent`,
)
