import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { PROGRAM_FOLDER } from '../process/program-folder.ts'
import type { Database } from './database.ts'
import { LOCK } from './lock-numbers.ts'

const FOLDER = path.join(PROGRAM_FOLDER, 'storage', 'migrations')

/** This version cannot use the database; the message is for people. */
export class MigrationError extends Error {}

/** Brings the schema up to date; several processes may call it at once. Returns the names that were applied now. */
export async function migrate(database: Database): Promise<string[]> {
  const files = readMigrations()
  const client = await database.pool.connect()
  try {
    await client.query('select pg_advisory_lock($1)', [LOCK.migrations])
    await client.query(
      'create table if not exists schema_migration (name text primary key, digest text not null, applied_at timestamptz not null)',
    )
    const done = new Map<string, string>(
      (await client.query('select name, digest from schema_migration')).rows.map((row) => [row.name, row.digest]),
    )
    refuseUnknown(done, files)
    const applied: string[] = []
    for (const file of files) {
      const digest = done.get(file.name)
      if (digest === file.digest) continue
      if (digest !== undefined)
        throw new MigrationError(`The migration ${file.name} was changed after it was applied to this database.`)
      await client.query('begin')
      try {
        await client.query(file.sql)
        await client.query('insert into schema_migration values ($1, $2, now())', [file.name, file.digest])
        await client.query('commit')
      } catch (error) {
        await client.query('rollback')
        throw error
      }
      applied.push(file.name)
    }
    return applied
  } finally {
    await client.query('select pg_advisory_unlock($1)', [LOCK.migrations]).catch(() => {})
    client.release()
  }
}

function refuseUnknown(done: Map<string, string>, files: { name: string }[]) {
  const known = new Set(files.map((file) => file.name))
  const unknown = [...done.keys()].filter((name) => !known.has(name))
  if (unknown.length === 0) return
  throw new MigrationError(
    `This data was written by a newer version of Rostra (it has ${unknown.join(', ')}, which this version does not have). Start the newer version, or use another data folder.`,
  )
}

function readMigrations() {
  return readdirSync(FOLDER)
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .map((name) => {
      const sql = readFileSync(path.join(FOLDER, name), 'utf8')
      return { name, sql, digest: createHash('sha256').update(sql).digest('hex') }
    })
}
