import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { messagePairLock } from '../../src/social/user-pair.ts'
import { waitingForLocks } from '../support/locks.ts'
import { type As, startTestServer, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'
import { rows } from './acting.ts'
import { byOAuth2, makeGroup, sendMessage, sendToConversation, textsOf, trySending } from './messaging.ts'
import { newUser } from './relating.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

const id = (name: string) => server.userId(name)
const relate = (verb: 'add' | 'remove', kind: string, source: string, target: string) =>
  server.command(`relation.${verb}`, { kind, source, target })

/** Whether a user receives the caller's messages, as the field says. */
const receives = async (targetId: string, as: As): Promise<boolean> =>
  (await server.get(`/2/users/${targetId}?user.fields=receives_your_dm`, as)).body.data.receives_your_dm

/** What sending does must be what the field says. */
async function expectBoth(target: string, as: As, isReceived: boolean) {
  expect(await receives(target, as)).toBe(isReceived)
  const answer = await trySending(server, as, target)
  expect(answer.status).toBe(isReceived ? 201 : 403)
  if (!isReceived) expect(answer.body).toMatchObject({ type: 'about:blank', title: 'Forbidden', status: 403 })
  return answer
}

let users = 0
const person = (facts: Record<string, unknown> = {}) => newUser(server, `person${++users}`, facts)

describe('who may write to whom', () => {
  test('everybody, to a user who takes messages from everybody', async () => {
    const [one, two] = [await person(), await person({ protected: true })]
    await expectBoth(two.id, one.as, true)
  })

  test('to another user only those whom the user follows, or has written to', async () => {
    const [fan, star, answered] = [await person(), await person(), await person()]
    await server.command('user.update', { user: star.id, receives_messages_from_everyone: false })
    const refused = await expectBoth(star.id, fan.as, false)
    expect(refused.body.detail).toBe('You cannot send messages to this user.')
    await relate('add', 'follow', star.id, fan.id)
    await expectBoth(star.id, fan.as, true)
    await relate('remove', 'follow', star.id, fan.id)
    await expectBoth(star.id, fan.as, false)
    expect(await receives(star.id, answered.as)).toBe(false)
    await sendMessage(server, star.as, answered.id, 'You won')
    await expectBoth(star.id, answered.as, true)
    await server.command('user.update', { user: star.id, receives_messages_from_everyone: true })
    await expectBoth(star.id, fan.as, true)
  })

  test('nobody, where one of the two blocks the other', async () => {
    const [one, two] = [await person(), await person()]
    await sendMessage(server, one.as, two.id, 'before')
    await sendMessage(server, two.as, one.id, 'answer')
    await relate('add', 'block', two.id, one.id)
    const refused = await expectBoth(two.id, one.as, false)
    expect(refused.body.detail).toBe('You cannot send messages to this user.')
    await expectBoth(one.id, two.as, false)
    const conversation = BigInt(one.id) < BigInt(two.id) ? `${one.id}-${two.id}` : `${two.id}-${one.id}`
    const direct = await server.post(`/2/dm_conversations/${conversation}/messages`, { text: 'still here' }, one.as)
    expect(direct.status).toBe(403)
    expect(await textsOf(server, two.as, conversation)).toEqual(['answer', 'before'])
    await relate('remove', 'block', two.id, one.id)
    await expectBoth(two.id, one.as, true)
  })

  test('nobody whose messages the user blocks, until they are unblocked', async () => {
    const [one, two] = [await person(), await person()]
    const blocked = await server.post(`/2/users/${one.id}/dm/block`, undefined, two.as)
    expect(blocked).toMatchObject({ status: 200, body: { data: { blocked: true } } })
    const refused = await expectBoth(two.id, one.as, false)
    expect(refused.body.detail).toBe('You cannot send messages to this user.')
    await expectBoth(one.id, two.as, false)
    // Nothing else between the two changes.
    await relate('add', 'follow', one.id, two.id)
    expect((await server.post(`/2/users/${one.id}/dm/block`, undefined, two.as)).body.data.blocked).toBe(true)
    const unblocked = await server.post(`/2/users/${one.id}/dm/unblock`, undefined, two.as)
    expect(unblocked).toMatchObject({ status: 200, body: { data: { blocked: false } } })
    await expectBoth(two.id, one.as, true)
  })

  test.each([
    ['blocks', 'block (source_id, target_id, id) values ($1, $2, 1)'],
    ['blocks the messages of', 'dm_block (source_id, target_id, created_at) values ($1, $2, now())'],
  ])('nobody, once the receiver %s the sender, also while a message is being sent', async (_verb, row) => {
    const [one, two] = [await person(), await person()]
    await sendMessage(server, one.as, two.id, 'before')
    const other = await server.runtime.database.pool.connect()
    try {
      await other.query('begin')
      await messagePairLock.count(other, two.id, one.id)
      const sending = trySending(server, one.as, two.id, 'in the same moment')
      await Promise.race([until(async () => (await waitingForLocks(server)) > 0), sending])
      await other.query(`insert into ${row}`, [two.id, one.id])
      await other.query('commit')
      expect((await sending).status).toBe(403)
    } finally {
      other.release()
    }
  })

  test('blocking the messages of oneself or of a user who does not exist is refused', async () => {
    expect((await server.post(`/2/users/${id('alice')}/dm/block`, undefined, { user: 'alice' })).status).toBe(400)
    expect((await server.post('/2/users/1/dm/block', undefined, { user: 'alice' })).status).toBe(404)
    expect((await server.post('/2/users/1/dm/unblock', undefined, { user: 'alice' })).body.data.blocked).toBe(false)
  })

  test('nobody, to a suspended user, whose earlier messages stay readable', async () => {
    const [one, two] = [await person(), await person()]
    const { dm_conversation_id: conversation } = await sendMessage(server, two.as, one.id, 'before')
    await server.command('user.update', { user: two.id, suspended: true })
    expect((await trySending(server, one.as, two.id)).status).toBe(404)
    expect((await server.post(`/2/dm_conversations/${conversation}/messages`, { text: 'x' }, one.as)).status).toBe(404)
    expect(await textsOf(server, one.as, conversation)).toEqual(['before'])
    expect((await server.get(`/2/dm_conversations/with/${two.id}/dm_events`, one.as)).body.data).toHaveLength(1)
  })

  test('a group can only be created with users who receive the messages of the caller', async () => {
    const [one, two] = [await person(), await person()]
    await server.post(`/2/users/${id('alice')}/dm/block`, undefined, two.as)
    const body = { conversation_type: 'Group', participant_ids: [one.id, two.id], message: { text: 'Hi' } }
    const before = await rows(server, 'select count(*)::int as count from dm_conversation')
    expect((await server.post('/2/dm_conversations', body, { user: 'alice' })).status).toBe(403)
    expect(await rows(server, 'select count(*)::int as count from dm_conversation')).toEqual(before)
  })

  test('the same holds for a user who reads their own profile', async () => {
    await expectBoth(id('alice'), { user: 'alice' }, false)
  })
})

describe('a message reaches nobody else', () => {
  const SECRET = 'the key is below the mat'
  let conversation: string
  let event: string
  let group: string
  let groupEvent: string
  beforeAll(async () => {
    const sent = await sendMessage(server, 'alice', 'bob', SECRET)
    ;[conversation, event] = [sent.dm_conversation_id, sent.dm_event_id]
    const made = await makeGroup(server, ['alice', 'bob', 'chika'], SECRET)
    ;[group, groupEvent] = [made.dm_conversation_id, made.dm_event_id]
  })

  const paths = () => [
    '/2/dm_events',
    `/2/dm_events/${event}`,
    `/2/dm_events/${groupEvent}`,
    `/2/dm_conversations/${conversation}/dm_events`,
    `/2/dm_conversations/${group}/dm_events`,
    `/2/dm_conversations/with/${id('alice')}/dm_events`,
    `/2/dm_conversations/with/${id('bob')}/dm_events`,
  ]

  const unseen = (event: string) => ({
    errors: [
      {
        title: 'Not Found Error',
        type: 'about:blank',
        status: 404,
        detail: `Could not find message with event_id: [${event}].`,
      },
    ],
  })

  test('a stranger gets it from no list and by no id, and learns nothing about what exists', async () => {
    for (const path of paths()) expect((await server.get(path, { user: 'dario' })).text).not.toContain(SECRET)
    const unknown = `${BigInt(group) + 1n}`
    for (const [status, ...both] of [
      [404, `/2/dm_conversations/${group}/dm_events`, `/2/dm_conversations/${unknown}/dm_events`],
      [200, `/2/dm_events/${event}`, `/2/dm_events/${BigInt(event) + 1n}`],
    ] as const) {
      const answers = await Promise.all(both.map((path) => server.get(path, { user: 'dario' })))
      expect(answers.map((answer) => answer.status)).toEqual([status, status])
      expect(answers.map((answer) => answer.body.data)).toEqual([undefined, undefined])
      const [one, two] = answers.map((answer) => answer.text.replace(/\[\d+\]/, '[]'))
      expect(one).toBe(two)
    }
    const foreign = await server.get(`/2/dm_conversations/${conversation}/dm_events`, { user: 'dario' })
    expect(foreign.status).toBe(404)
  })

  test('a stranger cannot write into a conversation', async () => {
    for (const path of [conversation, group, '123456789012345', `${id('dario')}-${id('dario')}`, `${id('dario')}-1`]) {
      const answer = await server.post(`/2/dm_conversations/${path}/messages`, { text: 'hello' }, { user: 'dario' })
      expect(answer.status, path).toBe(404)
    }
    for (const path of ['nonsense', '1-2-3']) {
      const answer = await server.post(`/2/dm_conversations/${path}/messages`, { text: 'hello' }, { user: 'dario' })
      expect(answer.status, path).toBe(400)
    }
    expect(await textsOf(server, 'alice', group)).toEqual([SECRET, 'ParticipantsJoin'])
  })

  test('app-only tokens, tokens without the scope and signed tokens of a lower level are refused', async () => {
    const unscoped = await byOAuth2(server, 'bob', ['dm.write', 'post.read', 'users.read'])
    const { apps } = await server.command('app.list')
    const pair = await server.command('user.token', { user: 'chika', app: apps[1].id, access_level: 'read-write' })
    const app = server.credentials.apps[1]!
    const lower: As = {
      keys: {
        consumerKey: app.api_key,
        consumerSecret: app.api_key_secret,
        token: pair.access_token,
        tokenSecret: pair.access_token_secret,
      },
    }
    for (const as of ['app', unscoped, lower] as As[])
      for (const path of paths()) {
        const answer = await server.get(path, as)
        expect(answer.status).toBe(403)
        expect(answer.text).not.toContain(SECRET)
      }
    const reading = await byOAuth2(server, 'bob', ['dm.read', 'post.read', 'users.read'])
    expect((await trySending(server, reading, 'alice')).status).toBe(403)
    expect((await server.get(`/2/dm_events/${event}`, reading)).body.data.text).toBe(SECRET)
  })

  test('a former participant keeps what they received, and gets nothing that came later', async () => {
    const { dm_conversation_id: left } = await makeGroup(server, ['alice', 'bob', 'erin'], 'for all')
    await server.command('messages.leave', { user: 'erin', conversation: left })
    const later = await sendToConversation(server, 'alice', left, 'Erin is gone')
    expect(await textsOf(server, 'erin', left)).toEqual(['ParticipantsLeave', 'for all', 'ParticipantsJoin'])
    expect((await server.get(`/2/dm_events/${later.dm_event_id}`, { user: 'erin' })).body).toEqual(
      unseen(later.dm_event_id),
    )
    expect((await server.get('/2/dm_events', { user: 'erin' })).text).not.toContain('Erin is gone')
    const answer = await server.post(`/2/dm_conversations/${left}/messages`, { text: 'still here' }, { user: 'erin' })
    expect(answer.status).toBe(404)
    const read = await server.get(`/2/dm_conversations/${left}/dm_events?dm_event.fields=sender_id`, { user: 'bob' })
    const leave = read.body.data.find((item: { event_type: string }) => item.event_type === 'ParticipantsLeave')
    expect(leave).toEqual({ id: leave.id, event_type: 'ParticipantsLeave', participant_ids: [id('erin')] })
    // Back in the group, only what comes from then on is shown.
    await server.command('messages.join', { user: 'alice', conversation: left, participants: ['erin'] })
    await sendToConversation(server, 'bob', left, 'Welcome back')
    expect(await textsOf(server, 'erin', left)).toEqual([
      'Welcome back',
      'ParticipantsJoin',
      'ParticipantsLeave',
      'for all',
      'ParticipantsJoin',
    ])
    const joins = await server.get(
      `/2/dm_conversations/${left}/dm_events?event_types=ParticipantsJoin&dm_event.fields=sender_id`,
      { user: 'bob' },
    )
    expect(joins.body.data[0]).toMatchObject({ participant_ids: [id('erin')], sender_id: id('alice') })
  })

  test('concurrent messages, joins and leaves lose nothing and show nothing to those who are gone', async () => {
    const { dm_conversation_id: busy } = await makeGroup(server, ['alice', 'bob', 'erin'], 'begin')
    const sent = await Promise.all([
      ...Array.from({ length: 8 }, (_, at) => sendToConversation(server, at % 2 ? 'alice' : 'bob', busy, `m${at}`)),
      server.command('messages.leave', { user: 'erin', conversation: busy }),
    ])
    expect(sent).toHaveLength(9)
    const seen = await textsOf(server, 'alice', busy)
    expect(seen.filter((text) => text.startsWith('m')).sort()).toEqual(Array.from({ length: 8 }, (_, at) => `m${at}`))
    expect(await textsOf(server, 'bob', busy)).toEqual(seen)
    const last = await sendToConversation(server, 'bob', busy, 'after')
    expect((await server.get(`/2/dm_events/${last.dm_event_id}`, { user: 'erin' })).body).toEqual(
      unseen(last.dm_event_id),
    )
  })

  test('first messages in both directions at the same moment share one conversation', async () => {
    const [one, two] = [await person(), await person()]
    const sent = await Promise.all([
      ...Array.from({ length: 4 }, () => sendMessage(server, one.as, two.id)),
      ...Array.from({ length: 4 }, () => sendMessage(server, two.as, one.id)),
    ])
    expect(new Set(sent.map((item) => item.dm_conversation_id)).size).toBe(1)
    expect(await textsOf(server, one.as, sent[0]!.dm_conversation_id)).toHaveLength(8)
  })
})
