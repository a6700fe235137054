import { isDeepStrictEqual } from 'node:util'
import type { Runtime } from '../../api-kit/runtime.ts'
import type { Tx } from '../../storage/database.ts'
import { statement } from '../../storage/statement.ts'
import type { AdsEntity, AdsRecord, Change, Fields, Reads } from './entity.ts'

const historyAdd = statement(
  'ads_history_add',
  {},
  'insert into ads_history select * from jsonb_populate_recordset(null::ads_history, $1::jsonb)',
)

/** The part of a change that the history needs. */
export type RecordedChange<F extends Fields = Fields, R extends Reads = Reads> = Pick<
  Change<F, R>,
  'kind' | 'record' | 'before'
> & { context: { runtime: Runtime; account: { id: string }; user: { id: string }; now: Date } }

/** Writes changes into the account's history, in the transaction that makes them. */
export async function recordHistory<F extends Fields, R extends Reads>(
  tx: Tx,
  entity: AdsEntity<F, R>,
  changes: readonly RecordedChange<F, R>[],
): Promise<void> {
  const { history } = entity.declared
  if (!history || changes.length === 0) return
  const rows = changes.map(({ kind, record, before, context }) => {
    const now = context.now.getTime()
    const after = snapshot(entity, record, now)
    return {
      id: context.runtime.ids.next(),
      account_id: context.account.id,
      entity: history,
      entity_id: record.id,
      change_type: kind.toUpperCase(),
      user_id: context.user.id,
      platform: 'API_OTHER',
      changes: before ? differences(snapshot(entity, before, now), after) : {},
      entity_data: after,
      change_time: context.now,
    }
  })
  await historyAdd.count(tx, JSON.stringify(rows))
}

/** The record's own members, without its id. */
function snapshot(entity: AdsEntity, record: AdsRecord, now: number): Record<string, unknown> {
  const { id: _, ...members } = entity.toReply(record, now)
  return { ...members, ...entity.declared.alsoInHistory?.(record) }
}

/** The old and the new value of each changed member. */
export function differences(before: Record<string, unknown>, after: Record<string, unknown>): Record<string, unknown> {
  const changed = Object.keys(after).filter((name) => !isDeepStrictEqual(before[name], after[name]))
  return Object.fromEntries(changed.map((name) => [name, { old: before[name] ?? null, new: after[name] ?? null }]))
}
