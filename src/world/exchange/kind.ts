import type { Column } from './columns.ts'

/** A reference to rows that must exist after an import. */
export interface Reference {
  column: string
  kind: string
  /** The referred column, where it is not the key of the kind. */
  to?: string
}

/** What one file of an export holds. */
export interface Kind {
  name: string
  table: string
  summary: string
  columns: readonly Column[]
  /** The columns that identify a row, in the order of the file. */
  key: readonly string[]
  /** The table and what is joined to it; `t` is the table. */
  from?: string
  references: readonly Reference[]
  /** Left out of `all`. */
  onlyByName?: boolean
}
