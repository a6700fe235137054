import type { Db, Tx } from './database.ts'
import { statement } from './statement.ts'

const ownId = statement('transaction_id', { id: 'text' }, 'select pg_current_xact_id()::text as id')
// A number that this database has not used yet is of another one, which replaced it.
const outcome = statement(
  'transaction_outcome',
  { status: 'text?' },
  `select case when $1::text::xid8 < pg_snapshot_xmax(pg_current_snapshot()) then pg_xact_status($1::text::xid8) end as status`,
)

/** The number of a transaction, by which others can learn later how it ended. */
export const transactionId = async (tx: Tx): Promise<string> => (await ownId.first(tx))!.id

/**
 * Whether a transaction was committed whose connection was lost before the answer. Throws while it still runs: its connection may be
 * lost on one side only.
 */
export async function wasCommitted(db: Db, id: string): Promise<boolean> {
  const { status } = (await outcome.first(db, id))!
  if (status === 'in progress') throw new Error(`the transaction ${id}, whose connection was lost, has not ended yet`)
  return status === 'committed'
}
