import pg from 'pg'
import type { ConnectionOptions } from '../../storage/database.ts'

/** Databases that are copies of a template, all on one server. */
export interface WorldDatabases {
  /** The database that the copies are made from. Nothing may be connected to it meanwhile. */
  template: ConnectionOptions
  /** Makes a copy and returns its address, as DATABASE_URL has it. */
  copy(): Promise<string>
  /** Removes everything. */
  drop(): Promise<void>
  close(): Promise<void>
}

/** Creates an empty template on the server of a connection. */
export async function createTemplate(connection: ConnectionOptions, prefix: string): Promise<WorldDatabases> {
  const address = addressOf(connection)
  const admin = new pg.Client({ connectionString: withDatabase(address, 'postgres') })
  // A server that ends must not end this process: what uses the worlds reports it.
  admin.on('error', () => {})
  await admin.connect()
  const template = `${prefix}_template`
  const names = [template]
  await admin.query(`create database ${template}`)
  return {
    template: { connectionString: withDatabase(address, template) },
    copy: async () => {
      const name = `${prefix}_${names.length}`
      names.push(name)
      // The files are copied as they are: faster than logging every page, since nothing of it has to survive.
      await admin.query(`create database ${name} template ${template} strategy file_copy`)
      return withDatabase(address, name)
    },
    drop: async () => {
      for (const name of names) await admin.query(`drop database if exists ${name} with (force)`)
    },
    close: () => admin.end(),
  }
}

function addressOf(connection: ConnectionOptions): string {
  if ('connectionString' in connection) return connection.connectionString
  const { host, port, user, password } = connection
  const query = new URLSearchParams({ host, port: String(port), user, ...(password === undefined ? {} : { password }) })
  return `postgresql://localhost/postgres?${query}`
}

function withDatabase(address: string, name: string): string {
  const url = new URL(address)
  url.pathname = `/${name}`
  return url.href
}
