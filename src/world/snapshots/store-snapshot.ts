import { randomBytes } from 'node:crypto'
import type { Tx } from '../../storage/database.ts'
import { statement } from '../../storage/statement.ts'
import { claimWorld } from '../world-lock.ts'
import { EQUAL_NOW, type KeptTable, restoreFunctions } from './restore-function.ts'
import { INSTALLATION_FACTS, quoted, quotedList, readTables } from './world-tables.ts'

/** The name of the copy that a reset restores. */
export const FIRST_WORLD = ' first world'

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
  `update world_snapshot set base = (select system_identifier::text from pg_control_system()) || ' ' || ${EQUAL_NOW} where schema_name = $1`,
)

/** SQL that is true for a row `s` of `world_snapshot` that this version can restore. */
export const IS_CURRENT = `(s.migration = (select max(m.name) from schema_migration m) and to_regprocedure(s.schema_name || '.restore(boolean)') is not null)`

/** Notes that the world equals a snapshot now. */
export async function noteBase(tx: Tx, schemaName: string): Promise<void> {
  await baseWrite.count(tx, schemaName)
}

/** Stops all writers of the world until the transaction ends, and waits for those in progress. */
export async function stopWriters(tx: Tx, names: readonly string[]): Promise<void> {
  await claimWorld(tx)
  await tx.query({ text: `lock table ${quotedList(names)} in share row exclusive mode` })
}

/** Copies the world. A snapshot of the same name is replaced. */
export async function storeSnapshot(tx: Tx, name: string, now: Date): Promise<void> {
  const tables = await readTables(tx)
  await stopWriters(
    tx,
    tables.map((table) => table.name),
  )
  await removeSnapshot(tx, name)
  const schema = `snapshot_${randomBytes(6).toString('hex')}`
  const filled = await filledTables(
    tx,
    tables.filter((table) => !table.isMomentary).map((table) => table.name),
  )
  const copied = tables.filter((table) => filled.has(table.name))
  const copies = copied.map(
    ({ name: table, columns }) =>
      `create table ${schema}.${quoted(table)} as select ${quotedList(columns)} from ${quoted(table)}`,
  )
  await tx.query({ text: [`create schema ${schema}`, ...copies].join(';\n') })
  const sizes = await copySizes(tx, schema, [...filled])
  const kept = copied.map(
    ({ name: table, columns, key }): KeptTable => ({ name: table, columns, key, ...sizes.get(table)! }),
  )
  await tx.query({ text: restoreFunctions(schema, tables, kept) })
  const bytes = kept.reduce((sum, table) => sum + table.bytes, 0)
  await snapshotAdd.count(tx, name, schema, JSON.stringify(kept), INSTALLATION_FACTS, String(bytes), now)
  await noteBase(tx, schema)
}

async function filledTables(tx: Tx, names: readonly string[]): Promise<Set<string>> {
  const texts = names.map((name) => `select '${name}' as name where exists (select from ${quoted(name)})`)
  const found = await tx.query<{ name: string }>({ text: texts.join(' union all ') })
  return new Set(found.rows.map((row) => row.name))
}

async function copySizes(
  tx: Tx,
  schema: string,
  names: readonly string[],
): Promise<Map<string, { rows: number; bytes: number }>> {
  const texts = names.map((name) => {
    const copy = `${schema}.${quoted(name)}`
    return `select '${name}' as name, (select count(*) from ${copy}) as rows, pg_relation_size('${copy}') as bytes`
  })
  const found = await tx.query<{ name: string; rows: string; bytes: string }>({ text: texts.join(' union all ') })
  return new Map(found.rows.map((row) => [row.name, { rows: Number(row.rows), bytes: Number(row.bytes) }]))
}

/** Removes a snapshot; false if there is none with this name. */
export async function removeSnapshot(tx: Tx, name: string): Promise<boolean> {
  const removed = await snapshotRemove.first(tx, name)
  if (!removed) return false
  await tx.query({ text: `drop schema ${removed.schema_name} cascade` })
  return true
}
