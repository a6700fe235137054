import { Client } from '@xdevplatform/xdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { byOAuth2 } from '../social/messaging.ts'
import { uploadWhole } from '../social/uploading.ts'
import { makePng } from '../support/make-media.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

let server: TestServer
let alice: Client
let bob: Client
beforeAll(async () => {
  server = await startTestServer()
  const as = async (name: string) => {
    const { bearer } = (await byOAuth2(server, name)) as { bearer: string }
    return new Client({ baseUrl: server.baseUrl, accessToken: bearer })
  }
  ;[alice, bob] = [await as('alice'), await as('bob')]
})
afterAll(() => server.close())

const id = (name: string) => server.userId(name)

test('the library sends, reads, downloads and deletes messages', async () => {
  const { id: mediaId } = await uploadWhole(server, makePng(), 'dm_image')
  const sent = await alice.directMessages.createByParticipantId(id('bob'), {
    text: 'Look',
    attachments: [{ mediaId }],
  } as never)
  const { dmConversationId, dmEventId } = sent.data as { dmConversationId: string; dmEventId: string }
  await bob.directMessages.createByConversationId(dmConversationId, { text: 'Nice' } as never)

  const page = await bob.directMessages.getEventsByParticipantId(id('alice'), {
    maxResults: 5,
    eventTypes: ['MessageCreate'],
  })
  expect(page.data?.map((item) => item.text)).toEqual(['Nice', 'Look'])
  const listed = await bob.directMessages.getEventsByConversationId(dmConversationId, { maxResults: 1 })
  expect(listed.data?.map((item) => item.text)).toEqual(['Nice'])
  const one = await bob.directMessages.getEventsById(dmEventId, {
    expansions: ['attachments.media_keys', 'sender_id'],
    mediaFields: ['url'],
  })
  expect(one.includes?.users?.map((user) => user.username)).toEqual(['alice'])
  const [media] = (one.includes?.media ?? []) as { url: string }[]
  const [messageId, file, name] = new URL(media!.url).pathname.split('/').slice(-3) as [string, string, string]
  const bytes = await bob.directMessages.dmConversationsMediaDownload(messageId, file, name)
  expect(Buffer.from(bytes).equals(makePng())).toBe(true)

  expect((await alice.directMessages.deleteEvents(dmEventId)).data).toEqual({ deleted: true })
  expect((await alice.directMessages.getEventsById(dmEventId)).errors).toMatchObject([{ status: 404 }])
  expect((await bob.directMessages.getEventsById(dmEventId)).data?.text).toBe('Look')
})

test('the library creates a group, reads all messages and blocks those of a user', async () => {
  await alice.directMessages.createConversation({
    conversationType: 'Group',
    participantIds: [id('bob'), id('dario')],
    message: { text: 'Hello all' },
  } as never)
  const all = await bob.directMessages.getEvents({ maxResults: 2, dmEventFields: ['participant_ids'] as never })
  expect(all.data?.map((item) => item.eventType)).toEqual(['MessageCreate', 'ParticipantsJoin'])
  expect((await bob.users.blockDms(id('alice'))).data).toEqual({ blocked: true })
  await expect(alice.directMessages.createByParticipantId(id('bob'), { text: 'Hello' } as never)).rejects.toMatchObject(
    {
      status: 403,
    },
  )
  expect((await bob.users.unblockDms(id('alice'))).data).toEqual({ blocked: false })
})
