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
])('a megabyte of %s is refused for its length, before the text is looked at', async (_name, part) => {
  const text = part.repeat(Math.floor(900_000 / Buffer.byteLength(part)))
  const answer = await server.post('/2/posts', { text }, { user: 'alice' })
  expect(answer.status).toBe(400)
  // The sentence of the length; a text that was parsed is refused with its weight.
  expect(answer.body.errors).toEqual([
    { parameters: expect.anything(), message: '$.text: may only be 50000 characters long' },
  ])
})

test('a text of a few long addresses is a short post, though it has thousands of characters', async () => {
  const text = Array.from({ length: 11 }, (_, at) => `https://example.com/${at}${'a'.repeat(3_000)}`).join(' ')
  const answer = await server.post('/2/posts', { text }, { user: 'alice' })
  expect(answer.status).toBe(201)
})
