import { closed, Type } from '../../api-kit/declaring/schema.ts'
import { applyWorld } from '../../world/files/apply/apply-world.ts'
import { exportWorldFile } from '../../world/files/export/export-world.ts'
import { WorldSchema } from '../../world/files/world.schema.ts'
import { type Command, defineCommand } from '../command.ts'

const worldApply = defineCommand(
  'world.apply',
  closed({ world: WorldSchema, dry_run: Type.Optional(Type.Boolean()) }),
  async (runtime, { world, dry_run: dryRun = false }) => {
    const { created, changed, unchanged, changes } = await applyWorld(runtime, world, { dryRun })
    return { ...(dryRun ? { dry_run: true } : {}), created, changed, unchanged, changes }
  },
)

const worldExport = defineCommand('world.export', closed({}), async (runtime) => ({
  world: await exportWorldFile(runtime),
}))

/** Commands that apply and export world files. They take larger bodies than others. */
export const worldCommands: Command[] = [{ ...worldApply, mostBytes: 256 * 1024 * 1024 }, worldExport]
