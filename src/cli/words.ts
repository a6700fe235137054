/** Name and value, one pair a line. */
export function pairs(object: Record<string, unknown>): string {
  const width = Math.max(...Object.keys(object).map((key) => key.length))
  return Object.entries(object)
    .map(([key, value]) => `${key.padEnd(width)}  ${Array.isArray(value) ? value.join(' ') : String(value)}`)
    .join('\n')
}

/** A number with its noun: `1 row`, `2 rows`. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

/** Rows as columns with a head. */
export function table(rows: Record<string, unknown>[], columns: string[]): string {
  const cells = [columns, ...rows.map((row) => columns.map((column) => String(row[column] ?? '')))]
  const widths = columns.map((_, index) => Math.max(...cells.map((line) => line[index]!.length)))
  return cells
    .map((line) =>
      line
        .map((cell, index) => cell.padEnd(widths[index]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
