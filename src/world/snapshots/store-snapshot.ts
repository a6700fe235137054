import { randomBytes } from 'node:crypto'
import type { Tx } from '../../storage/database.ts'
import { statement } from '../../storage/statement.ts'
import { claimWorld } from '../world-lock.ts'
import { INSTALLATION_FACTS, quoted, readTables } from './world-tables.ts'

/** The name of the copy that a reset restores. */
export const FIRST_WORLD = ' first world'

/** A table in a snapshot. */
export interface KeptTable {
  name: string
  columns: string[]
  key: string[]
  rows: number
  bytes: number
}

/** A copy of the world. */
export interface Snapshot {
  name: string
  schema_name: string
  migration: string
  tables: KeptTable[]
  facts: Record<string, string>
  bytes: string
  created_at: Date
  /** Its tables have the columns of this version. */
  isCurrent: boolean
}

const COLUMNS = {
  name: 'text',
  schema_name: 'text',
  migration: 'text',
  tables: 'jsonb',
  facts: 'jsonb',
  bytes: 'int8',
  created_at: 'timestamptz',
  is_current: 'bool',
} as const
const snapshotRead = statement(
  'world_snapshot_read',
  COLUMNS,
  `select name, schema_name, migration, tables, facts, bytes, created_at,
          migration = (select max(m.name) from schema_migration m) as is_current
     from world_snapshot where name = $1`,
)
const snapshotAdd = statement(
  'world_snapshot_add',
  {},
  `insert into world_snapshot (name, schema_name, migration, tables, facts, bytes, created_at)
   select $1, $2, (select max(name) from schema_migration), $3::jsonb,
          coalesce((select jsonb_object_agg(f.name, f.value) from instance_fact f where f.name <> all($4::text[])), '{}'), $5::bigint, $6`,
)
const snapshotRemove = statement(
  'world_snapshot_remove',
  { schema_name: 'text' },
  'delete from world_snapshot where name = $1 returning schema_name',
)
const baseWrite = statement(
  'world_base_write',
  {},
  `insert into instance_fact (name, value) values ('world_base', $1::text || ' ' || pg_current_xact_id()::text)
   on conflict (name) do update set value = excluded.value`,
)

export async function readSnapshot(tx: Tx, name: string): Promise<Snapshot | undefined> {
  const row = await snapshotRead.first(tx, name)
  if (!row) return undefined
  const { is_current: isCurrent, tables, facts, ...rest } = row
  return { ...rest, isCurrent, tables: tables as KeptTable[], facts: facts as Record<string, string> }
}

/** Notes that the world equals a snapshot now: rows with a later transaction number came afterwards. */
export async function noteBase(tx: Tx, schemaName: string): Promise<void> {
  await baseWrite.count(tx, schemaName)
}

/** Stops all writers of the world until the transaction ends, and waits for those in progress. */
export async function stopWriters(tx: Tx, names: Iterable<string>): Promise<void> {
  await claimWorld(tx)
  await tx.query({ text: `lock table ${[...names].map(quoted).join(', ')} in share row exclusive mode` })
}

/** Copies the world. A snapshot of the same name is replaced. */
export async function storeSnapshot(tx: Tx, name: string, now: Date): Promise<void> {
  const tables = (await readTables(tx)).filter((table) => !table.isMomentary)
  await stopWriters(
    tx,
    tables.map((table) => table.name),
  )
  await removeSnapshot(tx, name)
  const schema = `snapshot_${randomBytes(6).toString('hex')}`
  // A table whose file is empty has no rows.
  const filled = (await readTables(tx)).filter((table) => !table.isMomentary && table.bytes > 0)
  await tx.query({
    text: [
      `create schema ${schema}`,
      ...filled.map(({ name: table, columns }) => {
        const list = columns.map(quoted).join(', ')
        return `create table ${schema}.${quoted(table)} as select ${list} from ${quoted(table)}`
      }),
    ].join(';\n'),
  })
  const counts = await tx.query<{ name: string; rows: string; bytes: string }>({
    text: filled
      .map(
        ({ name: table }) =>
          `select '${table}' as name, (select count(*) from ${schema}.${quoted(table)}) as rows, pg_relation_size('${schema}.${quoted(table)}') as bytes`,
      )
      .join(' union all '),
  })
  const sizes = new Map(counts.rows.map((row) => [row.name, { rows: Number(row.rows), bytes: Number(row.bytes) }]))
  const kept: KeptTable[] = filled
    .map(({ name: table, columns, key }) => ({ name: table, columns, key, ...sizes.get(table)! }))
    .filter((table) => table.rows > 0)
  const bytes = kept.reduce((sum, table) => sum + table.bytes, 0)
  await snapshotAdd.count(
    tx,
    name,
    schema,
    JSON.stringify(kept),
    [...INSTALLATION_FACTS, 'world_base'],
    String(bytes),
    now,
  )
  await noteBase(tx, schema)
}

/** Removes a snapshot; false if there is none with this name. */
export async function removeSnapshot(tx: Tx, name: string): Promise<boolean> {
  const removed = await snapshotRemove.first(tx, name)
  if (!removed) return false
  await tx.query({ text: `drop schema ${removed.schema_name} cascade` })
  return true
}
