import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Database, openDatabase } from '../../src/storage/database.ts'
import {
  buildProgram,
  emptyDatabase,
  finish,
  removeFolder,
  rostraJson,
  runRostra,
  spawnRostra,
  temporaryFolder,
} from '../support/child-server.ts'
import { inexactMetrics, worldChecksum } from './seeded-world.ts'

/** A separate data folder on a separate database. */
interface Home {
  flags: string[]
  database: Database
}

const folders: string[] = []
const databases: Database[] = []

async function newHome(): Promise<Home> {
  const folder = temporaryFolder()
  folders.push(folder)
  const url = await emptyDatabase()
  const database = openDatabase({ connectionString: url }, { connections: 1, name: 'tests' })
  databases.push(database)
  return { flags: ['--data-dir', path.join(folder, 'data'), '--database-url', url], database }
}

const SMALL = ['seed', '--seed', '7', '--users', '40', '--posts', '600', '--until', '2026-01-01']
let first: Home
let second: Home
let made: Record<string, unknown>

beforeAll(async () => {
  buildProgram()
  ;[first, second] = await Promise.all([newHome(), newHome()])
  ;[made] = await Promise.all([rostraJson([...SMALL, ...first.flags]), rostraJson([...SMALL, ...second.flags])])
})
afterAll(async () => {
  for (const database of databases) await database.close()
  for (const folder of folders) removeFolder(folder)
})

test('the same seed and sizes give the same rows in two fresh data folders', async () => {
  const sums = await worldChecksum(first.database)
  expect(sums).toEqual(await worldChecksum(second.database))
  expect(sums.post).toMatch(/^600 [0-9a-f]{32}$/)
  expect(sums.follow).toMatch(/^400 [0-9a-f]{32}$/)
})

test('the result says what was created and how fast', () => {
  expect(made).toEqual({
    outcome: 'made',
    seed: 7,
    users: 40,
    posts: 600,
    follows: 400,
    until: '2026-01-01T00:00:00.000Z',
    stored: { users: 40, follows: 400, posts: 600 },
    added: { users: 40, follows: 400, posts: 600 },
    per_second: { users: expect.any(Number), follows: expect.any(Number), posts: expect.any(Number) },
    seconds: expect.any(Number),
  })
})

test('a second run says that the world exists and changes nothing', async () => {
  const before = await worldChecksum(first.database)
  const again = await runRostra([...SMALL, ...first.flags])
  expect(again).toMatchObject({ code: 0, stderr: '' })
  expect(again.stdout).toBe(
    'This database has seed 7 (40 users, 400 follows, 600 posts until 2026-01-01T00:00:00.000Z) already. Nothing was changed.\n',
  )
  expect(await worldChecksum(first.database)).toEqual(before)
})

test('the same seed with other sizes is refused with advice', async () => {
  const refused = await runRostra(['seed', '--seed', '7', '--users', '41', '--posts', '600', ...first.flags])
  expect(refused).toMatchObject({ code: 1, stdout: '' })
  expect(refused.stderr.trimEnd()).toMatch(/^Seed 7 was used on this database with --users 40 .*Choose another --seed/)
  expect(refused.stderr.trimEnd()).not.toContain('\n')
})

test('a moment in the future is refused, and nothing is created', async () => {
  const args = ['seed', '--seed', '8', '--users', '2', '--posts', '1', '--until', '2999-01-01', ...second.flags]
  const refused = await runRostra(args)
  expect(refused).toMatchObject({ code: 1, stdout: '', stderr: '--until is in the future, but posts cannot be.\n' })
  const { rows } = await second.database.query({ text: `select 1 from instance_fact where name = 'seed_8'` })
  expect(rows).toEqual([])
})

test('Ctrl-C in the middle keeps whole steps, and the same command completes them', async () => {
  const large = ['seed', '--seed', '9', '--users', '500', '--posts', '24000', ...second.flags]
  const child = spawnRostra([...large, '--json', '--progress'])
  // Only once: a second signal ends the process at once.
  let sent = false
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    if (!sent && /posts [1-9]/.test(text)) sent = child.kill('SIGINT')
  })
  const stopped = await finish(child)
  expect(stopped.code).toBe(130)
  const result = JSON.parse(stopped.stdout)
  expect(result).toMatchObject({ outcome: 'stopped', posts: 24_000 })
  expect(result.stored.posts).toBeGreaterThan(0)
  expect(result.stored.posts).toBeLessThan(24_000)
  expect(stopped.stderr).toMatch(/^users 500\/500 {2}follows \d+\/5000 {2}posts 4000\/24000$/m)
  expect(await inexactMetrics(second.database, 'seed9')).toEqual({ users: 0, posts: 0 })

  const completed = await rostraJson(large)
  expect(completed).toMatchObject({ outcome: 'completed', stored: { posts: 24_000 }, added: { users: 0, follows: 0 } })
  expect(completed.added.posts).toBe(24_000 - result.stored.posts)
  expect(await inexactMetrics(second.database, 'seed9')).toEqual({ users: 0, posts: 0 })
})
