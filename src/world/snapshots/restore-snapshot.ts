import type { Runtime } from '../../api-kit/runtime.ts'
import { defineSingleton } from '../../api-kit/singleton.ts'
import { type Database, repeatingDeadlock, type Tx, transaction } from '../../storage/database.ts'
import { statement } from '../../storage/statement.ts'
import { isNotAllowed, openWithoutTriggers } from '../../storage/without-triggers.ts'
import { allRows, type KeptTable } from './restore-function.ts'
import { noteBase, stopWriters } from './store-snapshot.ts'
import { INSTALLATION_FACTS, inReferenceOrder, quoted, quotedList, readTables } from './world-tables.ts'

/** A copy of the world that can be restored. */
export interface Snapshot {
  name: string
  schemaName: string
  /** Its tables have the columns of this version. */
  isCurrent: boolean
}

const snapshotRead = statement(
  'world_snapshot_read',
  { name: 'text', schema_name: 'text', is_current: 'bool' },
  `select name, schema_name, migration = (select max(m.name) from schema_migration m) as is_current from world_snapshot where name = $1`,
)
const contentsRead = statement(
  'world_snapshot_contents',
  { tables: 'jsonb', facts: 'jsonb' },
  'select tables, facts from world_snapshot where schema_name = $1',
)
const factsReplace = statement(
  'world_facts_replace',
  {},
  `with gone as (delete from instance_fact where name <> all($1::text[]) and not ($2::jsonb ? name))
   insert into instance_fact (name, value) select key, value from jsonb_each_text($2::jsonb)
   on conflict (name) do update set value = excluded.value`,
)

export async function readSnapshot(database: Database, name: string): Promise<Snapshot | undefined> {
  const row = await snapshotRead.first(database, name)
  return row && { name: row.name, schemaName: row.schema_name, isCurrent: row.is_current }
}

/** The connection on which worlds are restored; opened when one is, since its plans are worth keeping. */
export class WorldRestorer {
  readonly #database: Database
  #withoutTriggers: Database | undefined

  constructor(database: Database) {
    this.#database = database
  }

  /** Makes the world equal to a snapshot. */
  async restore(snapshot: Snapshot): Promise<void> {
    // Counters are copied with everything else, and references hold in the end as they did in the snapshot.
    this.#withoutTriggers ??= openWithoutTriggers(this.#database, 'rostra world')
    const withoutTriggers = this.#withoutTriggers
    await repeatingDeadlock(async () => {
      try {
        const name = `restore_${snapshot.schemaName}`
        const text = `select ${snapshot.schemaName}.restore() as restored`
        const { rows } = await withoutTriggers.query<{ restored: boolean }>({ name, text })
        if (!rows[0]!.restored) await transaction(withoutTriggers, (tx) => replaceAll(tx, snapshot, 'no triggers'))
      } catch (error) {
        if (!isNotAllowed(error)) throw error
        await transaction(this.#database, (tx) => replaceAll(tx, snapshot, 'triggers'))
      }
    })
  }

  async close(): Promise<void> {
    await this.#withoutTriggers?.close()
  }
}

export const worldRestorer = defineSingleton({
  name: 'world restorer',
  create: (runtime: Runtime) => new WorldRestorer(runtime.database),
  stop: (restorer) => restorer.close(),
})

async function replaceAll(tx: Tx, { schemaName }: Snapshot, mode: 'triggers' | 'no triggers'): Promise<void> {
  const names = (await readTables(tx)).map(({ name }) => name)
  await stopWriters(tx, names)
  const { tables, facts } = (await contentsRead.first(tx, schemaName))!
  await tx.query({ text: `truncate ${quotedList(names)}` })
  const kept = new Map((tables as KeptTable[]).map((table) => [table.name, table]))
  const ordered = await inReferenceOrder(tx, [...kept.keys()])
  const steps = ordered.map((name) => {
    const copied = allRows(schemaName, kept.get(name)!)
    const table = quoted(name)
    return mode === 'no triggers'
      ? copied
      : `alter table ${table} disable trigger user;\n${copied};\nalter table ${table} enable trigger user`
  })
  await tx.query({ text: steps.join(';\n') })
  await factsReplace.count(tx, INSTALLATION_FACTS, JSON.stringify(facts))
  await noteBase(tx, schemaName)
}
