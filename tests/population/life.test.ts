import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../support/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer([], { events: true })
})
afterAll(() => server.close())

/** Lives a life to its end. */
async function live(args: Record<string, unknown>) {
  const { id } = await server.command('live.start', { speed: 'max', ...args })
  for (;;) {
    const life = await server.command('live.show', { id })
    if (['ended', 'stopped', 'failed'].includes(life.state)) return life
    await sleep(20)
  }
}

const sum = (counts: Record<string, number>) => Object.values(counts).reduce((total, count) => total + count, 0)

test('personas look, act by real operations, and the clock follows', async () => {
  const before = Date.parse('2030-01-07T19:00:00Z')
  await server.command('clock', { set: '2030-01-07T19:00:00Z' })
  const life = await live({ personas: 400, for: '1h', seed: 7 })
  expect(life.reason).toBeUndefined()
  expect(life).toMatchObject({ state: 'ended', personas: 400, ticks: 60 })
  expect(life.looks).toBeGreaterThan(200)
  expect(life.views).toBeGreaterThan(10)
  expect(life.actions.post).toBeGreaterThan(2)
  expect(sum(life.actions)).toBeGreaterThan(life.actions.post)
  expect(sum(life.refused)).toBeLessThan(sum(life.actions) / 4)
  const clock = await server.command('clock', {})
  expect(clock.frozen).toBe(false)
  expect(new Date(clock.now).getTime()).toBeGreaterThanOrEqual(before + 3600_000)
  const found = await server.get('/2/users/search?query=live7_0', { user: 'alice' })
  expect(found.body.data[0].username).toBe('live7_0')
}, 60_000)
