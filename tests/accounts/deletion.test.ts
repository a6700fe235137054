import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeApp } from '../identity/steps.ts'
import { Browser } from '../support/browser.ts'
import { type As, startTestServer, type TestServer } from '../support/server.ts'

let server: TestServer
let zoe: { id: string; username: string; password: string }
let asZoe: As
let postId: string
let pollPostId: string
let repostedId: string
let listId: string
let communityId: string
let app: Awaited<ReturnType<typeof makeApp>>
const bob: As = { user: 'bob' }

const metricsOf = async (username: string) =>
  (await server.get(`/2/users/by/username/${username}?user.fields=public_metrics`, bob)).body.data.public_metrics
const postMetrics = async (id: string) =>
  (await server.get(`/2/posts/${id}?post.fields=public_metrics`, bob)).body.data.public_metrics
const removeNow = () => server.command('clock', { advance: '1s' })

let before: { bob: Record<string, number>; post: Record<string, number> }

beforeAll(async () => {
  server = await startTestServer()
  zoe = await server.command('user.create', { username: 'zoe', name: 'Zoe', password: 'a good password' })
  const token = await server.command('user.token', { user: 'zoe', oauth2: true })
  asZoe = { bearer: token.access_token }
  const id = server.userId('bob')
  const bobPost = (await server.post('/2/posts', { text: 'what zoe will like' }, bob)).body.data.id
  before = { bob: await metricsOf('bob'), post: await postMetrics(bobPost) }
  repostedId = bobPost
  postId = (await server.post('/2/posts', { text: 'a post of zoe' }, asZoe)).body.data.id
  const reply = { text: 'an answer', reply: { in_reply_to_post_id: bobPost } }
  expect((await server.post('/2/posts', reply, asZoe)).status).toBe(201)
  const asked = { text: 'which?', poll: { options: ['one', 'two'], duration_minutes: 60 } }
  pollPostId = (await server.post('/2/posts', asked, { user: 'chika' })).body.data.id
  for (const user of ['zoe', 'chika']) await server.command('poll.vote', { user, post: pollPostId, option: 2 })
  expect((await server.post(`/2/users/${zoe.id}/likes`, { post_id: bobPost }, asZoe)).body.data.liked).toBe(true)
  expect((await server.post(`/2/users/${zoe.id}/reposts`, { post_id: bobPost }, asZoe)).body.data.reposted).toBe(true)
  await server.post(`/2/users/${zoe.id}/bookmarks`, { post_id: bobPost }, asZoe)
  await server.post(`/2/users/${zoe.id}/following`, { target_user_id: id }, asZoe)
  await server.post(`/2/users/${id}/following`, { target_user_id: zoe.id }, bob)
  await server.post(`/2/users/${id}/likes`, { post_id: postId }, bob)
  listId = (await server.post('/2/lists', { name: 'with zoe' }, bob)).body.data.id
  await server.post(`/2/lists/${listId}/members`, { user_id: zoe.id }, bob)
  await server.post(`/2/dm_conversations/with/${id}/messages`, { text: 'hello bob' }, asZoe)
  communityId = (await server.command('communities.create', { name: 'Zoe and others', user: 'zoe' })).id
  await server.command('communities.join', { community: communityId, user: 'bob' })
  app = await makeApp(server, { owner: 'zoe', name: 'App of Zoe' })
})
afterAll(() => server.close())

describe('a deleted account', () => {
  test('is not found from the moment of the deletion, nor are its posts and tokens', async () => {
    const browser = new Browser(server.baseUrl)
    await browser.signIn(await browser.open('/i/sign-in?return_to=/favicon.ico'), zoe)
    expect(await server.command('user.delete', { user: 'zoe' })).toMatchObject({ id: zoe.id, deleted: true })
    for (const path of [`/2/users/${zoe.id}`, '/2/users/by/username/zoe', `/2/posts/${postId}`]) {
      const { body } = await server.get(path, bob)
      expect(body.data, path).toBeUndefined()
      expect(body.errors[0].type, path).toMatch(/\/resource-not-found$/)
    }
    expect((await server.get('/2/users/me', asZoe)).status).toBe(401)
    expect((await server.get(`/2/users/${zoe.id}`, { bearer: app.bearer_token })).status).toBe(403)
    expect((await browser.open('/i/sign-in')).text).toContain('<h1>Sign in</h1>')
    const again = await browser.signIn(await browser.open('/i/sign-in'), zoe)
    expect(again.status).toBe(401)
    expect((await server.tryCommand('user.delete', { user: 'zoe' })).status).toBe(404)
    expect((await server.tryCommand('user.create', { username: 'zoe' })).status).toBe(400)
  })

  test('leaves nothing but messages that others have, and all counters are right', async () => {
    await removeNow()
    expect(await metricsOf('bob')).toEqual({ ...before.bob, listed_count: before.bob.listed_count })
    expect(await postMetrics(repostedId)).toEqual({
      ...before.post,
      impression_count: (await postMetrics(repostedId)).impression_count,
    })
    const poll = await server.get(`/2/posts/${pollPostId}?expansions=attachments.poll_ids`, bob)
    expect(poll.body.includes.polls[0].options).toMatchObject([{ votes: 0 }, { votes: 1 }])
    const list = await server.get(`/2/lists/${listId}?list.fields=member_count`, bob)
    expect(list.body.data.member_count).toBe(0)
    const messages = await server.get('/2/dm_events?dm_event.fields=text,sender_id', bob)
    expect(messages.body.data).toContainEqual(expect.objectContaining({ text: 'hello bob', sender_id: zoe.id }))
    const members = await server.command('communities.members', { community: communityId })
    expect(members.members).toMatchObject([{ username: 'bob', role: 'admin' }])
    expect((await server.get(`/2/users/${zoe.id}`, { bearer: app.bearer_token })).status).toBe(401)
    const left = await server.runtime.database.query<{ count: string }>({
      text: `select count(*) from (select id from user_account where id = $1 union all select author_id from post where author_id = $1
               union all select user_id from post_like where user_id = $1 union all select id from user_terms where id = $1) x`,
      values: [zoe.id],
    })
    expect(left.rows[0]!.count).toBe('0')
  })

  test('frees its username for others', async () => {
    const made = await server.command('user.create', { username: 'Zoe' })
    expect(made.id).not.toBe(zoe.id)
    expect((await server.get('/2/users/by/username/zoe', bob)).body.data.id).toBe(made.id)
  })

  test('is reported as deleted to those who keep data', async () => {
    const { rows } = await server.runtime.database.query<{ type: string }>({
      text: 'select type from event_outbox where actor_id = $1 and type like $2',
      values: [zoe.id, 'user.%'],
    })
    expect(rows).toEqual([{ type: 'user.delete' }])
  })
})
