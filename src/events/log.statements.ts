import { statement } from '../storage/statement.ts'

// The column is called `place`; the code calls it a sequence.
const eventColumns = {
  sequence: 'int8',
  type: 'text',
  actor_id: 'int8?',
  target_id: 'int8?',
  post_id: 'int8?',
  payload: 'jsonb',
  happened_at: 'timestamptz',
  hidden_users: 'jsonb?',
} as const
const eventNames = 'place as sequence, type, actor_id, target_id, post_id, payload, happened_at, hidden_users'

export const eventsAfter = statement(
  'events_after',
  eventColumns,
  `select ${eventNames} from event_log where place > $1 order by place limit $2`,
)

export const headSequence = statement(
  'event_head_sequence',
  { sequence: 'int8' },
  'select place as sequence from event_head',
)

// Partitions are days of real time, and moments are product time: the clock's offset lies between them. `+ 0` keeps PostgreSQL
// from walking the primary key from its beginning instead of using the index of moments.
export const sequenceBefore = statement(
  'event_sequence_before',
  { sequence: 'int8' },
  `select coalesce(
     (select min(place + 0) - 1 from event_log
       where happened_at >= $1 and logged_on >= ((
         $1::timestamptz - make_interval(secs => coalesce(
           (select value::float8 from instance_fact where name = 'clock_offset_ms'), 0) / 1000)) at time zone 'utc')::date - 1),
     (select place from event_head), 0) as sequence`,
)

/** Distinguishes installations that share a NATS server: the database within its cluster. */
export const databaseMark = statement(
  'event_database_mark',
  { mark: 'text' },
  `select c.system_identifier || '-' || d.oid as mark from pg_control_system() c, pg_database d where d.datname = current_database()`,
)

/** The sequence that a reader has reached; a new reader begins at the head. */
export const readerBegin = statement(
  'event_reader_begin',
  { sequence: 'int8' },
  `with added as (insert into event_reader (name, place) select $1, place from event_head on conflict do nothing returning place)
   select place as sequence from added union all select place from event_reader where name = $1`,
)

/** Moves a reader from one sequence to another; no row where it is no longer at the first. */
export const readerMove = statement(
  'event_reader_move',
  {},
  'update event_reader set place = $3 where name = $1 and place = $2',
)

/** Whether some process holds the lock of a reader. */
export const readerHeld = statement(
  'event_reader_held',
  { held: 'bool' },
  `select exists (
     select from pg_locks l join pg_database d on d.oid = l.database and d.datname = current_database()
      where l.locktype = 'advisory' and l.classid::bigint = $1::int and l.objid::bigint = $2::bigint and l.objsubid = 2 and l.granted
   ) as held`,
)

/** The notification channel that wakes the log tails. */
export const LOG_CHANNEL = 'rostra_log'
/** The most events that one statement moves. */
export const MOST_MOVED = 2_000

// Deletes from the outbox, appends to the log and wakes the readers in one statement: a sequence is never visible before a
// smaller one, and all of it is kept or lost together. Its commit is flushed like every other: an event that was delivered
// must have the same sequence after a crash of the database.
const move = (returned: string) => `with taken as (
    delete from event_outbox where id in (select id from event_outbox order by id limit ${MOST_MOVED}) returning *
  ), amount as (select count(*) as n from taken),
  head as (
    insert into event_head as h (place) select n from amount where n > 0
    on conflict (only_row) do update set place = h.place + excluded.place
    returning h.place, pg_notify('${LOG_CHANNEL}', '')
  )
  insert into event_log (place, type, actor_id, target_id, post_id, payload, happened_at, hidden_users, logged_on)
  select head.place - amount.n + row_number() over (order by taken.id), type, actor_id, target_id, post_id, payload, happened_at, hidden_users, $1
    from taken, head, amount
  returning ${returned}`
export const eventsMove = statement('event_move', { sequence: 'int8' }, move('place as sequence'))
/** Returns the events as they were stored, to publish them on NATS. */
export const eventsMoveReturning = statement('event_move_returning', eventColumns, move(eventNames))
