import type { Tx } from './database.ts'
import type { SqlValue, Statement } from './statement.ts'

/**
 * Reads the rows of a statement some at a time, so they need not fit in memory. The rows are those of the moment of the first
 * read; the transaction must stay open meanwhile.
 */
export async function* readInPages<R>(
  tx: Tx,
  { name, sql }: Statement<R>,
  pageSize: number,
  ...parameters: SqlValue[]
): AsyncGenerator<R[]> {
  const cursor = `pages_of_${name}`
  await tx.query({ text: `declare ${cursor} no scroll cursor for ${sql}`, values: parameters as unknown[] })
  for (;;) {
    const { rows } = await tx.query<R & Record<string, unknown>>({ text: `fetch ${pageSize} from ${cursor}` })
    if (rows.length > 0) yield rows
    if (rows.length < pageSize) break
  }
  await tx.query({ text: `close ${cursor}` })
}
