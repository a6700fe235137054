import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { pinPost } from '../../src/social/users/pin-post.ts'
import { startTestServer, type TestAnswer, type TestServer } from '../support/server.ts'
import { makePost, notFoundOnly, readPost, rows } from './acting.ts'
import { bookmarking, eventsOf, type Member, makeCrowd, userCounts } from './crowd.ts'

let server: TestServer
let crowd: Member[]
beforeAll(async () => {
  server = await startTestServer()
  crowd = await makeCrowd(server, 20)
})
afterAll(() => server.close())

const remove = (id: string, user: string) => server.delete(`/2/posts/${id}`, { user })
const like = (member: Member, id: string) => server.post(`/2/users/${member.id}/likes`, { post_id: id }, member.as)
const unlike = (member: Member, id: string) => server.delete(`/2/users/${member.id}/likes/${id}`, member.as)
const repost = (member: Member, id: string) => server.post(`/2/users/${member.id}/reposts`, { post_id: id }, member.as)
const unrepost = (member: Member, id: string) => server.delete(`/2/users/${member.id}/reposts/${id}`, member.as)
const metrics = async (id: string) => (await readPost(server, id, 'public_metrics')).public_metrics
const left = async (table: string, id: string) =>
  (await rows(server, `select 1 from ${table} where post_id = $1`, [id])).length

/** For every user of the crowd: what the tables contain, and what the counters show. */
async function checkCrowd(): Promise<void> {
  const found = await rows(
    server,
    `select u.username, m.post_count, m.like_count, m.most_recent_post_id,
            (select count(*)::int from post p where p.author_id = u.id and p.first_version_id = p.id) as posts,
            (select count(*)::int from post_like l join post p on p.id = l.post_id where l.user_id = u.id) as likes,
            (select max(p.id) from post p where p.author_id = u.id) as newest
       from user_account u join user_metrics m on m.user_id = u.id where u.id = any($1)`,
    [crowd.map((member) => member.id)],
  )
  expect(found).toHaveLength(crowd.length)
  for (const { username, post_count, like_count, most_recent_post_id, posts, likes, newest } of found)
    expect({ username, post_count, like_count, most_recent_post_id }).toEqual({
      username,
      post_count: posts,
      like_count: likes,
      most_recent_post_id: newest,
    })
}

describe('a deleted post', () => {
  test('takes its likes along: users who liked it have one like less and no longer list it', async () => {
    const stays = await makePost(server, 'bob', { text: 'stays liked' })
    const goes = await makePost(server, 'bob', { text: 'goes liked' })
    for (const member of crowd.slice(0, 3)) for (const id of [stays, goes]) await like(member, id)
    const before = await userCounts(server, crowd[0]!.username)
    await remove(goes, 'bob')
    expect((await userCounts(server, crowd[0]!.username)).likes).toBe(before.likes - 1)
    const liked = await server.get(`/2/users/${crowd[0]!.id}/liked_posts`, crowd[0]!.as)
    expect(liked.body.data.map((post: { id: string }) => post.id)).toEqual([stays])
    expect(await left('post_like', goes)).toBe(0)
    expect((await metrics(stays)).like_count).toBe(3)
    await checkCrowd()
  })

  test('takes bookmarks and mentions along', async () => {
    const id = await makePost(server, 'bob', { text: '@chika goes bookmarked' })
    const alice = await bookmarking(server, 'alice')
    await server.post(`/2/users/${server.userId('alice')}/bookmarks`, { post_id: id }, alice)
    expect([await left('bookmark', id), await left('post_mention', id)]).toEqual([1, 1])
    await remove(id, 'bob')
    expect([await left('bookmark', id), await left('post_mention', id)]).toEqual([0, 0])
    const list = await server.get(`/2/users/${server.userId('alice')}/bookmarks`, alice)
    expect(list.body).toEqual({ meta: { result_count: 0 } })
  })

  test('takes the reposts of all its versions along, and what depends on them', async () => {
    const first = await makePost(server, 'alice', { text: 'reposted first' })
    const [one, two, three] = crowd as [Member, Member, Member]
    const own = await makePost(server, one.as, { text: 'own words before' })
    const made = [(await repost(one, first)).body.data.id]
    const second = await makePost(server, 'alice', { text: 'second', edit_options: { previous_post_id: first } })
    made.push((await repost(two, second)).body.data.id)
    await like(three, made[0]!)
    await like(one, second)
    const counts = await userCounts(server, one.username)
    expect(counts.newest).toBe(made[0])
    await remove(first, 'alice')
    for (const id of made) expect((await server.get(`/2/posts/${id}`)).body).toEqual(notFoundOnly)
    expect(await userCounts(server, one.username)).toEqual({
      posts: counts.posts - 1,
      likes: counts.likes - 1,
      newest: own,
    })
    await checkCrowd()
  })

  test('is an event with its versions, and so is each repost that is removed with it', async () => {
    const first = await makePost(server, 'alice', { text: 'noted first' })
    const second = await makePost(server, 'alice', { text: 'noted second', edit_options: { previous_post_id: first } })
    const vanished = (await repost(crowd[0]!, second)).body.data.id
    await remove(second, 'alice')
    const [, ...later] = await eventsOf(server, first)
    expect(later).toEqual([
      {
        type: 'post.delete',
        actor_id: server.userId('alice'),
        target_id: null,
        payload: { version_ids: [first, second] },
      },
    ])
    const [edited, reposted, ...last] = await eventsOf(server, second)
    expect([edited!.type, reposted!.type]).toEqual(['post.edit', 'repost.create'])
    expect(last).toEqual([
      {
        type: 'repost.delete',
        actor_id: crowd[0]!.id,
        target_id: server.userId('alice'),
        payload: { repost_id: vanished },
      },
    ])
  })
})

describe('a repost deleted by its own id', () => {
  test('is undone: the original stays, with one repost less', async () => {
    const original = await makePost(server, 'bob', { text: 'stays behind' })
    const { id } = (
      await server.post(`/2/users/${server.userId('chika')}/reposts`, { post_id: original }, { user: 'chika' })
    ).body.data
    const before = await userCounts(server, 'chika')
    expect((await remove(id, 'alice')).status).toBe(403)
    expect((await remove(id, 'chika')).body).toEqual({ data: { deleted: true } })
    expect((await metrics(original)).repost_count).toBe(0)
    expect((await userCounts(server, 'chika')).posts).toBe(before.posts - 1)
    expect((await eventsOf(server, original)).at(-1)).toEqual({
      type: 'repost.delete',
      actor_id: server.userId('chika'),
      target_id: server.userId('bob'),
      payload: { repost_id: id },
    })
    expect(await eventsOf(server, id)).toEqual([])
  })
})

describe('while others act on the post at the same moment,', () => {
  test('a deletion leaves every counter correct', async () => {
    for (let round = 0; round < 4; round++) {
      const id = await makePost(server, 'bob', { text: `contested ${round}` })
      await Promise.all(crowd.slice(0, 10).map((member) => like(member, id)))
      await Promise.all(crowd.slice(5, 15).map((member) => repost(member, id)))
      const answers = await Promise.all([
        ...crowd.slice(0, 5).map((member) => unlike(member, id)),
        ...crowd.slice(10, 20).map((member) => repost(member, id)),
        remove(id, 'bob'),
        ...crowd.slice(5, 10).map((member) => unrepost(member, id)),
      ])
      for (const answer of answers) expect([200, 404], answer.text).toContain(answer.status)
      expect(await rows(server, 'select 1 from post where reposted_post_id = $1', [id])).toEqual([])
      await checkCrowd()
    }
  })

  test('deletions of posts that the same users liked and reposted leave every counter correct', async () => {
    const ids: string[] = []
    for (const user of ['alice', 'bob', 'chika', 'dario'])
      for (const text of ['one of many', 'two of many']) ids.push(await makePost(server, user, { text }))
    await Promise.all(crowd.slice(0, 10).flatMap((member) => ids.map((id) => like(member, id))))
    await Promise.all(crowd.slice(0, 10).flatMap((member) => ids.map((id) => repost(member, id))))
    const users = ['alice', 'alice', 'bob', 'bob', 'chika', 'chika', 'dario', 'dario']
    const answers = await Promise.all(ids.map((id, index) => remove(id, users[index]!)))
    expect(answers.map((answer) => answer.status)).toEqual(ids.map(() => 200))
    await checkCrowd()
  })

  const waiting = async () => {
    const sql = "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
    return (await rows(server, sql)).length
  }

  /** Holds an action of a user at their counters, lets the author delete in between, and then releases both. */
  async function deleteDuring(id: string, member: Member, act: () => Promise<TestAnswer>): Promise<TestAnswer[]> {
    const holder = await server.runtime.database.pool.connect()
    await holder.query('begin')
    await holder.query('select 1 from user_metrics where user_id = $1 for update', [member.id])
    const acting = act()
    while ((await waiting()) < 1) await new Promise((resolve) => setTimeout(resolve, 5))
    let done = false
    const deletion = remove(id, 'bob').finally(() => {
      done = true
    })
    while (!done && (await waiting()) < 2) await new Promise((resolve) => setTimeout(resolve, 5))
    await holder.query('commit')
    holder.release()
    return Promise.all([acting, deletion])
  }

  test.each([
    ['a repost', repost, 1],
    ['a like', like, 0],
  ])('%s that began before the deletion goes with the post', async (what, act, index) => {
    const id = await makePost(server, 'bob', { text: `gone under ${what}` })
    const member = crowd[index]!
    const answers = await deleteDuring(id, member, () => act(member, id))
    expect(answers.map((answer) => answer.status)).toEqual([200, 200])
    expect(await left('post_like', id)).toBe(0)
    await checkCrowd()
  })
})

describe('a pinned post', () => {
  const pinned = async (user: string) =>
    (await server.get(`/2/users/by/username/${user}?user.fields=pinned_post_id`)).body.data.pinned_post_id

  test('is one of the user’s own, shown on the profile until it is unpinned or deleted', async () => {
    const bob = server.userId('bob')
    const first = await makePost(server, 'bob', { text: 'pinned first' })
    const second = await makePost(server, 'bob', { text: 'pinned second' })
    await pinPost(server.runtime, bob, first)
    expect(await pinned('bob')).toBe(first)
    await pinPost(server.runtime, bob, second)
    expect(await pinned('bob')).toBe(second)
    await pinPost(server.runtime, bob, null)
    expect(await pinned('bob')).toBeUndefined()
    await pinPost(server.runtime, bob, first)
    await remove(first, 'bob')
    expect(await pinned('bob')).toBeUndefined()
  })

  test('cannot belong to another user, be a repost or be unknown', async () => {
    const original = await makePost(server, 'alice', { text: 'not for the profile of bob' })
    const { id } = (await repost(crowd[0]!, original)).body.data
    await expect(pinPost(server.runtime, server.userId('bob'), original)).rejects.toMatchObject({ status: 403 })
    await expect(pinPost(server.runtime, crowd[0]!.id, id)).rejects.toMatchObject({ status: 403 })
    await expect(pinPost(server.runtime, crowd[0]!.id, '1')).rejects.toMatchObject({ status: 404 })
  })
})
