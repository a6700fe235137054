import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../support/server.ts'
import { accessToken, forbidden, makePost, notFoundOnly, readPost } from './acting.ts'
import { eventsOf, walk } from './crowd.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

const quote = (user: string, text: string, quoted: string, more: object = {}) =>
  makePost(server, user, { text, quote_post_id: quoted, ...more })
const quotesOf = async (id: string, query = '', user?: string): Promise<string[]> =>
  ((await server.get(`/2/posts/${id}/quote_posts${query}`, user ? { user } : 'app')).body.data ?? []).map(
    (post: { id: string }) => post.id,
  )

describe('the posts that quote a post', () => {
  test('are listed newest first, page by page, with tokens that only lead forward', async () => {
    const quoted = await makePost(server, 'alice', { text: 'quoted often' })
    const ids: string[] = []
    for (let index = 0; index < 23; index++) ids.unshift(await quote('bob', `quote ${index}`, quoted))
    const path = `/2/posts/${quoted}/quote_posts`
    const first = await server.get(path)
    expect(Object.keys(first.body.meta).sort()).toEqual(['next_token', 'result_count'])
    expect(first.body.meta.result_count).toBe(10)
    const second = await server.get(`${path}?pagination_token=${first.body.meta.next_token}`)
    expect(Object.keys(second.body.meta).sort()).toEqual(['next_token', 'result_count'])
    expect(await walk(server, `${path}?max_results=10`, 'app')).toEqual({ ids, pages: 3 })
  })

  test('are shown only in their newest version', async () => {
    const quoted = await makePost(server, 'bob', { text: 'quoted by an edit' })
    const first = await quote('alice', 'first words about it', quoted)
    const second = await makePost(server, 'alice', {
      text: 'second words about it',
      edit_options: { previous_post_id: first },
    })
    expect(await quotesOf(quoted)).toEqual([second])
  })

  test('come without replies where the caller excludes them', async () => {
    const quoted = await makePost(server, 'alice', { text: 'quoted in a reply' })
    const plain = await quote('bob', 'plain quote', quoted)
    const reply = await quote('bob', 'quote in a reply', quoted, { reply: { in_reply_to_post_id: plain } })
    expect(await quotesOf(quoted)).toEqual([reply, plain])
    expect(await quotesOf(quoted, '?exclude=reposts')).toEqual([reply, plain])
    expect(await quotesOf(quoted, '?exclude=replies')).toEqual([plain])
    expect(await quotesOf(quoted, '?exclude=replies,reposts')).toEqual([plain])
    expect((await server.get(`/2/posts/${quoted}/quote_posts?exclude=likes`)).status).toBe(400)
  })

  test('do not include reposts of a quote', async () => {
    const quoted = await makePost(server, 'alice', { text: 'quoted and passed on' })
    const id = await quote('bob', 'passed on', quoted)
    await server.post(`/2/users/${server.userId('chika')}/reposts`, { post_id: id }, { user: 'chika' })
    expect(await quotesOf(quoted)).toEqual([id])
  })

  test('do not include promoted-only posts', async () => {
    const quoted = await makePost(server, 'alice', { text: 'quoted in an advertisement' })
    const shown = await quote('bob', 'quote for everyone', quoted)
    await quote('bob', 'quote to be promoted', quoted, { nullcast: true })
    expect(await quotesOf(quoted)).toEqual([shown])
  })

  test('do not include those of authors whom the caller may not see', async () => {
    const quoted = await makePost(server, 'alice', { text: 'quoted by a protected user' })
    const shown = await quote('bob', 'public quote', quoted)
    const hidden = await quote('erin', 'protected quote', quoted)
    expect(await quotesOf(quoted)).toEqual([shown])
    expect(await quotesOf(quoted, '', 'erin')).toEqual([hidden, shown])
    await server.command('relation.add', { kind: 'block', source: 'dario', target: 'bob' })
    // Dario follows Erin.
    expect(await quotesOf(quoted, '', 'dario')).toEqual([hidden])
    await server.command('relation.remove', { kind: 'block', source: 'dario', target: 'bob' })
  })

  test('are none for a post without quotes, and only an error for an unknown post', async () => {
    const id = await makePost(server, 'alice', { text: 'never quoted' })
    expect((await server.get(`/2/posts/${id}/quote_posts`)).body).toEqual({ meta: { result_count: 0 } })
    expect((await server.get('/2/posts/1/quote_posts')).body).toEqual(notFoundOnly)
  })
})

describe('hiding a reply', () => {
  const hide = (id: string, hidden: boolean, user: string) => server.put(`/2/posts/${id}/hidden`, { hidden }, { user })
  const refusal = forbidden(
    'You are not allowed to hide this Post: only replies in a conversation that you started can be hidden.',
  )
  let root: string
  let reply: string
  let deeper: string
  beforeAll(async () => {
    root = await makePost(server, 'alice', { text: 'the root' })
    reply = await makePost(server, 'bob', { text: 'a reply', reply: { in_reply_to_post_id: root } })
    deeper = await makePost(server, 'dario', { text: 'a deeper reply', reply: { in_reply_to_post_id: reply } })
  })

  test('is done and undone by the author of the conversation, any number of times', async () => {
    for (const hidden of [true, true, false, false, true]) {
      const answer = await hide(reply, hidden, 'alice')
      expect(answer.status).toBe(200)
      expect(answer.body).toEqual({ data: { hidden } })
    }
    const about = { type: 'post.hide', actor_id: server.userId('alice'), target_id: server.userId('bob') }
    expect((await eventsOf(server, reply)).slice(1)).toEqual([
      { ...about, payload: { hidden: true } },
      { ...about, payload: { hidden: false } },
      { ...about, payload: { hidden: true } },
    ])
  })

  test('leaves the reply readable for everyone', async () => {
    await hide(reply, true, 'alice')
    expect((await readPost(server, reply, 'text')).text).toBe('a reply')
    expect((await readPost(server, reply, 'text', { user: 'bob' })).text).toBe('a reply')
  })

  test('survives an edit of the reply', async () => {
    const own = await makePost(server, 'alice', { text: 'an own reply', reply: { in_reply_to_post_id: root } })
    await hide(own, true, 'alice')
    const edited = await makePost(server, 'alice', { text: 'edited', edit_options: { previous_post_id: own } })
    expect((await hide(edited, true, 'alice')).body).toEqual({ data: { hidden: true } })
    const kinds = (await eventsOf(server, edited)).map((event) => event.type)
    expect(kinds).not.toContain('post.hide')
  })

  test('reaches replies at any depth', async () => {
    expect((await hide(deeper, true, 'alice')).body).toEqual({ data: { hidden: true } })
  })

  test('is rejected for the author of the reply, the answered author and strangers', async () => {
    for (const [id, user] of [
      [reply, 'bob'],
      [deeper, 'bob'],
      [reply, 'chika'],
    ] as const) {
      const answer = await hide(id, true, user)
      expect(answer.status, user).toBe(403)
      expect(answer.body).toEqual(refusal)
    }
  })

  test('is rejected for a post that is not a reply, own or not', async () => {
    expect((await hide(root, true, 'alice')).body).toEqual(refusal)
    const other = await makePost(server, 'bob', { text: 'no reply at all' })
    expect((await hide(other, true, 'alice')).body).toEqual(refusal)
  })

  test('is refused when the first post of the conversation is gone', async () => {
    const gone = await makePost(server, 'alice', { text: 'soon gone' })
    const left = await makePost(server, 'bob', { text: 'left over', reply: { in_reply_to_post_id: gone } })
    await server.delete(`/2/posts/${gone}`, { user: 'alice' })
    expect((await hide(left, true, 'alice')).status).toBe(403)
  })

  test('is refused for a reply that the caller may not see', async () => {
    const unseen = await makePost(server, 'erin', { text: 'only for followers', reply: { in_reply_to_post_id: root } })
    const answer = await hide(unseen, true, 'alice')
    expect(answer.status).toBe(403)
    expect(answer.body).toEqual(forbidden(`Sorry, you are not authorized to see the Post with post_id: [${unseen}].`))
  })

  test('is a 404 for an unknown post, and requires `hidden`', async () => {
    expect((await hide('1', true, 'alice')).status).toBe(404)
    expect((await server.put(`/2/posts/${reply}/hidden`, {}, { user: 'alice' })).status).toBe(400)
    expect((await server.put(`/2/posts/${reply}/hidden`, { hidden: 'yes' }, { user: 'alice' })).status).toBe(400)
  })

  test('needs the scope for moderation', async () => {
    const scopes = ['post.read', 'users.read', 'post.write']
    const put = (bearer: string) => server.put(`/2/posts/${reply}/hidden`, { hidden: true }, { bearer })
    expect((await put(await accessToken(server, 'alice', scopes))).status).toBe(403)
    expect((await put(await accessToken(server, 'alice', [...scopes, 'post.moderate.write']))).status).toBe(200)
  })
})
