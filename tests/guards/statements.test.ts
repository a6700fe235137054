import path from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { allAdsEntities } from '../../src/ads/kit/define-entity.ts'
import '../../src/app.ts'
import { allStatements, type Column } from '../../src/storage/statement.ts'
import { TEMPLATE_DATABASE } from '../support/facts.ts'
import { ROOT, sourceFiles } from './source-files.ts'

const code = sourceFiles('.ts')

// A worker starts to serve when it is imported.
const STARTS_AT_ONCE = ['start/worker.ts', 'main.ts']
for (const file of code) {
  if (/^(start|cli|jobs|control|world)\//.test(file.name) && !STARTS_AT_ONCE.includes(file.name))
    await import(path.join(ROOT, 'src', file.name))
}
const statements = allStatements()

/** Nullable columns that a statement's own conditions keep from being null. */
const NEVER_NULL: Record<string, string> = {
  'bearer_token_keep.bearer_token_sealed': 'the statement itself fills it where it was null',
}

interface Described {
  name: string
  type: string
  /** The table column that it shows unchanged. */
  source: { table: number; column: number } | undefined
}

let client: pg.Client
let typeNames: Map<number, string>
let notNull: Set<string>
beforeAll(async () => {
  // Only described, never run: the template stays as it is.
  client = new pg.Client({ ...inject('connection'), database: TEMPLATE_DATABASE, ssl: false })
  await client.connect()
  const types = await client.query(
    `select t.oid, coalesce(e.typname || '[]', t.typname) as name from pg_type t left join pg_type e on e.typarray = t.oid`,
  )
  typeNames = new Map(types.rows.map((row) => [Number(row.oid), row.name as string]))
  const columns = await client.query('select attrelid, attnum from pg_attribute where attnotnull')
  notNull = new Set(columns.rows.map((row) => `${row.attrelid}.${row.attnum}`))
})
afterAll(() => client.end())

/** Has PostgreSQL parse a statement and say what rows it would bring. */
function describeStatement(sql: string): Promise<Described[]> {
  return new Promise((resolve, reject) => {
    let rows: Described[] = []
    let failure: Error | undefined
    const query = {
      submit(connection: pg.Connection) {
        connection.parse({ name: '', text: sql, types: [] }, true)
        connection.describe({ type: 'S', name: '' }, true)
        connection.sync()
      },
      handleRowDescription(message: { fields: pg.FieldDef[] }) {
        rows = message.fields.map((field) => ({
          name: field.name,
          type: typeNames.get(field.dataTypeID) ?? String(field.dataTypeID),
          source: field.tableID === 0 ? undefined : { table: field.tableID, column: field.columnID },
        }))
      },
      handleError(error: Error) {
        failure = error
      },
      handleReadyForQuery() {
        if (failure) reject(failure)
        else resolve(rows)
      },
    }
    client.query(query as never)
  })
}

// Statements of advertising entities are made from their declarations, which name their tables but not what may be null.
const tables = allAdsEntities().map((entity) => entity.table)
const isMade = (name: string): boolean =>
  tables.some((table) =>
    new RegExp(`^${table}(?:_by_ids|_by_ids_locked|_insert|_update|_remove| [0-9a-f]{16})$`).test(name),
  )

test('every statement of the sources is described here', () => {
  const written = code.flatMap((file) =>
    [...file.text.matchAll(/\bstatement\(\s*['"`]([^'"`]+)['"`]/g)].map((hit) => hit[1]!),
  )
  expect(written.length).toBeGreaterThan(50)
  const plain = written.filter((name) => !name.includes('${'))
  // A name in braces is one of a list, or of a declaration if there is nothing before it.
  const made = written
    .filter((name) => /^\w+\$\{/.test(name))
    .map((name) => new RegExp(`^${name.split('$')[0]}[a-z]+_[a-z]+$`))
  const ofLists = code.flatMap((file) =>
    [...file.text.matchAll(/\bkeyedList\(\s*'([^']+)'/g)].flatMap((hit) => [`${hit[1]}_older`, `${hit[1]}_newer`]),
  )
  const listed = new Set([...plain, ...ofLists])
  const names = statements.map((item) => item.name)
  expect(names.filter((name) => !listed.has(name) && !isMade(name) && !made.some((some) => some.test(name)))).toEqual(
    [],
  )
  expect([...listed].filter((name) => !names.includes(name))).toEqual([])
})

test('every exception is of a column that is declared', () => {
  const columns = new Set(statements.flatMap((item) => Object.keys(item.columns).map((name) => `${item.name}.${name}`)))
  expect(Object.keys(NEVER_NULL).filter((name) => !columns.has(name))).toEqual([])
})

describe.each(statements.map((item) => ({ name: item.name, item })))('the statement $name', ({ item }) => {
  const declared = Object.entries(item.columns as Record<string, Column>)

  test('prepares, and brings the columns that it declares', async () => {
    const described = await describeStatement(item.sql)
    // A statement that only touches rows declares no columns.
    const brought = declared.length === 0 ? [] : described
    expect(Object.fromEntries(brought.map((column) => [column.name, column.type]))).toEqual(
      Object.fromEntries(declared.map(([name, kind]) => [name, kind.replace(/\?$/, '')])),
    )
    expect(brought.length).toBe(declared.length)
    // Beyond an outer join any column may be null, so nothing is checked.
    const hasOuterJoin = /\b(?:left|right|full)\s+(?:outer\s+)?join\b/i.test(item.sql)
    for (const { name, source } of brought) {
      if (!source || isMade(item.name) || `${item.name}.${name}` in NEVER_NULL) continue
      const isNullable = !notNull.has(`${source.table}.${source.column}`)
      const allowsNull = item.columns[name]!.endsWith('?')
      if (isNullable) expect(allowsNull, `${name} can be null`).toBe(true)
      else if (!hasOuterJoin) expect(allowsNull, `${name} is never null`).toBe(false)
    }
  })
})
