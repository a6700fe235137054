import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { type Column, type ColumnType, TYPES } from './columns.ts'
import { kindOf } from './kinds.ts'

export const FORMATS = ['jsonl', 'csv', 'parquet'] as const
export type Format = (typeof FORMATS)[number]

export const MANIFEST = 'manifest.json'
/** Raised when files of earlier versions cannot be read any more. */
export const MANIFEST_VERSION = 1

export interface ManifestFile {
  what: string
  file: string
  rows: number
  bytes: number
  sha256: string
  columns: { name: string; type: ColumnType }[]
}

/** Describes an export: what `manifest.json` holds. */
export interface Manifest {
  /** Marks the file as one of these. */
  rostra_export: number
  /** The last migration of the database that was exported. */
  schema: string
  format: Format
  /** The moment of the snapshot that all files show. */
  moment: string
  /** The last event that had a sequence in this snapshot. */
  last_sequence: string
  options: { what: string[]; base_url: string }
  files: ManifestFile[]
}

/** The export or import cannot be done as requested. The command line shows the message. */
export class ExchangeError extends Error {}

export const shownColumns = (columns: readonly Column[]): ManifestFile['columns'] =>
  columns.map(({ name, type }) => ({ name, type }))

const SHA256 = /^[0-9a-f]{64}$/
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0

/** Reads the manifest of a folder and rejects one that this version cannot import. */
export async function readManifest(folder: string): Promise<Manifest> {
  const file = path.join(folder, MANIFEST)
  const text = await readFile(file, 'utf8').catch(() => {
    throw new ExchangeError(`There is no export in ${folder}: ${file} cannot be read.`)
  })
  let manifest: Manifest
  try {
    manifest = JSON.parse(text) as Manifest
  } catch {
    throw new ExchangeError(`${file} is not JSON.`)
  }
  const wrong = faultOf(manifest)
  if (wrong) throw new ExchangeError(`${file}: ${wrong}`)
  return manifest
}

function faultOf(manifest: Manifest): string | undefined {
  if (manifest?.rostra_export !== MANIFEST_VERSION)
    return `rostra_export is ${JSON.stringify(manifest?.rostra_export)}, but this version of Rostra reads ${MANIFEST_VERSION}.`
  if (!FORMATS.includes(manifest.format))
    return `format is ${JSON.stringify(manifest.format)}, but must be one of ${FORMATS.join(', ')}.`
  if (!Array.isArray(manifest.files) || manifest.files.length === 0) return 'files must be a list of at least one file.'
  const seen = new Set<string>()
  for (const [at, item] of manifest.files.entries()) {
    const wrong = fileFaultOf(item)
    if (wrong) return `files[${at}] ${wrong}`
    if (seen.has(item.what)) return `files[${at}] has ${item.what} a second time.`
    seen.add(item.what)
  }
  return undefined
}

function fileFaultOf(item: ManifestFile): string | undefined {
  const kind = typeof item?.what === 'string' ? kindOf(item.what) : undefined
  if (!kind) return `has what ${JSON.stringify(item?.what)}, which this version of Rostra does not know.`
  if (typeof item.file !== 'string' || path.basename(item.file) !== item.file || item.file === '')
    return `has file ${JSON.stringify(item.file)}, but must name a file in the folder itself.`
  if (!isCount(item.rows) || !isCount(item.bytes)) return 'has rows or bytes that are not whole numbers.'
  if (typeof item.sha256 !== 'string' || !SHA256.test(item.sha256)) return 'has a sha256 that is not 64 hex digits.'
  if (!Array.isArray(item.columns)) return 'has no list of columns.'
  const known = new Map(kind.columns.map((column) => [column.name, column.type]))
  const unknown = item.columns.find(({ name, type }) => known.get(name) !== type || !TYPES[type])
  if (unknown)
    return `has a column ${JSON.stringify(unknown.name)} of type ${JSON.stringify(unknown.type)}, which ${kind.name} do not have.`
  const given = new Set(item.columns.map((column) => column.name))
  const missing = kind.columns.find((column) => column.required && !given.has(column.name))
  return missing && `has no column ${missing.name}, which ${kind.name} must have.`
}
