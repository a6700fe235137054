import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ChildServer, removeFolder, startChildServer, temporaryFolder } from '../support/child-server.ts'
import { workersOf } from '../support/processes.ts'
import { sampleOf } from '../support/sampling.ts'

let folder: string
let server: ChildServer
beforeAll(async () => {
  folder = temporaryFolder()
  server = await startChildServer({ dataDir: `${folder}/data`, flags: ['--workers', '1'] })
})
afterAll(async () => {
  await server?.stop()
  removeFolder(folder)
})

const command = async (name: string, args: object = {}) => {
  const answer = await fetch(`${server.baseUrl}/_rostra/commands/${name}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.credentials.admin_key}`, 'content-type': 'application/json' },
    body: JSON.stringify(args),
  })
  if (!answer.ok) throw new Error(`${name}: ${answer.status} ${await answer.text()}`)
  return answer.json()
}
const usernames = async (): Promise<string[]> =>
  (await command('user.list', { limit: 100 })).users.map((user: { username: string }) => user.username)

test('after a kill during a save or a restore the world is one of the two, and the snapshot is usable', async () => {
  const before = await usernames()
  await command('clock', { set: '2032-01-01T00:00:00Z', freeze: true })
  await command('snapshot.save', { name: 'kept' })
  for (const [round, waitMs] of sampleOf('snapshots and kills', [0, 15, 40, 80, 150], 1).entries()) {
    await command('user.create', { username: `later_${round}`, name: 'Later' })
    const later = [...before, `later_${round}`].sort()
    void command('snapshot.save', { name: 'other' })
      .then(() => command('snapshot.restore', { name: 'kept' }))
      .catch(() => {})
    await sleep(waitMs)
    process.kill(server.pid, 'SIGKILL')
    await server.ended
    server = await startChildServer({ dataDir: `${folder}/data`, flags: ['--workers', '1'] })
    expect([before.toSorted(), later]).toContainEqual((await usernames()).sort())
    await command('snapshot.restore', { name: 'kept' })
    expect((await usernames()).sort()).toEqual(before.toSorted())
    expect(await command('clock')).toMatchObject({ now: '2032-01-01T00:00:00.000Z', frozen: true })
  }
})

test.each(['worker', 'server'])(
  'a reset whose %s is killed before it has looked who wrote meanwhile is finished',
  async (victim) => {
    await command('clock', { resume: true, advance: '3d' })
    const [writer, other] = [new pg.Client(server.connection), new pg.Client(server.connection)]
    for (const client of [writer, other]) {
      // The server is killed while they are connected.
      client.on('error', () => {})
      await client.connect()
    }
    const first = (await other.query(`select schema_name from world_snapshot where name = ' first world'`)).rows[0]
    const looking = `${first.schema_name}.was_written(int[])`
    const { definition } = (await other.query('select pg_get_functiondef($1::regprocedure) as definition', [looking]))
      .rows[0]
    await other.query(
      `create or replace function ${first.schema_name}.was_written(but int[]) returns boolean language plpgsql as 'begin perform pg_sleep(60); end'`,
    )
    // A file that is not empty is locked, and the reset would wait for the writer.
    await writer.query('truncate report')
    await writer.query('begin; lock table report in row exclusive mode')
    fetch(`${server.baseUrl}/_rostra/reset`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.credentials.admin_key}` },
    }).catch(() => {})
    const isUnfinished = async (client: pg.Client) =>
      (await client.query('select from world_snapshot where unfinished_at is not null')).rows.length > 0
    await expect.poll(() => isUnfinished(other), { interval: 5 }).toBe(true)
    await writer.query(
      `insert into report (id, reporter_id, kind, subject_id, reason, created_at) values (1, ${server.credentials.users[0]!.id}, 'user', '1', 'spam', '2026-11-01'); commit`,
    )
    await other.query(definition)
    const workers = workersOf(server)
    if (victim === 'server') process.kill(server.pid, 'SIGKILL')
    for (const pid of workers) process.kill(pid, 'SIGKILL')
    if (victim === 'server') {
      await server.ended
      server = await startChildServer({ dataDir: `${folder}/data`, flags: ['--workers', '1'] })
    }
    for (const client of [writer, other]) await client.end().catch(() => {})
    const later = new pg.Client(server.connection)
    await later.connect()
    await expect.poll(() => isUnfinished(later)).toBe(false)
    expect((await later.query('select from report')).rows).toEqual([])
    await later.end()
    await expect.poll(() => command('clock').catch(() => {})).toMatchObject({ offset_ms: 0 })
  },
)
