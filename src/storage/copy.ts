import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import type { Tx } from './database.ts'

/** A value that COPY can carry as text. */
export type CopyValue = string | number | boolean | null

/** Rows as COPY reads them. */
export function copyText(rows: readonly (readonly CopyValue[])[]): Uint8Array {
  const lines: string[] = []
  for (const row of rows) {
    let line = ''
    for (const value of row) line += `${line === '' ? '' : '\t'}${copyValue(value)}`
    lines.push(line)
  }
  lines.push('')
  return Buffer.from(lines.join('\n'))
}

const SPECIAL = /[\\\t\n\r]/
const ESCAPES: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' }

function copyValue(value: CopyValue): string {
  if (value === null) return '\\N'
  if (typeof value !== 'string') return String(value)
  return SPECIAL.test(value) ? value.replace(/[\\\t\n\r]/g, (sign) => ESCAPES[sign]!) : value
}

/** Adds many rows at once; `into` is the table and its columns. */
export async function copyInto(tx: Tx, into: string, text: Uint8Array): Promise<void> {
  const target = (tx as unknown as pg.PoolClient).query(copyFrom(`copy ${into} from stdin`))
  await pipeline(Readable.from([text]), target)
}
