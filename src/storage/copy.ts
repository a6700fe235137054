import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import type { Tx } from './database.ts'

/** A value that COPY can carry as text. */
type CopyValue = string | number | boolean | null

/** Rows in the text form of COPY. Each is encoded at once: lists of a million values would take much memory. */
export class CopyRows {
  #bytes: Buffer<ArrayBuffer>
  #length = 0

  /** `size` is the expected number of bytes. */
  constructor(size = 64 * 1024) {
    this.#bytes = Buffer.allocUnsafeSlow(size)
  }

  add(...row: CopyValue[]): void {
    let line = ''
    for (let at = 0; at < row.length; at++) line += (at === 0 ? '' : '\t') + copyValue(row[at]!)
    line += '\n'
    if (this.#length + line.length * MOST_BYTES > this.#bytes.length) this.#grow(line.length * MOST_BYTES)
    this.#length += this.#bytes.write(line, this.#length)
  }

  get bytes(): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(0, this.#length)
  }

  #grow(by: number): void {
    const grown = Buffer.allocUnsafeSlow(Math.max(2 * this.#bytes.length, this.#length + by))
    grown.set(this.bytes)
    this.#bytes = grown
  }
}

// The most bytes of one UTF-16 unit in UTF-8.
const MOST_BYTES = 3

const SPECIAL = /[\\\t\n\r]/
const ESCAPES: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' }

function copyValue(value: CopyValue): string {
  if (value === null) return '\\N'
  if (typeof value !== 'string') return String(value)
  return SPECIAL.test(value) ? value.replace(/[\\\t\n\r]/g, (sign) => ESCAPES[sign]!) : value
}

/** Adds many rows at once; `into` is the table and its columns. */
export async function copyInto(tx: Tx, into: string, rows: Uint8Array): Promise<void> {
  if (rows.length > 0) await copyPieces(tx, into, [rows])
}

/** The same with rows that come piece by piece, as fast as the database takes them. */
export async function copyPieces(
  tx: Tx,
  into: string,
  pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  signal?: AbortSignal,
): Promise<void> {
  const target = (tx as unknown as pg.PoolClient).query(copyFrom(`copy ${into} from stdin`))
  await pipeline(Readable.from(pieces), target, { signal })
}
