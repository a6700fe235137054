import { createHash } from 'node:crypto'
import { isStorableId } from '../../process/ids.ts'
import type { Db } from '../../storage/database.ts'
import { type Column, type Columns, type SqlValue, type Statement, statement } from '../../storage/statement.ts'
import type { AdsEntity, AdsRecord, EntitySql, FilterUse, Sort } from './entity.ts'

/** What the statements of an entity are made from. */
type Source = Pick<AdsEntity, 'table' | 'scope' | 'fields' | 'reads' | 'declared'>

const STANDARD: Columns = { id: 'int8', created_at: 'timestamptz', updated_at: 'timestamptz', deleted: 'bool' }

/** Makes the statements of an entity from its declaration. */
export function makeEntitySql(entity: Source): EntitySql {
  const { table, scope, reads, declared } = entity
  const columns: Columns = { ...STANDARD, [scope.column]: 'int8' }
  const loads = new Map<string, (raw: unknown) => unknown>()
  const selected = [...new Set([...Object.keys(STANDARD), scope.column])]
    .filter((name) => !reads[name])
    .map((name) => `r.${name}`)
  for (const [name, item] of Object.entries(entity.fields)) {
    columns[name] = `${item.kind.column}?` as Column
    loads.set(name, item.kind.load)
    if (name !== scope.column) selected.push(`r.${name}`)
  }
  for (const [name, item] of Object.entries(reads)) {
    columns[name] = `${item.kind.column}?` as Column
    loads.set(name, item.kind.load)
    selected.push(`${item.sql} as ${name}`)
  }
  if (declared.hiddenWhen) {
    columns.is_hidden = 'bool?'
    selected.push(`(${declared.hiddenWhen}) as is_hidden`)
  }
  const load = (row: AdsRecord): AdsRecord => {
    for (const [name, read] of loads) if (row[name] !== null) row[name] = read(row[name])
    return row
  }
  const source = `from ${table} r ${declared.joins ?? ''} where r.${scope.column} = $1`
  const select = `select ${selected.join(', ')} ${source}`
  const byIds = records(`${table}_by_ids`, columns, `${select} and r.id = any($2::bigint[])`)
  const writes = declared.isView ? undefined : makeWrites(entity, select, columns)

  // One statement for each combination of filters and order, which PostgreSQL then plans for. Clients can send any combination,
  // so the number of prepared statements is limited.
  const lists = new Map<string, ListStatement>()
  const prepared = (key: string, shape: Columns, make: () => string): ListStatement => {
    const existing = lists.get(key)
    if (existing) return existing
    if (lists.size >= MOST_PREPARED) return unprepared(make())
    const created = records(`${table} ${shortKey(key)}`, shape, make())
    lists.set(key, created)
    return created
  }
  const sortSql = (attribute: string) => sortExpression(entity, attribute)

  return {
    byIds: async (db, owner, ids, options) =>
      ids.length === 0 ? [] : (await (options?.lock ? writes!.byIdsLocked : byIds).all(db, owner, [...ids])).map(load),
    list: async (db, query) => {
      const order = withTieBreaker(query.sorts)
      const key = `list ${query.filters.map((item) => item.name).join(',')} ${order.map(sortName).join(',')} ${query.after !== undefined}`
      const found = prepared(key, columns, () => {
        let placeholder = 1
        const next = () => `$${++placeholder}`
        const conditions = query.filters.map((item) => item.sql(next()))
        if (query.after) conditions.push(beyond(order, sortSql, next))
        const ordered = order
          .map((item) => `${sortSql(item.attribute).sql}${item.descending ? ' desc' : ''}`)
          .join(', ')
        const narrowed = conditions.map((item) => ` and ${item}`).join('')
        const page = `order by ${ordered} limit ${next()}`
        if (!declared.joins || namesJoins(`${narrowed} ${ordered}`)) return `${select}${narrowed} ${page}`
        // The page is found in the table first, so only its rows are joined with other tables.
        const found = `select r.* from ${table} r where r.${scope.column} = $1${narrowed} ${page}`
        return `select ${selected.join(', ')} from (${found}) r ${declared.joins} order by ${ordered}`
      })
      const values = [query.owner, ...query.filters.map((item) => item.value), ...(query.after ?? []), query.limit]
      return (await found.all(db, ...values)).map(load)
    },
    count: async (db, query) => {
      const counters = counterQuery(entity, query.filters)
      if (counters) return Number((await recordCount.first(db, query.owner, ...counters))!.total)
      const key = `count ${query.filters.map((item) => item.name).join(',')}`
      const found = prepared(key, { total: 'int8' }, () => {
        const conditions = query.filters.map((item, at) => ` and ${item.sql(`$${at + 2}`)}`).join('')
        const joins = namesJoins(conditions) ? (declared.joins ?? '') : ''
        return `select count(*) as total from ${table} r ${joins} where r.${scope.column} = $1${conditions}`
      })
      return Number((await found.first(db, query.owner, ...query.filters.map((item) => item.value)))!.total)
    },
    insert: async (tx, records) => {
      await writes!.insert.count(tx, JSON.stringify(records))
    },
    update: async (tx, records) => {
      await writes!.update.count(tx, JSON.stringify(records))
    },
    remove: async (tx, ids) => {
      await writes!.remove.count(tx, [...ids])
    },
    sortValue: (record, attribute) => sortSql(attribute).value(record),
    isSortValue: (value, attribute) => CASTS[sortSql(attribute).cast](value),
  }
}

const recordCount = statement(
  'ads_record_count',
  { total: 'int8' },
  `select coalesce(sum(total), 0)::bigint as total from ads_record_count
    where account_id = $1 and kind = any($2::text[]) and (not deleted or $3::bool) and (not draft or $4::bool)`,
)

/** What to sum up for a total: kinds, with deleted ones, with drafts. Undefined for a total that a filter narrows. */
function counterQuery({ table, declared }: Source, filters: FilterUse[]): [string[], boolean, boolean] | undefined {
  const { counted } = declared
  const names = new Set(filters.map((item) => item.name))
  const isOpen = (name: string) => !names.delete(name)
  const [withDeleted, withDrafts] = [isOpen(LIVE), isOpen(NO_DRAFTS)]
  if (!counted || names.size > 0) return undefined
  return [counted === true ? [table] : [...counted], withDeleted, withDrafts]
}

/** The names of the filters that leave out deleted records and drafts. */
export const LIVE = 'live'
export const NO_DRAFTS = 'no drafts'

/** A statement whose rows are records; the declaration says which columns they have. */
const records = (name: string, columns: Columns, sql: string): Statement<AdsRecord> =>
  statement(name, columns, sql) as Statement<never> as Statement<AdsRecord>

const MOST_PREPARED = 100

/** What lists and their counts need of a statement. */
type ListStatement = Pick<Statement<AdsRecord>, 'all' | 'first'>

/** A statement that is planned each time it runs. */
function unprepared(sql: string): ListStatement {
  const run = async (db: Db, values: SqlValue[]) =>
    (await db.query<AdsRecord>({ text: sql, values: values as unknown[] })).rows
  return {
    all: (db, ...values) => run(db, values),
    first: async (db, ...values) => (await run(db, values))[0],
  }
}

/** True for SQL that names a column of a joined table. */
const namesJoins = (sql: string): boolean => /(?<![\w.])(?!r\.)[a-z_]+\.\w/.test(sql)

// PostgreSQL cuts names of statements at 63 characters.
const shortKey = (key: string): string => createHash('sha1').update(key).digest('hex').slice(0, 16)

function makeWrites({ table, scope, fields }: Source, select: string, columns: Columns) {
  const fieldNames = Object.keys(fields)
  const stored = [...new Set(['id', scope.column, ...fieldNames, 'created_at', 'updated_at', 'deleted'])].join(', ')
  const changed = [...fieldNames, 'updated_at', 'deleted'].map((name) => `${name} = s.${name}`).join(', ')
  // One parameter for any number of records and columns: PostgreSQL takes the types of the members from the table.
  const sent = `jsonb_populate_recordset(null::${table}, $1::jsonb)`
  return {
    byIdsLocked: records(`${table}_by_ids_locked`, columns, `${select} and r.id = any($2::bigint[]) for update of r`),
    insert: statement(`${table}_insert`, {}, `insert into ${table} (${stored}) select ${stored} from ${sent}`),
    update: statement(`${table}_update`, {}, `update ${table} t set ${changed} from ${sent} s where t.id = s.id`),
    remove: statement(`${table}_remove`, {}, `delete from ${table} where id = any($1::bigint[])`),
  }
}

const ID_ORDERED = new Set(['id', 'created_at'])

/** The order with the id as its last attribute, so no two records are equal in it. */
export function withTieBreaker(sorts: Sort[]): Sort[] {
  const at = sorts.findIndex((item) => ID_ORDERED.has(item.attribute))
  return at < 0 ? [...sorts, { attribute: 'id', descending: sorts[0]?.descending ?? false }] : sorts.slice(0, at + 1)
}

const sortName = (sort: Sort) => `${sort.attribute}-${sort.descending ? 'desc' : 'asc'}`

/** The SQL types that sort values are compared as, each with the check that a value can be cast to it. */
const CASTS = {
  bigint: (value: string | number) => isStorableId(String(value)) || /^-\d{1,18}$/.test(String(value)),
  int: (value: string | number) => value === 0 || value === 1,
  timestamptz: (value: string | number) => typeof value === 'string' && SORTED_TIME.test(value) && isTime(value),
  text: (value: string | number) => typeof value === 'string',
}

const SORTED_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/
const isTime = (text: string): boolean => new Date(text).getTime() >= 0

interface SortExpression {
  sql: string
  cast: keyof typeof CASTS
  value(record: AdsRecord): string | number
}

// No sort value may be null: the comparison with the last record seen would lose rows.
function sortExpression(entity: Source, asked: string): SortExpression {
  const attribute = entity.declared.sortAs?.[asked] ?? asked
  // Ids grow with time, so they are in the order of creation, and they have an index.
  if (ID_ORDERED.has(attribute)) return { sql: 'r.id', cast: 'bigint', value: (record) => record.id }
  // Never null, so the column itself is compared, which has an index.
  if (attribute === 'updated_at')
    return { sql: 'r.updated_at', cast: 'timestamptz', value: (record) => record.updated_at.toISOString() }
  const column =
    attribute === 'deleted' ? 'bool' : (entity.fields[attribute]?.kind.column ?? entity.reads[attribute]?.kind.column)
  const source = entity.reads[attribute]?.sql ?? `r.${attribute}`
  switch (column) {
    case 'timestamptz':
      return {
        sql: `coalesce(extract(epoch from ${source})::bigint, 0)`,
        cast: 'bigint',
        value: (record) => Math.floor(((record[attribute] as Date | null)?.getTime() ?? 0) / 1000),
      }
    case 'bool':
      return { sql: `coalesce(${source}, false)::int`, cast: 'int', value: (record) => (record[attribute] ? 1 : 0) }
    case 'int8':
    case 'int4':
      return {
        sql: `coalesce(${source}, -1)::bigint`,
        cast: 'bigint',
        value: (record) => (record[attribute] as string | number | null) ?? -1,
      }
    default:
      return {
        sql: `coalesce(${source}, '')`,
        cast: 'text',
        value: (record) => (record[attribute] as string | null) ?? '',
      }
  }
}

/** The condition that a record comes after the last one seen, in an order of mixed directions. */
function beyond(order: Sort[], sortSql: (attribute: string) => SortExpression, next: () => string): string {
  const parts = order.map((item) => {
    const { sql, cast } = sortSql(item.attribute)
    return { sql, sign: item.descending ? '<' : '>', placeholder: `${next()}::${cast}` }
  })
  // An index finds the place of a row, but not that of a list of conditions.
  if (parts.every((part) => part.sign === parts[0]!.sign))
    return `(${parts.map((part) => part.sql).join(', ')}) ${parts[0]!.sign} (${parts.map((part) => part.placeholder).join(', ')})`
  const steps = parts.map((part, at) => {
    const equal = parts.slice(0, at).map(({ sql, placeholder }) => `${sql} = ${placeholder}`)
    return [...equal, `${part.sql} ${part.sign} ${part.placeholder}`].join(' and ')
  })
  return `(${steps.map((step) => `(${step})`).join(' or ')})`
}
