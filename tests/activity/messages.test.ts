import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { planAccountActivity } from '../../src/account-activity/plan-deliveries.ts'
import { addWebhook, deliveriesOf, planned, subscribe as subscribeUser } from '../account-activity/delivered-events.ts'
import { rows } from '../social/acting.ts'
import { makeGroup, sendMessage, sendToConversation } from '../social/messaging.ts'
import { uploadWhole } from '../social/uploading.ts'
import { makePng } from '../support/make-media.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { clear, dataOf, delivered, eventsOf, messagesOf, subscribeAs } from './subscribed-activity.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())
afterEach(async () => {
  await clear(server)
  await rows(server, 'delete from account_activity_subscription')
})

const id = (name: string) => server.userId(name)
const message = (from: string, to: string, text: string) => ({
  type: 'message_create',
  id: expect.stringMatching(/^\d+$/),
  created_timestamp: expect.stringMatching(/^\d{13}$/),
  message_create: {
    target: { recipient_id: id(to) },
    sender_id: id(from),
    source_app_id: expect.stringMatching(/^\d+$/),
    message_data: { text, entities: { hashtags: [], symbols: [], user_mentions: [], urls: [] } },
  },
})
const typesOf = (data: { event_type: string; filter: { user_id: string } }[]) =>
  data.map((item) => `${item.event_type} ${['alice', 'bob', 'dario'].find((name) => id(name) === item.filter.user_id)}`)

describe('subscriptions to messages', () => {
  test('tell the sender dm.sent and the receiver dm.received, with the message and both users', async () => {
    for (const name of ['alice', 'bob', 'dario'])
      for (const type of ['dm.sent', 'dm.received']) await subscribeAs(server, name, type)
    const data = await delivered(server, () => sendMessage(server, 'alice', 'bob', 'Tea at four?'))
    expect(typesOf(data)).toEqual(['dm.sent alice', 'dm.received bob'])
    for (const item of data) {
      expect(Object.keys(item.payload)).toEqual(['direct_message_events', 'users'])
      expect(item.payload.direct_message_events).toEqual([message('alice', 'bob', 'Tea at four?')])
      expect(Object.keys(item.payload.users).sort()).toEqual([id('alice'), id('bob')].sort())
      expect(item.payload.users[id('alice')].data).toMatchObject({ id: id('alice'), username: 'alice' })
    }
  })

  test('tell both sides of reading and typing; direction and keyword narrow them', async () => {
    const { dm_conversation_id: conversation, dm_event_id: last } = await sendMessage(server, 'alice', 'bob', 'Read me')
    for (const type of ['dm.read', 'dm.indicate_typing']) {
      await subscribeAs(server, 'alice', type)
      await subscribeAs(server, 'bob', type)
    }
    const data = await delivered(server, async () => {
      await server.command('messages.read', { user: 'bob', conversation })
      await server.command('messages.read', { user: 'bob', conversation })
      await server.command('messages.typing', { user: 'bob', with: 'alice' })
    })
    expect(typesOf(data).sort()).toEqual([
      'dm.indicate_typing alice',
      'dm.indicate_typing bob',
      'dm.read alice',
      'dm.read bob',
    ])
    const facts = {
      created_timestamp: expect.stringMatching(/^\d{13}$/),
      sender_id: id('bob'),
      target: { recipient_id: id('alice') },
    }
    const read = data.find((item) => item.event_type === 'dm.read').payload
    expect(read.direct_message_mark_read_events).toEqual([{ ...facts, last_read_event_id: last }])
    const typing = data.find((item) => item.event_type === 'dm.indicate_typing').payload
    expect(typing.direct_message_indicate_typing_events).toEqual([facts])

    await clear(server)
    await subscribeAs(server, 'alice', 'dm.read', { direction: 'received' })
    await subscribeAs(server, 'bob', 'dm.read', { direction: 'received' })
    await subscribeAs(server, 'alice', 'dm.sent', { direction: 'received' })
    await subscribeAs(server, 'alice', 'dm.sent', { direction: 'sent', keyword: 'Scones jam' })
    const narrowed = await delivered(server, async () => {
      await sendMessage(server, 'alice', 'bob', 'Only scones')
      await sendMessage(server, 'alice', 'bob', 'Jam on scones & more')
      await server.command('messages.read', { user: 'bob', with: 'alice' })
    })
    expect(typesOf(narrowed)).toEqual(['dm.sent alice', 'dm.read alice'])
    expect(narrowed[0].payload.direct_message_events[0].message_create.message_data.text).toBe(
      'Jam on scones &amp; more',
    )
  })

  test('in a group tell everybody who is in it, and nobody who left', async () => {
    const { dm_conversation_id: group } = await makeGroup(server, ['alice', 'bob', 'dario'])
    for (const name of ['alice', 'bob', 'dario'])
      for (const type of ['dm.sent', 'dm.received']) await subscribeAs(server, name, type)
    const all = await delivered(server, () => sendToConversation(server, 'bob', group, 'To all'))
    expect(typesOf(all).sort()).toEqual(['dm.received alice', 'dm.received dario', 'dm.sent bob'])
    const targets = all.map((item) => item.payload.direct_message_events[0].message_create.target)
    expect(targets).toEqual(
      expect.arrayContaining([
        { conversation_id: group },
        { recipient_id: id('alice'), conversation_id: group },
        { recipient_id: id('dario'), conversation_id: group },
      ]),
    )
    await server.command('messages.leave', { user: 'dario', conversation: group })
    const some = await delivered(server, () => sendToConversation(server, 'bob', group, 'Without dario'))
    expect(typesOf(some).sort()).toEqual(['dm.received alice', 'dm.sent bob'])
  })

  test('deliver a message that was deleted in the meantime as it was', async () => {
    await subscribeAs(server, 'alice', 'dm.sent')
    await subscribeAs(server, 'bob', 'dm.received')
    const webhook = await addWebhook(server)
    await subscribeUser(server, webhook, 'alice')
    const events = await eventsOf(server, async () => {
      const sent = await sendMessage(server, 'alice', 'bob', 'Gone at once')
      await server.delete(`/2/dm_events/${sent.dm_event_id}`, { user: 'alice' })
    })
    await server.command('cache.forget')
    const data = dataOf(await messagesOf(server, events))
    expect(typesOf(data)).toEqual(['dm.sent alice', 'dm.received bob'])
    for (const item of data)
      expect(item.payload.direct_message_events).toEqual([message('alice', 'bob', 'Gone at once')])
    const [plannedOne] = await planned(server, events)
    expect(plannedOne!.json.direct_message_events).toEqual([message('alice', 'bob', 'Gone at once')])
  })

  test('need a grant of the user with dm.read, when it is created and when it is delivered', async () => {
    const refused = await server.post('/2/activity/subscriptions', {
      event_type: 'dm.received',
      filter: { user_id: id('bob') },
    })
    expect(refused.status).toBe(403)
    await subscribeAs(server, 'bob', 'dm.received')
    await rows(server, 'update oauth2_grant set revoked = true where user_id = $1', [id('bob')])
    expect(await delivered(server, () => sendMessage(server, 'alice', 'bob', 'After the end'))).toEqual([])
  })

  test('withhold the message of a sender who was suspended since', async () => {
    await subscribeAs(server, 'bob', 'dm.received')
    const events = await eventsOf(server, () => sendMessage(server, 'dario', 'bob', 'Spam'))
    await server.command('user.update', { user: 'dario', suspended: true })
    expect(await messagesOf(server, events)).toEqual([])
    await server.command('user.update', { user: 'dario', suspended: false })
    expect(await messagesOf(server, events)).toHaveLength(1)
  })

  test('nobody is told that a user whom they block, or who blocks them, reads or types', async () => {
    await sendMessage(server, 'alice', 'bob', 'Last words')
    await server.post(`/2/users/${id('alice')}/dm/block`, undefined, { user: 'bob' })
    const events = await eventsOf(server, async () => {
      await server.command('messages.read', { user: 'bob', with: 'alice' })
      for (const [user, other] of [
        ['bob', 'alice'],
        ['alice', 'bob'],
      ])
        expect((await server.tryCommand('messages.typing', { user, with: other })).status).toBe(403)
    })
    expect(events).toEqual([])
    await server.post(`/2/users/${id('alice')}/dm/unblock`, undefined, { user: 'bob' })
  })
})

describe('account activity', () => {
  test('delivers a message to sender and receiver in the shape of version 1.1, with users and app', async () => {
    const webhook = await addWebhook(server)
    for (const name of ['alice', 'bob', 'dario']) await subscribeUser(server, webhook, name)
    const { id: mediaId } = await uploadWhole(server, makePng(), 'dm_image')
    const sent = await deliveriesOf(server, () =>
      sendMessage(server, 'alice', 'bob', { text: '@bob #tea', attachments: [{ media_id: mediaId }] }),
    )
    expect(sent.map((item) => item.json.for_user_id)).toEqual([id('alice'), id('bob')])
    const { json } = sent[1]!
    expect(Object.keys(json)).toEqual(['for_user_id', 'direct_message_events', 'apps', 'users'])
    const [event] = json.direct_message_events
    expect(event.message_create.message_data).toMatchObject({
      text: '@bob #tea',
      entities: { hashtags: [{ text: 'tea' }], user_mentions: [{ screen_name: 'bob', id_str: id('bob') }] },
      attachment: {
        type: 'media',
        media: {
          id_str: mediaId,
          type: 'photo',
          media_url_https: expect.stringContaining(`/2/dm_conversations/media/${event.id}/${mediaId}/`),
        },
      },
    })
    const appId = event.message_create.source_app_id
    expect(json.apps[appId]).toMatchObject({ id: appId, name: 'First app' })
    expect(json.users[id('bob')]).toEqual({
      id: id('bob'),
      created_timestamp: expect.stringMatching(/^\d{13}$/),
      name: expect.any(String),
      screen_name: 'bob',
      ...Object.fromEntries(
        ['location', 'description', 'url'].flatMap((name) => {
          const value = json.users[id('bob')][name]
          return value === undefined ? [] : [[name, value]]
        }),
      ),
      protected: false,
      verified: expect.any(Boolean),
      followers_count: expect.any(Number),
      friends_count: expect.any(Number),
      statuses_count: expect.any(Number),
      profile_image_url_https: expect.stringMatching(/^http/),
    })
  })

  test('tells only the other side of reading and typing', async () => {
    const webhook = await addWebhook(server)
    for (const name of ['alice', 'bob']) await subscribeUser(server, webhook, name)
    const { dm_event_id: last } = await sendMessage(server, 'alice', 'bob', 'Seen?')
    const told = await deliveriesOf(server, async () => {
      await server.command('messages.typing', { user: 'bob', with: 'alice' })
      await server.command('messages.read', { user: 'bob', with: 'alice' })
    })
    expect(told.map((item) => item.json.for_user_id)).toEqual([id('alice'), id('alice')])
    const facts = {
      created_timestamp: expect.stringMatching(/^\d{13}$/),
      sender_id: id('bob'),
      target: { recipient_id: id('alice') },
    }
    expect(told[0]!.json.direct_message_indicate_typing_events).toEqual([facts])
    expect(told[1]!.json.direct_message_mark_read_events).toEqual([{ ...facts, last_read_event_id: last }])
    for (const { json } of told) expect(Object.keys(json.users).sort()).toEqual([id('alice'), id('bob')].sort())
    expect(await planAccountActivity(server.runtime, [])).toEqual([])
  })
})

describe('reading and typing', () => {
  test('are refused where the user is not in the conversation', async () => {
    const { dm_conversation_id: group } = await makeGroup(server, ['alice', 'bob', 'chika'])
    for (const name of ['messages.read', 'messages.typing', 'messages.leave'])
      expect((await server.tryCommand(name, { user: 'dario', conversation: group })).status, name).toBe(404)
    const joined = await server.tryCommand('messages.join', {
      user: 'dario',
      conversation: group,
      participants: ['erin'],
    })
    expect(joined.status).toBe(404)
    expect((await server.tryCommand('messages.read', { user: 'dario' })).status).toBe(400)
  })

  test('a mark moves forward only, and only to a message that the user sees', async () => {
    const first = await sendMessage(server, 'alice', 'chika', 'one')
    const second = await sendMessage(server, 'alice', 'chika', 'two')
    const read = async (event?: string) =>
      (await server.command('messages.read', { user: 'chika', with: 'alice', event })).last_read_event_id
    expect(await read('123')).toBe(null)
    expect(await read(first.dm_event_id)).toBe(first.dm_event_id)
    expect(await read()).toBe(second.dm_event_id)
    expect(await read(first.dm_event_id)).toBe(null)
    expect(
      (await server.tryCommand('messages.read', { user: 'chika', with: 'alice', event: '9999999999999999999' })).status,
    ).toBe(400)
  })

  test('a group has at most 50 users', async () => {
    const { dm_conversation_id: group } = await makeGroup(server, ['alice', 'bob', 'chika'])
    await rows(
      server,
      `with made as (insert into user_account (id, username, name, created_at)
         select 1000 + n, 'crowd' || n, 'Crowd', '2026-01-01' from generate_series(1, 47) n returning id)
       insert into dm_participant (conversation_id, user_id) select $1, id from made`,
      [group],
    )
    const full = await server.tryCommand('messages.join', {
      user: 'alice',
      conversation: group,
      participants: ['dario'],
    })
    expect(full).toMatchObject({ status: 403, body: { detail: 'A group can have at most 50 participants.' } })
    const again = await server.command('messages.join', { user: 'alice', conversation: group, participants: ['bob'] })
    expect(again.joined_ids).toEqual([])
  })
})
