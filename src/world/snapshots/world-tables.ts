import type { Tx } from '../../storage/database.ts'
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
]

/** Their rows are about the moment, and are not part of a copy. */
const MOMENTARY_TABLES = ['event_outbox', 'fault', 'rate_counter', 'stream_connection']

/** The facts of the installation that stay. The others are about the world. */
export const INSTALLATION_FACTS = ['key_fingerprint', 'base_url', 'clock_reached_ms']

/** A table of the world. */
export interface WorldTable {
  name: string
  /** Columns that can be written. */
  columns: string[]
  /** Columns of the primary key; empty without one. */
  key: string[]
  bytes: number
  isMomentary: boolean
}

const tablesRead = statement(
  'world_tables',
  { name: 'text', columns: 'text[]', key: 'text[]', bytes: 'int8' },
  `select c.relname::text as name,
          array(select a.attname::text from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' order by a.attnum) as columns,
          array(select a.attname::text from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any(i.indkey) where i.indrelid = c.oid and i.indisprimary) as key,
          pg_relation_size(c.oid) as bytes
     from pg_class c
    where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and c.relname <> all($1::text[])
    order by c.relname`,
)

const sizesRead = statement(
  'world_table_sizes',
  { name: 'text', bytes: 'int8', is_referenced: 'bool' },
  `select c.relname::text as name, pg_relation_size(c.oid) as bytes,
          c.oid in (select confrelid from pg_constraint where contype = 'f') as is_referenced
     from pg_class c
    where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and c.relname <> all($1::text[])`,
)

export async function readTables(tx: Tx): Promise<WorldTable[]> {
  const rows = await tablesRead.all(tx, INSTALLATION_TABLES)
  return rows.map((row) => ({ ...row, bytes: Number(row.bytes), isMomentary: MOMENTARY_TABLES.includes(row.name) }))
}

/** How large a table of the world is, and whether others refer to it. */
export interface TableSize {
  name: string
  bytes: number
  isReferenced: boolean
}

export async function readSizes(tx: Tx): Promise<TableSize[]> {
  const rows = await sizesRead.all(tx, INSTALLATION_TABLES)
  return rows.map(({ name, bytes, is_referenced }) => ({ name, bytes: Number(bytes), isReferenced: is_referenced }))
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
export async function inReferenceOrder(tx: Tx, names: readonly string[]): Promise<string[]> {
  const refersTo = new Map((await referencesRead.all(tx)).map((row) => [row.name, row.refers_to]))
  const wanted = new Set(names)
  const ordered = new Set<string>()
  const visited = new Set<string>()
  const add = (name: string) => {
    if (visited.has(name)) return
    visited.add(name)
    for (const other of refersTo.get(name) ?? []) add(other)
    if (wanted.has(name)) ordered.add(name)
  }
  for (const name of names) add(name)
  return [...ordered]
}

/** A name as SQL. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`
