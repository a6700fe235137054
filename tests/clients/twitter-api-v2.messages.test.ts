import { TwitterApi } from 'twitter-api-v2'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { byOAuth2 } from '../social/messaging.ts'
import { uploadWhole } from '../social/uploading.ts'
import { type LegacyHost, startLegacyHost } from '../support/legacy-host.ts'
import { makePng } from '../support/make-media.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

let server: TestServer
let host: LegacyHost
let alice: TwitterApi
let bob: TwitterApi
beforeAll(async () => {
  server = await startTestServer()
  host = await startLegacyHost(server)
  const as = async (name: string) => {
    const { bearer } = (await byOAuth2(server, name)) as { bearer: string }
    return new TwitterApi(bearer, { httpAgent: host.agent })
  }
  ;[alice, bob] = [await as('alice'), await as('bob')]
})
afterAll(async () => {
  await host.close()
  await server.close()
})

const id = (name: string) => server.userId(name)

/** The library hands on the whole answer, although its types leave `data` out. */
const sentOf = (answer: object) => (answer as { data: { dm_conversation_id: string; dm_event_id: string } }).data

describe('messages with the library', () => {
  test('are sent with a picture, answered and read page by page, with sender and media', async () => {
    const media = await uploadWhole(server, makePng(), 'dm_image')
    const first = sentOf(
      await alice.v2.sendDmToParticipant(id('bob'), { text: 'Look at this', attachments: [{ media_id: media.id }] }),
    )
    expect(first).toEqual({ dm_conversation_id: expect.stringMatching(/^\d+-\d+$/), dm_event_id: expect.any(String) })
    const answer = sentOf(await bob.v2.sendDmInConversation(first.dm_conversation_id, { text: 'Nice' }))
    expect(answer.dm_conversation_id).toBe(first.dm_conversation_id)

    const pages = await bob.v2.listDmEventsWithParticipant(id('alice'), {
      max_results: 1,
      'dm_event.fields': ['created_at', 'sender_id', 'attachments', 'dm_conversation_id'],
      expansions: ['sender_id', 'attachments.media_keys'],
    })
    expect(pages.events.map((event) => event.id)).toEqual([answer.dm_event_id])
    await pages.fetchNext()
    expect(pages.events.map((event) => event.id)).toEqual([answer.dm_event_id, first.dm_event_id])
    expect(pages.events[1]).toMatchObject({
      event_type: 'MessageCreate',
      text: 'Look at this',
      sender_id: id('alice'),
      attachments: { media_keys: [media.media_key] },
    })
    expect(pages.includes.media.map((item) => item.media_key)).toEqual([media.media_key])
    expect(pages.includes.users.map((user) => user.username).sort()).toEqual(['alice', 'bob'])
    const all = await bob.v2.listDmEventsOfConversation(first.dm_conversation_id)
    expect(all.events).toHaveLength(2)
  })

  test('go to a group, whose join is an event of its own', async () => {
    const made = sentOf(
      await alice.v2.createDmConversation({
        conversation_type: 'Group',
        participant_ids: [id('bob'), id('dario')],
        message: { text: 'Hello all' },
      }),
    )
    const own = await bob.v2.listDmEvents({ event_types: ['ParticipantsJoin'], 'dm_event.fields': ['participant_ids'] })
    expect(own.events).toHaveLength(1)
    expect(own.events[0]).toMatchObject({ participant_ids: [id('alice'), id('bob'), id('dario')] })
    const group = await bob.v2.listDmEventsOfConversation(made.dm_conversation_id)
    expect(group.events.map((event) => event.event_type)).toEqual(['MessageCreate', 'ParticipantsJoin'])
  })

  test('a message that the receiver does not take is an error with the sentence', async () => {
    await server.post(`/2/users/${id('alice')}/dm/block`, undefined, { user: 'chika' })
    await expect(alice.v2.sendDmToParticipant(id('chika'), { text: 'Hello' })).rejects.toMatchObject({
      code: 403,
      data: { detail: 'You cannot send messages to this user.' },
    })
  })
})
