import type { Tx } from '../../storage/database.ts'
import { statement } from '../../storage/statement.ts'
import { type KeptTable, noteBase, type Snapshot, stopWriters } from './store-snapshot.ts'
import { INSTALLATION_FACTS, inReferenceOrder, quoted, readSizes, type TableSize } from './world-tables.ts'

const baseRead = statement(
  'world_base_read',
  { value: 'text?', may_skip_triggers: 'bool' },
  `select (select value from instance_fact where name = 'world_base') as value,
          has_parameter_privilege('session_replication_role', 'set') as may_skip_triggers`,
)
const factsReplace = statement(
  'world_facts_replace',
  {},
  `with gone as (delete from instance_fact where name <> all($1::text[]) and not ($2::jsonb ? name))
   insert into instance_fact (name, value) select key, value from jsonb_each_text($2::jsonb)
   on conflict (name) do update set value = excluded.value`,
)

// Emptying a table takes new files for it and its indexes: more than deleting some rows, less than deleting many.
const MOST_DELETED_BYTES = 256 * 1024
// A table that others refer to can only be emptied together with those.
const MOST_DELETED_REFERENCED_BYTES = 4 * 1024 * 1024

/**
 * Makes the world equal to a snapshot. Where the world came from this snapshot, only rows that changed since are replaced: they
 * have a later transaction number, or are missing. So the cost follows the changes, and a look at each table.
 */
export async function restoreSnapshot(tx: Tx, snapshot: Snapshot): Promise<void> {
  const { value, may_skip_triggers: maySkipTriggers } = (await baseRead.first(tx))!
  await stopWriters(
    tx,
    (await readSizes(tx)).map(({ name }) => name),
  )
  // Read again: writers that were in progress have ended.
  const sizes = await readSizes(tx)
  const [base, transactionNumber] = (value ?? '').split(' ')
  const steps =
    base === snapshot.schema_name && maySkipTriggers ? replacedRows(snapshot, sizes, transactionNumber!) : undefined
  if (steps) await tx.query({ text: withoutTriggers(steps) })
  else await replaceAll(tx, snapshot, sizes, maySkipTriggers)
  await factsReplace.count(tx, [...INSTALLATION_FACTS, 'world_base'], JSON.stringify(snapshot.facts))
  await noteBase(tx, snapshot.schema_name)
}

// Counters are copied with everything else, and references hold in the end as they did in the snapshot.
const withoutTriggers = (steps: readonly string[]): string =>
  ['set local session_replication_role = replica', ...steps, 'set local session_replication_role = origin'].join(';\n')

/** How the changed rows are replaced; undefined where it is cheaper to replace all. */
function replacedRows(
  { schema_name, tables }: Snapshot,
  sizes: readonly TableSize[],
  since: string,
): string[] | undefined {
  const kept = new Map(tables.map((table) => [table.name, table]))
  const steps: string[] = []
  for (const { name, bytes, isReferenced } of sizes) {
    if (bytes === 0 && !kept.has(name)) continue
    const table = kept.get(name)
    const isGrown = bytes > 4 * (table?.bytes ?? 0)
    if (isGrown && isReferenced && bytes > MOST_DELETED_REFERENCED_BYTES) return undefined
    if (isGrown && !isReferenced && bytes > MOST_DELETED_BYTES) steps.push(`truncate ${quoted(name)}`)
    else if (table && table.key.length > 0)
      steps.push(`delete from ${quoted(name)} where age(xmin) < age('${since}'::xid)`)
    else steps.push(`delete from ${quoted(name)}`)
    if (table) steps.push(missingRows(schema_name, table))
  }
  return steps
}

async function replaceAll(
  tx: Tx,
  { schema_name, tables }: Snapshot,
  sizes: readonly TableSize[],
  maySkipTriggers: boolean,
): Promise<void> {
  await tx.query({ text: `truncate ${sizes.map(({ name }) => quoted(name)).join(', ')}` })
  const kept = new Map(tables.map((table) => [table.name, table]))
  const names = await inReferenceOrder(tx, [...kept.keys()])
  const steps = names.map((name) => allRows(schema_name, kept.get(name)!))
  const guarded = names.map(
    (name, at) =>
      `alter table ${quoted(name)} disable trigger user;\n${steps[at]};\nalter table ${quoted(name)} enable trigger user`,
  )
  await tx.query({ text: maySkipTriggers ? withoutTriggers(steps) : guarded.join(';\n') })
}

const allRows = (schema: string, { name, columns }: KeptTable): string => {
  const list = columns.map(quoted).join(', ')
  return `insert into ${quoted(name)} (${list}) overriding system value select ${list} from ${schema}.${quoted(name)}`
}

const missingRows = (schema: string, table: KeptTable): string => {
  const name = quoted(table.name)
  const isSame = table.key.map((column) => `l.${quoted(column)} = k.${quoted(column)}`)
  const isMissing = table.key.length > 0 ? ` and not exists (select from ${name} l where ${isSame.join(' and ')})` : ''
  return `${allRows(schema, table)} k where (select count(*) from ${name}) < ${table.rows}${isMissing}`
}
