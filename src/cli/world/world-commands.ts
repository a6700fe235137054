import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { WorldFileError } from '../../world/files/world-file-error.ts'
import type { Call, CliCommand } from '../command-line.ts'
import { only, UsageError } from '../command-line.ts'
import { RefusedError } from '../explain.ts'
import { loadProduct } from '../load-product.ts'
import { runCommand } from '../reach-runtime.ts'
import { counted } from '../words.ts'

/** What applying a world file did, as the command answers it. */
interface Applied {
  created: Record<string, number>
  changed: Record<string, number>
  unchanged: Record<string, number>
  changes: string[]
}

const counts = (items: Record<string, number>): string =>
  Object.entries(items)
    .map(([kind, count]) => counted(count, kind))
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
  const { readWorldFile } = await loadProduct(() => import('../../world/files/read-world-file.ts'))
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

const SCHEMA_LINE = '# yaml-language-server: $schema=./node_modules/rostra/schemas/world.schema.json\n'

export const exportWorldCommand: CliCommand = {
  name: 'export-world',
  summary: 'Writes a world file from what is there, with ids, passwords and tokens as far as they are known.',
  flags: { out: { value: '<file>', help: 'where it goes, .json for JSON; default standard output' } },
  run: async (call) => {
    const { world } = await runCommand(call.settings, 'world.export', {})
    const file = call.flags.out === undefined ? undefined : path.resolve(String(call.flags.out))
    const isJson = call.json || file?.endsWith('.json')
    const { stringify } = await loadProduct(() => import('yaml'))
    const text = isJson ? JSON.stringify(world, null, 2) : SCHEMA_LINE + stringify(world, { lineWidth: 0 }).trimEnd()
    if (file === undefined) return console.log(text)
    try {
      // The file has passwords and tokens.
      writeFileSync(file, `${text}\n`, { mode: 0o600 })
    } catch (error) {
      throw new UsageError(`${file} cannot be written: ${(error as Error).message}`)
    }
    call.print({ out: file }, () => `The world was written to ${file}.`)
  },
}
