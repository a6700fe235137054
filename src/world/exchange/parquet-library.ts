import type { ColumnType } from './columns.ts'

// Loaded only when a Parquet file is written or read. The types below are the part of the two packages that is used here.

export interface SchemaElement {
  name: string
  type?: 'BOOLEAN' | 'INT32' | 'INT64' | 'DOUBLE' | 'BYTE_ARRAY'
  repetition_type?: 'REQUIRED' | 'OPTIONAL' | 'REPEATED'
  converted_type?: 'UTF8' | 'JSON' | 'LIST' | 'TIMESTAMP_MILLIS'
  num_children?: number
}

interface ByteWriter {
  /** What was written since it was emptied. */
  getBytes(): Uint8Array
  index: number
}

interface ParquetWriter {
  write(options: { columnData: { name: string; data: unknown[] }[]; rowGroupSize: number }): void | Promise<void>
  finish(): void | Promise<void>
}

interface WriterLibrary {
  ByteWriter: new (initialSize?: number) => ByteWriter
  ParquetWriter: new (options: { writer: ByteWriter; schema: SchemaElement[] }) => ParquetWriter
}

/** A file of which parts can be read. */
interface AsyncBuffer {
  byteLength: number
  slice(start: number, end?: number): Promise<ArrayBuffer> | ArrayBuffer
}

interface ParquetMetadata {
  schema: SchemaElement[]
  row_groups: { num_rows: bigint }[]
}

interface ReaderLibrary {
  parquetMetadataAsync(file: AsyncBuffer): Promise<ParquetMetadata>
  parquetReadObjects(options: {
    file: AsyncBuffer
    metadata: ParquetMetadata
    rowStart: number
    rowEnd: number
    utf8?: boolean
  }): Promise<Record<string, unknown>[]>
}

const load = (name: string): Promise<unknown> => import(name)

export const parquetWriters = async (): Promise<WriterLibrary> => (await load('hyparquet-writer')) as WriterLibrary
export const parquetReaders = async (): Promise<ReaderLibrary> => (await load('hyparquet')) as ReaderLibrary

const leaf = (
  name: string,
  type: SchemaElement['type'],
  converted?: SchemaElement['converted_type'],
): SchemaElement => ({
  name,
  type,
  repetition_type: 'OPTIONAL',
  ...(converted ? { converted_type: converted } : {}),
})
const list = (name: string, element: SchemaElement): SchemaElement[] => [
  { name, repetition_type: 'OPTIONAL', converted_type: 'LIST', num_children: 1 },
  { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
  element,
]

/** The elements of a Parquet schema for a column. */
export function schemaOf(name: string, type: ColumnType): SchemaElement[] {
  switch (type) {
    case 'int':
      return [leaf(name, 'INT64')]
    case 'bool':
      return [leaf(name, 'BOOLEAN')]
    case 'time':
      return [leaf(name, 'INT64', 'TIMESTAMP_MILLIS')]
    case 'bytes':
      return [leaf(name, 'BYTE_ARRAY')]
    case 'ids':
    case 'texts':
      return list(name, leaf('element', 'BYTE_ARRAY', 'UTF8'))
    case 'numbers':
      return list(name, leaf('element', 'DOUBLE'))
    case 'json':
    case 'addresses':
      return [leaf(name, 'BYTE_ARRAY', 'JSON')]
    default:
      return [leaf(name, 'BYTE_ARRAY', 'UTF8')]
  }
}
