import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type As, startTestServer, type TestServer } from '../support/server.ts'
import { makePost } from './acting.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

const hidden = (id: string, parameter = 'id', section = 'data') => ({
  value: id,
  detail: `Sorry, you are not authorized to see the Post with ${parameter}: [${id}].`,
  title: 'Authorization Error',
  resource_type: 'post',
  parameter,
  resource_id: id,
  section,
  type: `${server.runtime.problemBase}/not-authorized-for-resource`,
})

/** Checks that both lookups show the post to some callers and hide it from others. */
async function shownTo(id: string, who: { to: As[]; not: As[] }): Promise<void> {
  for (const as of who.to) {
    expect((await server.get(`/2/posts/${id}`, as)).body.data?.id, JSON.stringify(as)).toBe(id)
    expect((await server.get(`/2/posts?ids=${id}`, as)).body.data?.[0].id).toBe(id)
  }
  for (const as of who.not) {
    const one = await server.get(`/2/posts/${id}`, as)
    expect(one.status).toBe(200)
    expect(one.body, JSON.stringify(as)).toEqual({ errors: [hidden(id)] })
    expect((await server.get(`/2/posts?ids=${id}`, as)).body).toEqual({ errors: [hidden(id, 'ids')] })
  }
}

describe('a protected account', () => {
  test('shows its posts to itself and to its followers, not to strangers or apps', async () => {
    const id = await makePost(server, 'erin', { text: 'for followers' })
    await shownTo(id, { to: [{ user: 'erin' }, { user: 'bob' }], not: [{ user: 'alice' }, 'app', 'second-app'] })
  })

  test('shows its posts at once to a new follower and hides them at once from one who unfollowed', async () => {
    const id = await makePost(server, 'erin', { text: 'come and go' })
    await server.command('relation.add', { kind: 'follow', source: 'chika', target: 'erin' })
    await shownTo(id, { to: [{ user: 'chika' }], not: [] })
    await server.command('relation.remove', { kind: 'follow', source: 'chika', target: 'erin' })
    await shownTo(id, { to: [], not: [{ user: 'chika' }] })
  })

  test('hides its posts from those whom it follows but who do not follow it', async () => {
    const id = await makePost(server, 'erin', { text: 'one way' })
    await server.command('relation.add', { kind: 'follow', source: 'erin', target: 'alice' })
    await shownTo(id, { to: [], not: [{ user: 'alice' }] })
  })

  test('hides a post that another one replies to, in the section includes; the link stays', async () => {
    const target = await makePost(server, 'erin', { text: 'ask me' })
    const reply = await makePost(server, 'bob', { text: 'asking', reply: { in_reply_to_post_id: target } })
    const read = await server.get(`/2/posts/${reply}?expansions=referenced_posts.id,in_reply_to_user_id`, 'app')
    expect(read.status).toBe(200)
    expect(read.body.data.referenced_posts).toEqual([{ type: 'replied_to', id: target }])
    expect(read.body.includes).toEqual({
      users: [{ id: server.userId('erin'), name: 'Erin Walsh', username: 'erin' }],
    })
    expect(read.body.errors).toEqual([hidden(target, 'referenced_posts.id', 'includes')])
    const follower = await server.get(`/2/posts/${reply}?expansions=referenced_posts.id`, { user: 'bob' })
    expect(follower.body.includes.posts).toEqual([{ id: target, text: 'ask me' }])
    expect(follower.body.errors).toBeUndefined()
  })

  test('can be looked up by everyone, with its flag `protected`', async () => {
    const read = await server.get('/2/users/by/username/erin?user.fields=protected&expansions=most_recent_post_id')
    expect(read.body.data).toMatchObject({ username: 'erin', protected: true })
    expect(read.body.includes).toBeUndefined()
    expect(read.body.errors).toEqual([hidden(read.body.data.most_recent_post_id, 'most_recent_post_id', 'includes')])
  })

  test('hides its earlier posts as soon as it becomes protected and shows them when it becomes public again', async () => {
    const id = await makePost(server, 'dario', { text: 'open, closed, open' })
    await shownTo(id, { to: ['app'], not: [] })
    await server.command('user.update', { user: 'dario', protected: true })
    await shownTo(id, { to: [{ user: 'dario' }], not: ['app'] })
    await server.command('user.update', { user: 'dario', protected: false })
    await shownTo(id, { to: ['app'], not: [] })
  })

  test('cannot be quoted by users who may not see the post', async () => {
    const target = await makePost(server, 'erin', { text: 'not for quoting' })
    const refused = await server.post('/2/posts', { text: 'leak', quote_post_id: target }, { user: 'alice' })
    expect(refused.status).toBe(400)
    expect(refused.body.errors[0].parameters).toEqual({ quote_post_id: [target] })
    expect(refused.text).not.toContain('not for quoting')
  })
})

test('a block hides posts in both directions, from nobody else, and ends the follows', async () => {
  const ofAlice = await makePost(server, 'alice', { text: 'by alice' })
  const ofBob = await makePost(server, 'bob', { text: 'by bob' })
  await server.command('relation.add', { kind: 'block', source: 'alice', target: 'bob' })
  await shownTo(ofAlice, { to: [{ user: 'alice' }, { user: 'dario' }, 'app'], not: [{ user: 'bob' }] })
  await shownTo(ofBob, { to: [{ user: 'bob' }, { user: 'dario' }, 'app'], not: [{ user: 'alice' }] })
  const refused = await server.post(
    '/2/posts',
    { text: 'let me answer', reply: { in_reply_to_post_id: ofAlice } },
    { user: 'bob' },
  )
  expect(refused.status).toBe(400)
  const seen = await server.get('/2/users/by/username/bob?user.fields=connection_status', { user: 'alice' })
  expect(seen.body.data.connection_status).toEqual(['blocking'])
  await server.command('relation.remove', { kind: 'block', source: 'alice', target: 'bob' })
  await shownTo(ofAlice, { to: [{ user: 'bob' }], not: [] })
})

describe('a suspended account', () => {
  const suspended = (value: string, parameter: string) => ({
    value,
    detail: `User has been suspended: [${value}].`,
    title: 'Forbidden',
    resource_type: 'user',
    parameter,
    resource_id: value,
    type: `${server.runtime.problemBase}/resource-not-found`,
  })

  test('is reported as suspended in every lookup, and its posts are hidden', async () => {
    const id = await makePost(server, 'dario', { text: 'before the suspension' })
    const mention = await makePost(server, 'alice', { text: 'where is @dario' })
    await server.command('user.update', { user: 'dario', suspended: true })
    const dario = server.userId('dario')
    const one = await server.get(`/2/users/${dario}`)
    expect(one.status).toBe(200)
    expect(one.body).toEqual({ errors: [suspended(dario, 'id')] })
    const named = await server.get('/2/users/by/username/Dario')
    expect(named.status).toBe(200)
    expect(named.body).toEqual({ errors: [suspended('Dario', 'username')] })
    const several = await server.get(`/2/users?ids=${dario},${server.userId('bob')}`)
    expect(several.status).toBe(200)
    expect(several.body).toMatchObject({ data: [{ username: 'bob' }], errors: [suspended(dario, 'ids')] })
    await shownTo(id, { to: [], not: ['app', { user: 'bob' }] })
    const expanded = await server.get(`/2/posts/${mention}?expansions=entities.mentions.username`)
    expect(expanded.body.includes).toBeUndefined()
    expect(expanded.body.errors).toEqual([suspended(dario, 'entities.mentions.username')])
    await server.command('user.update', { user: 'dario', suspended: false })
    await shownTo(id, { to: ['app'], not: [] })
  })
})
