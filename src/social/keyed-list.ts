import { type RowOf, type Statement, statement } from '../storage/statement.ts'

const columns = { key: 'int8', id: 'int8' } as const
type KeyedStatement = Statement<RowOf<typeof columns>>

/** The parts of the SQL of a list. `where` uses `$1`, the owner, and may use placeholders from `$4` on. */
export interface KeyedListSql {
  /** The column that orders the list and that page tokens hold. */
  key: string
  /** What is listed. */
  id: string
  from: string
  where: string
}

/**
 * The two statements of a list that is read page by page: `older` has what comes before key `$2`, newest first, `newer` what
 * comes after it, nearest first. `$3` is the limit.
 */
export function keyedList(
  name: string,
  { key, id, from, where }: KeyedListSql,
): { older: KeyedStatement; newer: KeyedStatement } {
  const sql = (beyond: '<' | '>', order: 'asc' | 'desc') =>
    `select ${key} as key, ${id} as id from ${from} where ${where} and ${key} ${beyond} $2 order by key ${order} limit $3`
  return {
    older: statement(`${name}_older`, columns, sql('<', 'desc')),
    newer: statement(`${name}_newer`, columns, sql('>', 'asc')),
  }
}
