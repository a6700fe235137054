import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { createLogger } from '../../src/process/logger.ts'
import { readSettings } from '../../src/settings.ts'
import { prepare } from '../../src/start/prepare.ts'
import { type EndSteps, endPostmaster, findPostmaster } from '../../src/storage/embedded/postmaster.ts'
import { startEmbeddedPostgres } from '../../src/storage/embedded/server.ts'
import { TEMPLATE_DATABASE, TEST_SECRET_KEY, type TestConnection } from './facts.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    connection: TestConnection
  }
}

const AT_ONCE: EndSteps = [
  { signal: 'SIGQUIT', patienceMs: 5000 },
  { signal: 'SIGKILL', patienceMs: 5000 },
]

/** One PostgreSQL for the whole run, with a migrated template that each test file copies. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'rostra-tests-'))
  // The database runs as another user when root runs the tests.
  chmodSync(folder, 0o755)
  // Nothing has to survive this server. Tests of durability start servers of their own.
  const settings = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }
  const server = await startEmbeddedPostgres({ folder, log: () => {}, settings })
  const end = async () => {
    // Nothing is kept: a shutdown that writes all changed pages took up to a minute on a busy machine.
    const postmaster = await findPostmaster(path.join(folder, 'data'))
    if (postmaster) await endPostmaster(postmaster, AT_ONCE)
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    await makeTemplate(server.connection, folder)
  } catch (error) {
    await end()
    throw error
  }
  project.provide('connection', server.connection)
  return end
}

async function makeTemplate(server: TestConnection, folder: string): Promise<void> {
  const admin = new pg.Client({ ...server, database: 'postgres', ssl: false })
  await admin.connect()
  await admin.query(`create database ${TEMPLATE_DATABASE}`)
  await admin.end()
  const connection = { ...server, database: TEMPLATE_DATABASE, ssl: false }
  const settings = readSettings(['--data-dir', folder, '--secret-key', TEST_SECRET_KEY], {})
  const log = createLogger('error', 'tests')
  const { runtime } = await prepare(settings, { connection, embedded: undefined, close: async () => {} }, log, 0)
  await runtime.close()
}
