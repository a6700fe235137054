import type { Runtime } from '../../api-kit/runtime.ts'
import { defineSingleton } from '../../api-kit/singleton.ts'
import { type Database, type Db, repeatingDeadlock, type Tx, transaction } from '../../storage/database.ts'
import { statement } from '../../storage/statement.ts'
import { isNotAllowed, openWithoutTriggers } from '../../storage/without-triggers.ts'
import { claimWorld } from '../world-lock.ts'
import { fillTable, type KeptTable } from './restore-function.ts'
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

const unfinishedNote = statement(
  'world_unfinished_note',
  {},
  `update world_snapshot set unfinished_at = case when schema_name = $1 then clock_timestamp() end
    where schema_name = $1 or unfinished_at is not null`,
)
const unfinishedClear = statement(
  'world_unfinished_clear',
  {},
  'update world_snapshot set unfinished_at = null where schema_name = $1',
)
const unfinishedRead = statement(
  'world_unfinished_read',
  { name: 'text', schema_name: 'text' },
  `select s.name, s.schema_name from world_snapshot s
    where extract(epoch from clock_timestamp() - s.unfinished_at) < $1::float8 and ${IS_CURRENT}`,
)

export async function readSnapshot(database: Database, name: string): Promise<Snapshot | undefined> {
  const row = await snapshotRead.first(database, name)
  return row && { name: row.name, schemaName: row.schema_name, isCurrent: row.is_current }
}

/** What goes with a restore. Both are called again if it had to be repeated, because somebody wrote meanwhile. */
interface RestoreSteps {
  /** Called as soon as everybody sees the new world. */
  whenRestored?: () => Promise<void>
  /** Lets other processes drop the old world. Its messages are sent at once, whatever it waits for then. */
  announce?: () => Promise<void>
}

type Mode = 'triggers' | 'no triggers'

/** The connection on which worlds are restored; opened when one is, since its plans are worth keeping. */
export class WorldRestorer {
  readonly #database: Database
  #withoutTriggers: Database | undefined

  constructor(database: Database) {
    this.#database = database
  }

  /** Makes the world equal to a snapshot. */
  async restore(snapshot: Snapshot, { whenRestored, announce }: RestoreSteps = {}): Promise<void> {
    const locked = await repeatingDeadlock(() => this.#restore(snapshot, { lockAll: false }))
    await whenRestored?.()
    if (locked !== 'all') {
      const [isWritten] = await Promise.all([this.#wasWritten(snapshot, locked), announce?.()])
      if (!isWritten) return
      await repeatingDeadlock(() => this.#restore(snapshot, { lockAll: true }))
      await whenRestored?.()
    }
    await this.#announced(snapshot, announce)
  }

  /**
   * Repeats a restore whose process died before it had checked and announced it. An older one is left as it is: others have gone on in
   * the restored world.
   */
  async finish(mostSeconds: number, { whenRestored, announce }: RestoreSteps): Promise<void> {
    if (!(await unfinishedRead.first(this.#database, mostSeconds))) return
    const restored = await repeatingDeadlock(() =>
      this.#transaction(async (tx, mode) => {
        await claimWorld(tx)
        // Meanwhile somebody may have restored another world.
        const found = await unfinishedRead.first(tx, mostSeconds)
        if (!found) return undefined
        const snapshot = { name: found.name, schemaName: found.schema_name, isCurrent: true }
        const isDone = mode === 'no triggers' && (await call<number[] | null>(tx, snapshot, 'restore', true))
        if (!isDone) await replaceAll(tx, snapshot, mode)
        return snapshot
      }),
    )
    if (!restored) return
    await whenRestored?.()
    await this.#announced(restored, announce)
  }

  /** Returns which of the tables without rows in the snapshot were locked. */
  async #restore(snapshot: Snapshot, { lockAll }: { lockAll: boolean }): Promise<number[] | 'all'> {
    try {
      const locked = await call<number[] | null>(this.#connection(), snapshot, 'restore', lockAll)
      if (locked) return lockAll ? 'all' : locked
    } catch (error) {
      if (!isNotAllowed(error)) throw error
    }
    await this.#transaction((tx, mode) => replaceAll(tx, snapshot, mode))
    return 'all'
  }

  #wasWritten = (snapshot: Snapshot, but: number[]): Promise<boolean> =>
    call<boolean>(this.#connection(), snapshot, 'was_written', but)

  async #announced({ schemaName }: Snapshot, announce?: () => Promise<void>): Promise<void> {
    await announce?.()
    await unfinishedClear.count(this.#database, schemaName)
  }

  // Counters are copied with everything else, and references hold in the end as they did in the snapshot.
  #connection(): Database {
    this.#withoutTriggers ??= openWithoutTriggers(this.#database, 'rostra world')
    return this.#withoutTriggers
  }

  async #transaction<T>(work: (tx: Tx, mode: Mode) => Promise<T>): Promise<T> {
    try {
      return await transaction(this.#connection(), (tx) => work(tx, 'no triggers'))
    } catch (error) {
      if (!isNotAllowed(error)) throw error
      return transaction(this.#database, (tx) => work(tx, 'triggers'))
    }
  }

  async close(): Promise<void> {
    await this.#withoutTriggers?.close()
  }
}

/** Calls a function of a snapshot. */
async function call<T>(db: Db, { schemaName }: Snapshot, name: string, argument: unknown): Promise<T> {
  const text = `select ${schemaName}.${name}($1) as result`
  const { rows } = await db.query<{ result: T }>({ name: `${name}_${schemaName}`, text, values: [argument] })
  return rows[0]!.result
}

export const worldRestorer = defineSingleton({
  name: 'world restorer',
  create: (runtime: Runtime) => new WorldRestorer(runtime.database),
  stop: (restorer) => restorer.close(),
})

async function replaceAll(tx: Tx, { schemaName }: Snapshot, mode: Mode): Promise<void> {
  const names = (await readTables(tx)).map(({ name }) => name)
  await stopWriters(tx, names)
  const { tables, facts } = (await contentsRead.first(tx, schemaName))!
  await tx.query({ text: `truncate ${quotedList(names)}` })
  const kept = new Map((tables as KeptTable[]).map((table) => [table.name, table]))
  const ordered = await inReferenceOrder(tx, [...kept.keys()])
  const steps = ordered.map((name) => {
    const copied = fillTable(schemaName, kept.get(name)!).replace(/^perform/, 'select')
    const table = quoted(name)
    return mode === 'no triggers'
      ? copied
      : `alter table ${table} disable trigger user;\n${copied};\nalter table ${table} enable trigger user`
  })
  await tx.query({ text: steps.join(';\n') })
  await factsReplace.count(tx, INSTALLATION_FACTS, JSON.stringify(facts))
  await noteBase(tx, schemaName)
  await unfinishedNote.count(tx, schemaName)
}
