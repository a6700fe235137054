import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Database } from '../../storage/database.ts'
import { type ExportSnapshot, withSnapshot } from './export-rows.ts'
import type { Kind } from './kind.ts'
import {
  ExchangeError,
  type Format,
  MANIFEST,
  MANIFEST_VERSION,
  type Manifest,
  type ManifestFile,
  shownColumns,
} from './manifest.ts'

export interface ExportOrder {
  kinds: readonly Kind[]
  format: Format
  folder: string
  /** Replace an export that is in the folder. */
  replace: boolean
  /** The moment that the manifest names. */
  now: Date
}

export interface ExportWatch {
  progress(what: string, bytes: number, rows: number): void
  signal: AbortSignal
}

const PART = '.part'

/**
 * Writes files and a manifest. All files show one moment. They get their names when all of them are complete, and the manifest
 * comes last: a folder with a manifest has a complete export.
 */
export async function exportWorld(database: Database, order: ExportOrder, watch: ExportWatch): Promise<Manifest> {
  const { folder, format, kinds } = order
  await mkdir(folder, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
    throw new ExchangeError(`The folder ${folder} cannot be created (${error.code}).`)
  })
  const earlier = await earlierFiles(folder)
  if (earlier && !order.replace)
    throw new ExchangeError(`${folder} has an export already. Choose another folder, or replace it with --replace.`)
  const started = new Set<string>()
  try {
    const manifest = await withSnapshot(database, async (snapshot) => {
      const files: ManifestFile[] = []
      for (const kind of kinds) {
        const file = `${kind.name}.${format}`
        started.add(file)
        files.push(await writeKind(snapshot, kind, format, path.join(folder, file + PART), watch))
      }
      return manifestOf(order, snapshot, files)
    })
    watch.signal.throwIfAborted()
    started.add(MANIFEST)
    await writeFile(path.join(folder, MANIFEST + PART), `${JSON.stringify(manifest, null, 2)}\n`)
    await rm(path.join(folder, MANIFEST), { force: true })
    for (const file of earlier ?? []) await rm(path.join(folder, file), { force: true })
    for (const file of started) await rename(path.join(folder, file + PART), path.join(folder, file))
    return manifest
  } catch (error) {
    for (const file of started) await rm(path.join(folder, file + PART), { force: true })
    throw error
  }
}

/** The files of an export that is in the folder; undefined where there is none. */
async function earlierFiles(folder: string): Promise<string[] | undefined> {
  const text = await readFile(path.join(folder, MANIFEST), 'utf8').catch(() => undefined)
  if (text === undefined) return undefined
  try {
    const { files } = JSON.parse(text) as Manifest
    return files.map((item) => item.file).filter((file) => path.basename(file) === file)
  } catch {
    return []
  }
}

async function writeKind(
  snapshot: ExportSnapshot,
  kind: Kind,
  format: Format,
  file: string,
  watch: ExportWatch,
): Promise<ManifestFile> {
  const rows = await snapshot.count(kind)
  const hash = createHash('sha256')
  let bytes = 0
  const counted = async function* (source: AsyncIterable<Buffer>) {
    for await (const chunk of source) {
      hash.update(chunk)
      bytes += chunk.length
      watch.progress(kind.name, bytes, rows)
      yield chunk
    }
  }
  await pipeline(snapshot.rows(kind, format), counted, createWriteStream(file), { signal: watch.signal })
  const name = path.basename(file).slice(0, -PART.length)
  return { what: kind.name, file: name, rows, bytes, sha256: hash.digest('hex'), columns: shownColumns(kind.columns) }
}

const manifestOf = (
  { format, kinds, now }: ExportOrder,
  snapshot: ExportSnapshot,
  files: ManifestFile[],
): Manifest => ({
  rostra_export: MANIFEST_VERSION,
  schema: snapshot.schema,
  format,
  moment: now.toISOString(),
  last_sequence: snapshot.lastSequence,
  options: { what: kinds.map((kind) => kind.name), base_url: snapshot.baseUrl },
  files,
})
