import type { Db } from '../../storage/database.ts'
import { statement } from '../../storage/statement.ts'

/** Belong to the installation, not to the world: they stay when the world is emptied or replaced. */
const INSTALLATION_TABLES = [
  'schema_migration',
  'instance_fact',
  'event_head',
  'event_reader',
  // A signed request must not work a second time.
  'oauth1_nonce',
  'world_snapshot',
  // What operators did stays known, also that they replaced the world.
  'audit_entry',
  'console_session',
]

/**
 * Their rows are about the moment, or are found again, and are not part of a copy. Sequences of the event log continue, whatever
 * the world is.
 */
const MOMENTARY_TABLES = ['event_outbox', 'event_log', 'fault', 'rate_counter', 'search_pairs', 'stream_connection']

/** The facts of the installation that stay. The others are about the world. */
export const INSTALLATION_FACTS = [
  'key_fingerprint',
  'base_url',
  'clock_reached_ms',
  'clock_frozen_spent_ms',
  'deterministic_starts',
  'console_codes_used',
]

/** A table of the world. One that is divided counts as one. */
export interface WorldTable {
  name: string
  /** Columns that can be written. */
  columns: string[]
  /** Columns of the primary key; empty without one. */
  key: string[]
  isDivided: boolean
  /** Other tables refer to it. */
  isReferenced: boolean
  isMomentary: boolean
}

const tablesRead = statement(
  'world_tables',
  { name: 'text', columns: 'text[]', key: 'text[]', is_divided: 'bool', is_referenced: 'bool' },
  `select c.relname::text as name,
          array(select a.attname::text from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' order by a.attnum) as columns,
          array(select a.attname::text from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any(i.indkey) where i.indrelid = c.oid and i.indisprimary) as key,
          c.relkind = 'p' as is_divided,
          c.oid in (select f.confrelid from pg_constraint f where f.contype = 'f' and f.conrelid <> f.confrelid) as is_referenced
     from pg_class c
    where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition and c.relname <> all($1::text[])
    order by c.relname`,
)

export async function readTables(db: Db): Promise<WorldTable[]> {
  const rows = await tablesRead.all(db, INSTALLATION_TABLES)
  return rows.map(({ is_divided, is_referenced, ...row }) => ({
    ...row,
    isDivided: is_divided,
    isReferenced: is_referenced,
    isMomentary: MOMENTARY_TABLES.includes(row.name),
  }))
}

const referencesRead = statement(
  'world_references',
  { name: 'text', refers_to: 'text[]' },
  `select c.relname::text as name, array_agg(r.relname::text) as refers_to
     from pg_constraint f join pg_class c on c.oid = f.conrelid join pg_class r on r.oid = f.confrelid
    where f.contype = 'f' and c.relnamespace = current_schema()::regnamespace and r.oid <> c.oid
    group by 1`,
)

/** The names of tables, those that others refer to first. */
export async function inReferenceOrder(db: Db, names: readonly string[]): Promise<string[]> {
  const refersTo = new Map((await referencesRead.all(db)).map((row) => [row.name, row.refers_to]))
  const wanted = new Set(names)
  const ordered: string[] = []
  const visited = new Set<string>()
  const add = (name: string) => {
    if (visited.has(name)) return
    visited.add(name)
    for (const other of refersTo.get(name) ?? []) add(other)
    if (wanted.has(name)) ordered.push(name)
  }
  for (const name of names) add(name)
  return ordered
}

/** A name as SQL. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

export const quotedList = (names: readonly string[]): string => names.map(quoted).join(', ')
