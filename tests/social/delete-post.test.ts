import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestServer, type TestAnswer, type TestServer } from '../support/server.ts'
import { forbidden, makePost, postCount, readPost, rows } from './acting.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

const remove = (id: string, user: string) => server.delete(`/2/posts/${id}`, { user })

const notFound = (id: string, parameter = 'id') => ({
  value: id,
  detail: `Could not find post with ${parameter}: [${id}].`,
  title: 'Not Found Error',
  resource_type: 'post',
  parameter,
  resource_id: id,
  type: `${server.runtime.problemBase}/resource-not-found`,
})

test('the author deletes a post: it is gone from lookup and no longer counted', async () => {
  const older = await makePost(server, 'bob', { text: 'stays' })
  const count = await postCount(server, 'bob')
  const id = await makePost(server, 'bob', { text: 'goes' })
  const answer = await remove(id, 'bob')
  expect(answer.status).toBe(200)
  expect(answer.body).toEqual({ data: { deleted: true } })
  const read = await server.get(`/2/posts/${id}`)
  expect(read.status).toBe(200)
  expect(read.body).toEqual({ errors: [notFound(id)] })
  expect(await postCount(server, 'bob')).toBe(count)
  const user = await server.get('/2/users/by/username/bob?user.fields=most_recent_post_id')
  expect(user.body.data.most_recent_post_id).toBe(older)
})

test('another user cannot delete a post', async () => {
  const id = await makePost(server, 'bob', { text: 'mine' })
  const answer = await remove(id, 'alice')
  expect(answer.status).toBe(403)
  expect(answer.body).toEqual(forbidden('You are not authorized to delete this Post.'))
  expect((await server.get(`/2/posts/${id}`)).status).toBe(200)
})

test('an app without a user cannot delete a post', async () => {
  const id = await makePost(server, 'bob', { text: 'not yours either' })
  const answer = await server.delete(`/2/posts/${id}`, 'app')
  expect(answer.status).toBe(403)
  expect(answer.body.type).toBe(`${server.runtime.problemBase}/unsupported-authentication`)
})

test.each(['1', '9223372036854775808', '9999999999999999999'])('deleting the unknown post %s is a 404', async (id) => {
  const answer = await remove(id, 'bob')
  expect(answer.status).toBe(404)
  expect(answer.body).toEqual({ ...notFound(id), status: 404 })
})

test('a post is deleted once: of five requests at the same moment one succeeds', async () => {
  const count = await postCount(server, 'dario')
  const target = await makePost(server, 'alice', { text: 'target of a deleted answer' })
  const id = await makePost(server, 'dario', { text: 'five times', reply: { in_reply_to_post_id: target } })
  const answers = await Promise.all(Array.from({ length: 5 }, () => remove(id, 'dario')))
  expect(answers.map((answer) => answer.status).sort()).toEqual([200, 404, 404, 404, 404])
  expect(await postCount(server, 'dario')).toBe(count)
  expect((await readPost(server, target, 'public_metrics')).public_metrics.reply_count).toBe(0)
})

test('deleting any version deletes the whole chain of edits', async () => {
  const count = await postCount(server, 'alice')
  const ids = [await makePost(server, 'alice', { text: 'chain one' })]
  for (const text of ['chain two', 'chain three'])
    ids.push(await makePost(server, 'alice', { text, edit_options: { previous_post_id: ids.at(-1)! } }))
  expect((await remove(ids[1]!, 'alice')).body).toEqual({ data: { deleted: true } })
  const read = await server.get(`/2/posts?ids=${ids}`)
  expect(read.body).toEqual({ errors: ids.map((id) => notFound(id, 'ids')) })
  expect(await postCount(server, 'alice')).toBe(count)
  expect(await rows(server, 'select 1 from post_metrics where post_id = any($1)', [ids])).toEqual([])
})

test('deleting a reply and a quote lowers the counters of the posts they referred to', async () => {
  const target = await makePost(server, 'alice', { text: 'referred to' })
  const reply = await makePost(server, 'bob', { text: 'answer', reply: { in_reply_to_post_id: target } })
  const quote = await makePost(server, 'bob', { text: 'quote', quote_post_id: target })
  const counts = async () => (await readPost(server, target, 'public_metrics')).public_metrics
  expect(await counts()).toMatchObject({ reply_count: 1, quote_count: 1 })
  await remove(reply, 'bob')
  expect(await counts()).toMatchObject({ reply_count: 0, quote_count: 1 })
  await remove(quote, 'bob')
  expect(await counts()).toMatchObject({ reply_count: 0, quote_count: 0 })
})

test('deleting an edited quote lowers the counter once', async () => {
  const target = await makePost(server, 'bob', { text: 'quoted and edited' })
  await makePost(server, 'chika', { text: 'another quote', quote_post_id: target })
  const quote = await makePost(server, 'alice', { text: 'first words', quote_post_id: target })
  const second = await makePost(server, 'alice', { text: 'second words', edit_options: { previous_post_id: quote } })
  await remove(second, 'alice')
  expect((await readPost(server, target, 'public_metrics')).public_metrics.quote_count).toBe(1)
})

test('a deleted post is no longer pinned', async () => {
  const me = () => server.get('/2/users/me?expansions=pinned_post_id', { user: 'alice' })
  const before = (await me()).body
  const pinned = before.data.pinned_post_id
  expect(before.includes.posts.map((post: { id: string }) => post.id)).toEqual([pinned])
  await remove(pinned, 'alice')
  expect((await me()).body).toEqual({ data: { id: server.userId('alice'), name: 'Alice Moreau', username: 'alice' } })
})

test('the poll of a deleted post is gone with it', async () => {
  const poll = { options: ['a', 'b'], duration_minutes: 5 }
  const id = await makePost(server, 'bob', { text: 'short poll', poll })
  const { attachments } = await readPost(server, id, 'attachments')
  await remove(id, 'bob')
  expect(await rows(server, 'select 1 from poll where id = $1', [attachments.poll_ids[0]])).toEqual([])
  expect(await rows(server, 'select 1 from poll_option where poll_id = $1', [attachments.poll_ids[0]])).toEqual([])
})

test('replies to a deleted post keep their link, and the expansion reports that it is gone', async () => {
  const target = await makePost(server, 'alice', { text: 'soon gone' })
  const reply = await makePost(server, 'bob', { text: 'still here', reply: { in_reply_to_post_id: target } })
  await remove(target, 'alice')
  const read = await server.get(`/2/posts/${reply}?expansions=referenced_posts.id&post.fields=conversation_id`)
  expect(read.status).toBe(200)
  expect(read.body).toEqual({
    data: {
      id: reply,
      text: 'still here',
      conversation_id: target,
      referenced_posts: [{ type: 'replied_to', id: target }],
    },
    errors: [notFound(target, 'referenced_posts.id')],
  })
})

test('a conversation whose first post is gone can still be replied to', async () => {
  const root = await makePost(server, 'alice', { text: 'root gone' })
  const reply = await makePost(server, 'bob', { text: 'middle', reply: { in_reply_to_post_id: root } })
  await remove(root, 'alice')
  const last = await makePost(server, 'dario', { text: 'last', reply: { in_reply_to_post_id: reply } })
  expect((await readPost(server, last, 'conversation_id')).conversation_id).toBe(root)
})

/** Waits until that many statements of the server wait for a locked row. */
async function waiting(count: number): Promise<void> {
  const sql = "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
  const until = Date.now() + 5_000
  while ((await rows(server, sql)).length < count) {
    if (Date.now() > until) throw new Error(`fewer than ${count} statements wait`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

/** Holds two requests at the counters of bob, in their order, and releases them together. Returns their answers. */
async function letGoTogether(first: () => Promise<TestAnswer>, second: () => Promise<TestAnswer>) {
  const holder = await server.runtime.database.pool.connect()
  await holder.query('begin')
  await holder.query('select 1 from user_metrics where user_id = $1 for update', [server.userId('bob')])
  const one = first()
  await waiting(1)
  const two = second()
  await waiting(2)
  await holder.query('commit')
  holder.release()
  return Promise.all([one, two])
}

describe('an author who replies and deletes at the same moment never gets a server error', () => {
  const answer = (target: string, text: string) =>
    server.post('/2/posts', { text, reply: { in_reply_to_post_id: target } }, { user: 'bob' })

  test.each(['the answer comes first', 'the deletion comes first'])(
    'the answered post is deleted: %s',
    async (order) => {
      const id = await makePost(server, 'bob', { text: `busy: ${order}` })
      await answer(id, 'an answer before')
      const requests = [() => answer(id, 'an answer during'), () => remove(id, 'bob')] as const
      const [first, second] = order.startsWith('the answer') ? requests : [requests[1], requests[0]]
      const statuses = (await letGoTogether(first, second)).map((one) => one.status)
      for (const status of statuses) expect([200, 201, 400]).toContain(status)
    },
  )

  test.each(['the answer comes first', 'the deletion comes first'])('another reply is deleted: %s', async (order) => {
    const target = await makePost(server, 'alice', { text: `asked: ${order}` })
    const old = (await answer(target, 'the old answer')).body.data.id
    const requests = [() => answer(target, 'the new answer'), () => remove(old, 'bob')] as const
    const [first, second] = order.startsWith('the answer') ? requests : [requests[1], requests[0]]
    const statuses = (await letGoTogether(first, second)).map((one) => one.status)
    expect(statuses.sort()).toEqual([200, 201])
    expect((await readPost(server, target, 'public_metrics')).public_metrics.reply_count).toBe(1)
  })
})
