import { afterAll, beforeAll, expect, test } from 'vitest'
import { type As, startTestServer, type TestServer } from '../support/server.ts'
import { makePost, rows } from './acting.ts'
import { type Member, makeCrowd, walk } from './crowd.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

/** A list of its first member, with the others as members. */
async function listOf([owner, ...members]: Member[], body: object = {}): Promise<string> {
  const { id } = (await server.post('/2/lists', { name: 'Writers', ...body }, owner!.as)).body.data
  for (const member of members) await server.post(`/2/lists/${id}/members`, { user_id: member.id }, owner!.as)
  return id
}
let written = 0
const write = (who: Member, body: object = {}) => {
  written += 1
  return makePost(server, who.as, { text: `For lists ${written}`, ...body })
}
const postsOf = async (list: string, as: As = 'app') => (await walk(server, `/2/lists/${list}/posts`, as)).ids

test('the posts of members come newest first: also replies, quotes and reposts, and of an edited post the last version', async () => {
  const [owner, one, other, stranger] = await makeCrowd(server, 4)
  const list = await listOf([owner!, one!, other!])
  await write(stranger!)
  const foreign = await write(stranger!)
  const first = await write(one!)
  const reply = await write(other!, { reply: { in_reply_to_post_id: foreign } })
  const quote = await write(one!, { quote_post_id: foreign })
  const reposted = await server.post(`/2/users/${other!.id}/reposts`, { post_id: foreign }, other!.as)
  expect(reposted.status).toBe(200)
  await server.command('user.update', { user: one!.id, subscription_type: 'Premium' })
  const edited = await makePost(server, one!.as, { text: 'Edited', edit_options: { previous_post_id: first } })
  const page = await server.get(`/2/lists/${list}/posts?post.fields=referenced_posts,author_id&expansions=author_id`)
  expect(page.body.data[0].id).toBe(edited)
  expect(page.body.data[1].referenced_posts).toEqual([{ type: 'reposted', id: foreign }])
  expect(page.body.data.slice(2).map((post: { id: string }) => post.id)).toEqual([quote, reply])
  expect(page.body.meta).toEqual({ result_count: 4 })
  expect(page.body.includes.users).toHaveLength(2)
})

test('pages of quiet and busy members together are exactly their posts, in both directions', async () => {
  const crowd = await makeCrowd(server, 9)
  const list = await listOf(crowd)
  const expected: string[] = []
  for (let round = 0; round < 6; round++)
    for (const [at, member] of crowd.slice(1).entries())
      if (at === 0 || round % (at + 1) === 0) expected.unshift(await write(member))
  for (const size of [1, 3, 7, 100])
    expect((await walk(server, `/2/lists/${list}/posts?max_results=${size}`, 'app')).ids).toEqual(expected)
  const first = await server.get(`/2/lists/${list}/posts?max_results=5`)
  const second = await server.get(`/2/lists/${list}/posts?max_results=5&pagination_token=${first.body.meta.next_token}`)
  const fresh = await write(crowd[3]!)
  const back = await server.get(
    `/2/lists/${list}/posts?max_results=5&pagination_token=${second.body.meta.previous_token}`,
  )
  const ids = (answer: typeof back) => answer.body.data.map((post: { id: string }) => post.id)
  expect([ids(first), ids(second), ids(back)]).toEqual([
    expected.slice(0, 5),
    expected.slice(5, 10),
    expected.slice(0, 5),
  ])
  const newest = await server.get(
    `/2/lists/${list}/posts?max_results=5&pagination_token=${back.body.meta.previous_token}`,
  )
  expect(ids(newest)).toEqual([fresh])
})

test('posts of members whom the viewer may not see are left out, and leave no holes in pages', async () => {
  const [owner, open, shy, bad, angry, fan] = (await makeCrowd(server, 6)) as [
    Member,
    Member,
    Member,
    Member,
    Member,
    Member,
  ]
  const list = await listOf([owner, open, shy, bad, angry])
  await server.command('relation.add', { kind: 'follow', source: fan.id, target: shy.id })
  await server.command('user.update', { user: shy.id, protected: true })
  const ids: Record<string, string> = {}
  for (const [name, who] of Object.entries({ open, angry, shy, bad })) ids[name] = await write(who)
  await server.command('user.update', { user: bad.id, suspended: true })
  await server.command('relation.add', { kind: 'block', source: angry.id, target: fan.id })
  expect(await postsOf(list)).toEqual([ids.angry, ids.open])
  expect(await postsOf(list, owner.as)).toEqual([ids.angry, ids.open])
  expect(await postsOf(list, fan.as)).toEqual([ids.shy, ids.open])
  expect(await postsOf(list, shy.as)).toEqual([ids.shy, ids.angry, ids.open])
  const page = await server.get(`/2/lists/${list}/posts?max_results=1`)
  expect(page.body.data).toHaveLength(1)
})

test('posts follow the members: who joins brings older posts, who leaves takes them along', async () => {
  const [owner, one, other] = (await makeCrowd(server, 3)) as [Member, Member, Member]
  const list = await listOf([owner, one])
  expect((await server.get(`/2/lists/${list}/posts`)).body).toEqual({ meta: { result_count: 0 } })
  const older = await write(other)
  const newer = await write(one)
  expect(await postsOf(list)).toEqual([newer])
  await server.post(`/2/lists/${list}/members`, { user_id: other.id }, owner.as)
  expect(await postsOf(list)).toEqual([newer, older])
  await server.delete(`/2/lists/${list}/members/${one.id}`, owner.as)
  expect(await postsOf(list)).toEqual([older])
  await server.delete(`/2/posts/${older}`, other.as)
  expect(await postsOf(list)).toEqual([])
})

test('posts for promotion, and of communities unless shared with followers, are left out', async () => {
  const [owner, one] = (await makeCrowd(server, 2)) as [Member, Member]
  const list = await listOf([owner, one])
  const [plain, promoted, inside, shared] = [await write(one), await write(one), await write(one), await write(one)]
  await rows(server, 'update post set nullcast = true where id = $1', [promoted])
  await rows(server, 'update post set community_id = 1, share_with_followers = (id = $2) where id = any($1)', [
    [inside, shared],
    shared,
  ])
  expect(await postsOf(list)).toEqual([shared, plain])
})
