import type { Readable } from 'node:stream'
import type pg from 'pg'
import { to as copyTo } from 'pg-copy-streams'
import type { Database } from '../../storage/database.ts'
import { TYPES } from './columns.ts'
import type { Kind } from './kind.ts'
import type { Format } from './manifest.ts'
import { toParquet } from './write-parquet.ts'

/** A moment of the database: everything read from it agrees. */
export interface ExportSnapshot {
  schema: string
  lastSequence: string
  baseUrl: string
  count(kind: Kind): Promise<number>
  /** The bytes of a file, as fast as the caller takes them. One at a time. */
  rows(kind: Kind, format: Format): AsyncIterable<Buffer>
}

/** Opens a snapshot for as long as `work` takes. */
export async function withSnapshot<T>(database: Database, work: (snapshot: ExportSnapshot) => Promise<T>): Promise<T> {
  const { snapshot, end, abandon } = await openSnapshot(database)
  try {
    const result = await work(snapshot)
    await end()
    return result
  } finally {
    abandon()
  }
}

/** The bytes of one file of an export, from a snapshot of its own. */
export async function* exportedBytes(database: Database, kind: Kind, format: Format): AsyncGenerator<Buffer> {
  const { snapshot, end, abandon } = await openSnapshot(database)
  try {
    yield* snapshot.rows(kind, format)
    await end()
  } finally {
    abandon()
  }
}

interface OpenSnapshot {
  snapshot: ExportSnapshot
  end(): Promise<void>
  /** Gives up the connection, unless `end` has returned it. */
  abandon(): void
}

async function openSnapshot(database: Database): Promise<OpenSnapshot> {
  const client = await database.pool.connect()
  let isOpen = true
  // A COPY that was not read to its end leaves the connection in the middle of it.
  const abandon = () => {
    if (isOpen) client.release(true)
    isOpen = false
  }
  try {
    await client.query('begin isolation level repeatable read read only')
    const { rows } = await client.query<{ schema: string; sequence: string; base_url: string | null }>(
      `select (select max(name) from schema_migration) as schema, (select place::text from event_head) as sequence,
              (select value from instance_fact where name = 'base_url') as base_url`,
    )
    const { schema, sequence, base_url } = rows[0]!
    const baseUrl = base_url ?? ''
    return {
      snapshot: {
        schema,
        lastSequence: sequence,
        baseUrl,
        count: async (kind) => {
          const counted = await client.query<{ rows: string }>(`select count(*) as rows from ${kind.table}`)
          return Number(counted.rows[0]!.rows)
        },
        rows: (kind, format) =>
          format === 'parquet'
            ? toParquet(kind, copyOut(client, rowsSql(kind, 'jsonl', baseUrl)))
            : copyOut(client, rowsSql(kind, format, baseUrl)),
      },
      end: async () => {
        await client.query('commit')
        isOpen = false
        client.release()
      },
      abandon,
    }
  } catch (error) {
    abandon()
    throw error
  }
}

const copyOut = (client: pg.PoolClient, sql: string): Readable => client.query(copyTo(sql))

const literal = (value: string): string => `'${value.replaceAll("'", "''")}'`

/** The COPY that writes the rows of a kind in the order of its key. */
function rowsSql(kind: Kind, format: 'jsonl' | 'csv', baseUrl: string): string {
  const base = literal(baseUrl)
  const how = format === 'csv' ? 'csv' : 'json'
  const columns = kind.columns.map(({ name, type, sql }) => `${TYPES[type][how](sql ?? `t.${name}`, base)} as ${name}`)
  const order = kind.key.map((name) => kind.columns.find((column) => column.name === name)!.sql ?? `t.${name}`)
  const rows = `select ${columns.join(', ')} from ${kind.from ?? `${kind.table} t`} order by ${order.join(', ')}`
  if (format === 'csv') return `copy (${rows}) to stdout (format csv, header)`
  // JSON has no control characters, so nothing is quoted and each line is the JSON itself.
  return `copy (select row_to_json(r)::text from (${rows}) r) to stdout (format csv, quote E'\\x01', escape E'\\x01', delimiter E'\\x02')`
}
