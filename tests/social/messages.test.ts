import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../support/server.ts'
import { makePost } from './acting.ts'
import { makeGroup, sendMessage, sendToConversation, textsOf, trySending } from './messaging.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

const id = (name: string) => server.userId(name)
const pairOf = (one: string, other: string) =>
  [id(one), id(other)].sort((left, right) => (BigInt(left) < BigInt(right) ? -1 : 1)).join('-')
const eventsWith = (name: string, query = '', as = 'alice') =>
  server.get(`/2/dm_conversations/with/${id(name)}/dm_events${query}`, { user: as })

const ALL =
  'attachments,created_at,dm_conversation_id,entities,event_type,id,participant_ids,referenced_posts,sender_id,text'

describe('a message to a user', () => {
  test('opens the conversation, and both users read it', async () => {
    const sent = await sendMessage(server, 'alice', 'bob', 'Tea at four?')
    expect(sent).toEqual({ dm_conversation_id: pairOf('alice', 'bob'), dm_event_id: expect.stringMatching(/^\d+$/) })
    for (const [reader, other] of [
      ['alice', 'bob'],
      ['bob', 'alice'],
    ] as const) {
      const read = await eventsWith(other, '', reader)
      expect(read.status).toBe(200)
      expect(read.body.data).toEqual([{ id: sent.dm_event_id, event_type: 'MessageCreate', text: 'Tea at four?' }])
      expect(read.body.meta.result_count).toBe(1)
    }
  })

  test('has all its fields on request, and no participant_ids', async () => {
    const sent = await sendMessage(server, 'alice', 'bob', 'All of me')
    const read = await server.get(`/2/dm_events/${sent.dm_event_id}?dm_event.fields=${ALL}`, { user: 'bob' })
    expect(read.body).toEqual({
      data: {
        id: sent.dm_event_id,
        event_type: 'MessageCreate',
        text: 'All of me',
        created_at: expect.stringMatching(/^\d{4}-.*\.000Z$/),
        dm_conversation_id: sent.dm_conversation_id,
        sender_id: id('alice'),
      },
    })
  })

  test('is sent by the id of the conversation too, in any order of the users', async () => {
    const [small, large] = pairOf('alice', 'chika').split('-')
    await sendMessage(server, 'alice', 'chika', 'first')
    await sendToConversation(server, 'chika', `${small}-${large}`, 'second')
    await sendToConversation(server, 'alice', `${large}-${small}`, 'third')
    expect(await textsOf(server, 'chika', `${small}-${large}`)).toEqual(['third', 'second', 'first'])
  })

  test('shows links, mentions and tags as entities, and escapes its text', async () => {
    const sent = await sendMessage(server, 'alice', 'bob', '@bob <see> https://example.com/a?b=1&c=2 #tea $TEA')
    const read = await server.get(`/2/dm_events/${sent.dm_event_id}?dm_event.fields=entities`, { user: 'bob' })
    const { text, entities } = read.body.data
    const [link] = entities.urls
    expect(link).toMatchObject({ expanded_url: 'https://example.com/a?b=1&c=2', display_url: 'example.com/a?b=1&c=2' })
    expect(text).toBe(`@bob &lt;see&gt; ${link.url} #tea $TEA`)
    expect(entities).toMatchObject({
      mentions: [{ start: 0, end: 4, username: 'bob', id: id('bob') }],
      hashtags: [{ tag: 'tea' }],
      cashtags: [{ tag: 'TEA' }],
    })
  })

  test('refers to the posts it links to, if the sender may see them', async () => {
    const postId = await makePost(server, 'chika', { text: 'Worth a look' })
    const url = `${server.baseUrl}/chika/status/${postId}`
    const sent = await sendMessage(server, 'alice', 'bob', `Look: ${url} and ${server.baseUrl}/chika/status/1`)
    const read = await server.get(
      `/2/dm_events/${sent.dm_event_id}?expansions=referenced_posts.id,sender_id&post.fields=author_id`,
      { user: 'bob' },
    )
    expect(read.body.data.referenced_posts).toEqual([{ id: postId }])
    expect(read.body.includes.posts).toEqual([{ id: postId, text: 'Worth a look', author_id: id('chika') }])
    expect(read.body.includes.users.map((item: { username: string }) => item.username)).toEqual(['alice'])
  })

  test('does not show the receiver a post that only the sender may see', async () => {
    await server.command('user.update', { user: 'chika', protected: true })
    await server.command('relation.add', { kind: 'follow', source: 'alice', target: 'chika' })
    await server.command('relation.remove', { kind: 'follow', source: 'dario', target: 'chika' })
    const postId = await makePost(server, 'chika', { text: 'For followers' })
    const url = `${server.baseUrl}/chika/status/${postId}`
    const sent = await sendMessage(server, 'alice', 'dario', url)
    const own = await server.get(`/2/dm_events/${sent.dm_event_id}?expansions=referenced_posts.id`, { user: 'alice' })
    expect(own.body.includes.posts[0].text).toBe('For followers')
    const other = await server.get(`/2/dm_events/${sent.dm_event_id}?expansions=referenced_posts.id`, { user: 'dario' })
    expect(other.text).not.toContain('For followers')
    expect(other.body.errors[0]).toMatchObject({ resource_id: postId, section: 'includes' })
    // Dario cannot see the post, so his link does not refer to it.
    const answer = await sendMessage(server, 'dario', 'alice', url)
    const read = await server.get(`/2/dm_events/${answer.dm_event_id}?dm_event.fields=referenced_posts`, {
      user: 'dario',
    })
    expect(read.body.data).not.toHaveProperty('referenced_posts')
    await server.command('user.update', { user: 'chika', protected: false })
  })

  test.each([
    ['nothing', {}, '$.text'],
    ['an empty text', { text: '' }, '$.text'],
    ['10,001 characters', { text: 'x'.repeat(10_001) }, '$.text'],
    ['a number as text', { text: 7 }, '$.text'],
    ['another member', { text: 'Hi', more: 1 }, '$.more'],
    ['two attachments', { text: 'Hi', attachments: [{ media_id: '1' }, { media_id: '2' }] }, '$.attachments'],
    ['an attachment without id', { attachments: [{}] }, '$.attachments[0].media_id'],
    ['no attachment and no text', { attachments: [] }, 'text'],
    ['only spaces', { text: '  \n ' }, 'text'],
  ])('with %s is refused with the name of the member', async (_what, body, member) => {
    const answer = await trySending(server, 'alice', 'bob', body)
    expect(answer.status).toBe(400)
    expect(answer.body.type).toMatch(/invalid-request$/)
    expect(answer.body.errors.map((item: { parameters: object }) => Object.keys(item.parameters)[0])).toContain(member)
  })

  test('has at most 10,000 characters', async () => {
    const sent = await sendMessage(server, 'alice', 'bob', '😀'.repeat(10_000))
    const read = await server.get(`/2/dm_events/${sent.dm_event_id}`, { user: 'bob' })
    expect([...read.body.data.text]).toHaveLength(10_000)
  })

  test('to a user who does not exist is a 404, and to oneself a 403', async () => {
    expect(await trySending(server, 'alice', '1')).toMatchObject({ status: 404, body: { parameter: 'participant_id' } })
    const own = await trySending(server, 'alice', 'alice')
    expect(own).toMatchObject({
      status: 403,
      body: { type: 'about:blank', detail: 'You cannot send messages to yourself.' },
    })
  })
})

describe('a group', () => {
  test('begins with a join of all its users, and then the first message', async () => {
    const made = await makeGroup(server, ['alice', 'bob', 'dario'], 'Welcome')
    expect(made.dm_conversation_id).toMatch(/^\d{15,19}$/)
    const read = await server.get(
      `/2/dm_conversations/${made.dm_conversation_id}/dm_events?dm_event.fields=sender_id,dm_conversation_id&expansions=participant_ids`,
      { user: 'dario' },
    )
    const conversation = { sender_id: id('alice'), dm_conversation_id: made.dm_conversation_id }
    expect(read.body.data).toEqual([
      { id: made.dm_event_id, event_type: 'MessageCreate', text: 'Welcome', ...conversation },
      {
        id: expect.any(String),
        event_type: 'ParticipantsJoin',
        participant_ids: [id('alice'), id('bob'), id('dario')],
        ...conversation,
      },
    ])
    expect(read.body.includes.users).toHaveLength(3)
  })

  test('is a new one each time, also for the same users', async () => {
    const [one, two] = [
      await makeGroup(server, ['alice', 'bob', 'dario']),
      await makeGroup(server, ['alice', 'bob', 'dario']),
    ]
    expect(one.dm_conversation_id).not.toBe(two.dm_conversation_id)
  })

  test('takes messages of everybody in it, and shows them to all', async () => {
    const { dm_conversation_id: group } = await makeGroup(server, ['alice', 'bob', 'dario'], 'one')
    await sendToConversation(server, 'bob', group, 'two')
    await sendToConversation(server, 'dario', group, 'three')
    for (const name of ['alice', 'bob', 'dario'])
      expect(await textsOf(server, name, group)).toEqual(['three', 'two', 'one', 'ParticipantsJoin'])
  })

  test.each([
    ['another type', { conversation_type: 'OneToOne' }, '$.conversation_type'],
    ['one participant', { participant_ids: ['1'] }, '$.participant_ids'],
    [
      'fifty participants',
      { participant_ids: Array.from({ length: 50 }, (_, at) => String(at + 1)) },
      '$.participant_ids',
    ],
    ['no message', { message: undefined }, '$.message'],
    ['an empty message', { message: {} }, '$.message.text'],
    ['users who do not exist', { participant_ids: ['1', '2'] }, 'participant_ids'],
  ])('with %s is refused', async (_what, changed, member) => {
    const body = {
      conversation_type: 'Group',
      participant_ids: [id('bob'), id('dario')],
      message: { text: 'Hi' },
      ...changed,
    }
    const answer = await server.post('/2/dm_conversations', body, { user: 'alice' })
    expect(answer.status).toBe(400)
    expect(answer.body.errors.map((item: { parameters: object }) => Object.keys(item.parameters)[0])).toContain(member)
  })

  test.each([
    ['alice', 'bob'],
    ['bob', 'bob'],
  ])('with the caller or a user twice (%s, %s) is refused', async (...names) => {
    const body = { conversation_type: 'Group', participant_ids: names.map(id), message: { text: 'Hi' } }
    const answer = await server.post('/2/dm_conversations', body, { user: 'alice' })
    expect(answer.status).toBe(400)
    expect(Object.keys(answer.body.errors[0].parameters)).toEqual(['participant_ids'])
  })
})

describe('lists of messages', () => {
  test('have pages by key, newest first, and go back to what is newer', async () => {
    const reader = { user: 'erin' }
    const texts = ['m1', 'm2', 'm3', 'm4', 'm5']
    for (const text of texts) await sendMessage(server, 'alice', 'erin', text)
    const path = `/2/dm_conversations/with/${id('alice')}/dm_events?max_results=2`
    const shown = (answer: { body: { data?: { text: string }[] } }) => (answer.body.data ?? []).map((item) => item.text)
    const first = await server.get(path, reader)
    expect(shown(first)).toEqual(['m5', 'm4'])
    expect(first.body.meta.next_token).toMatch(/^[A-Z2-7]{16}$/)
    await sendMessage(server, 'alice', 'erin', 'm6')
    const second = await server.get(`${path}&pagination_token=${first.body.meta.next_token}`, reader)
    expect(shown(second)).toEqual(['m3', 'm2'])
    const third = await server.get(`${path}&pagination_token=${second.body.meta.next_token}`, reader)
    expect(shown(third)).toEqual(['m1'])
    expect(third.body.meta).not.toHaveProperty('next_token')
    // The first page has a previous token: what came since.
    const newer = await server.get(`${path}&pagination_token=${first.body.meta.previous_token}`, reader)
    expect(shown(newer)).toEqual(['m6'])
    const none = await server.get(
      `${path}&pagination_token=${newer.body.meta.previous_token ?? first.body.meta.previous_token}`,
      reader,
    )
    expect(none.status).toBe(200)
  })

  test('of all conversations have only the last 30 days; a conversation has all', async () => {
    const before = await sendMessage(server, 'dario', 'erin', 'long ago')
    await server.command('clock', { advance_ms: 31 * 24 * 3_600_000 })
    await sendMessage(server, 'erin', 'dario', 'today')
    const all = await server.get('/2/dm_events', { user: 'dario' })
    expect(all.body.data.map((item: { text: string }) => item.text)).toEqual(['today'])
    expect(await textsOf(server, 'dario', before.dm_conversation_id)).toEqual(['today', 'long ago'])
    await server.command('clock', { reset: true })
  })

  test('show only the requested types of events', async () => {
    const { dm_conversation_id: group } = await makeGroup(server, ['alice', 'bob', 'dario'], 'typed')
    const typesOf = async (query: string) => {
      const read = await server.get(`/2/dm_conversations/${group}/dm_events${query}`, { user: 'bob' })
      return (read.body.data ?? []).map((item: { event_type: string }) => item.event_type)
    }
    expect(await typesOf('?event_types=MessageCreate')).toEqual(['MessageCreate'])
    expect(await typesOf('?event_types=ParticipantsJoin,ParticipantsLeave')).toEqual(['ParticipantsJoin'])
    const none = await server.get(`/2/dm_conversations/${group}/dm_events?event_types=ParticipantsLeave`, {
      user: 'bob',
    })
    expect(none.body).toEqual({ meta: { result_count: 0 } })
    const bad = await server.get(`/2/dm_events?event_types=Message`, { user: 'bob' })
    expect(bad.status).toBe(400)
    expect(bad.body.errors[0].message).toContain('[MessageCreate,ParticipantsJoin,ParticipantsLeave]')
  })

  test('between two users who never wrote are empty; with a user who does not exist there is only the error', async () => {
    expect((await eventsWith('dario', '', 'chika')).body).toEqual({ meta: { result_count: 0 } })
    const none = await server.get('/2/dm_conversations/with/1/dm_events', { user: 'alice' })
    expect(none).toMatchObject({ status: 200, body: { errors: [{ parameter: 'participant_id' }] } })
  })
})

describe('deleting a message', () => {
  test('removes it from the view of its sender only', async () => {
    const sent = await sendMessage(server, 'alice', 'bob', 'to be deleted')
    const deleted = await server.delete(`/2/dm_events/${sent.dm_event_id}`, { user: 'alice' })
    expect(deleted).toMatchObject({ status: 200, body: { data: { deleted: true } } })
    const gone = await server.get(`/2/dm_events/${sent.dm_event_id}`, { user: 'alice' })
    expect(gone).toMatchObject({ status: 200, body: { errors: [{ title: 'Not Found Error', status: 404 }] } })
    expect(gone.body.data).toBeUndefined()
    expect(await textsOf(server, 'alice', sent.dm_conversation_id)).not.toContain('to be deleted')
    expect((await server.get('/2/dm_events', { user: 'alice' })).text).not.toContain('to be deleted')
    expect(await textsOf(server, 'bob', sent.dm_conversation_id)).toContain('to be deleted')
    expect((await server.delete(`/2/dm_events/${sent.dm_event_id}`, { user: 'alice' })).status).toBe(404)
  })

  test('of somebody else is refused: a 403 for those who see it, a 404 for others', async () => {
    const sent = await sendMessage(server, 'alice', 'bob', 'not yours')
    const received = await server.delete(`/2/dm_events/${sent.dm_event_id}`, { user: 'bob' })
    expect(received).toMatchObject({ status: 403, body: { detail: 'You can only delete messages that you sent.' } })
    const [foreign, unknown] = await Promise.all(
      [sent.dm_event_id, '1'].map((event) => server.delete(`/2/dm_events/${event}`, { user: 'dario' })),
    )
    expect(foreign!.status).toBe(404)
    expect({ ...unknown!.body, detail: '' }).toEqual({ ...foreign!.body, detail: '' })
    expect(await textsOf(server, 'bob', sent.dm_conversation_id)).toContain('not yours')
  })
})
