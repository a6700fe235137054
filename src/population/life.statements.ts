import { VIEWER_COLUMNS } from '../ads/serving/viewers.ts'
import { statement } from '../storage/statement.ts'

const LIFE = {
  id: 'int8',
  seed: 'int4',
  personas: 'int4',
  speed: 'float8?',
  tick_ms: 'int4',
  feed_order: 'text',
  behaviour: 'jsonb',
  sandbox_account: 'text?',
  state: 'text',
  reason: 'text?',
  started_at: 'timestamptz',
  ends_at: 'timestamptz',
  decided: 'int4',
  done: 'int4',
  counts: 'jsonb',
  busy_ms: 'int8',
  was_frozen: 'bool',
} as const
const NAMES = Object.keys(LIFE).join(', ')
const OPEN = `state in ('making', 'running', 'stopping')`

// Ids follow product time, which can be set back: the id of a new life is still the largest, so the last life is the one begun last.
export const lifeAdd = statement(
  'life_add',
  LIFE,
  `insert into life (id, seed, personas, speed, tick_ms, feed_order, behaviour, sandbox_account, state, started_at, ends_at, was_frozen)
   select greatest($1::bigint, max(id) + 1), $2, $3, $4, $5, $6, $7::jsonb, $8, 'making', $9, $10, $11 from life on conflict do nothing returning ${NAMES}`,
)
/** The life that is not over. */
export const lifeOpen = statement('life_open', LIFE, `select ${NAMES} from life where ${OPEN}`)
export const lifeOf = statement('life_of', LIFE, `select ${NAMES} from life where id = $1`)
export const lifeLast = statement('life_last', LIFE, `select ${NAMES} from life order by id desc limit 1`)
export const lifeStop = statement(
  'life_stop',
  { id: 'int8' },
  `update life set state = 'stopping' where ${OPEN} and ($1::bigint is null or id = $1) returning id`,
)
export const lifeMoved = statement(
  'life_moved',
  { state: 'text' },
  `update life set state = case when state = 'stopping' and $2 in ('making', 'running') then state else $2 end, reason = $3, counts = $4::jsonb,
     busy_ms = $5 where id = $1 returning state`,
)
/** Notes what was decided in a tick; no row where the life is gone. */
export const tickDecided = statement(
  'life_tick_decided',
  {},
  `with noted as (
     insert into life_tick (life_id, tick, looked, decisions) select $1, $2, $3::int[], $4::jsonb from life where id = $1
     on conflict do nothing returning tick
   )
   update life set decided = $2 + 1, counts = $5::jsonb where id = $1`,
)
export const tickDone = statement(
  'life_tick_done',
  { state: 'text' },
  'update life set done = $2 + 1, counts = $3::jsonb, busy_ms = $4 where id = $1 returning state',
)
export const tickRead = statement(
  'life_tick_read',
  { tick: 'int4', looked: 'int4[]', decisions: 'jsonb' },
  'select tick, looked, decisions from life_tick where life_id = $1 and tick = $2',
)
export const ticksAfter = statement(
  'life_ticks_after',
  { tick: 'int4', looked: 'int4[]', decisions: 'jsonb' },
  'select tick, looked, decisions from life_tick where life_id = $1 and tick > $2 order by tick limit $3',
)

export const personasRead = statement(
  'personas_read',
  {
    ...VIEWER_COLUMNS,
    username: 'text',
    position: 'int4',
    zone: 'int2',
    later: 'int2',
    looks_per_day: 'float8',
    activity: 'float8',
    topics: 'int4[]',
    memory: 'jsonb?',
  },
  `select ${Object.keys(VIEWER_COLUMNS)
    .map((name) => `v.${name}`)
    .join(', ')},
          u.username, p.position, p.zone, p.later, p.looks_per_day::float8, p.activity::float8, p.topics::int[], p.memory
     from persona p join user_account u on u.id = p.user_id join ads_viewer v on v.number = p.viewer
    where p.seed = $1 and p.position >= $2 and p.position < $3 order by p.position`,
)
/** Keeps what behaviours remembered in the ticks of a life from one on. Until then it is only with the decisions. */
export const memoriesKeep = statement(
  'personas_memories_keep',
  {},
  `update persona p set memory = m.memory
     from (select distinct on (position) (d ->> 'p')::int as position, d -> 'm' as memory
             from life_tick t, jsonb_array_elements(t.decisions) d where t.life_id = $1 and t.tick >= $2 and d ? 'm'
            order by position, t.tick desc) m
    where p.seed = $3 and p.position = m.position`,
)
