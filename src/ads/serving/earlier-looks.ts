import type { Db, Tx } from '../../storage/database.ts'
import { statement } from '../../storage/statement.ts'
import type { Look, Shown } from './look.ts'

const looksRead = statement(
  'ads_looks_read',
  { id: 'int8', shown: 'jsonb' },
  'select k.id, k.shown from ads_look k where k.id = any($1::bigint[])',
)
const looksAdd = statement(
  'ads_looks_add',
  {},
  'insert into ads_look (id, viewer, shown) select * from unnest($1::bigint[], $2::int[], $3::jsonb[])',
)
const countedLooks = statement(
  'ads_looks_counted',
  { id: 'int8' },
  `select k.id from unnest($1::int[], $2::bigint[]) k (viewer, id)
    where exists (select from ads_event e where e.viewer = k.viewer and e.id between k.id and k.id + 7)`,
)

/** What looks got that were answered before. */
export async function storedLooks(db: Db, looks: readonly Look[]): Promise<Map<string, Shown[]>> {
  const rows = await looksRead.all(
    db,
    looks.map((look) => look.id),
  )
  return new Map(rows.map((row) => [row.id, row.shown as Shown[]]))
}

/** Looks of personas that were counted before; nothing is shown again. */
export async function earlierLooks(db: Db, looks: readonly Look[]): Promise<Map<string, Shown[]>> {
  const rows = await countedLooks.all(
    db,
    looks.map((look) => look.viewer.number),
    looks.map((look) => look.id),
  )
  return new Map(rows.map((row) => [row.id, []]))
}

/** Keeps what looks got. */
export async function storeLooks(tx: Tx, answers: readonly { look: Look; shown: Shown[] }[]): Promise<void> {
  if (answers.length === 0) return
  await looksAdd.count(
    tx,
    answers.map(({ look }) => look.id),
    answers.map(({ look }) => look.viewer.number),
    answers.map(({ shown }) => JSON.stringify(shown)),
  )
}
