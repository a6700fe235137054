import { lookup } from 'node:dns/promises'
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import {
  buildProgram,
  type ChildServer,
  emptyDatabase,
  type Finished,
  finish,
  removeFolder,
  runRostra,
  spawnRostra,
  startChildServer,
  temporaryFolder,
} from '../support/child-server.ts'
import { processesOn } from '../support/processes.ts'

const NOBODY = 65534
const isRoot = process.getuid?.() === 0

let folder: string
let dataDir: string
let server: ChildServer

beforeAll(async () => {
  buildProgram()
  folder = temporaryFolder()
  dataDir = path.join(folder, 'data')
  server = await startChildServer({ dataDir, flags: ['--workers', '1'] })
})
afterAll(async () => {
  await server.stop()
  removeFolder(folder)
})

function expectOneParagraph({ code, stdout, stderr }: Finished, words: RegExp): void {
  expect(stdout).toBe('')
  expect(stderr.trimEnd()).toMatch(words)
  expect(stderr.trimEnd()).not.toContain('\n')
  expect(code).toBe(1)
}

/** No instance file and no process is left. */
function expectNothingRuns(where: string): void {
  expect(existsSync(path.join(where, 'instance.json'))).toBe(false)
  expect(processesOn(where)).toEqual([])
}

test('a port that is taken is refused before anything is created', async () => {
  const holder = net.createServer().listen(0, 'localhost')
  await new Promise((resolve) => holder.once('listening', resolve))
  const { port } = holder.address() as net.AddressInfo
  const fresh = path.join(folder, 'port-taken')
  const refused = await runRostra(['start', '--data-dir', fresh, '--port', String(port)])
  holder.close()
  expectOneParagraph(refused, new RegExp(`^Port ${port} is taken by another program\\. .*--port or ROSTRA_PORT\\.$`))
  expect(existsSync(fresh)).toBe(false)
})

test('a port that is taken on another address of the same name is refused too', async () => {
  const addresses = (await lookup('localhost', { all: true })).map((item) => item.address)
  for (const address of addresses) {
    const holder = net.createServer().listen(0, address)
    await new Promise((resolve) => holder.once('listening', resolve))
    const { port } = holder.address() as net.AddressInfo
    const refused = await runRostra(['start', '--data-dir', path.join(folder, 'half-taken'), '--port', String(port)])
    holder.close()
    expectOneParagraph(refused, new RegExp(`^Port ${port} is taken by another program`))
  }
})

test.each(['SIGINT', 'SIGTERM'] as const)('%s while it starts ends it and its database', async (signal) => {
  const fresh = path.join(folder, `stopped-by-${signal}`)
  const child = spawnRostra(['start', '--json', '--data-dir', fresh, '--port', '0', '--workers', '1'])
  const ended = finish(child)
  // The database is being started once it has a folder.
  await vi.waitFor(() => expect(existsSync(path.join(fresh, 'postgres'))).toBe(true), { timeout: 60_000 })
  child.kill(signal)
  const { code, stdout, stderr } = await ended
  expect([code === 0 || code === 130, stdout, stderr]).toEqual([true, '', ''])
  expectNothingRuns(fresh)
})

test('an address of another machine is refused', async () => {
  const fresh = path.join(folder, 'no-address')
  const refused = await runRostra(['start', '--data-dir', fresh, '--port', '0', '--host', '192.0.2.1'])
  expectOneParagraph(refused, /^The address 192\.0\.2\.1 is not one of this machine\. .*--host\.$/)
  expect(existsSync(fresh)).toBe(false)
})

test('a data folder that another instance uses is refused, and that instance goes on', async () => {
  const refused = await runRostra(['start', '--data-dir', dataDir, '--port', '0'])
  expectOneParagraph(refused, /is in use by another instance of Rostra \(process \d+, http:.*--data-dir\.$/)
  expect(refused.stderr).toContain(`process ${server.pid}, ${server.baseUrl}`)
  expect((await fetch(`${server.baseUrl}/health`)).status).toBe(200)
  expect(existsSync(path.join(dataDir, 'instance.json'))).toBe(true)
})

test('a database that does not answer is refused without showing its password', async () => {
  const fresh = path.join(folder, 'no', 'database')
  const refused = await runRostra(['start', '--data-dir', fresh, '--port', '0'], {
    env: { DATABASE_URL: 'postgres://me:pass-word@127.0.0.1:9/rostra' },
  })
  expectOneParagraph(refused, /^The database of DATABASE_URL at 127\.0\.0\.1:9 cannot be reached: \S/)
  expect(refused.stderr).not.toContain('pass-word')
  expectNothingRuns(fresh)
  expect(existsSync(path.dirname(fresh))).toBe(false)
})

test.each(['postgres://[bad', 'postgres://h:99999999/d'])('the database address %s is refused', async (url) => {
  const refused = await runRostra(['start', '--data-dir', path.join(folder, 'bad-address'), '--port', '0'], {
    env: { DATABASE_URL: url },
  })
  expectOneParagraph(refused, /^The database of DATABASE_URL at its address cannot be reached: Invalid URL\./)
})

test('a database whose user may not create tables is refused', async () => {
  const databaseUrl = await emptyDatabase()
  const url = new URL(databaseUrl)
  const admin = new pg.Client({ connectionString: databaseUrl })
  await admin.connect()
  await admin.query(`drop role if exists onlooker`)
  await admin.query(`create role onlooker login`)
  await admin.end()
  url.searchParams.set('user', 'onlooker')
  const refused = await runRostra(['start', '--data-dir', path.join(folder, 'onlooker'), '--port', '0'], {
    env: { DATABASE_URL: url.href },
  })
  expectOneParagraph(refused, /^The user of DATABASE_URL may not create tables in its database\. Grant CREATE/)
})

test.runIf(process.platform === 'linux')('a folder that cannot be created is refused', async () => {
  const refused = await runRostra(['start', '--data-dir', '/proc/rostra/data', '--port', '0'])
  expectOneParagraph(refused, /^The data folder \S+ cannot be written \((ENOENT|EACCES|EPERM)\)/)
})

test('a data folder that cannot be written is refused', async () => {
  const closed = path.join(folder, 'closed')
  mkdirSync(closed, { mode: 0o555 })
  const asOther = isRoot ? { uid: NOBODY } : {}
  for (const where of [closed, path.join(closed, 'below')]) {
    const refused = await runRostra(['start', '--data-dir', where, '--port', '0'], asOther)
    expectOneParagraph(refused, /^The data folder \S+ cannot be written \(EACCES\)\. .*--data-dir\.$/)
    expectNothingRuns(where)
  }
  expect(readdirSync(closed)).toEqual([])
})

test('a file at the path of the data folder is refused', async () => {
  const file = path.join(folder, 'file')
  writeFileSync(file, 'x')
  const refused = await runRostra(['start', '--data-dir', file, '--port', '0'])
  expectOneParagraph(refused, /^The data folder \S+ cannot be written/)
  expect(processesOn(file)).toEqual([])
})

test('a key that is not the one of the data is refused, at the start and by commands', async () => {
  expect(await server.stop()).toBe(0)
  expectNothingRuns(dataDir)
  const refused = await runRostra(['start', '--data-dir', dataDir, '--port', '0', '--secret-key', 'b'.repeat(64)])
  expectOneParagraph(refused, /were encrypted with another key\. .*secret\.key/)
  expectNothingRuns(dataDir)
  const command = await runRostra(['user', 'list', '--data-dir', dataDir, '--secret-key', 'b'.repeat(64)])
  expectOneParagraph(command, /were encrypted with another key\. .*secret\.key/)
  expectNothingRuns(dataDir)
})

test('a broken key file is refused', async () => {
  const broken = path.join(folder, 'broken-key')
  mkdirSync(broken)
  writeFileSync(path.join(broken, 'secret.key'), 'not a key\n')
  const refused = await runRostra(['start', '--data-dir', broken, '--port', '0'])
  expectOneParagraph(refused, /^The file \S+secret\.key does not contain a key of 64 hex digits\./)
  expectNothingRuns(broken)
  rmSync(broken, { recursive: true })
})

test('data of a newer version is refused and stays as it is', async () => {
  server = await startChildServer({ dataDir, flags: ['--workers', '1'] })
  const client = new pg.Client(server.connection)
  await client.connect()
  await client.query(`insert into schema_migration values ('9999-from-the-future.sql', 'x', now())`)
  await client.end()
  await server.stop()
  const refused = await runRostra(['start', '--data-dir', dataDir, '--port', '0'])
  expectOneParagraph(refused, /written by a newer version of Rostra \(it has 9999-from-the-future\.sql, /)
  expectNothingRuns(dataDir)
  const command = await runRostra(['app', 'list', '--data-dir', dataDir])
  expectOneParagraph(command, /written by a newer version of Rostra/)
  expectNothingRuns(dataDir)
})
