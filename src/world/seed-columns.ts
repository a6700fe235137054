import type { Row } from './seed-rows.ts'

/** Rows as array literals, one for each column: the driver would look at each value again. */
export function columns(rows: readonly Row[]): string[] {
  return rows[0]!.map((_, index) => {
    const elements: string[] = []
    for (const row of rows) elements.push(element(row[index]!))
    return `{${elements.join()}}`
  })
}

function element(value: Row[number]): string {
  if (value === null) return 'NULL'
  if (typeof value !== 'string') return String(value)
  return value.includes('"') || value.includes('\\') ? `"${value.replace(/["\\]/g, '\\$&')}"` : `"${value}"`
}
