import { afterAll, beforeAll, expect, test } from 'vitest'
import { keysFor, makePost } from '../social/acting.ts'
import { type As, startTestServer, type TestServer } from '../support/server.ts'

let server: TestServer
let small: As
beforeAll(async () => {
  server = await startTestServer(['--rate-limits', 'on'])
  small = { keys: await keysFor(server, 'bob', 1) }
})
afterAll(() => server.close())

const get = (path: string, as?: As) => server.get(path, as)
const alice: As = { user: 'alice' }

/** Each way in which a request can fail, with its status. */
const FAILURES: [why: string, status: number, send: () => ReturnType<typeof get>][] = [
  ['an invalid parameter', 400, () => get('/2/posts?ids=x')],
  ['an unknown parameter', 400, () => get('/2/posts?ids=1&no_such_name=1')],
  ['a malformed path', 400, () => get('/2/users/%zz')],
  ['a body that is not JSON', 400, () => server.request('POST', '/2/posts', { as: alice, raw: '{' })],
  ['missing credentials', 401, () => get('/2/posts?ids=1', 'nobody')],
  ['the wrong kind of credential', 403, () => get('/2/users/me', 'app')],
  [
    'a rule of the product',
    403,
    async () => {
      await makePost(server, 'alice', { text: 'Twice' })
      return server.post('/2/posts', { text: 'Twice' }, alice)
    },
  ],
  ['a tier that does not include the call', 403, () => server.post('/2/users/1/likes', { post_id: '1' }, small)],
  ['an unknown path', 404, () => get('/2/no/such/path')],
  ['an unknown path outside of every interface', 404, () => get('/no/such/path')],
  ['an unknown webhook', 404, () => server.delete('/2/webhooks/1')],
  ['a post to delete that does not exist', 404, () => server.delete('/2/posts/1', alice)],
  ['a stream without rules', 409, () => get('/2/posts/search/stream')],
  [
    'a body that is too large',
    413,
    () => server.request('POST', '/2/posts', { as: alice, json: { text: 'a'.repeat(2 ** 21) } }),
  ],
  [
    'a used up limit',
    429,
    async () => {
      let answer = await get('/2/users/me', { user: 'bob' })
      while (answer.status === 200) answer = await get('/2/users/me', { user: 'bob' })
      return answer
    },
  ],
  ['the control interface', 401, () => get('/_rostra/requests', 'nobody')],
]

test.each(FAILURES)('%s is a problem with %i and the content type of problems', async (_why, status, send) => {
  const answer = await send()
  expect([answer.status, answer.headers.get('content-type')]).toEqual([
    status,
    'application/problem+json; charset=utf-8',
  ])
  expect(answer.body).toMatchObject({ title: expect.any(String), type: expect.any(String) })
})
