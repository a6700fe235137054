import { type CliCommand, only } from '../command-line.ts'
import { runCommand } from '../reach-runtime.ts'
import { pairs, table } from '../words.ts'

/** A command for one snapshot. */
const forOne = (verb: string, summary: string): CliCommand => ({
  name: `snapshot ${verb}`,
  summary,
  positionals: '<name>',
  flags: {},
  run: async (call) => {
    const name = only(call.positionals, 'snapshot')
    const result = await runCommand(call.settings, `snapshot.${verb}`, { name })
    call.print(result, () => pairs(result))
  },
})

export const snapshotCliCommands: CliCommand[] = [
  forOne(
    'save',
    'Copies everything that is stored, and the clock, under a name. A snapshot of the same name is replaced.',
  ),
  forOne('restore', 'Makes everything as it was when the snapshot was saved.'),
  forOne('delete', 'Deletes a snapshot.'),
  {
    name: 'snapshot list',
    summary: 'Lists the snapshots.',
    flags: {},
    run: async (call) => {
      const result = await runCommand(call.settings, 'snapshot.list', {})
      const rows = result.snapshots as Record<string, unknown>[]
      call.print(result, () =>
        rows.length === 0
          ? 'There are no snapshots.'
          : table(rows, ['name', 'created_at', 'bytes', 'rows', 'restorable']),
      )
    },
  },
]
