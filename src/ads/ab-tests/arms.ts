import { asShare, hash, hashText } from '../../process/hash.ts'
import type { Db } from '../../storage/database.ts'
import { statement } from '../../storage/statement.ts'
import type { EntityType } from './ab-test.rules.ts'
import type { UserGroup } from './user-group.ts'

/** A test that splits people now. */
export interface RunningTest {
  id: string
  entityType: EntityType
  /** In order; `upTo` is the share (0 to 1) of all people in this group and those before it. */
  groups: { upTo: number; entityIds: Set<string> }[]
}

const runningTests = statement(
  'ads_ab_tests_running',
  { id: 'int8', entity_type: 'text', user_groups: 'jsonb' },
  `select id, entity_type, user_groups from ads_ab_test where not deleted and start_time <= $1 and end_time > $1 order by id`,
)

/** The tests that are live. */
export async function readRunningTests(db: Db, now: number): Promise<RunningTest[]> {
  const rows = await runningTests.all(db, new Date(now))
  return rows.map((row) => {
    let hundredths = 0
    return {
      id: row.id,
      entityType: row.entity_type as EntityType,
      groups: (row.user_groups as UserGroup[]).map((group) => {
        hundredths += group.size
        return { upTo: hundredths / 10_000, entityIds: new Set(group.entity_ids) }
      }),
    }
  })
}

const nextTestChange = statement(
  'ads_ab_tests_next_change',
  { at: 'timestamptz?' },
  `select least(min(start_time) filter (where start_time > $1), min(end_time) filter (where end_time > $1)) as at
     from ads_ab_test where not deleted and end_time > $1`,
)

/** When a test begins or ends next. */
export async function nextChangeOfTests(db: Db, now: number): Promise<number> {
  return (await nextTestChange.first(db, new Date(now)))?.at?.getTime() ?? Number.POSITIVE_INFINITY
}

/** The index of the group that a viewer is in: always the same one, and independent of the viewer's groups in other tests. */
export function armOf(test: RunningTest, viewerNumber: number): number {
  const share = asShare(hash(hashText(test.id), viewerNumber))
  const found = test.groups.findIndex((group) => share < group.upTo)
  return found < 0 ? test.groups.length - 1 : found
}
