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
/** Of a larger copy at most half of the rows are replaced one by one. If the table is empty, its indexes are built after the rows. */
const MOST_REWRITTEN_BYTES = 1024 * 1024

/**
 * SQL that tells later which rows came after this moment: the first transaction number that is still in progress, and our own. A
 * transaction with an earlier number than ours may be waiting for its tables, and write when we have ended.
 */
export const EQUAL_NOW = `pg_snapshot_xmin(pg_current_snapshot())::text || ' ' || pg_current_xact_id()::text`

/** SQL that is true for a row that came after the moment that `equal_since` and `equal_own` are about. */
const CHANGED = 'age(xmin) <= age(equal_since) and xmin <> equal_own'

/**
 * SQL of three functions. `restore` makes the world equal to the snapshot in `schema`. Once the two were equal: when it was made, or
 * last restored. Rows that changed since then, also by other restores, have a later transaction number, or are missing. It returns
 * null, and has done nothing, where this would not do: the database was moved to another server, whose transaction numbers mean
 * nothing, or a large table has to be emptied.
 *
 * A lock that stops writers costs ten times as much as a look at the size of a file, and most tables are empty both in the snapshot
 * and in the world. `restore` does not lock those, unless `lock_all`; it returns the numbers of the others. Called after the commit,
 * `was_written` says whether somebody wrote to one of the rest meanwhile, perhaps about rows that are gone. Who saw the old world in
 * a statement that writes there held a lock on that table before, so either still holds it, or has ended and left a file that is not
 * empty. Then the restore is repeated with all tables locked. Until it is known, `unfinished_at` says so: if the process dies before,
 * another one repeats the restore.
 *
 * `fill` copies the rows of a large table that is empty.
 */
export function restoreFunctions(schema: string, tables: readonly WorldTable[], kept: readonly KeptTable[]): string {
  const copies = new Map(kept.map((table) => [table.name, table]))
  const numbered = tables.map(
    (table, index): NumberedTable => ({ ...table, number: index + 1, kept: copies.get(table.name) }),
  )
  const copied = numbered.filter((table) => table.kept)
  const others = numbered.filter((table) => !table.kept)
  // After another snapshot was copied back as a whole, every row is of a later transaction.
  const rewritten = kept
    .filter((table) => table.bytes > MOST_REWRITTEN_BYTES)
    .map(({ name, rows }) => `(select count(*) from ${quoted(name)} where ${CHANGED}) > ${Math.floor(rows / 2)}`)
  return `create function ${schema}.restore(lock_all boolean) returns int[] language plpgsql as $restore$
declare
  equal_since xid;
  equal_own xid;
  equal_now text;
  names constant text[] := ${listOf(numbered.map(({ name }) => textOf(quoted(name))))};
  written int[];
  has_large boolean;
  changed int;
begin
  perform pg_advisory_xact_lock(${LOCK.world});
  select split_part(base, ' ', 2)::xid8::xid, split_part(base, ' ', 3)::xid8::xid into equal_since, equal_own from world_snapshot
   where schema_name = '${schema}' and base like (select system_identifier::text from pg_control_system()) || ' %';
  if equal_since is null then return null; end if;
  -- Before anything is looked at: was_written sees by these numbers whether somebody wrote since.
  equal_now := ${EQUAL_NOW};
  ${lockOf(copied)}
  if lock_all then
    ${lockOf(others)}
  else
    -- The commit need not wait for the disk: that of was_written does, for both.
    perform set_config('synchronous_commit', 'off', true);
  end if;
  select coalesce(array_agg(number) filter (where bytes > 0 and not is_kept), '{}'), bool_or(bytes > most) into written, has_large
    from (${sizesOf(numbered.filter((table) => !table.kept || table.isReferenced))}) looked;
  if ${['has_large', ...rewritten].join(' or ')} then return null; end if;
  -- A new connection has no plans, and no numbers of rows to make good ones with.
  perform set_config('enable_nestloop', 'off', true);
  if not lock_all and written <> '{}' then
    execute 'lock table ' || (select string_agg(names[number], ', ') from unnest(written) number) || ' in share row exclusive mode';
  end if;
  -- All numbers first: a table that an open statement reads cannot be emptied.
  foreach changed in array written || array(
    ${copied.map(lookAt).join('\n    union all ') || 'select 0 where false'}
  ) loop
${chosenBy('changed', schema, numbered)}
  end loop;
  delete from instance_fact where name not in (${INSTALLATION_FACTS.map(textOf).join(', ')});
  insert into instance_fact (name, value) select f.key, f.value from world_snapshot s, jsonb_each_text(s.facts) f where s.schema_name = '${schema}';
  update world_snapshot
     set base = case when schema_name = '${schema}' then split_part(base, ' ', 1) || ' ' || equal_now else base end,
         unfinished_at = case when schema_name = '${schema}' then clock_timestamp() end
   where schema_name = '${schema}' or unfinished_at is not null;
  return written;
end
$restore$;

create function ${schema}.was_written(but int[]) returns boolean language plpgsql as $restore$
declare
  is_alone boolean;
begin
  if exists (
    select from pg_locks
     where locktype = 'relation' and mode = 'RowExclusiveLock' and database = (select oid from pg_database where datname = current_database())
       and relation = any(${listOf(others.map(({ name }) => oidOf(name)))}::oid[])
       and relation <> all(array(select (${listOf(numbered.map(({ name }) => oidOf(name)))}::oid[])[number] from unnest(but) number)))
  then return true; end if;
  -- Who wrote and has ended has a number: nobody has, if no other transaction had one when the restore began, and none was given since.
  select split_part(base, ' ', 2) = split_part(base, ' ', 3)
         and pg_snapshot_xmax(pg_current_snapshot())::text::bigint = split_part(base, ' ', 3)::bigint + 1
    into is_alone from world_snapshot where schema_name = '${schema}';
  if is_alone is not true and exists (select from (${sizesOf(others)}) looked where bytes > 0 and number <> all(but)) then return true; end if;
  -- The commit of this waits for the disk, which stores the restore too.
  update world_snapshot set unfinished_at = null where schema_name = '${schema}';
  return false;
end
$restore$;

create function ${schema}.fill(target regclass, statement text) returns void language plpgsql as $restore$
declare
  dropping text;
  making text;
begin
  -- A reader that waits for us, and we for it: it must not be the one that fails.
  if (select rolsuper from pg_roles where rolname = current_user) then
    perform set_config('deadlock_timeout', '100ms', true), set_config('wal_compression', 'off', true);
  end if;
  select string_agg(case when c.oid is null then format('drop index %s', i.indexrelid::regclass)
                         else format('alter table %s drop constraint %I', target, c.conname) end, '; '),
         string_agg(case when c.oid is null then pg_get_indexdef(i.indexrelid)
                         else format('alter table %s add constraint %I %s', target, c.conname, pg_get_constraintdef(c.oid)) end, '; ' order by i.indexrelid)
    into dropping, making
    from pg_index i join pg_class x on x.oid = i.indexrelid
    left join pg_constraint c on c.conindid = i.indexrelid and c.conrelid = target
   where i.indrelid = target and i.indpred is null and i.indexprs is null and x.relam = (select oid from pg_am where amname = 'btree')
     and not exists (select from pg_constraint f where f.conindid = i.indexrelid and f.contype = 'f');
  if dropping is not null then execute dropping; end if;
  execute statement;
  if making is not null then execute making; end if;
end
$restore$`
}

/** A table with its position in the list of all, and its copy if it had rows. */
type NumberedTable = WorldTable & { number: number; kept: KeptTable | undefined }

const lockOf = (tables: readonly WorldTable[]): string =>
  tables.length === 0 ? '' : `lock table ${quotedList(tables.map(({ name }) => name))} in share row exclusive mode;`

/** SQL that returns the sizes of tables, and above which one the world has to be copied as a whole. */
function sizesOf(tables: readonly NumberedTable[]): string {
  const most = ({ kept, isReferenced }: NumberedTable) =>
    isReferenced ? String(mostDeleted(kept, MOST_DELETED_REFERENCED_BYTES)) : 'null'
  const whole = tables.filter((table) => !table.isDivided)
  const columns = [
    `${listOf(whole.map(({ number }) => String(number)))}::int[]`,
    `${listOf(whole.map(({ name }) => oidOf(name)))}::regclass[]`,
    `${listOf(whole.map(({ kept }) => String(kept !== undefined)))}::boolean[]`,
    `${listOf(whole.map(most))}::bigint[]`,
  ]
  const divided = tables
    .filter((table) => table.isDivided)
    .map((table) => {
      const { number, name, kept } = table
      return ` union all select ${number}, ${kept !== undefined}, ${most(table)}::bigint, ${sizeOfParts(name)}`
    })
  return `select number, is_kept, most, pg_relation_size(relation) as bytes
    from unnest(${columns.join(', ')}) sized(number, relation, is_kept, most)${divided.join('')}`
}

/** SQL that returns the number of a table with a copy if it may have changed. */
const lookAt = ({ number, name, kept }: NumberedTable): string =>
  `select ${number} from ${quoted(name)} having count(*) <> ${kept!.rows} or coalesce(bool_or(${CHANGED}), false)`

/** The steps for the table whose number is in a variable. PL/pgSQL would compare it with each value of a `case`. */
function chosenBy(variable: string, schema: string, tables: readonly NumberedTable[]): string {
  if (tables.length === 1) return stepsOf(schema, tables[0]!)
  const half = Math.ceil(tables.length / 2)
  return `if ${variable} < ${tables[half]!.number} then
${chosenBy(variable, schema, tables.slice(0, half))}
else
${chosenBy(variable, schema, tables.slice(half))}
end if;`
}

function stepsOf(schema: string, { name, isDivided, isReferenced, kept }: NumberedTable): string {
  const table = quoted(name)
  const size = isDivided ? sizeOfParts(name) : sizeOf(name)
  const isChanged = kept && kept.key.length > 0 ? ` where ${CHANGED}` : ''
  const shrink = isReferenced
    ? `delete from ${table}${isChanged};`
    : `if ${size} > ${mostDeleted(kept, MOST_DELETED_BYTES)} then truncate ${table}; else delete from ${table}${isChanged}; end if;`
  if (!kept) return `      ${shrink}`
  const fillAll = `if not exists (select from ${table}) then ${fillTable(schema, kept)};`
  const fillSome = `if (select count(*) from ${table}) < ${kept.rows} then ${missingRows(schema, kept)}; end if;`
  return `      ${shrink}\n      ${fillAll} else ${fillSome} end if;`
}

const mostDeleted = (kept: KeptTable | undefined, least: number): number => Math.max(least, 4 * (kept?.bytes ?? 0))

const textOf = (name: string): string => `'${name}'`
const oidOf = (name: string): string => `'${quoted(name)}'::regclass`
const listOf = (values: readonly string[]): string => `array[${values.join(', ')}]`
const sizeOf = (name: string): string => `pg_relation_size(${oidOf(name)})`
const sizeOfParts = (name: string): string =>
  `(select sum(pg_relation_size(relid)) from pg_partition_tree(${oidOf(name)}))`

/** Copies all rows of a table back. */
export const allRows = (schema: string, { name, columns }: KeptTable): string =>
  `insert into ${quoted(name)} (${quotedList(columns)}) overriding system value select ${quotedList(columns)} from ${schema}.${quoted(name)} k`

/**
 * The same for an empty table. Building an index from many rows costs less than adding them one by one. Those on expressions stay,
 * since their statistics would be lost, those of few rows, and a primary key that others refer to.
 */
export const fillTable = (schema: string, table: KeptTable): string =>
  table.bytes > MOST_REWRITTEN_BYTES
    ? `perform ${schema}.fill(${oidOf(table.name)}, $fill$${allRows(schema, table)}$fill$)`
    : allRows(schema, table)

const missingRows = (schema: string, table: KeptTable): string => {
  const isSame = table.key.map((column) => `l.${quoted(column)} = k.${quoted(column)}`)
  const isMissing =
    isSame.length > 0 ? ` where not exists (select from ${quoted(table.name)} l where ${isSame.join(' and ')})` : ''
  return `${allRows(schema, table)}${isMissing}`
}
