import { LOCK } from '../storage/lock-numbers.ts'
import { statement } from '../storage/statement.ts'

/** Serializes the connections of one app to one stream, so the limit is exact. */
export const connectionLock = statement(
  'stream_connection_lock',
  {},
  `select pg_advisory_xact_lock(${LOCK.streamConnections}, hashtext($1))`,
)
// The processes that hold their lock and so are alive.
const livingProcesses = `select l.objid::bigint from pg_locks l join pg_database d on d.oid = l.database and d.datname = current_database()
    where l.locktype = 'advisory' and l.classid::bigint = ${LOCK.streamProcess} and l.objsubid = 2 and l.granted`
const isServed = `(process is null or process in (${livingProcesses}))`

const openIf = (counts: string) => `insert into stream_connection
     (id, app_id, endpoint_name, client_ip, machine, connected_at, seen_at, partition, process)
   select $1::uuid, $2::bigint, $3::text, $4::text, $5::int, $6::timestamptz, $8::timestamptz, $10::smallint, $11::int
    where (select count(*) from stream_connection c
            where app_id = $2::bigint and endpoint_name = $3::text and partition is not distinct from $10::smallint
              and disconnected_at is null and seen_at > $9::timestamptz${counts}) < $7::int
   returning id::text as id`
/** Opens a connection if fewer than `$7` to the same partition are open. Those of a stopped process do not count after a while. */
export const connectionOpen = statement('stream_connection_open', { id: 'text' }, openIf(''))
/**
 * The same, but counts only connections of processes that are alive: of this one (`$11`) those that it serves (`$12`), of others
 * those whose process holds its lock.
 */
export const connectionOpenBesideLiving = statement(
  'stream_connection_open_beside_living',
  { id: 'text' },
  openIf(` and case when process = $11::int then c.id = any($12::uuid[]) else ${isServed} end`),
)
export const connectionsClose = statement(
  'stream_connections_close',
  {},
  `update stream_connection c set disconnected_at = e.at, disconnect_reason = e.reason
     from unnest($1::uuid[], $2::timestamptz[], $3::text[]) as e (id, at, reason) where c.id = e.id and c.disconnected_at is null`,
)
/** Records that the process still serves its connections; returns those that another process closed. */
export const connectionsRenew = statement(
  'stream_connections_renew',
  { id: 'text' },
  `with renewed as (update stream_connection set seen_at = $2 where id = any($1::uuid[]) and disconnected_at is null)
   select id::text as id from stream_connection where id = any($1::uuid[]) and disconnected_at is not null`,
)
/** Ends the connections of an earlier process with this machine number. */
export const connectionsAbandon = statement(
  'stream_connections_abandon',
  {},
  `update stream_connection set disconnected_at = $2, disconnect_reason = 'UpstreamUncleanDisconnect' where machine = $1 and disconnected_at is null
      and process is distinct from $3::int`,
)
/** Deletes old history. */
export const connectionsPrune = statement(
  'stream_connections_prune',
  {},
  'delete from stream_connection where connected_at < $1 and (disconnected_at < $1 or (disconnected_at is null and seen_at < $2))',
)

const shown = {
  id: 'text',
  endpoint_name: 'text',
  client_ip: 'text',
  connected_at: 'timestamptz',
  seen_at: 'timestamptz',
  disconnected_at: 'timestamptz?',
  disconnect_reason: 'text?',
  served: 'bool',
} as const

// `$2`, `$3`: the cursor after which the page begins, in index order. `$4`: the wanted endpoints, or null for all.
const page = `select c.id::text as id, endpoint_name, client_ip, connected_at, seen_at, disconnected_at, disconnect_reason,
         ${isServed} as served
    from stream_connection c
   where app_id = $1 and connected_at <= $2 and (connected_at < $2 or c.id > $3::uuid)
     and ($4::text[] is null or endpoint_name = any($4::text[]))`
const order = 'order by connected_at desc, c.id limit $5'

/** The connections of an app, newest first. */
export const connectionsOfApp = statement('stream_connections_of_app', shown, `${page} ${order}`)
/** Those that are open: not ended, and renewed after `$6` by their process, which is alive. */
export const connectionsActive = statement(
  'stream_connections_active',
  shown,
  `${page} and disconnected_at is null and seen_at > $6 and ${isServed} ${order}`,
)
/** Those that ended or whose process has stopped. */
export const connectionsInactive = statement(
  'stream_connections_inactive',
  shown,
  `${page} and (disconnected_at is not null or seen_at <= $6 or not ${isServed}) ${order}`,
)

/** The open connections of one app (`$3`) or of all, newest first: those before the cursor `$1`, `$2`. */
export const connectionsOpen = statement(
  'stream_connections_open',
  {
    id: 'text',
    app_id: 'int8',
    app: 'text',
    endpoint_name: 'text',
    client_ip: 'text',
    partition: 'int2?',
    machine: 'int4',
    connected_at: 'timestamptz',
  },
  `select c.id::text as id, c.app_id, a.name as app, endpoint_name, client_ip, partition, machine, connected_at
     from stream_connection c join client_app a on a.id = c.app_id
    where disconnected_at is null and seen_at > $4 and ${isServed}
      and connected_at <= $1 and (connected_at < $1 or c.id > $2::uuid) and ($3::bigint is null or c.app_id = $3)
    order by connected_at desc, c.id limit $5`,
)

const killed = { id: 'text', was_active: 'bool' } as const
// Connections of a stopped process end as well, but do not count as killed.
const kill = `update stream_connection set disconnected_at = $2,
     disconnect_reason = case when seen_at > $3 and ${isServed} then 'operator_disconnect' else 'UpstreamUncleanDisconnect' end
   where app_id = $1 and disconnected_at is null`
const killReturns = `returning id::text as id, seen_at > $3 and ${isServed} as was_active`

/** Ends open connections of an app. The processes that serve them get a message or notice it at the next renewal. */
export const connectionsKill = statement('stream_connections_kill', killed, `${kill} ${killReturns}`)
export const connectionsKillById = statement(
  'stream_connections_kill_by_id',
  killed,
  `${kill} and id = any($4::uuid[]) ${killReturns}`,
)
export const connectionsKillByEndpoint = statement(
  'stream_connections_kill_by_endpoint',
  killed,
  `${kill} and endpoint_name = any($4::text[]) ${killReturns}`,
)
