import { closed, Type } from '../../api-kit/declaring/schema.ts'
import { deleteSnapshot, listSnapshots, saveSnapshot, useSnapshot } from '../../world/snapshots/use-snapshots.ts'
import { type Command, defineCommand } from '../command.ts'

const named = closed({ name: Type.String({ pattern: '^[A-Za-z0-9._-]{1,100}$' }) })

/** Commands for copies of the world. */
export const snapshotCommands: Command[] = [
  defineCommand('snapshot.save', named, (runtime, { name }) => saveSnapshot(runtime, name)),
  defineCommand('snapshot.restore', named, (runtime, { name }) => useSnapshot(runtime, name)),
  defineCommand('snapshot.delete', named, async (runtime, { name }) => {
    await deleteSnapshot(runtime, name)
    return { name, deleted: true }
  }),
  defineCommand('snapshot.list', closed({}), async (runtime) => ({ snapshots: await listSnapshots(runtime) })),
]
