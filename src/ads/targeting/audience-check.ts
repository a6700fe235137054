import type { Db } from '../../storage/database.ts'
import { statement } from '../../storage/statement.ts'

const audiencesReached = statement(
  'ads_targeting_audiences',
  { id: 'int8?', targetable: 'bool?' },
  'select id, targetable from ads_audience_reach where account_id = $1 and id = any($2::bigint[]) and not deleted',
)

/** The audiences that an account owns or that are shared with it, and whether they can be targeted. */
export async function audiencesOf(db: Db, accountId: string, ids: readonly string[]): Promise<Map<string, boolean>> {
  if (ids.length === 0) return new Map()
  const rows = await audiencesReached.all(db, accountId, ids)
  return new Map(rows.map((row) => [row.id!, row.targetable === true]))
}
