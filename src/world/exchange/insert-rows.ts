import type { Kind } from './kind.ts'
import { stageOf } from './stage-rows.ts'

/** The columns of the kind's table and their values from the staged row `s`. */
export function storedValues(kind: Kind): { names: string[]; values: string[] } {
  const stored = kind.columns.filter((column) => !column.elsewhere)
  return {
    names: stored.map((column) => column.name),
    values: stored.map(({ name, fallback }) =>
      fallback === undefined ? `s.${name}` : `coalesce(s.${name}, ${fallback})`,
    ),
  }
}

/** The INSERT of all staged rows of a kind. */
export function insertSql(kind: Kind): string {
  const { names, values } = storedValues(kind)
  return `insert into ${kind.table} (${names.join(', ')}) select ${values.join(', ')} from ${stageOf(kind)} s`
}
