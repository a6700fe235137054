import type { Row } from './seed-rows.ts'

/** Converts rows to array literals, one per column. This is faster than letting the driver convert each value. */
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
