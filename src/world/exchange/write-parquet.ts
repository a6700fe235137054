import type { ColumnType } from './columns.ts'
import type { Kind } from './kind.ts'
import { parquetWriters, schemaOf } from './parquet-library.ts'
import { readLines } from './read-lines.ts'

// The memory of an export is that of one row group. Both bounds depend only on the rows, so the same rows give the same file.
const MOST_ROWS = 10_000
const MOST_UNITS = 8 * 1024 * 1024

/** Turns lines of JSON into a Parquet file, one row group at a time. */
export async function* toParquet(kind: Kind, lines: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const { ByteWriter, ParquetWriter } = await parquetWriters()
  const writer = new ByteWriter(1024 * 1024)
  const root = { name: 'root', num_children: kind.columns.length }
  const schema = [root, ...kind.columns.flatMap(({ name, type }) => schemaOf(name, type))]
  const file = new ParquetWriter({ writer, schema })
  const taken = (): Buffer => {
    const bytes = Buffer.from(writer.getBytes())
    writer.index = 0
    return bytes
  }
  let rows: Record<string, unknown>[] = []
  let units = 0
  const writeGroup = async () => {
    const columnData = kind.columns.map(({ name, type }) => ({
      name,
      data: rows.map((row) => toParquetValue(type, row[name])),
    }))
    await file.write({ columnData, rowGroupSize: rows.length })
    rows = []
    units = 0
  }
  for await (const line of readLines(lines)) {
    rows.push(JSON.parse(line) as Record<string, unknown>)
    units += line.length
    if (rows.length < MOST_ROWS && units < MOST_UNITS) continue
    await writeGroup()
    yield taken()
  }
  if (rows.length > 0) await writeGroup()
  await file.finish()
  yield taken()
}

function toParquetValue(type: ColumnType, value: unknown): unknown {
  if (value === null || value === undefined) return null
  if (type === 'int') return BigInt(value as number)
  if (type === 'time') return new Date(value as string)
  if (type === 'bytes') return new Uint8Array(Buffer.from(value as string, 'base64'))
  return value
}
