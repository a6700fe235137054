import type pg from 'pg'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { makePost, readPost } from '../social/acting.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

let restore = () => {}
afterEach(() => restore())

/** The connection of the next transaction is lost just after its commit: the change is kept, and nobody is informed. */
function loseNextCommit(): void {
  const { pool } = server.runtime.database
  const connect = pool.connect as (callback?: unknown) => unknown
  restore = () => {
    pool.connect = connect as typeof pool.connect
  }
  const connectAndLose = async () => {
    restore()
    const client = (await connect.call(pool)) as pg.PoolClient
    const query = client.query as (...parameters: unknown[]) => Promise<unknown>
    client.query = (async (...parameters: unknown[]) => {
      const result = await query.apply(client, parameters)
      if (parameters[0] !== 'commit') return result
      client.query = query as typeof client.query
      await client.end()
      throw new Error('Connection terminated unexpectedly')
    }) as typeof client.query
    return client
  }
  // The pool calls its own `connect` with a callback: single statements stay as they are.
  pool.connect = ((callback?: unknown) =>
    callback ? connect.call(pool, callback) : connectAndLose()) as typeof pool.connect
}

test('a change whose connection is lost at its commit is seen at once, though its request failed', async () => {
  const id = await makePost(server, 'alice', { text: 'Will you like this?' })
  const likes = async () => (await readPost(server, id, 'public_metrics')).public_metrics.like_count
  expect(await likes()).toBe(0)
  loseNextCommit()
  const answer = await server.post(`/2/users/${server.userId('bob')}/likes`, { post_id: id }, { user: 'bob' })
  expect(answer.status).toBe(503)
  expect(await likes()).toBe(1)
})
