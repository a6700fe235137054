import { definePart, keyedBy } from '../../api-kit/declaring/part.ts'
import { type RowOf, statement } from '../../storage/statement.ts'

const listColumns = {
  id: 'int8',
  owner_id: 'int8',
  name: 'text',
  description: 'text',
  private: 'bool',
  created_at: 'timestamptz',
} as const

/** What is stored of a list. */
export type ListRow = RowOf<typeof listColumns>

const listsById = statement(
  'lists_by_id',
  listColumns,
  'select id, owner_id, name, description, private, created_at from list where id = any($1::bigint[])',
)

/** Lists by id. Every change to a list invalidates kind `list`. */
export const listRow = definePart('list', 'row', async (db, ids) =>
  keyedBy((row) => row.id, await listsById.all(db, ids)),
)

const listMetricsById = statement(
  'list_metrics_by_id',
  { list_id: 'int8', member_count: 'int4', follower_count: 'int4' },
  'select list_id, member_count, follower_count from list_metrics where list_id = any($1::bigint[])',
)

/** The counters of a list, of kind `list_metrics`. */
export const listMetrics = definePart('list_metrics', 'row', async (db, ids) =>
  keyedBy((row) => row.list_id, await listMetricsById.all(db, ids)),
)
