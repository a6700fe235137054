import { LOCK } from '../../storage/lock-numbers.ts'
import { INSTALLATION_FACTS, quoted, quotedList, type WorldTable } from './world-tables.ts'

/** A table in a snapshot. */
export interface KeptTable {
  name: string
  columns: string[]
  key: string[]
  rows: number
  bytes: number
}

// Emptying a table takes new files for it and its indexes: more than deleting some rows, less than deleting many.
const MOST_DELETED_BYTES = 256 * 1024
// A table that others refer to can only be emptied together with those.
const MOST_DELETED_REFERENCED_BYTES = 4 * 1024 * 1024
/** Of a larger copy at most half of the rows are replaced one by one. */
const MOST_REWRITTEN_BYTES = 1024 * 1024

/**
 * SQL that tells later which rows came after this moment: the first transaction number that is still in progress, and our own. A
 * transaction with an earlier number than ours may be waiting for its tables, and write when we have ended.
 */
export const EQUAL_NOW = `pg_snapshot_xmin(pg_current_snapshot())::text || ' ' || pg_current_xact_id()::text`

/** SQL that is true for a row that came after the moment that `equal_since` and `equal_own` are about. */
const CHANGED = 'age(xmin) <= age(equal_since) and xmin <> equal_own'

/**
 * SQL of a function that makes the world equal to the snapshot in `schema`. Once the two were equal: when it was made, or last
 * restored. Rows that changed since then, also by other restores, have a later transaction number, or are missing. It returns
 * false, and has done nothing, where this would not do: the database was moved to another server, whose transaction numbers mean
 * nothing, or a large table has to be emptied. One statement looks at all tables, and its plan is kept.
 */
export function restoreFunction(schema: string, tables: readonly WorldTable[], kept: readonly KeptTable[]): string {
  const copies = new Map(kept.map((table) => [table.name, table]))
  const large = tables
    .filter((table) => table.isReferenced)
    .map(({ name }) => `${sizeOf(name)} > ${mostDeleted(copies.get(name), MOST_DELETED_REFERENCED_BYTES)}`)
  // After another snapshot was copied back as a whole, every row is of a later transaction.
  const rewritten = kept
    .filter((table) => table.bytes > MOST_REWRITTEN_BYTES)
    .map(({ name, rows }) => `(select count(*) from ${quoted(name)} where ${CHANGED}) > ${Math.floor(rows / 2)}`)
  const looks = tables.map(({ name, isDivided }) => lookAt(name, isDivided, copies.get(name)))
  const steps = tables.map(
    (table) => `    when ${textOf(table.name)} then\n${stepsOf(schema, table, copies.get(table.name))}`,
  )
  return `create function ${schema}.restore() returns boolean language plpgsql as $restore$
declare
  equal_since xid;
  equal_own xid;
  changed_table text;
begin
  perform pg_advisory_xact_lock(${LOCK.world});
  select split_part(base, ' ', 2)::xid8::xid, split_part(base, ' ', 3)::xid8::xid into equal_since, equal_own from world_snapshot
   where schema_name = '${schema}' and base like (select system_identifier::text from pg_control_system()) || ' %';
  if equal_since is null then return false; end if;
  lock table ${quotedList(tables.map(({ name }) => name))} in share row exclusive mode;
  if ${[...large, ...rewritten].join(' or ')} then return false; end if;
  -- All names first: a table that an open statement reads cannot be emptied.
  foreach changed_table in array array(
    ${looks.join('\n    union all ')}
  ) loop
    case changed_table
${steps.join('\n')}
    end case;
  end loop;
  delete from instance_fact where name not in (${INSTALLATION_FACTS.map(textOf).join(', ')});
  insert into instance_fact (name, value) select f.key, f.value from world_snapshot s, jsonb_each_text(s.facts) f where s.schema_name = '${schema}';
  update world_snapshot set base = split_part(base, ' ', 1) || ' ' || ${EQUAL_NOW} where schema_name = '${schema}';
  return true;
end
$restore$`
}

/** SQL that returns the name of a table if it may have changed. */
function lookAt(name: string, isDivided: boolean, kept: KeptTable | undefined): string {
  if (isDivided) return `select ${textOf(name)} where exists (select from ${quoted(name)})`
  if (!kept) return `select ${textOf(name)} where ${sizeOf(name)} > 0`
  return `select ${textOf(name)} from ${quoted(name)} having count(*) <> ${kept.rows} or coalesce(bool_or(${CHANGED}), false)`
}

function stepsOf(schema: string, { name, isDivided, isReferenced }: WorldTable, kept: KeptTable | undefined): string {
  const table = quoted(name)
  const size = isDivided ? `(select sum(pg_relation_size(relid)) from pg_partition_tree(${oidOf(name)}))` : sizeOf(name)
  const isChanged = kept && kept.key.length > 0 ? ` where ${CHANGED}` : ''
  const shrink = isReferenced
    ? `delete from ${table}${isChanged};`
    : `if ${size} > ${mostDeleted(kept, MOST_DELETED_BYTES)} then truncate ${table}; else delete from ${table}${isChanged}; end if;`
  if (!kept) return `      ${shrink}`
  return `      ${shrink}\n      if (select count(*) from ${table}) < ${kept.rows} then ${missingRows(schema, kept)}; end if;`
}

const mostDeleted = (kept: KeptTable | undefined, least: number): number => Math.max(least, 4 * (kept?.bytes ?? 0))

const textOf = (name: string): string => `'${name}'`
const oidOf = (name: string): string => `'${quoted(name)}'::regclass`
const sizeOf = (name: string): string => `pg_relation_size(${oidOf(name)})`

/** Copies all rows of a table back. */
export const allRows = (schema: string, { name, columns }: KeptTable): string =>
  `insert into ${quoted(name)} (${quotedList(columns)}) overriding system value select ${quotedList(columns)} from ${schema}.${quoted(name)} k`

const missingRows = (schema: string, table: KeptTable): string => {
  const isSame = table.key.map((column) => `l.${quoted(column)} = k.${quoted(column)}`)
  const isMissing =
    isSame.length > 0 ? ` where not exists (select from ${quoted(table.name)} l where ${isSame.join(' and ')})` : ''
  return `${allRows(schema, table)}${isMissing}`
}
