import type { Db } from '../storage/database.ts'
import { jsonText } from '../storage/json-text.ts'
import { statement } from '../storage/statement.ts'

/** The values of parts, by kind and name of the part, then by the id of the object. */
export type RemovedParts = Record<string, Record<string, unknown>>

/** What events show of an object that was deleted. */
export interface RemovedObject {
  id: string
  parts: RemovedParts
  removedAt: Date
}

/** The name of a part in the parts of a removed object. */
export const partName = (part: { kind: string; name: string }): string => `${part.kind} ${part.name}`

const removedAdd = statement(
  'removed_objects_add',
  {},
  `insert into removed_object (kind, id, parts, removed_at, stored_on)
   select $1, r.id, r.parts, $3, $4::date from jsonb_to_recordset($2::jsonb) as r (id bigint, parts jsonb)
   on conflict (kind, id) do nothing`,
)
const removedFind = statement(
  'removed_objects_find',
  { id: 'int8', parts: 'jsonb', removed_at: 'timestamptz' },
  'select id, parts, removed_at from removed_object where kind = $1 and id = any($2::bigint[])',
)
/** Removes what no event of the log can show any more: what was stored before a day. */
export const removedPrune = statement(
  'removed_objects_prune',
  {},
  'delete from removed_object where stored_on < $1::date',
)

/** Keeps what events show of objects, in the transaction that deletes them. `realMs` decides how long it is kept. */
export async function keepRemoved(
  db: Db,
  kind: string,
  objects: readonly { id: string; parts: RemovedParts }[],
  times: { removedAt: Date; realMs: number },
): Promise<void> {
  if (objects.length === 0) return
  const rows = objects.map(({ id, parts }) => ({ id, parts: write(parts) }))
  await removedAdd.count(db, kind, jsonText(rows), times.removedAt, new Date(times.realMs).toISOString().slice(0, 10))
}

/** What was kept of deleted objects of a kind. */
export async function findRemoved(db: Db, kind: string, ids: readonly string[]): Promise<RemovedObject[]> {
  const rows = await removedFind.all(db, kind, ids)
  return rows.map(({ id, parts, removed_at }) => ({ id, parts: read(parts) as RemovedParts, removedAt: removed_at }))
}

// JSON has no dates: they are written as objects with this member.
const DATE = '$date'

function write(value: unknown): unknown {
  if (value instanceof Date) return { [DATE]: value.getTime() }
  if (Array.isArray(value)) return value.map(write)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, write(item)]))
}

function read(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(read)
  if (typeof value !== 'object' || value === null) return value
  const date = (value as Record<string, unknown>)[DATE]
  if (typeof date === 'number') return new Date(date)
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, read(item)]))
}
