import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../support/server.ts'
import type { SigningKeys } from '../support/sign.ts'
import { forbidden, keysFor, makePost, postCount, readPost, rows } from './acting.ts'

let server: TestServer
const selfServe: Record<string, SigningKeys> = {}
beforeAll(async () => {
  server = await startTestServer()
  for (const user of ['alice', 'bob', 'dario']) selfServe[user] = await keysFor(server, user, 1)
})
afterAll(() => server.close())

let answers = 0
const answer = (user: string, target: string, reply: object = {}, text = `answer ${++answers}`) =>
  server.post('/2/posts', { text, reply: { in_reply_to_post_id: target, ...reply } }, { user })

const notAllowed = forbidden(
  'Reply to this conversation is not allowed because you have not been mentioned or otherwise engaged by the author of the post you are replying to.',
)

describe('a conversation', () => {
  test('has one id through several levels, and each reply names the answered user', async () => {
    const root = await makePost(server, 'alice', { text: 'root' })
    const first = (await answer('bob', root)).body.data.id
    const second = (await answer('dario', first)).body.data.id
    const own = (await answer('dario', second)).body.data.id
    const fields = 'conversation_id,in_reply_to_user_id,referenced_posts'
    const read = await server.get(`/2/posts?ids=${[first, second, own]}&post.fields=${fields}`)
    expect(read.body.data).toMatchObject([
      {
        conversation_id: root,
        in_reply_to_user_id: server.userId('alice'),
        referenced_posts: [{ type: 'replied_to', id: root }],
      },
      {
        conversation_id: root,
        in_reply_to_user_id: server.userId('bob'),
        referenced_posts: [{ type: 'replied_to', id: first }],
      },
      {
        conversation_id: root,
        in_reply_to_user_id: server.userId('dario'),
        referenced_posts: [{ type: 'replied_to', id: second }],
      },
    ])
  })

  test('a post that replies and quotes names both', async () => {
    const root = await makePost(server, 'alice', { text: 'answer and quote' })
    const other = await makePost(server, 'bob', { text: 'the quoted one' })
    const id = await makePost(server, 'dario', {
      text: 'both',
      reply: { in_reply_to_post_id: root },
      quote_post_id: other,
    })
    const post = await readPost(server, id, 'referenced_posts,conversation_id')
    expect(post.conversation_id).toBe(root)
    expect(post.referenced_posts).toHaveLength(2)
    expect(post.referenced_posts).toContainEqual({ type: 'quoted', id: other })
    expect(post.referenced_posts).toContainEqual({ type: 'replied_to', id: root })
  })

  test('a reply to a post that does not exist makes its target invalid', async () => {
    for (const target of ['1', '9999999999999999999']) {
      const refused = await answer('bob', target)
      expect(refused.status).toBe(400)
      expect(refused.body.errors[0].parameters).toEqual({ 'reply.in_reply_to_post_id': [target] })
    }
  })

  test('a post that the caller may not see cannot be replied to', async () => {
    const hidden = await makePost(server, 'erin', { text: 'protected words' })
    expect((await answer('alice', hidden)).status).toBe(400)
    expect((await answer('bob', hidden)).status).toBe(201)
  })

  test('thirty replies and quotes at the same moment are all counted', async () => {
    const root = await makePost(server, 'alice', { text: 'count me' })
    const users = ['alice', 'bob', 'chika', 'dario']
    const before = await Promise.all(users.map((user) => postCount(server, user)))
    const made = await Promise.all(
      Array.from({ length: 30 }, (_, index) => {
        const user = users[index % users.length]!
        if (index % 3 > 0) return answer(user, root, {}, `parallel ${index}`)
        return server.post('/2/posts', { text: `parallel ${index}`, quote_post_id: root }, { user })
      }),
    )
    expect(made.map((one) => one.status)).toEqual(Array(30).fill(201))
    expect((await readPost(server, root, 'public_metrics')).public_metrics).toEqual({
      repost_count: 0,
      reply_count: 20,
      like_count: 0,
      quote_count: 10,
      bookmark_count: 0,
      impression_count: 0,
    })
    const after = await Promise.all(users.map((user) => postCount(server, user)))
    expect(after.map((count, index) => count - before[index]!)).toEqual([8, 8, 7, 7])
    const authors = await rows(server, 'select author_id, count(*)::int from post group by 1')
    for (const user of users) {
      const stored = authors.find((row) => row.author_id === server.userId(user))
      expect(await postCount(server, user)).toBe(stored.count)
    }
  })
})

describe('mentions before a reply', () => {
  test('auto_populate_reply_metadata puts the author and those they mention before the text, once each', async () => {
    const root = await makePost(server, 'alice', { text: 'hello @bob @dario and @chika' })
    const made = await answer('dario', root, { auto_populate_reply_metadata: true }, 'thanks @chika')
    expect(made.body.data.text).toBe('@alice @bob thanks @chika')
    const post = await readPost(server, made.body.data.id, 'display_text_range,entities')
    expect([...post.text].slice(...post.display_text_range).join('')).toBe('thanks @chika')
    expect(post.entities.mentions.map((one: { username: string }) => one.username)).toEqual(['alice', 'bob', 'chika'])
  })

  test('exclude_reply_user_ids leaves people out', async () => {
    const root = await makePost(server, 'alice', { text: 'again @bob @dario' })
    const excluded = { auto_populate_reply_metadata: true, exclude_reply_user_ids: [server.userId('bob')] }
    expect((await answer('chika', root, excluded, 'for two')).body.data.text).toBe('@alice @dario for two')
  })

  test('without the flag nothing is put before the text', async () => {
    const root = await makePost(server, 'alice', { text: 'no names please @bob' })
    const made = await answer('dario', root, { auto_populate_reply_metadata: false }, 'as you wish')
    expect(made.body.data.text).toBe('as you wish')
    expect((await readPost(server, made.body.data.id, 'display_text_range')).display_text_range).toEqual([0, 11])
  })

  test('names put before the text do not weigh', async () => {
    const root = await makePost(server, 'alice', { text: 'long answers welcome @bob @chika' })
    const made = await answer('dario', root, { auto_populate_reply_metadata: true }, 'y'.repeat(280))
    expect(made.status).toBe(201)
    expect(made.body.data.text).toBe(`@alice @bob @chika ${'y'.repeat(280)}`)
  })
})

describe('who may reply', () => {
  const root = (setting: string, text: string) => makePost(server, 'alice', { text, reply_settings: setting })

  test('following: whom the author follows, and the author', async () => {
    await server.command('relation.remove', { kind: 'follow', source: 'alice', target: 'dario' })
    await server.command('relation.add', { kind: 'follow', source: 'dario', target: 'alice' })
    const target = await root('following', 'for those I follow')
    expect((await answer('bob', target)).status).toBe(201)
    expect((await answer('alice', target)).status).toBe(201)
    const refused = await answer('dario', target)
    expect(refused.status).toBe(403)
    expect(refused.body).toEqual(notAllowed)
    await server.command('relation.add', { kind: 'follow', source: 'alice', target: 'dario' })
    expect((await answer('dario', target)).status).toBe(201)
  })

  test('mentionedUsers: whom the post mentions, and the author', async () => {
    const target = await root('mentionedUsers', 'for @bob only')
    expect((await answer('bob', target)).status).toBe(201)
    expect((await answer('alice', target)).status).toBe(201)
    expect((await answer('dario', target)).body).toEqual(notAllowed)
  })

  test('verified: accounts with a mark, and whom the post mentions', async () => {
    const target = await root('verified', 'for the verified and @erin')
    expect((await answer('chika', target)).status).toBe(201)
    expect((await answer('erin', target)).status).toBe(201)
    expect((await answer('dario', target)).body).toEqual(notAllowed)
    await server.command('user.update', { user: 'dario', verified_type: 'business' })
    expect((await answer('dario', target)).status).toBe(201)
    await server.command('user.update', { user: 'dario', verified_type: 'none' })
  })

  test('subscribers: nobody but the author and whom the post mentions', async () => {
    const target = await root('subscribers', 'for subscribers and @bob')
    expect((await answer('chika', target)).body).toEqual(notAllowed)
    expect((await answer('bob', target)).status).toBe(201)
    expect((await answer('alice', target)).status).toBe(201)
  })

  test('the setting of the first post holds for the whole conversation', async () => {
    const target = await root('mentionedUsers', 'a closed round with @bob')
    const inside = (await answer('bob', target)).body.data.id
    expect((await answer('dario', inside)).body).toEqual(notAllowed)
    expect((await readPost(server, target, 'public_metrics')).public_metrics.reply_count).toBe(1)
  })
})

describe('an app on the self-serve tier', () => {
  const reply = (user: string, target: string) =>
    server.post(
      '/2/posts',
      { text: `summoned ${++answers}`, reply: { in_reply_to_post_id: target } },
      { keys: selfServe[user]! },
    )

  test('cannot reply to users who did not mention or quote its user', async () => {
    const target = await makePost(server, 'alice', { text: 'I ask nobody' })
    const refused = await reply('bob', target)
    expect(refused.status).toBe(403)
    expect(refused.body).toEqual(notAllowed)
    expect((await readPost(server, target, 'public_metrics')).public_metrics.reply_count).toBe(0)
  })

  test('can reply to a post that mentions its user', async () => {
    const target = await makePost(server, 'alice', { text: 'What do you say, @BOB?' })
    expect((await reply('bob', target)).status).toBe(201)
    expect((await reply('dario', target)).body).toEqual(notAllowed)
  })

  test('can reply to a post that quotes its user', async () => {
    const quoted = await makePost(server, 'bob', { text: 'quote this one' })
    const target = await makePost(server, 'alice', { text: 'look at this', quote_post_id: quoted })
    expect((await reply('bob', target)).status).toBe(201)
    expect((await reply('dario', target)).body).toEqual(notAllowed)
  })

  test('can reply to its own posts', async () => {
    const target = await makePost(server, 'bob', { text: 'a thread of my own' })
    expect((await reply('bob', target)).status).toBe(201)
  })
})
