import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { parse } from 'csv-parse'
import { ExchangeError, type Format, type ManifestFile } from './manifest.ts'
import { parquetReaders } from './parquet-library.ts'
import { LineTooLong, readLines } from './read-lines.ts'

/** The values of a row, by the name of their column. */
export type FileRow = Record<string, unknown>

/** Reads a file row by row, or one row group at a time. `names` are the columns that it may have. */
export function readRows(file: string, format: Format, item: ManifestFile): AsyncIterable<FileRow> {
  const names = item.columns.map((column) => column.name)
  if (format === 'jsonl') return readJsonLines(file, item, new Set(names))
  if (format === 'csv') return readCsv(file, item, names)
  return readParquet(file, item, names)
}

async function* readJsonLines(file: string, item: ManifestFile, names: ReadonlySet<string>): AsyncGenerator<FileRow> {
  let number = 0
  for await (const line of linesOf(file, item)) {
    number += 1
    let row: FileRow
    try {
      row = JSON.parse(line) as FileRow
    } catch {
      throw new ExchangeError(`${item.file}, row ${number}: the line is not JSON.`)
    }
    if (typeof row !== 'object' || row === null || Array.isArray(row))
      throw new ExchangeError(`${item.file}, row ${number}: the line is not a JSON object.`)
    for (const name in row)
      if (!names.has(name))
        throw new ExchangeError(`${item.file}, row ${number}: the manifest has no column ${JSON.stringify(name)}.`)
    yield row
  }
}

async function* linesOf(file: string, item: ManifestFile): AsyncGenerator<string> {
  try {
    yield* readLines(createReadStream(file))
  } catch (error) {
    if (error instanceof LineTooLong) throw new ExchangeError(`${item.file}: ${error.message}.`)
    throw error
  }
}

const LONGEST_RECORD = 64 * 1024 * 1024

async function* readCsv(file: string, item: ManifestFile, names: readonly string[]): AsyncGenerator<FileRow> {
  const parser = parse({
    bom: true,
    max_record_size: LONGEST_RECORD,
    // As PostgreSQL writes it: nothing is null, and "" is a text without a sign.
    cast: (value, context) => (value === '' && !context.quoting ? null : value),
    columns: (header: (string | null)[]) => {
      const unknown = header.find((name) => name === null || !names.includes(name))
      if (unknown !== undefined)
        throw new ExchangeError(`${item.file}: the manifest has no column ${JSON.stringify(unknown)}.`)
      return header as string[]
    },
  })
  const source = createReadStream(file)
  source.on('error', (error) => parser.destroy(error))
  try {
    for await (const row of source.pipe(parser)) yield row as FileRow
  } catch (error) {
    if ((error as { code?: string }).code?.startsWith('CSV_'))
      throw new ExchangeError(`${item.file}: ${(error as Error).message}.`)
    throw error
  } finally {
    source.destroy()
  }
}

async function* readParquet(file: string, item: ManifestFile, names: readonly string[]): AsyncGenerator<FileRow> {
  const { parquetMetadataAsync, parquetReadObjects } = await parquetReaders()
  const handle = await open(file)
  try {
    const { size } = await handle.stat()
    const buffer = {
      byteLength: size,
      slice: async (start: number, end = size): Promise<ArrayBuffer> => {
        const bytes = new Uint8Array(Math.max(0, end - start))
        await handle.read(bytes, 0, bytes.length, start)
        return bytes.buffer
      },
    }
    const refuse = (error: Error) => {
      throw new ExchangeError(`${item.file} is not a Parquet file: ${error.message}.`)
    }
    const metadata = await parquetMetadataAsync(buffer).catch(refuse)
    let rowStart = 0
    for (const group of metadata.row_groups) {
      const rowEnd = rowStart + Number(group.num_rows)
      // Without `utf8: false`, bytes would become text.
      const rows = await parquetReadObjects({ file: buffer, metadata, rowStart, rowEnd, utf8: false }).catch(refuse)
      const unknown = Object.keys(rows[0] ?? {}).find((name) => !names.includes(name))
      if (unknown !== undefined)
        throw new ExchangeError(`${item.file}: the manifest has no column ${JSON.stringify(unknown)}.`)
      yield* rows
      rowStart = rowEnd
    }
  } finally {
    await handle.close()
  }
}
