import path from 'node:path'
import { realNow } from '../../process/clock.ts'
import { readFact } from '../../storage/instance-facts.ts'
import type { ImportResult } from '../../world/exchange/import-world.ts'
import type { Kind } from '../../world/exchange/kind.ts'
import { ALL, KINDS, kindOf } from '../../world/exchange/kinds.ts'
import { ExchangeError, FORMATS, type Format, type Manifest } from '../../world/exchange/manifest.ts'
import { type Call, type CliCommand, needed, only, UsageError } from '../command-line.ts'
import { loadProduct } from '../load-product.ts'
import { withDatabase } from '../open-database.ts'
import { callRunning } from '../reach-runtime.ts'
import { sayWhere } from '../where.ts'
import { counted } from '../words.ts'

const STOPPED_BY_SIGNAL = 130

export const exportCommand: CliCommand = {
  name: 'export',
  summary:
    'Writes users, posts and everything around them into files, with a manifest. It is complete: protected and private data too.',
  flags: {
    what: {
      value: '<kind>,<kind>...',
      help: `what to write, default all: ${KINDS.map((kind) => kind.name).join(', ')}; all leaves out media_files`,
    },
    format: { value: FORMATS.join('|'), help: 'default jsonl' },
    out: { value: '<folder>', help: 'where the files go; created if it does not exist' },
    replace: { help: 'replace an export that is in the folder' },
    progress: { help: 'show how far it is, also when standard error is not a terminal' },
  },
  run: async (call) => {
    const kinds = readKinds(call)
    const format = readFormat(call)
    const folder = path.resolve(needed(call, 'out'))
    const { exportWorld } = await loadProduct(() => import('../../world/exchange/export-world.ts'))
    const watch = watchRun(call)
    const manifest = await watch.during(() =>
      withDatabase(call.settings, 'rostra export', async (database) => {
        const now = new Date(realNow() + Number((await readFact(database, 'clock_offset_ms')) ?? 0))
        return exportWorld(database, { kinds, format, folder, replace: call.flags.replace === true, now }, watch.export)
      }),
    )
    if (manifest) call.print({ folder, ...manifest }, () => inWords(folder, manifest))
  },
}

export const importCommand: CliCommand = {
  name: 'import',
  summary:
    'Reads an export into the database: all of it, or nothing. Counters, links and the search index are made again.',
  positionals: '<folder>',
  flags: {
    'dry-run': { help: 'check files, values and references, and change nothing' },
    'skip-existing': { help: 'leave out rows that exist already, instead of refusing the import' },
    progress: { help: 'show how far it is, also when standard error is not a terminal' },
  },
  run: async (call) => {
    const folder = path.resolve(only(call.positionals, 'folder with an export'))
    const dryRun = call.flags['dry-run'] === true
    const order = { folder, dryRun, skipExisting: call.flags['skip-existing'] === true }
    const { importWorld } = await loadProduct(() => import('../../world/exchange/import-world.ts'))
    const watch = watchRun(call)
    const result = await watch.during(() =>
      withDatabase(
        // A folder that is created for an import has nothing else.
        { ...call.settings, world: 'empty' },
        'rostra import',
        (database) => importWorld(database, order, watch.import),
        { mayCreate: call.flags['data-dir'] !== undefined && !dryRun },
      ),
    )
    if (!result) return
    if (!dryRun) {
      // A running server keeps what it has read. Its command says where.
      const told = await callRunning(call.settings, 'POST', '/_rostra/commands/cache.forget', {})
      if (told === undefined) sayWhere(call.settings)
    }
    const { imported, skipped } = result
    call.print({ folder, dry_run: dryRun, imported, skipped }, () => importInWords(result, dryRun))
  },
}

function readKinds(call: Call): Kind[] {
  const given = call.flags.what === undefined ? 'all' : String(call.flags.what)
  const names = new Set(
    given
      .split(',')
      .map((name) => name.trim())
      .flatMap((name) => (name === 'all' ? ALL : [name])),
  )
  const unknown = [...names].find((name) => !kindOf(name))
  if (unknown !== undefined)
    throw new UsageError(
      `--what has ${JSON.stringify(unknown)}, but can have ${KINDS.map((kind) => kind.name).join(', ')}, and all.`,
    )
  return KINDS.filter((kind) => names.has(kind.name))
}

function readFormat(call: Call): Format {
  const given = call.flags.format ?? 'jsonl'
  const format = FORMATS.find((name) => name === given)
  if (!format) throw new UsageError(`--format is ${JSON.stringify(given)}, but must be one of ${FORMATS.join(', ')}.`)
  return format
}

/** Ctrl-C stops and leaves nothing; progress goes to standard error. */
function watchRun(call: Call) {
  const stopping = new AbortController()
  const isTerminal = process.stderr.isTTY === true
  const isShown = isTerminal || call.flags.progress === true
  let shownAt = 0
  const show = (line: string) => {
    if (!isShown || performance.now() - shownAt < 200) return
    shownAt = performance.now()
    process.stderr.write(isTerminal ? `\r\u001b[K${line}` : `${line}\n`)
  }
  const { signal } = stopping
  return {
    export: {
      signal,
      progress: (what: string, bytes: number, rows: number) =>
        show(`${what}: ${(bytes / 1e6).toFixed(1)} MB of ${counted(rows, 'row')}`),
    },
    import: {
      signal,
      progress: (step: string, done: number, of: number) => show(done === 0 ? step : `${step}: ${done} of ${of}`),
    },
    /** Runs the work; undefined where a signal ended it. */
    during: async <T>(work: () => Promise<T>): Promise<T | undefined> => {
      const stop = () => stopping.abort()
      process.once('SIGINT', stop)
      process.once('SIGTERM', stop)
      try {
        return await work()
      } catch (error) {
        if (stopping.signal.aborted) {
          console.error('Stopped. Nothing was changed.')
          process.exitCode = STOPPED_BY_SIGNAL
          return undefined
        }
        throw error instanceof ExchangeError ? new UsageError(error.message) : error
      } finally {
        process.off('SIGINT', stop)
        process.off('SIGTERM', stop)
        if (isTerminal) process.stderr.write('\r\u001b[K')
      }
    },
  }
}

const WIDTH = Math.max(...KINDS.map((kind) => kind.name.length)) + 1

const inWords = (folder: string, { files, moment }: Manifest): string =>
  [
    `Exported to ${folder}, as of ${moment}.`,
    ...files.map((item) => `  ${item.what.padEnd(WIDTH)} ${counted(item.rows, 'row')}, ${counted(item.bytes, 'byte')}`),
  ].join('\n')

const importInWords = ({ imported, skipped, manifest }: ImportResult, dryRun: boolean): string =>
  [
    `${dryRun ? 'Can be imported; nothing was changed' : 'Imported'}: the export of ${manifest.moment}.`,
    ...Object.entries(imported).map(
      ([what, rows]) =>
        `  ${what.padEnd(WIDTH)} ${counted(rows, 'row')}${skipped[what] ? `, ${skipped[what]} existed` : ''}`,
    ),
  ].join('\n')
