import { afterAll, beforeAll, expect, test } from 'vitest'
import { createPersonas } from '../../src/population/personas/create-personas.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer([])
})
afterAll(() => server.close())

const SEED = 31

/** Makes personas until there were so many steps. */
async function make(personas: number, steps = Number.POSITIVE_INFINITY): Promise<boolean> {
  let done = 0
  const progress = async () => {
    done += 1
  }
  const watch = { isStopped: () => done >= steps, isEnding: () => false, progress }
  return createPersonas(server.runtime, { seed: SEED, personas }, watch)
}

/** What everybody can read about personas, and what follows say. */
async function counts() {
  const names = Array.from({ length: 40 }, (_, position) => `live${SEED}_${position.toString(36)}`).join()
  const answer = await server.get(`/2/users/by?usernames=${names}&user.fields=public_metrics`, { user: 'alice' })
  const shown = new Map<string, [number, number]>(
    answer.body.data.map(
      (user: { id: string; public_metrics: { followers_count: number; following_count: number } }) => [
        user.id,
        [user.public_metrics.followers_count, user.public_metrics.following_count],
      ],
    ),
  )
  const { rows } = await server.runtime.database.query<{ id: string; followers: number; following: number }>({
    text: `select u.id, (select count(*)::int from follow where target_id = u.id) as followers,
                  (select count(*)::int from follow where source_id = u.id) as following
             from user_account u where u.id = any($1::bigint[])`,
    values: [[...shown.keys()]],
  })
  const stored = new Map(rows.map((row) => [row.id, [row.followers, row.following]]))
  return { shown, stored: new Map([...shown.keys()].map((id) => [id, stored.get(id)!])) }
}

test('the counts of personas are those of their follows, also when their making was stopped and more are made later', async () => {
  expect(await make(40, 1)).toBe(false)
  const stopped = await counts()
  expect(stopped.shown.size).toBe(40)
  expect(stopped.shown).toEqual(stopped.stored)
  expect([...stopped.shown.values()].flat().every((count) => count === 0)).toBe(true)

  expect(await make(40)).toBe(true)
  const made = await counts()
  expect(made.shown).toEqual(made.stored)
  expect([...made.shown.values()].some(([followers]) => followers > 5)).toBe(true)

  expect(await make(90)).toBe(true)
  const more = await counts()
  expect(more.shown).toEqual(more.stored)
  expect(more.shown).not.toEqual(made.shown)
})

test('personas are found by the number of their followers', async () => {
  const found = await server.get(`/2/users/search?query=live${SEED}&max_results=100&user.fields=public_metrics`, {
    user: 'alice',
  })
  const followers: number[] = found.body.data.map(
    (user: { public_metrics: { followers_count: number } }) => user.public_metrics.followers_count,
  )
  expect(followers).toHaveLength(90)
  expect(followers).toEqual([...followers].sort((one, other) => other - one))
})
