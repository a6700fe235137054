import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../support/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer([])
})
afterAll(() => server.close())

test('the state has the clock, the snapshots, the faults and what each app used and spent', async () => {
  await server.command('fault.add', { match: 'GET /2/users/me', status: 503, times: 2 })
  await server.get('/2/users/me', { user: 'alice' })
  await server.command('snapshot.save', { name: 'before' })
  await server.command('clock', { freeze: true })
  expect((await server.get(`/2/users/${server.userId('bob')}`)).status).toBe(200)
  const state = await server.command('state.show', { days: 2 })
  expect(state.clock).toMatchObject({ frozen: true, deterministic: false, now: expect.any(String) })
  expect(state.snapshots).toMatchObject([{ name: 'before', bytes: expect.any(Number), restorable: true }])
  expect(state.faults).toMatchObject([{ match: 'GET /2/users/me', status: 503, used: 1, times: 2, active: true }])
  const today = state.clock.now.slice(0, 10)
  expect(state.usage).toMatchObject({
    currency: expect.any(String),
    to: today,
    rows: [
      {
        project: expect.any(String),
        app: server.credentials.apps[0]!.name,
        day: today,
        kind: 'user',
        used: 1,
        cost: expect.any(Number),
      },
    ],
  })
  expect((await server.tryCommand('state.show', { days: 91 })).status).toBe(400)
})

test('the world is seeded in the running server, the same seed once', async () => {
  const made = await server.command('world.seed', { seed: 7, users: 5, posts: 20 })
  expect(made).toMatchObject({ outcome: 'made', seed: 7, users: 5, posts: 20 })
  expect((await server.get('/2/users/by/username/seed7_0')).status).toBe(200)
  expect(await server.command('world.seed', { seed: 7, users: 5, posts: 20 })).toMatchObject({ outcome: 'present' })
  const other = await server.tryCommand('world.seed', { seed: 7, users: 6, posts: 20 })
  expect({ status: other.status, detail: other.body.detail }).toEqual({
    status: 409,
    detail: expect.stringContaining('Seed 7 was used on this database'),
  })
  const tooMany = await server.tryCommand('world.seed', { seed: 8, users: 2, follows: 3 })
  expect(tooMany.status).toBe(400)
})
