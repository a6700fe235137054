import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { clear, delivered, subscribe } from '../activity/subscribed-activity.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { forbidden, makePost, notFoundOnly, rows } from './acting.ts'

let server: TestServer
let open: string
let closed: string
beforeAll(async () => {
  server = await startTestServer()
  const create = async (name: string, access: string) =>
    (await server.command('communities.create', { user: 'alice', name, access })).id
  open = await create('Open garden', 'Public')
  closed = await create('Closed garden', 'Closed')
  for (const community of [open, closed]) await server.command('communities.join', { community, user: 'bob' })
})
afterAll(() => server.close())

type Reader = 'alice' | 'bob' | 'chika' | 'app'
const as = (reader: Reader) => (reader === 'app' ? 'app' : { user: reader })
const idsOf = async (path: string, reader: Reader): Promise<string[]> =>
  ((await server.get(path, as(reader))).body.data ?? []).map((item: { id: string }) => item.id)
const search = (word: string, reader: Reader = 'app') => idsOf(`/2/posts/search/recent?query=${word}`, reader)
const counted = async (query: string): Promise<number> =>
  (await server.get(`/2/posts/counts/recent?query=${query}`)).body.meta.total_post_count
const home = (reader: 'alice' | 'bob' | 'chika') =>
  idsOf(`/2/users/${server.userId(reader)}/timelines/reverse_chronological`, reader)
const reply = (id: string, reader: Reader, text: string, more: object = {}) =>
  server.post('/2/posts', { text, reply: { in_reply_to_post_id: id }, ...more }, as(reader))
/** Searches end some seconds before now. */
const later = () => server.command('clock', { advance_ms: 60_000 })

describe('a post in a public community', () => {
  test('is seen by everybody: in lookups, the posts of its author, search, counts and activity', async () => {
    await subscribe(server, { event_type: 'post.create', filter: { user_id: server.userId('bob') } })
    let id = ''
    const data = await delivered(server, async () => {
      id = await makePost(server, 'bob', { text: 'opengarden words', community_id: open })
    })
    expect(data.map((item) => item.payload)).toMatchObject([{ id, community_id: open }])
    await clear(server)
    await later()
    for (const reader of ['alice', 'chika', 'app'] as const) {
      expect((await server.get(`/2/posts/${id}?post.fields=community_id`, as(reader))).body.data.community_id).toBe(
        open,
      )
      expect(await idsOf(`/2/users/${server.userId('bob')}/posts`, reader)).toContain(id)
      expect(await search('opengarden', reader)).toEqual([id])
      expect(await search('opengarden%20from:bob', reader)).toEqual([id])
    }
    expect(await counted('opengarden')).toBe(1)
  })

  test('is in home timelines only when it is shared with followers', async () => {
    await server.command('relation.add', { kind: 'follow', source: 'chika', target: 'bob' })
    await server.command('relation.add', { kind: 'follow', source: 'alice', target: 'bob' })
    const kept = await makePost(server, 'bob', { text: 'for the garden', community_id: open })
    const shared = await makePost(server, 'bob', { text: 'for all', community_id: open, share_with_followers: true })
    for (const reader of ['alice', 'chika'] as const) {
      const timeline = await home(reader)
      expect(timeline).toContain(shared)
      expect(timeline).not.toContain(kept)
    }
  })

  test('is answered by members only, and the answer is in the community too', async () => {
    const id = await makePost(server, 'alice', { text: 'a question for the garden', community_id: open })
    const refused = await reply(id, 'chika', 'let me answer')
    expect(refused.status).toBe(403)
    expect(refused.body).toEqual(forbidden('Only members of a community can create a Post in it.'))
    const answer = await reply(id, 'bob', 'an answer')
    expect(answer.status).toBe(201)
    const read = await server.get(`/2/posts/${answer.body.data.id}?post.fields=community_id`)
    expect(read.body.data.community_id).toBe(open)
    const elsewhere = await reply(id, 'bob', 'another answer', { community_id: closed })
    expect(elsewhere.body.errors[0].message).toBe(`The answered Post is not in the community [${closed}].`)
  })

  test('needs membership at the moment of writing', async () => {
    await server.command('communities.join', { community: open, user: 'dario' })
    await makePost(server, 'dario', { text: 'while I am in', community_id: open })
    await server.command('communities.leave', { community: open, user: 'dario' })
    const refused = await server.post('/2/posts', { text: 'after I left', community_id: open }, { user: 'dario' })
    expect(refused.body).toEqual(forbidden('Only members of a community can create a Post in it.'))
  })
})

describe('a post in a closed community', () => {
  test('is seen by its members only, wherever posts are read', async () => {
    const id = await makePost(server, 'bob', { text: 'closedgarden words for @chika', community_id: closed })
    await later()
    expect((await server.get(`/2/posts/${id}`, as('alice'))).body.data.id).toBe(id)
    expect((await server.get(`/2/posts/${id}`, as('bob'))).body.data.id).toBe(id)
    for (const reader of ['chika', 'app'] as const) {
      expect((await server.get(`/2/posts/${id}`, as(reader))).body).toEqual({
        errors: [
          expect.objectContaining({ detail: `Sorry, you are not authorized to see the Post with id: [${id}].` }),
        ],
      })
      expect(await idsOf(`/2/users/${server.userId('bob')}/posts`, reader)).not.toContain(id)
    }
    expect(await idsOf(`/2/users/${server.userId('bob')}/posts`, 'alice')).toContain(id)
    expect(await idsOf(`/2/users/${server.userId('chika')}/mentions`, 'chika')).not.toContain(id)
  })

  test('is never the most recent post of its author, whom everybody may look up', async () => {
    const newest = async () =>
      (await server.get(`/2/users/${server.userId('bob')}?user.fields=most_recent_post_id`)).body.data
        .most_recent_post_id
    const seen = await makePost(server, 'bob', { text: 'outside of the garden' })
    await makePost(server, 'bob', { text: 'inside of the garden', community_id: closed })
    expect(await newest()).toBe(seen)
    const gone = await makePost(server, 'bob', { text: 'outside for a moment' })
    expect(await newest()).toBe(gone)
    await server.delete(`/2/posts/${gone}`, as('bob'))
    expect(await newest()).toBe(seen)
  })

  test('is in no search, count or activity, not even for members', async () => {
    for (const type of ['post.create', 'post.delete'])
      await subscribe(server, { event_type: type, filter: { user_id: server.userId('bob') } })
    const data = await delivered(server, async () => {
      const gone = await makePost(server, 'bob', { text: 'closedgarden soon gone', community_id: closed })
      await server.post(`/2/users/${server.userId('alice')}/likes`, { post_id: gone }, as('alice'))
      await server.delete(`/2/posts/${gone}`, as('bob'))
      await makePost(server, 'bob', { text: 'closedgarden secrets', community_id: closed })
    })
    expect(data).toEqual([])
    await clear(server)
    await later()
    for (const query of ['closedgarden', 'closedgarden%20from:bob']) {
      expect(await search(query)).toEqual([])
      expect(await search(query, 'alice')).toEqual([])
      expect(await counted(query)).toBe(0)
    }
    const fromBob = await search('from:bob')
    expect(fromBob.length).toBeGreaterThan(0)
    const hidden = await rows(server, 'select id from post where community_id = $1', [closed])
    expect(hidden.map((row) => row.id).filter((id) => fromBob.includes(id))).toEqual([])
  })

  test('is not for those who left, and is for those who join', async () => {
    const id = await makePost(server, 'alice', { text: 'come and go', community_id: closed })
    const seen = async () => (await server.get(`/2/posts/${id}`, as('chika'))).body.data !== undefined
    expect(await seen()).toBe(false)
    await server.command('communities.join', { community: closed, user: 'chika' })
    expect(await seen()).toBe(true)
    await server.command('communities.remove', { community: closed, user: 'chika', by: 'alice' })
    expect(await seen()).toBe(false)
  })

  test('is neither reposted by members nor answered, liked or quoted by others', async () => {
    const id = await makePost(server, 'bob', { text: 'stays in the garden', community_id: closed })
    const reposted = await server.post(`/2/users/${server.userId('alice')}/reposts`, { post_id: id }, as('alice'))
    expect(reposted.body).toEqual(forbidden('You are not allowed to repost this Post: it is in a closed community.'))
    const chika = server.userId('chika')
    expect((await server.post(`/2/users/${chika}/likes`, { post_id: id }, as('chika'))).status).toBe(403)
    expect((await reply(id, 'chika', 'from outside')).status).toBe(400)
    expect((await server.post('/2/posts', { text: 'look', quote_post_id: id }, as('chika'))).status).toBe(400)
    expect((await server.post(`/2/users/${server.userId('alice')}/likes`, { post_id: id }, as('alice'))).status).toBe(
      200,
    )
    const { id: space } = await server.command('spaces.create', { user: 'bob', title: 'Garden talk' })
    const shared = await server.tryCommand('spaces.share', { space, user: 'bob', post: id })
    expect(shared.body).toEqual(forbidden('Only a public Post can be shared in a space.'))
    expect((await server.get(`/2/posts/${id}/liking_users`, as('chika'))).body.data).toBeUndefined()
  })

  test('a quote of it does not show it to others', async () => {
    const id = await makePost(server, 'bob', { text: 'quoted in the open', community_id: closed })
    const quote = await makePost(server, 'alice', { text: 'what bob said', quote_post_id: id })
    const { body } = await server.get(`/2/posts/${quote}?expansions=referenced_posts.id`, as('chika'))
    expect(body.includes).toBeUndefined()
    expect(body.errors).toHaveLength(1)
    expect((await server.get(`/2/posts/${id}`, as('chika'))).body).not.toEqual(notFoundOnly)
  })

  test('hides its picture from others', async () => {
    const png = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    ).toString('base64')
    const uploaded = await server.post(
      '/2/media/upload',
      { media: png, media_category: 'post_image', media_type: 'image/png' },
      as('bob'),
    )
    expect(uploaded.status, uploaded.text).toBe(200)
    const { id: mediaId, media_key: key } = uploaded.body.data
    await makePost(server, 'bob', { text: 'our kitchen', community_id: closed, media: { media_ids: [mediaId] } })
    expect((await server.get(`/2/media/${key}`, as('alice'))).body.data.media_key).toBe(key)
    expect((await server.get(`/2/media/${key}`, as('chika'))).body.data).toBeUndefined()
  })
})
