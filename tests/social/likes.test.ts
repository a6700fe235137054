import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type As, startTestServer, type TestServer } from '../support/server.ts'
import { forbidden, makePost, readPost, rows } from './acting.ts'
import { eventsOf, type Member, makeCrowd, userCounts, walk, whileDeleted } from './crowd.ts'

let server: TestServer
let crowd: Member[]
beforeAll(async () => {
  server = await startTestServer()
  crowd = await makeCrowd(server, 6)
})
afterAll(() => server.close())

const like = (member: Member, id: string) => server.post(`/2/users/${member.id}/likes`, { post_id: id }, member.as)
const unlike = (member: Member, id: string) => server.delete(`/2/users/${member.id}/likes/${id}`, member.as)
const likeCount = async (id: string) => (await readPost(server, id, 'public_metrics')).public_metrics.like_count
const edited = (previous: string, text: string) =>
  makePost(server, 'alice', { text, edit_options: { previous_post_id: previous } })

describe('a like', () => {
  test('created again is a success and counted once', async () => {
    const id = await makePost(server, 'bob', { text: 'liked again' })
    for (let times = 0; times < 3; times++) {
      const answer = await like(crowd[0]!, id)
      expect(answer.status).toBe(200)
      expect(answer.body).toEqual({ data: { liked: true } })
    }
    expect(await likeCount(id)).toBe(1)
  })

  test('of a post that is deleted at the same moment is a 404, and nothing is stored or reported', async () => {
    const id = await makePost(server, 'bob', { text: 'gone in the same moment' })
    const before = await userCounts(server, crowd[0]!.username)
    const answer = await whileDeleted(server, id, () => like(crowd[0]!, id))
    expect(answer.status).toBe(404)
    expect(answer.body).toMatchObject({ parameter: 'post_id', resource_id: id, title: 'Not Found Error' })
    expect(await rows(server, 'select 1 from post_like where post_id = $1', [id])).toEqual([])
    expect(await userCounts(server, crowd[0]!.username)).toEqual(before)
    expect((await eventsOf(server, id)).map((event) => event.type)).not.toContain('like.create')
  })

  test('of a post that the caller may not see is a 403', async () => {
    const hidden = await makePost(server, 'erin', { text: 'not yours to like' })
    const refused = await like(crowd[0]!, hidden)
    expect(refused.status).toBe(403)
    expect(refused.body).toEqual(forbidden(`Sorry, you are not authorized to see the Post with post_id: [${hidden}].`))
    const blocked = await makePost(server, 'dario', { text: 'not for those I block' })
    await server.command('relation.add', { kind: 'block', source: 'dario', target: crowd[1]!.username })
    expect((await like(crowd[1]!, blocked)).status).toBe(403)
    expect(await rows(server, 'select 1 from post_like where post_id = any($1)', [[hidden, blocked]])).toEqual([])
  })

  test('is removed by the id of any version, and reported for the one that was liked', async () => {
    const first = await makePost(server, 'alice', { text: 'liked at first' })
    const before = await userCounts(server, crowd[2]!.username)
    await like(crowd[2]!, first)
    const second = await edited(first, 'liked at second')
    await like(crowd[2]!, second)
    await like(crowd[3]!, second)
    expect((await unlike(crowd[2]!, second)).body).toEqual({ data: { liked: false } })
    expect([await likeCount(first), await likeCount(second)]).toEqual([0, 1])
    expect(await userCounts(server, crowd[2]!.username)).toEqual(before)
    for (const id of [first, second])
      expect((await eventsOf(server, id)).filter((event) => event.type === 'like.delete')).toHaveLength(1)
  })
})

describe('who liked a post', () => {
  test('is listed without those whose posts the caller may not see', async () => {
    const id = await makePost(server, 'bob', { text: 'liked by many' })
    const [shy, gone, blocking, plain] = crowd as [Member, Member, Member, Member]
    for (const member of [shy, gone, blocking, plain]) await like(member, id)
    await server.command('user.update', { user: shy.username, protected: true })
    await server.command('user.update', { user: gone.username, suspended: true })
    await server.command('relation.add', { kind: 'block', source: blocking.username, target: 'alice' })
    const seenBy = async (as: As) => {
      const answer = await server.get(`/2/posts/${id}/liking_users`, as)
      expect(answer.body.meta.result_count).toBe(answer.body.data.length)
      return answer.body.data.map((item: { id: string }) => item.id)
    }
    expect(await seenBy({ user: 'alice' })).toEqual([plain.id])
    expect(await seenBy({ user: 'chika' })).toEqual([plain.id, blocking.id])
    expect(await seenBy(shy.as)).toEqual([plain.id, blocking.id, shy.id])
    await server.command('user.update', { user: shy.username, protected: false })
    await server.command('user.update', { user: gone.username, suspended: false })
  })
})

describe('what a user liked', () => {
  test('is shown in its newest version, once, page by page', async () => {
    const [member] = crowd.slice(-1) as [Member]
    const first = await makePost(server, 'alice', { text: 'first words' })
    await like(member, first)
    const others: string[] = []
    for (let index = 0; index < 6; index++) others.unshift(await makePost(server, 'bob', { text: `between ${index}` }))
    for (const id of others.toReversed()) await like(member, id)
    const path = `/2/users/${member.id}/liked_posts?max_results=5`
    const second = await edited(first, 'second words')
    expect(await walk(server, path, member.as)).toEqual({ ids: [...others, second], pages: 2 })
    const third = await edited(second, 'third words')
    await like(member, second)
    expect(await walk(server, path, member.as)).toEqual({ ids: [third, ...others], pages: 2 })
    const page = await server.get(path, member.as)
    const next = await server.get(`${path}&pagination_token=${page.body.meta.next_token}`, member.as)
    const back = await server.get(`${path}&pagination_token=${next.body.meta.previous_token}`, member.as)
    expect(back.body.data).toEqual(page.body.data)
  })
})
