import type { Runtime } from '../../api-kit/runtime.ts'
import { defineSingleton } from '../../api-kit/singleton.ts'
import { type Database, repeatingDeadlock, type Tx, transaction } from '../../storage/database.ts'
import { statement } from '../../storage/statement.ts'
import { isNotAllowed, openWithoutTriggers } from '../../storage/without-triggers.ts'
import { allRows, type KeptTable } from './restore-function.ts'
import { IS_CURRENT, noteBase, stopWriters } from './store-snapshot.ts'
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
  `select s.name, s.schema_name, ${IS_CURRENT} as is_current from world_snapshot s where s.name = $1`,
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

  /**
   * Makes the world equal to a snapshot. `whenRestored` is called as soon as everybody sees the new world, and again if it had to be
   * restored once more, because somebody wrote meanwhile.
   */
  async restore(snapshot: Snapshot, whenRestored: () => Promise<void> = async () => {}): Promise<void> {
    const locked = await repeatingDeadlock(() => this.#restore(snapshot, { lockAll: false }))
    const [, isWritten] = await Promise.all([whenRestored(), locked !== 'all' && this.#wasWritten(snapshot, locked)])
    if (!isWritten) return
    await repeatingDeadlock(() => this.#restore(snapshot, { lockAll: true }))
    await whenRestored()
  }

  /** Returns which of the tables without rows in the snapshot were locked. */
  async #restore(snapshot: Snapshot, { lockAll }: { lockAll: boolean }): Promise<number[] | 'all'> {
    // Counters are copied with everything else, and references hold in the end as they did in the snapshot.
    this.#withoutTriggers ??= openWithoutTriggers(this.#database, 'rostra world')
    const withoutTriggers = this.#withoutTriggers
    try {
      const locked = await call<number[] | null>(withoutTriggers, snapshot, 'restore', lockAll)
      if (locked) return lockAll ? 'all' : locked
      await transaction(withoutTriggers, (tx) => replaceAll(tx, snapshot, 'no triggers'))
    } catch (error) {
      if (!isNotAllowed(error)) throw error
      await transaction(this.#database, (tx) => replaceAll(tx, snapshot, 'triggers'))
    }
    return 'all'
  }

  #wasWritten = (snapshot: Snapshot, but: number[]): Promise<boolean> =>
    call<boolean>(this.#withoutTriggers!, snapshot, 'was_written', but)

  async close(): Promise<void> {
    await this.#withoutTriggers?.close()
  }
}

/** Calls a function of a snapshot. */
async function call<T>(database: Database, { schemaName }: Snapshot, name: string, argument: unknown): Promise<T> {
  const text = `select ${schemaName}.${name}($1) as result`
  const { rows } = await database.query<{ result: T }>({ name: `${name}_${schemaName}`, text, values: [argument] })
  return rows[0]!.result
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
