import { afterAll, beforeAll, expect, test } from 'vitest'
import { idAt } from '../../src/process/ids.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { makePost, rows } from './acting.ts'
import { newUser, walk } from './relating.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

const mentionsOf = (id: string) => `/2/users/${id}/mentions`
const idsOf = (body: { data?: { id: string }[] }) => (body.data ?? []).map((item) => item.id)

test('posts that mention a user are listed newest first, whoever wrote them', async () => {
  const { id } = await newUser(server, 'named')
  const first = await makePost(server, 'alice', { text: 'hello @named, how are you' })
  const second = await makePost(server, 'bob', { text: 'ask @Named about it' })
  await makePost(server, 'bob', { text: 'this one names nobody' })
  const page = await server.get(mentionsOf(id))
  expect(page.status).toBe(200)
  expect(idsOf(page.body)).toEqual([second, first])
  expect(page.body.meta).toEqual({ newest_id: second, oldest_id: first, result_count: 2 })
})

test('a user whom nobody mentions gets a page without data', async () => {
  const { id } = await newUser(server, 'unnamed')
  expect((await server.get(mentionsOf(id))).body).toEqual({ meta: { result_count: 0 } })
})

test('a reply that begins with the name of the answered user is a mention', async () => {
  const { id, as } = await newUser(server, 'answered')
  const asked = await makePost(server, as, { text: 'does anybody know this' })
  const answer = await makePost(server, 'bob', {
    text: 'I do',
    reply: { in_reply_to_post_id: asked, auto_populate_reply_metadata: true },
  })
  expect(idsOf((await server.get(mentionsOf(id))).body)).toEqual([answer])
})

test('only the newest version of a post counts, and an edit can remove a mention', async () => {
  const { id } = await newUser(server, 'edited_in')
  const first = await makePost(server, 'alice', { text: 'I mean @edited_in here' })
  const kept = await makePost(server, 'alice', {
    text: 'I do mean @edited_in here',
    edit_options: { previous_post_id: first },
  })
  expect(idsOf((await server.get(mentionsOf(id))).body)).toEqual([kept])
  await makePost(server, 'alice', { text: 'I mean nobody here', edit_options: { previous_post_id: kept } })
  expect((await server.get(mentionsOf(id))).body).toEqual({ meta: { result_count: 0 } })
})

test('reposts of a mention, deleted posts and promoted-only posts are not mentions', async () => {
  const { id } = await newUser(server, 'strictly')
  const kept = await makePost(server, 'alice', { text: 'only this names @strictly' })
  await server.post(`/2/users/${server.userId('bob')}/reposts`, { post_id: kept }, { user: 'bob' })
  const gone = await makePost(server, 'alice', { text: 'this named @strictly as well' })
  await server.delete(`/2/posts/${gone}`, { user: 'alice' })
  await makePost(server, 'alice', { text: 'an advertisement for @strictly', nullcast: true })
  expect(idsOf((await server.get(mentionsOf(id))).body)).toEqual([kept])
})

test('posts that the caller may not see are left out, and meta describes what is shown', async () => {
  const { id } = await newUser(server, 'seen_by')
  const open = await makePost(server, 'alice', { text: 'in the open @seen_by' })
  const closed = await makePost(server, 'erin', { text: 'for followers @seen_by' })
  const stranger = await server.get(mentionsOf(id), { user: 'alice' })
  expect(idsOf(stranger.body)).toEqual([open])
  expect(stranger.body.meta).toEqual({ newest_id: open, oldest_id: open, result_count: 1 })
  const follower = await server.get(mentionsOf(id), { user: 'bob' })
  expect(idsOf(follower.body)).toEqual([closed, open])
})

test('a mute hides nothing here, a block does', async () => {
  const viewer = await newUser(server, 'picky')
  const id = await makePost(server, 'dario', { text: 'a word for @picky' })
  await server.command('relation.add', { kind: 'mute', source: 'picky', target: 'dario' })
  expect(idsOf((await server.get(mentionsOf(viewer.id), viewer.as)).body)).toEqual([id])
  await server.command('relation.add', { kind: 'block', source: 'picky', target: 'dario' })
  expect((await server.get(mentionsOf(viewer.id), viewer.as)).body).toEqual({ meta: { result_count: 0 } })
})

test('the mentions of a protected account are visible to itself and its followers', async () => {
  const id = server.userId('erin')
  await makePost(server, 'bob', { text: 'good morning @erin' })
  const refused = await server.get(mentionsOf(id), { user: 'alice' })
  expect(refused.status).toBe(200)
  expect(refused.body.errors[0].title).toBe('Authorization Error')
  expect(refused.body.data).toBeUndefined()
  expect((await server.get(mentionsOf(id), { user: 'erin' })).body.meta.result_count).toBeGreaterThan(0)
})

test('the list reaches back 800 mentions and respects its bounds on every page', async () => {
  const { id } = await newUser(server, 'famous')
  const author = server.userId('bob')
  const ids = Array.from({ length: 810 }, (_, index) => idAt(Date.UTC(2025, 0, 1) + index * 1_000, 901))
  await rows(
    server,
    `with made as (
       insert into post (id, author_id, text, display_end, lang, conversation_id, first_version_id, mentioned_user_ids)
       select id, $1, 'number ' || id, 10, 'en', id, id, array[$2::bigint] from unnest($3::bigint[]) as p (id) returning id)
     insert into post_mention (user_id, post_id) select $2, id from made`,
    [author, id, ids],
  )
  ids.reverse()
  expect((await walk(server, `${mentionsOf(id)}?max_results=100`, 'app')).ids).toEqual(ids.slice(0, 800))
  expect((await server.get(`${mentionsOf(id)}?until_id=${ids[799]}`)).body).toEqual({ meta: { result_count: 0 } })
  const bounded = `${mentionsOf(id)}?max_results=7&since_id=${ids[20]}&end_time=2025-01-01T00:13:29Z`
  expect((await walk(server, bounded, 'app')).ids).toEqual(ids.slice(1, 20))
  const page = await server.get(bounded)
  const next = await server.get(`${bounded}&pagination_token=${page.body.meta.next_token}`)
  const back = await server.get(`${bounded}&pagination_token=${next.body.meta.previous_token}`)
  expect(idsOf(back.body)).toEqual(ids.slice(1, 8))
})
