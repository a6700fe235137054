import type { Runtime } from '../../api-kit/runtime.ts'
import { blank, conflict, invalidParameter } from '../../api-kit/writing/problems.ts'
import { waitForReaders } from '../../events/wait-for-readers.ts'
import { storeUsage } from '../../identity/usage/usage-meter.ts'
import { repeatingDeadlock, transaction } from '../../storage/database.ts'
import { statement } from '../../storage/statement.ts'
import { followingWorld } from '../drop-old-world.ts'
import { claimWorld } from '../world-lock.ts'
import { readSnapshot, worldRestorer } from './restore-snapshot.ts'
import { FIRST_WORLD, IS_CURRENT, removeSnapshot, storeSnapshot } from './store-snapshot.ts'

const MOST_SNAPSHOTS = 100

const COLUMNS = { name: 'text', created_at: 'timestamptz', bytes: 'int8', rows: 'int8', is_current: 'bool' } as const
const SHOWN = `s.name, s.created_at, s.bytes, (select coalesce(sum((t ->> 'rows')::bigint), 0) from jsonb_array_elements(s.tables) t)::bigint as rows,
  ${IS_CURRENT} as is_current`
const snapshotList = statement(
  'snapshot_list',
  COLUMNS,
  `select ${SHOWN} from world_snapshot s where s.name <> '${FIRST_WORLD}' order by s.created_at, s.name`,
)
const snapshotShow = statement('snapshot_show', COLUMNS, `select ${SHOWN} from world_snapshot s where s.name = $1`)
const versionsRead = statement(
  'snapshot_versions',
  { made: 'text', present: 'text' },
  'select migration as made, (select max(m.name) from schema_migration m) as present from world_snapshot where name = $1',
)

/** A snapshot as commands show it. */
interface ShownSnapshot {
  name: string
  /** Product time. */
  created_at: string
  bytes: number
  rows: number
  /** False where another version of the server made it. */
  restorable: boolean
}

type Row = Awaited<ReturnType<typeof snapshotList.all>>[number]
const shown = ({ name, created_at, bytes, rows, is_current }: Row): ShownSnapshot => ({
  name,
  created_at: created_at.toISOString(),
  bytes: Number(bytes),
  rows: Number(rows),
  restorable: is_current,
})

export const listSnapshots = async ({ database }: Runtime): Promise<ShownSnapshot[]> =>
  (await snapshotList.all(database)).map(shown)

/** Copies the world under a name. A snapshot of the same name is replaced. */
export async function saveSnapshot(runtime: Runtime, name: string): Promise<ShownSnapshot> {
  const { database } = runtime
  const others = (await listSnapshots(runtime)).filter((item) => item.name !== name)
  if (others.length >= MOST_SNAPSHOTS)
    throw invalidParameter('name', name, `There are ${MOST_SNAPSHOTS} snapshots already. Delete one first.`)
  // What was read so far belongs to this world.
  await storeUsage(runtime)
  await waitForReaders(runtime, ['insights', 'notifications'])
  const now = new Date(runtime.clock.now())
  await repeatingDeadlock(() => transaction(database, (tx) => storeSnapshot(tx, name, now)))
  return shown((await snapshotShow.first(database, name))!)
}

/**
 * Makes the world equal to a snapshot, its clock included. Connections stay open. Nonces and the request log are not part of it;
 * limits, faults and events of the log are gone, as after a reset.
 */
export async function useSnapshot(runtime: Runtime, name: string): Promise<ShownSnapshot> {
  const { database } = runtime
  const snapshot = await readSnapshot(database, name)
  if (!snapshot) throw noSnapshot(name)
  if (!snapshot.isCurrent) {
    const { made, present } = (await versionsRead.first(database, name))!
    throw conflict(
      `The snapshot [${name}] was made by another version: its tables are those of [${made}], this version has [${present}]. Make it again with this version, or delete it.`,
    )
  }
  // Otherwise it would be stored in the restored world.
  await storeUsage(runtime)
  try {
    await runtime.singleton(worldRestorer).restore(snapshot, followingWorld(runtime))
  } catch (error) {
    // It was deleted or replaced meanwhile.
    if (!(await readSnapshot(database, name))) throw noSnapshot(name)
    throw error
  }
  return shown((await snapshotShow.first(database, name))!)
}

export async function deleteSnapshot({ database }: Runtime, name: string): Promise<void> {
  const isRemoved = await transaction(database, async (tx) => {
    await claimWorld(tx)
    return removeSnapshot(tx, name)
  })
  if (!isRemoved) throw noSnapshot(name)
}

const noSnapshot = (name: string) => blank(404, `There is no snapshot [${name}].`)
