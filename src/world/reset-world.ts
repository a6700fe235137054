import { announceNewWorld, type Runtime } from '../api-kit/runtime.ts'
import { restartRandom } from '../process/random.ts'
import type { SecretBox } from '../process/secret-box.ts'
import { makeFirstSlice } from '../search/slices/begin-slice.ts'
import { repeatingDeadlock, type Tx, transaction } from '../storage/database.ts'
import { dropOldWorld } from './drop-old-world.ts'
import type { World } from './files/world.schema.ts'
import { type FirstKind, makeFirstWorld } from './first-world.ts'
import { invalidateAll } from './invalidate-all.ts'
import { readSnapshot, type Snapshot, worldRestorer } from './snapshots/restore-snapshot.ts'
import { FIRST_WORLD } from './snapshots/store-snapshot.ts'
import { INSTALLATION_FACTS, quotedList, readTables } from './snapshots/world-tables.ts'
import { claimWorld } from './world-lock.ts'

/** What a caller of `resetWorld` does at the same time. */
interface ResetSteps {
  /** The copy of the first world, if reading it has begun. */
  snapshot?: Promise<Snapshot | undefined>
  noteDone?: () => Promise<void>
}

/** Reads where the copy of the first world is. */
export function readFirstWorld({ database }: Runtime): Promise<Snapshot | undefined> {
  const snapshot = readSnapshot(database, FIRST_WORLD)
  // Whoever waits for it learns of a failure; until then it must not end the process.
  snapshot.catch(() => {})
  return snapshot
}

/**
 * Replaces the world by the first world as it was made; its ids and credentials stay the same. Sequences in the event log continue,
 * because readers would skip smaller ones as old. Nonces stay too: a signed request must not work a second time. `noteDone` is called
 * when the tables are replaced, while other processes drop what they keep.
 */
export async function resetWorld(
  runtime: Runtime,
  { snapshot = readFirstWorld(runtime), noteDone = async () => {} }: ResetSteps = {},
): Promise<void> {
  const { database, secretBox } = runtime
  // What processes have counted and not stored yet belongs to the old world. They drop it while the tables are being read.
  const dropped = announceNewWorld(runtime)
  const begin = async () => {
    if (runtime.isDeterministic) {
      runtime.ids.restart?.()
      restartRandom()
    }
    await Promise.all([dropped, dropOldWorld(runtime, runtime.clock.home), noteDone()])
  }
  const first = await snapshot
  if (first?.isCurrent) return runtime.singleton(worldRestorer).restore(first, { announce: begin })
  const missing = await repeatingDeadlock(() => transaction(database, (tx) => emptyTables(tx, secretBox)))
  await begin()
  await makeFirstWorld(runtime, missing)
  await invalidateAll(runtime)
}

/** Returns which first world has to be made: there is no copy of it that this version can use. */
async function emptyTables(tx: Tx, secretBox: SecretBox): Promise<FirstKind> {
  await claimWorld(tx)
  const names = (await readTables(tx)).map(({ name }) => name)
  const facts = await tx.query<{ name: string; value: string }>({
    text: 'delete from instance_fact where name <> all($1::text[]) returning name, value',
    values: [INSTALLATION_FACTS],
  })
  await tx.query({ text: `truncate ${quotedList(names)}` })
  await makeFirstSlice(tx)
  const fact = (name: string) => facts.rows.find((row) => row.name === name)?.value
  const file = fact('world_file')
  if (file !== undefined) return { world: JSON.parse(secretBox.open(Buffer.from(file, 'base64'))) as World }
  return fact('first_world') === 'empty' ? 'empty' : 'first'
}
