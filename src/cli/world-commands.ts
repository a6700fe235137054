import { WorldFileError } from '../world/files/world-file-error.ts'
import type { Call, CliCommand } from './command-line.ts'
import { only, UsageError } from './command-line.ts'
import { RefusedError } from './explain.ts'
import { loadProduct } from './load-product.ts'
import { runCommand } from './reach-runtime.ts'

/** What applying a world file did, as the command answers it. */
interface Applied {
  created: Record<string, number>
  changed: Record<string, number>
  unchanged: Record<string, number>
  changes: string[]
}

const counts = (items: Record<string, number>): string =>
  Object.entries(items)
    .map(([kind, count]) => `${count} ${kind}${count === 1 ? '' : 's'}`)
    .join(', ')

function inWords(applied: Applied, isDryRun: boolean): string {
  const { created, changed, unchanged, changes } = applied
  const lines = (['created', 'changed', 'unchanged'] as const).flatMap((outcome) => {
    const said = counts({ created, changed, unchanged }[outcome])
    return said === '' ? [] : [`${outcome.padEnd(9)}  ${said}`]
  })
  if (changes.length === 0) return ['Nothing to change.', ...lines].join('\n')
  return isDryRun ? [...changes, '', 'Dry run: nothing was changed.', ...lines].join('\n') : lines.join('\n')
}

async function apply(call: Call): Promise<void> {
  const { readWorldFile } = await loadProduct(() => import('../world/files/read-world-file.ts'))
  try {
    const file = readWorldFile(only(call.positionals, 'world file'))
    const isDryRun = call.flags['dry-run'] === true
    const applied = await runCommand(call.settings, 'world.apply', {
      world: file.world,
      dry_run: isDryRun || undefined,
    }).catch((error: unknown) => {
      if (error instanceof RefusedError && error.faults.length > 0) throw new UsageError(file.explain(error.faults))
      throw error
    })
    call.print(applied, () => inWords(applied as unknown as Applied, isDryRun))
  } catch (error) {
    throw error instanceof WorldFileError ? new UsageError(error.message) : error
  }
}

export const applyCommand: CliCommand = {
  name: 'apply',
  summary: 'Creates and changes what a world file describes, all or nothing. Applying it again changes nothing.',
  positionals: '<world.yaml>',
  flags: { 'dry-run': { help: 'print what would change, and change nothing' } },
  run: apply,
}
