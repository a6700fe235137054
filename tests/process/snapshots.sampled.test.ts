import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ChildServer, removeFolder, startChildServer, temporaryFolder } from '../support/child-server.ts'
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
}, 240_000)
