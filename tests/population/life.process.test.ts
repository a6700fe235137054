import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connect } from '../../src/testing/connect.ts'
import type { Rostra } from '../../src/testing/types.ts'
import { type ChildServer, startChildServer } from '../support/child-server.ts'
import { workersOf } from '../support/processes.ts'

let server: ChildServer
let rostra: Rostra
beforeAll(async () => {
  server = await startChildServer({ flags: ['--workers', '1'] })
  rostra = await connect({ url: server.baseUrl, adminKey: server.credentials.admin_key })
})
afterAll(async () => {
  await rostra?.stop()
  await server?.stop()
})

/** Everything that a life did: decisions, and the posts and likes that came of them. */
async function traces(id: string) {
  const decisions = []
  let after: number | undefined
  do {
    const page: { decisions: unknown[]; next?: number } = await rostra.command('live.export', { id, after, all: true })
    decisions.push(...page.decisions)
    after = page.next
  } while (after !== undefined)
  const client = new pg.Client({ ...server.connection, ssl: false })
  await client.connect()
  try {
    const rows = async (sql: string) => (await client.query(sql)).rows
    return {
      decisions,
      posts: await rows('select id, author_id, text, reposted_post_id from post order by id'),
      likes: await rows('select user_id, post_id from post_like order by 1, 2'),
      follows: await rows('select source_id, target_id from follow order by 1, 2'),
    }
  } finally {
    await client.end()
  }
}

test('the same seed, clock and world give the same life, also when its process is killed in the middle', async () => {
  await rostra.clock.set('2030-01-07T19:00:00Z')
  await rostra.clock.freeze()
  await rostra.snapshot('before')
  const options = { personas: 150, seed: 3, for: '1h' }
  const first = await rostra.live(options)
  const expected = await traces(first.id)
  expect(expected.decisions.length).toBeGreaterThan(100)

  await rostra.restore('before')
  const { id } = await rostra.command<{ id: string }>('live.start', { ...options, speed: 'max' })
  let kills = 0
  for (let ticks = 0; kills < 2; ) {
    const life = await rostra.command<{ ticks: number; state: string }>('live.show', { id }).catch(() => undefined)
    if (life?.state === 'ended') break
    if (life && life.ticks >= ticks + 15) {
      ticks = life.ticks
      for (const pid of workersOf(server)) process.kill(pid, 'SIGKILL')
      kills += 1
    }
    await sleep(20)
  }
  expect(kills).toBeGreaterThan(0)
  for (;;) {
    const life = await rostra.command<{ state: string }>('live.show', { id }).catch(() => undefined)
    if (life && ['ended', 'failed'].includes(life.state)) break
    await sleep(50)
  }
  expect(await traces(id)).toEqual(expected)
})
