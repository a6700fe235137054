import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { repostText } from '../../src/social/reposts/repost-text.ts'
import { type As, startTestServer, type TestServer } from '../support/server.ts'
import { forbidden, invalidRequest, keysFor, makePost, notFoundOnly, readPost, rows } from './acting.ts'
import { eventsOf, type Member, makeCrowd, userCounts, walk } from './crowd.ts'

let server: TestServer
let crowd: Member[]
beforeAll(async () => {
  server = await startTestServer()
  crowd = await makeCrowd(server, 20)
})
afterAll(() => server.close())

const repost = (user: string, postId: string, as: As = { user }) =>
  server.post(`/2/users/${server.userId(user)}/reposts`, { post_id: postId }, as)
const unrepost = (user: string, postId: string) =>
  server.delete(`/2/users/${server.userId(user)}/reposts/${postId}`, { user })
const repostAs = (member: Member, postId: string) =>
  server.post(`/2/users/${member.id}/reposts`, { post_id: postId }, member.as)
const unrepostAs = (member: Member, postId: string) =>
  server.delete(`/2/users/${member.id}/reposts/${postId}`, member.as)
const repostCount = async (id: string) => (await readPost(server, id, 'public_metrics')).public_metrics.repost_count
const hiddenPost = (id: string, parameter: string) => ({
  errors: [
    {
      value: id,
      detail: `Sorry, you are not authorized to see the Post with ${parameter}: [${id}].`,
      title: 'Authorization Error',
      resource_type: 'post',
      parameter,
      resource_id: id,
      section: 'data',
      type: `${server.runtime.problemBase}/not-authorized-for-resource`,
    },
  ],
})
const notFound = (id: string, parameter: string) => ({
  errors: [
    {
      value: id,
      detail: `Could not find post with ${parameter}: [${id}].`,
      title: 'Not Found Error',
      resource_type: 'post',
      parameter,
      resource_id: id,
      type: `${server.runtime.problemBase}/resource-not-found`,
    },
  ],
})

describe('a repost', () => {
  test('is a post of its own that refers to the original and begins with the name of its author', async () => {
    const original = await makePost(server, 'bob', { text: '@chika see #maps & <more>' })
    const before = await userCounts(server, 'alice')
    const made = await repost('alice', original)
    expect(made.status).toBe(200)
    const { id } = made.body.data
    expect(made.body).toEqual({ data: { id, reposted: true } })
    const fields = 'author_id,conversation_id,referenced_posts,entities,lang,display_text_range,reply_settings,source'
    const text = 'RT @bob: @chika see #maps &amp; &lt;more&gt;'
    expect(await readPost(server, id, fields)).toEqual({
      id,
      text,
      author_id: server.userId('alice'),
      conversation_id: id,
      referenced_posts: [{ type: 'reposted', id: original }],
      entities: {
        mentions: [
          { start: 3, end: 7, username: 'bob', id: server.userId('bob') },
          { start: 9, end: 15, username: 'chika', id: server.userId('chika') },
        ],
        hashtags: [{ start: 20, end: 25, tag: 'maps' }],
      },
      lang: (await readPost(server, original, 'lang')).lang,
      display_text_range: [0, text.length],
      reply_settings: 'everyone',
      source: 'First app',
    })
    expect(await repostCount(original)).toBe(1)
    expect(await userCounts(server, 'alice')).toEqual({ ...before, posts: before.posts + 1, newest: id })
  })

  test('brings the original and the mentioned users as expansions', async () => {
    const original = await makePost(server, 'bob', { text: 'expanded' })
    const { id } = (await repost('alice', original)).body.data
    const read = await server.get(`/2/posts/${id}?expansions=referenced_posts.id,entities.mentions.username`)
    expect(read.body.includes.posts.map((post: { id: string }) => post.id)).toEqual([original])
    expect(read.body.includes.users.map((user: { username: string }) => user.username)).toEqual(['bob'])
  })

  test('created again gives the same id and is counted once', async () => {
    const original = await makePost(server, 'bob', { text: 'again' })
    const first = await repost('alice', original)
    const counts = await userCounts(server, 'alice')
    const second = await repost('alice', original)
    expect(second.status).toBe(200)
    expect(second.body).toEqual(first.body)
    expect(await repostCount(original)).toBe(1)
    expect(await userCounts(server, 'alice')).toEqual(counts)
  })

  test('of a repost is a repost of the original', async () => {
    const original = await makePost(server, 'bob', { text: 'passed on' })
    const first = (await repost('alice', original)).body.data.id
    const second = (await repost('chika', first)).body.data.id
    expect((await readPost(server, second, 'referenced_posts')).referenced_posts).toEqual([
      { type: 'reposted', id: original },
    ])
    expect((await readPost(server, second, 'text')).text).toBe('RT @bob: passed on')
    expect(await repostCount(original)).toBe(2)
    expect(await repostCount(first)).toBe(0)
  })

  test('of a long post is cut at 140 characters', async () => {
    const original = await makePost(server, 'bob', { text: `${'word '.repeat(50)}end` })
    const { text } = await readPost(server, (await repost('alice', original)).body.data.id, 'text')
    expect(text).toBe(`${`RT @bob: ${'word '.repeat(50)}`.slice(0, 139)}…`)
  })

  test('is hidden from those who can no longer see the original', async () => {
    const author = crowd[10]!
    const original = await makePost(server, author.as, { text: 'words that become private' })
    const { id } = (await repost('alice', original)).body.data
    await server.command('user.update', { user: author.username, protected: true })
    expect((await server.get(`/2/posts/${id}`)).body).toEqual(hiddenPost(id, 'id'))
    expect((await server.get(`/2/posts/${id}`, author.as)).body.data.id).toBe(id)
    await server.command('user.update', { user: author.username, protected: false })
    expect((await server.get(`/2/posts/${id}`)).body.data.id).toBe(id)
  })

  test('can be created by an app of the self-serve tier', async () => {
    const original = await makePost(server, 'bob', { text: 'for every tier' })
    const answer = await repost('alice', original, { keys: await keysFor(server, 'alice', 1) })
    expect(answer.body.data.reposted).toBe(true)
  })

  test('is an event with its original, its author and the author of the original', async () => {
    const original = await makePost(server, 'bob', { text: 'noted' })
    const { id } = (await repost('alice', original)).body.data
    await repost('alice', original)
    await unrepost('alice', original)
    await unrepost('alice', original)
    const about = { actor_id: server.userId('alice'), target_id: server.userId('bob'), payload: { repost_id: id } }
    expect((await eventsOf(server, original)).slice(1)).toEqual([
      { type: 'repost.create', ...about },
      { type: 'repost.delete', ...about },
    ])
  })
})

describe('the text of a repost', () => {
  const author = { id: '7', username: 'bob' }
  const lead = 'RT @bob: '
  const write = (text: string, entities = {}) => repostText({ text, entities }, author)

  test('of 140 characters is complete, and of 141 is cut', () => {
    const fits = 'x'.repeat(140 - lead.length)
    expect(write(fits).text).toBe(lead + fits)
    expect(write(`${fits}x`).text).toBe(`${(lead + fits).slice(0, 139)}…`)
    expect(write(`${fits}x`).length).toBe(140)
  })

  test('counts characters, not UTF-16 units', () => {
    const fits = '🐙'.repeat(140 - lead.length)
    expect(write(fits).text).toBe(lead + fits)
    expect([...write(`${fits}🐙`).text]).toHaveLength(140)
  })

  test.each(['&amp;', '&lt;', '&gt;'])('is never cut inside %s', (sign) => {
    for (let before = 110; before < 140; before++) {
      const { text, length } = write(`${'x'.repeat(before)}${sign}${'y'.repeat(40)}`)
      expect(text.replaceAll(sign, '')).not.toMatch(/[&;]/)
      expect([...text]).toHaveLength(length)
      expect(length).toBeLessThanOrEqual(140)
    }
  })

  test('is never cut inside what a reader sees as one character', () => {
    const family = '👩‍👩‍👧'
    for (let before = 120; before < 131; before++) {
      const kept = write('x'.repeat(before) + family.repeat(5)).text.slice(lead.length + before, -1)
      expect(kept.length % family.length).toBe(0)
    }
  })

  test('leaves out an entity across the cut, and keeps those before it', () => {
    const tag = `#${'t'.repeat(30)}`
    const start = 110
    const entities = { hashtags: [{ start, end: start + tag.length, tag: tag.slice(1) }] }
    const cut = write(`${'x'.repeat(start)}${tag} more`, entities)
    expect(cut.text).toBe(`${lead}${'x'.repeat(start)}…`)
    expect(Object.keys(cut.entities)).toEqual(['mentions'])
    const whole = write(`${tag} ${'x'.repeat(200)}`, {
      hashtags: [{ start: 0, end: tag.length, tag: tag.slice(1) }],
    })
    expect(whole.entities.hashtags).toEqual([{ start: 9, end: 9 + tag.length, tag: tag.slice(1) }])
  })
})

describe('a post that cannot be reposted', () => {
  test('is one of a protected author, for a follower; the author can repost it', async () => {
    await server.command('relation.add', { kind: 'follow', source: 'alice', target: 'erin' })
    const id = await makePost(server, 'erin', { text: 'for followers' })
    const answer = await repost('alice', id)
    expect(answer.status).toBe(403)
    expect(answer.body).toEqual(forbidden('You are not allowed to repost this Post: its author is protected.'))
    expect((await repost('erin', id)).body.data.reposted).toBe(true)
  })

  test('is one that the caller cannot see', async () => {
    const id = await makePost(server, 'erin', { text: 'not for strangers' })
    const answer = await repostAs(crowd[0]!, id)
    const refusal = (hidden: string) =>
      forbidden(`Sorry, you are not authorized to see the Post with post_id: [${hidden}].`)
    expect(answer.status).toBe(403)
    expect(answer.body).toEqual(refusal(id))
    const blocked = await makePost(server, 'dario', { text: 'not for bob' })
    await server.command('relation.add', { kind: 'block', source: 'dario', target: 'bob' })
    expect((await repost('bob', blocked)).body).toEqual(refusal(blocked))
    const repostOfBlocked = (await repost('alice', blocked)).body.data.id
    expect((await repost('bob', repostOfBlocked)).body).toEqual(refusal(repostOfBlocked))
    await server.command('relation.remove', { kind: 'block', source: 'dario', target: 'bob' })
  })

  test.each(['1', '9999999999999999999'])('is the unknown post %s', async (id) => {
    const answer = await repost('bob', id)
    expect(answer.status).toBe(404)
    expect(answer.body).toEqual({ ...notFound(id, 'post_id').errors[0], status: 404 })
  })

  test('is any post in the name of another user', async () => {
    const id = await makePost(server, 'bob', { text: 'in whose name' })
    const [alice, bob] = [server.userId('alice'), server.userId('bob')]
    const message = `The \`id\` query parameter value [${bob}] must be the same as the authenticating user [${alice}]`
    const refusal = invalidRequest(server, { parameters: { id: [bob] }, message })
    for (const answer of [
      await repost('bob', id, { user: 'alice' }),
      await server.delete(`/2/users/${bob}/reposts/${id}`, { user: 'alice' }),
    ]) {
      expect(answer.status).toBe(400)
      expect(answer.body).toEqual(refusal)
    }
  })
})

describe('an undone repost', () => {
  test('is gone from lookup and no longer counted, and can be created again', async () => {
    const original = await makePost(server, 'bob', { text: 'there and back' })
    const before = await userCounts(server, 'alice')
    const { id } = (await repost('alice', original)).body.data
    const answer = await unrepost('alice', original)
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({ data: { reposted: false } })
    expect((await server.get(`/2/posts/${id}`)).body).toEqual(notFoundOnly)
    expect(await repostCount(original)).toBe(0)
    expect(await userCounts(server, 'alice')).toEqual(before)
    expect((await repost('alice', original)).body.data.id).not.toBe(id)
    expect(await repostCount(original)).toBe(1)
  })

  test.each(['1', '9999999999999999999'])('gives the same answer when there was none: %s', async (id) => {
    const answer = await unrepost('alice', id)
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({ data: { reposted: false } })
  })

  test('is named by the original: the id of the repost undoes nothing', async () => {
    const original = await makePost(server, 'bob', { text: 'by which id' })
    const { id } = (await repost('alice', original)).body.data
    expect((await unrepost('alice', id)).body).toEqual({ data: { reposted: false } })
    expect(await repostCount(original)).toBe(1)
  })
})

describe('lists of reposts', () => {
  let original: string
  let reposts: string[]
  beforeAll(async () => {
    original = await makePost(server, 'bob', { text: 'listed' })
    reposts = []
    for (const member of crowd.slice(0, 7)) reposts.unshift((await repostAs(member, original)).body.data.id)
  })
  const by = () =>
    crowd
      .slice(0, 7)
      .map((member) => member.id)
      .reverse()

  test('show who reposted a post, newest first, page by page', async () => {
    const path = `/2/posts/${original}/reposted_by?max_results=3`
    expect(await walk(server, path, 'app')).toEqual({ ids: by(), pages: 3 })
    const second = await server.get(path, 'app')
    const third = await server.get(`${path}&pagination_token=${second.body.meta.next_token}`, 'app')
    const back = await server.get(`${path}&pagination_token=${third.body.meta.previous_token}`, 'app')
    expect(back.body.data).toEqual(second.body.data)
  })

  test('contain the reposts themselves, newest first, page by page', async () => {
    expect(await walk(server, `/2/posts/${original}/reposts?max_results=3`, 'app')).toEqual({ ids: reposts, pages: 3 })
    const all = await server.get(`/2/posts/${original}/reposts?post.fields=referenced_posts`, 'app')
    expect(all.body.meta).toEqual({ result_count: 7 })
    expect(all.body.data[0]).toEqual({
      id: reposts[0],
      text: 'RT @bob: listed',
      referenced_posts: [{ type: 'reposted', id: original }],
    })
  })

  test('leave out reposts of users whose posts the caller may not see', async () => {
    const [shy, gone, blocking] = crowd as [Member, Member, Member]
    await server.command('user.update', { user: shy.username, protected: true })
    await server.command('user.update', { user: gone.username, suspended: true })
    await server.command('relation.add', { kind: 'block', source: blocking.username, target: 'alice' })
    for (const list of ['reposted_by', 'reposts']) {
      const seen = async (as: As) => (await server.get(`/2/posts/${original}/${list}`, as)).body.data.length
      expect(await seen({ user: 'alice' }), list).toBe(4)
      expect(await seen('app'), list).toBe(5)
      expect(await seen(shy.as), list).toBe(6)
    }
    await server.command('user.update', { user: shy.username, protected: false })
    await server.command('user.update', { user: gone.username, suspended: false })
    await server.command('relation.remove', { kind: 'block', source: blocking.username, target: 'alice' })
  })

  test('are empty without reposts, only an error without the post, and refused for a hidden post', async () => {
    const lonely = await makePost(server, 'bob', { text: 'lonely' })
    const hidden = await makePost(server, 'erin', { text: 'hidden list' })
    for (const list of ['reposted_by', 'reposts']) {
      expect((await server.get(`/2/posts/${lonely}/${list}`)).body).toEqual({ meta: { result_count: 0 } })
      expect((await server.get(`/2/posts/1/${list}`)).body).toEqual(notFound('1', 'id'))
      expect((await server.get(`/2/posts/${hidden}/${list}`)).body).toEqual(hiddenPost(hidden, 'id'))
    }
  })

  test('show an author which of their posts were reposted, newest post first', async () => {
    const [author, reader] = crowd.slice(-2) as [Member, Member]
    const ids: string[] = []
    for (let index = 0; index < 6; index++) ids.unshift(await makePost(server, author.as, { text: `own ${index}` }))
    // The order of the reposts does not matter, nor does how many there are; the first post has none.
    for (const id of ids.slice(0, 5)) await repostAs(reader, id)
    await repostAs(author, ids[2]!)
    expect(await walk(server, '/2/users/reposts_of_me?max_results=2', author.as)).toEqual({
      ids: ids.slice(0, 5),
      pages: 3,
    })
    expect((await server.get('/2/users/reposts_of_me', reader.as)).body).toEqual({ meta: { result_count: 0 } })
  })
})

describe('at the same moment', () => {
  const stored = async (id: string) =>
    (await rows(server, 'select id from post where reposted_post_id = $1', [id])).length

  test('twenty users repost a post and undo it, and every one is counted', async () => {
    const original = await makePost(server, 'bob', { text: 'twenty at once' })
    await Promise.all(crowd.map((member) => repostAs(member, original)))
    expect(await repostCount(original)).toBe(20)
    await Promise.all(crowd.slice(5).map((member) => unrepostAs(member, original)))
    expect(await repostCount(original)).toBe(5)
    expect(await stored(original)).toBe(5)
  })

  test('one user reposts twenty times, and it is one repost with one id', async () => {
    const original = await makePost(server, 'bob', { text: 'one twenty times' })
    const before = await userCounts(server, 'dario')
    const answers = await Promise.all(Array.from({ length: 20 }, () => repost('dario', original)))
    expect(new Set(answers.map((answer) => answer.body.data.id)).size).toBe(1)
    expect(await repostCount(original)).toBe(1)
    expect((await userCounts(server, 'dario')).posts).toBe(before.posts + 1)
    expect((await eventsOf(server, original)).map((event) => event.type)).toEqual(['post.create', 'repost.create'])
  })

  test('one user reposts and undoes it many times, and counters show what is left', async () => {
    const original = await makePost(server, 'bob', { text: 'to and fro' })
    const before = await userCounts(server, 'dario')
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_none, index) =>
        index % 2 ? unrepost('dario', original) : repost('dario', original),
      ),
    )
    expect(answers.map((answer) => answer.status)).toEqual(answers.map(() => 200))
    const left = await stored(original)
    expect(await repostCount(original)).toBe(left)
    expect((await userCounts(server, 'dario')).posts).toBe(before.posts + left)
  })
})
