import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import path from 'node:path'
import { CopyRows, copyPieces } from '../../storage/copy.ts'
import type { Tx } from '../../storage/database.ts'
import { TYPES } from './columns.ts'
import { copyValueOf, ValueError } from './copy-value.ts'
import type { Kind } from './kind.ts'
import { ExchangeError, type Format, type ManifestFile } from './manifest.ts'
import { readRows } from './read-rows.ts'

/** The temporary table with the rows of a file. */
export const stageOf = (kind: Pick<Kind, 'name'>): string => `staged_${kind.name}`

/** Compares a file with what the manifest says of it. */
export async function checkFile(folder: string, item: ManifestFile, signal: AbortSignal): Promise<void> {
  const hash = createHash('sha256')
  let bytes = 0
  try {
    for await (const chunk of createReadStream(path.join(folder, item.file), { signal })) {
      hash.update(chunk as Buffer)
      bytes += (chunk as Buffer).length
      // A link to a device would have no end.
      if (bytes > item.bytes) break
    }
  } catch (error) {
    if (signal.aborted) throw error
    throw new ExchangeError(`${item.file} cannot be read (${(error as NodeJS.ErrnoException).code}).`)
  }
  if (bytes > item.bytes) throw new ExchangeError(`${item.file} has more than the ${item.bytes} bytes of the manifest.`)
  if (bytes !== item.bytes)
    throw new ExchangeError(`${item.file} has ${bytes} bytes, but the manifest says ${item.bytes}.`)
  if (hash.digest('hex') !== item.sha256)
    throw new ExchangeError(`${item.file} was changed after the export: its SHA-256 differs from the manifest.`)
}

interface Staging {
  folder: string
  format: Format
  baseUrl: string
  signal: AbortSignal
  progress(what: string, rows: number, of: number): void
}

// Rows are sent in pieces of about this size.
const PIECE_BYTES = 512 * 1024

/** Loads a file into a temporary table. */
export async function stageFile(tx: Tx, kind: Kind, item: ManifestFile, staging: Staging): Promise<void> {
  const columns = kind.columns.map(({ name, type }) => `${name} ${TYPES[type].staged}`)
  await tx.query({
    text: `create temp table ${stageOf(kind)} (${columns.join(', ')}, primary key (${kind.key.join(', ')})) on commit drop`,
  })
  const names = kind.columns.map((column) => column.name).join(', ')
  await copyPieces(tx, `${stageOf(kind)} (${names})`, pieces(kind, item, staging), staging.signal)
  // The planner would take the new table for a small one.
  if (item.rows > 0) await tx.query({ text: `analyze ${stageOf(kind)}` })
}

async function* pieces(kind: Kind, item: ManifestFile, staging: Staging): AsyncGenerator<Uint8Array> {
  let rows = new CopyRows(PIECE_BYTES * 2)
  let number = 0
  for await (const row of readRows(path.join(staging.folder, item.file), staging.format, item)) {
    number += 1
    rows.add(
      ...kind.columns.map(({ name, type, required }) => {
        try {
          const value = copyValueOf(type, row[name], staging.baseUrl)
          if (value === null && required) throw new ValueError('missing')
          return value
        } catch (error) {
          // Writing a value calls itself for each level.
          if (error instanceof RangeError)
            throw new ExchangeError(`${item.file}, row ${number}: ${name} is nested too deeply.`)
          if (!(error instanceof ValueError)) throw error
          throw new ExchangeError(`${item.file}, row ${number}: ${name} is ${error.message}.`)
        }
      }),
    )
    if (rows.bytes.length < PIECE_BYTES) continue
    yield rows.bytes
    rows = new CopyRows(PIECE_BYTES * 2)
    staging.progress(kind.name, number, item.rows)
  }
  if (rows.bytes.length > 0) yield rows.bytes
  if (number !== item.rows)
    throw new ExchangeError(`${item.file} has ${number} rows, but the manifest says ${item.rows}.`)
}
