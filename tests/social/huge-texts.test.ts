import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../support/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

test.each([
  ['full stops', '.'],
  ['domains', 'a.co/'],
  ['schemes', 'http://'],
  ['mentions', '@a'],
  ['hashtags', '#a'],
  ['cashtags', '$a '],
  ['joined emoji', '👨‍👩‍👧‍👦'],
  ['accents', 'a\u0301\u0323'],
  ['blanks', '\u3000 '],
  ['brackets in an address', 'http://a.co/('],
])('a megabyte of %s is refused within two seconds', async (_name, part) => {
  const text = part.repeat(Math.floor(900_000 / Buffer.byteLength(part)))
  const started = performance.now()
  const answer = await server.post('/2/posts', { text }, { user: 'alice' })
  expect(answer.status).toBe(400)
  expect(performance.now() - started).toBeLessThan(2_000)
})
