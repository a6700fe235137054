import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makePng } from '../support/make-media.ts'
import { type As, startTestServer, type TestServer } from '../support/server.ts'
import { makePost } from './acting.ts'
import { uploadWhole } from './uploading.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
  await server.command('notes.enrol', { user: 'alice' })
})
afterAll(() => server.close())

const alice: As = { user: 'alice' }
const SOURCE = 'https://example.com/report'
const info = (change: object = {}) => ({
  text: `The report of 2024 says 12 percent. ${SOURCE}`,
  classification: 'misinformed_or_potentially_misleading',
  misleading_tags: ['factual_error'],
  trustworthy_sources: true,
  ...change,
})
const create = (postId: string, change: object = {}, as: As = alice) =>
  server.post('/2/notes', { test_mode: true, post_id: postId, info: info(change) }, as)
const post = (text: string, user = 'bob') => makePost(server, user, { text })
async function noted(text: string): Promise<string> {
  const made = await create(await post(text))
  if (made.status !== 200) throw new Error(`note refused: ${made.text}`)
  return made.body.data.id
}
const WRITTEN = '/2/notes/search/notes_written?test_mode=true'
const ELIGIBLE = '/2/notes/search/posts_eligible_for_notes?test_mode=true'
const select = (selection: string) => `&post_selection=${encodeURIComponent(selection)}`

describe('a note', () => {
  test('is written on a post, listed with its members, and deleted', async () => {
    const postId = await post('Half of all bridges are new')
    const made = await create(postId, { is_media_note: false })
    expect(made.status).toBe(200)
    const { id } = made.body.data
    expect(made.body).toEqual({ data: { id: expect.stringMatching(/^\d{1,19}$/) } })
    const plain = await server.get(`${WRITTEN}&max_results=1`, alice)
    expect(plain.body.data).toEqual([{ id, post_id: postId }])
    const whole = await server.get(`${WRITTEN}&note.fields=info,status,test_result,scoring_status`, alice)
    expect(whole.body.data[0]).toEqual({
      id,
      post_id: postId,
      info: info({ is_media_note: false }),
      status: 'minimum_ratings_not_met',
      test_result: { evaluator_score_bucket: 'High', evaluator_type: 'ClaimOpinion' },
      scoring_status: { has_access: true },
    })
    const removed = await server.delete(`/2/notes/${id}`, alice)
    expect([removed.status, removed.body]).toEqual([200, { data: { deleted: true } }])
    expect((await server.delete(`/2/notes/${id}`, alice)).status).toBe(404)
    expect((await server.get(WRITTEN, alice)).text).not.toContain(id)
    expect((await create(postId)).status).toBe(200)
  })

  test('is the only one of its writer for all versions of a post', async () => {
    const first = await post('The tower is 100 m high', 'alice')
    expect((await create(first)).status).toBe(200)
    const again = await create(first)
    expect(again.status).toBe(400)
    expect(again.body.errors).toEqual([
      { parameters: { post_id: [first] }, message: 'User already created a note for this post.' },
    ])
    const edited = await server.post(
      '/2/posts',
      { text: 'The tower is 101 m high', edit_options: { previous_post_id: first } },
      alice,
    )
    expect(edited.status).toBe(201)
    expect((await create(edited.body.data.id)).body.errors[0].message).toBe(
      'User already created a note for this post.',
    )
    await server.command('notes.enrol', { user: 'dario' })
    expect((await create(first, {}, { user: 'dario' })).status).toBe(200)
    await server.command('notes.withdraw', { user: 'dario' })
  })

  test('is written once when two requests come at the same time', async () => {
    const id = await post('Written at once')
    const statuses = (await Promise.all([create(id), create(id), create(id)])).map((answer) => answer.status)
    expect(statuses.sort()).toEqual([200, 400, 400])
  })

  test('may have 280 characters, and needs no tag when the post is not misleading', async () => {
    const text = `${'é'.repeat(279 - SOURCE.length)} ${SOURCE}`
    expect((await create(await post('long'), { text })).status).toBe(200)
    const fine = { classification: 'not_misleading', misleading_tags: [] }
    expect((await create(await post('fine'), fine)).status).toBe(200)
  })

  test.each([
    ['281 characters', { text: `${'é'.repeat(280 - SOURCE.length)} ${SOURCE}` }, 'info.text'],
    ['no link', { text: 'Believe me' }, 'info.text'],
    ['no text', { text: '' }, 'info.text'],
    ['an unknown classification', { classification: 'funny' }, 'info.classification'],
    ['an unknown tag', { misleading_tags: ['ugly'] }, 'info.misleading_tags'],
    ['no tag although it is misleading', { misleading_tags: [] }, 'info.misleading_tags'],
    ['no word about its sources', { trustworthy_sources: undefined }, 'trustworthy_sources'],
    ['a claim about media that the post does not have', { is_media_note: true }, 'info.is_media_note'],
    ['an unknown member', { mood: 'good' }, 'mood'],
  ])('is refused with %s', async (what, change, named) => {
    const refused = await create(await post(`refused: ${what}`), change)
    expect(refused.status).toBe(400)
    expect(JSON.stringify(refused.body.errors)).toContain(named)
  })

  test('may be about the media of a post', async () => {
    const { id } = await uploadWhole(server, makePng(), 'post_image', 'bob')
    const postId = await makePost(server, 'bob', { text: 'A picture', media: { media_ids: [id] } })
    expect((await create(postId, { is_media_note: true })).status).toBe(200)
  })

  test('is refused on posts that do not exist or that not everybody sees', async () => {
    expect((await create('1')).status).toBe(404)
    const original = await post('shared by alice')
    const repost = await server.post(`/2/users/${server.userId('alice')}/retweets`, { tweet_id: original }, alice)
    expect(repost.status).toBe(200)
    const { rows } = await server.runtime.database.query<{ id: string }>({
      text: 'select id from post where reposted_post_id = $1',
      values: [original],
    })
    expect((await create(rows[0]!.id)).body.errors[0].message).toContain('A repost cannot have a note.')
    const own = await post('of a protected account', 'alice')
    await server.command('user.update', { user: 'alice', protected: true })
    expect((await create(own)).body.errors[0].message).toBe('Only a public post can have a note.')
    await server.command('user.update', { user: 'alice', protected: false })
  })

  test('is refused in a closed community, whose posts are in no feed', async () => {
    const { id: community } = await server.command('communities.create', {
      user: 'alice',
      name: 'Closed circle',
      access: 'Closed',
    })
    const id = await makePost(server, 'alice', { text: 'For members', community_id: community })
    expect((await create(id)).body.errors[0].message).toBe('Only a public post can have a note.')
    expect((await server.get(`${ELIGIBLE}&max_results=100`, alice)).text).not.toContain(id)
  })

  test('goes with its post', async () => {
    const postId = await post('soon gone')
    const { id } = (await create(postId)).body.data
    expect((await server.delete(`/2/posts/${postId}`, { user: 'bob' })).status).toBe(200)
    expect((await server.get(WRITTEN, alice)).text).not.toContain(id)
    expect((await server.delete(`/2/notes/${id}`, alice)).status).toBe(404)
  })

  test('is deleted by nobody else', async () => {
    const id = await noted('not yours')
    await server.command('notes.enrol', { user: 'dario' })
    expect((await server.delete(`/2/notes/${id}`, { user: 'dario' })).status).toBe(403)
    await server.command('notes.withdraw', { user: 'dario' })
    expect((await server.get(WRITTEN, alice)).text).toContain(id)
  })
})

describe('a user who is not enrolled', () => {
  test.each([
    ['GET', WRITTEN],
    ['GET', ELIGIBLE],
    ['POST', '/2/notes'],
    ['DELETE', '/2/notes/1'],
    ['POST', '/2/evaluate_note'],
    ['POST', '/2/notes/evaluate'],
  ])('is refused by %s %s', async (method, path) => {
    const as: As = { user: 'bob' }
    const body =
      path === '/2/notes' ? { test_mode: true, post_id: '1', info: info() } : { post_id: '1', note_text: 'a' }
    const refused =
      method === 'GET'
        ? await server.get(path, as)
        : method === 'DELETE'
          ? await server.delete(path, as)
          : await server.post(path, body, as)
    expect(refused.status).toBe(403)
    expect(refused.body.detail).toBe('User must be an API Note Writer to access this endpoint.')
  })
})

describe('test mode', () => {
  test('must be given and on, for now', async () => {
    const body = { test_mode: false, post_id: await post('live'), info: info() }
    for (const refused of [
      await server.post('/2/notes', body, alice),
      await server.get('/2/notes/search/notes_written?test_mode=false', alice),
      await server.get('/2/notes/search/posts_eligible_for_notes?test_mode=false', alice),
    ]) {
      expect(refused.status).toBe(400)
      expect(refused.body.errors).toEqual([
        { parameters: { test_mode: ['false'] }, message: 'test_mode must be true for now.' },
      ])
    }
    expect((await server.get('/2/notes/search/notes_written', alice)).body.errors[0].message).toContain('`test_mode`')
    expect((await server.get(`${WRITTEN.replace('true', 'yes')}`, alice)).body.errors[0].message).toContain(
      '[true,false]',
    )
  })
})

describe('notes written', () => {
  test('are read page by page, newest first, by their writer', async () => {
    const made: string[] = []
    for (const text of ['page one', 'page two', 'page three']) made.unshift(await noted(text))
    const first = await server.get(`${WRITTEN}&max_results=2`, alice)
    expect(first.body.data.map((note: { id: string }) => note.id)).toEqual(made.slice(0, 2))
    expect(first.body.meta).toEqual({ result_count: 2, next_token: expect.any(String) })
    const second = await server.get(`${WRITTEN}&max_results=1&pagination_token=${first.body.meta.next_token}`, alice)
    expect(second.body.data[0].id).toBe(made[2])
    expect(second.body.meta).toEqual({ result_count: 1, next_token: expect.any(String) })
    expect((await server.get(`${WRITTEN}&pagination_token=zzz`, alice)).status).toBe(400)
  })
})

describe('posts that may have a note', () => {
  test('are the newest public ones on which the writer has none', async () => {
    const [older, newer] = [await post('The lake is 300 m deep'), await post('The lake is 400 m deep')]
    const reply = await makePost(server, 'bob', { text: 'and a reply', reply: { in_reply_to_post_id: newer } })
    const ids = async (query = '') =>
      ((await server.get(`${ELIGIBLE}${query}`, alice)).body.data ?? []).map((item: { id: string }) => item.id)
    expect((await ids('&max_results=3')).slice(0, 3)).toEqual([reply, newer, older])
    expect((await create(newer)).status).toBe(200)
    expect((await ids('&max_results=2')).slice(0, 2)).toEqual([reply, older])
    await server.command('user.update', { user: 'bob', protected: true })
    expect(await ids('&max_results=100')).not.toContain(older)
    await server.command('user.update', { user: 'bob', protected: false })
    await server.command('clock', { advance_ms: 8 * 24 * 3600_000 })
    expect(await ids()).toEqual([])
    await server.command('clock', { reset: true })
  })

  test('can be limited to a language', async () => {
    const german = await post('Das ist ein schöner Tag und die Sonne scheint über dem Wald')
    const english = await post('This is a lovely day and the sun is shining over the forest')
    const found = (await server.get(`${ELIGIBLE}${select('feed_lang: de')}&post.fields=lang`, alice)).body.data
    expect(found[0].id).toBe(german)
    expect(new Set(found.map((item: { lang: string }) => item.lang))).toEqual(new Set(['de']))
    const other = (await server.get(`${ELIGIBLE}${select('feed_size: small, feed_lang: en')}`, alice)).body.data
    expect(other[0].id).toBe(english)
    const all = (await server.get(`${ELIGIBLE}${select('feed_lang:all')}`, alice)).body.data
    expect(all.slice(0, 2).map((item: { id: string }) => item.id)).toEqual([english, german])
  })

  test('come with fields, expansions and further pages', async () => {
    const path = `${ELIGIBLE}&max_results=2&post.fields=author_id,created_at&expansions=author_id&user.fields=protected`
    const first = await server.get(path, alice)
    expect(first.body.data[0]).toMatchObject({ author_id: server.userId('bob'), created_at: expect.any(String) })
    expect(first.body.includes.users[0]).toMatchObject({ username: 'bob', protected: false })
    expect(first.body.meta).toEqual({ result_count: 2, next_token: expect.any(String) })
    const second = await server.get(`${path}&pagination_token=${first.body.meta.next_token}`, alice)
    expect(second.body.data).toHaveLength(2)
    expect(BigInt(second.body.data[0].id)).toBeLessThan(BigInt(first.body.data[1].id))
  })

  test('end with the size of the feed', async () => {
    await server.runtime.database.query({
      text: `insert into post (id, author_id, text, display_end, lang, conversation_id, first_version_id)
             select base - n, author_id, 'many ' || n, 8, 'en', base - n, base - n
               from (select max(id) as base, max(author_id) filter (where true) as author_id from post where author_id = $1) p,
                    generate_series(1, 300) n`,
      values: [server.userId('bob')],
    })
    let [seen, token] = [0, '']
    do {
      const page = await server.get(`${ELIGIBLE}&max_results=100${token && `&pagination_token=${token}`}`, alice)
      seen += page.body.meta.result_count
      token = page.body.meta.next_token
    } while (token)
    expect(seen).toBe(250)
    const refused = await server.get(`${ELIGIBLE}${select('feed_size: large')}`, alice)
    expect(refused.status).toBe(403)
    await server.command('notes.enrol', { user: 'alice', top: true })
    expect((await server.get(`${ELIGIBLE}${select('feed_size: xxl')}`, alice)).status).toBe(200)
  })

  test.each(['feed_size: huge', 'feed_lang: klingon', 'small', 'feed_size: small, feed_size: small', 'feed_lang: '])(
    'are refused for the selection [%s], with the allowed values',
    async (selection) => {
      const refused = await server.get(`${ELIGIBLE}${select(selection)}`, alice)
      expect(refused.status).toBe(400)
      expect(refused.body.errors[0].parameters).toEqual({ post_selection: [selection] })
      expect(refused.body.errors[0].message).toContain('feed_size is one of [small,large,xl,xxl]')
    },
  )

  test('are refused for a token that was not given out', async () => {
    for (const token of ['abc', '0', 'ZZZZ', '9'.repeat(23)])
      expect((await server.get(`${ELIGIBLE}&pagination_token=${token}`, alice)).status).toBe(400)
  })
})

describe('the evaluation of a draft', () => {
  const evaluate = (postId: string, text: string, path = '/2/evaluate_note') =>
    server.post(path, { post_id: postId, note_text: text }, alice)

  test('is higher for an answer to the claim than for an opinion, and stores nothing', async () => {
    const postId = await post('Unemployment in the city rose to 20 percent this year')
    const before = (await server.get(`${WRITTEN}&max_results=100`, alice)).body.meta.result_count
    const scores: number[] = []
    for (const text of [
      `According to official data, unemployment in the city was 5.1 percent in 2025, not 20. ${SOURCE}`,
      `The number is different. ${SOURCE}`,
      `I think this is probably a stupid lie! Everyone knows you are ridiculous!! WAKE UP ${SOURCE}`,
    ]) {
      const answer = await evaluate(postId, text)
      expect(answer.status).toBe(200)
      expect(await evaluate(postId, text, '/2/notes/evaluate')).toMatchObject({ status: 200, body: answer.body })
      scores.push(answer.body.data.claim_opinion_score)
    }
    expect(scores[0]).toBeGreaterThan(3)
    expect(scores[1]).toBeLessThan(scores[0]!)
    expect(scores[2]).toBeLessThan(0)
    expect(scores).toEqual(scores.toSorted((left, right) => right - left))
    expect((await server.get(`${WRITTEN}&max_results=100`, alice)).body.meta.result_count).toBe(before)
  })

  test('depends on what the post says', async () => {
    const text = `Penguins live in the southern half of the world. ${SOURCE}`
    const about = await evaluate(await post('Penguins live at the north pole'), text)
    const beside = await evaluate(await post('The harbour has two bridges'), text)
    expect(about.body.data.claim_opinion_score).toBeGreaterThan(beside.body.data.claim_opinion_score)
  })

  test('is refused without a text, with a very long one, and for a post that does not exist', async () => {
    const postId = await post('evaluated')
    expect((await evaluate(postId, ' ')).status).toBe(400)
    expect((await evaluate(postId, 'a'.repeat(2_001))).status).toBe(400)
    expect((await evaluate('1', 'a')).status).toBe(404)
  })
})
