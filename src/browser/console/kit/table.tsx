import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

/** A column of a table. */
export interface Column<Row> {
  title: string
  show: (row: Row) => ComponentChildren
  /** Numbers stand at the right. */
  isNumber?: boolean
  /** Code and ids. */
  isMono?: boolean
  /** Left out on a phone. */
  isExtra?: boolean
  /** Takes the space that is left. */
  isWide?: boolean
}

/** Rows of things. With `open` a row can be clicked, and opened with Enter; `j` and `k` move between rows. */
export function Table<Row>(props: {
  /** What the rows are, for people who do not see them. */
  label: string
  columns: Column<Row>[]
  rows: readonly Row[]
  keyOf: (row: Row) => string
  open?: (row: Row) => void
  /** The key of the row that is open. */
  opened?: string | undefined
  /** What a row is marked as, such as `bad`. */
  toneOf?: (row: Row) => 'bad' | 'soft' | undefined
  /** What is shown without rows. */
  empty: ComponentChildren
}) {
  const { columns, rows, open, keyOf } = props
  const scroller = useRef<HTMLDivElement>(null)
  // A table that is wider than the page is scrolled with the keyboard too.
  useEffect(() => {
    const element = scroller.current
    if (element) element.tabIndex = element.scrollWidth > element.clientWidth ? 0 : -1
  })
  if (rows.length === 0) return <div class="empty">{props.empty}</div>
  const classOf = (column: Column<Row>) =>
    [column.isNumber && 'number', column.isMono && 'mono', column.isExtra && 'extra', column.isWide && 'wide']
      .filter(Boolean)
      .join(' ') || undefined
  return (
    <div class="scroll" ref={scroller} role="group" aria-label={props.label}>
      <table aria-label={props.label}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.title} scope="col" class={classOf(column)}>
                {column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => {
            const key = keyOf(row)
            return (
              <tr
                key={key}
                class={props.toneOf?.(row)}
                data-row={open ? key : undefined}
                tabIndex={open ? 0 : undefined}
                aria-current={open && key === props.opened ? 'true' : undefined}
                onClick={open && (() => open(row))}
                onKeyDown={
                  open &&
                  ((event) => {
                    if (event.key === 'Enter' && event.target === event.currentTarget) open(row)
                  })
                }
              >
                {columns.map((column) => (
                  <td key={column.title} class={classOf(column)}>
                    {column.show(row)}
                  </td>
                ))}
              </tr>
            )
          })}
        </tbody>
      </table>
    </div>
  )
}
