import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestServer, type TestServer } from './support/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

test('a signed user creates a post and reads it back', async () => {
  const made = await server.post('/2/posts', { text: 'A word & a link https://example.com/x @bob' }, { user: 'alice' })
  expect(made.text).toContain('data')
  expect(made.status).toBe(201)
  const read = await server.get(
    `/2/posts/${made.body.data.id}?post.fields=entities,author_id&expansions=author_id,entities.mentions.username`,
  )
  expect(read.body.data.author_id).toBe(server.userId('alice'))
  expect(read.body.includes.users.map((user: { username: string }) => user.username)).toEqual(['alice', 'bob'])
})
