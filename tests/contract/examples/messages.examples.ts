import { uploadWhole } from '../../social/uploading.ts'
import { makePng } from '../../support/make-media.ts'
import type { Scene } from '../scene.ts'
import type { Examples } from './example.ts'
import { PRIVATE_METRICS } from './posts.examples.ts'

const idOf = (scene: Scene, name: string) => scene.server.userId(name)

/** Sends a message from alice to bob with a picture, a link to a post and entities. */
async function send(scene: Scene, body?: object) {
  const made = await scene.server.post(
    '/2/posts',
    { text: `To be shared ${scene.server.runtime.ids.next()}` },
    { user: 'alice' },
  )
  const { id } = await uploadWhole(scene.server, makePng(), 'dm_image')
  const link = `${scene.server.baseUrl}/alice/status/${made.body.data.id}`
  const sent = await scene.server.post(
    `/2/dm_conversations/with/${idOf(scene, 'bob')}/messages`,
    body ?? { text: `See ${link} @bob #tea $TEA`, attachments: [{ media_id: id }] },
    { user: 'alice' },
  )
  if (sent.status !== 201) throw new Error(`The example message was refused: ${sent.text}`)
  return { ...(sent.body.data as { dm_conversation_id: string; dm_event_id: string }), mediaId: id }
}

async function makeGroup(scene: Scene): Promise<string> {
  const body = {
    conversation_type: 'Group',
    participant_ids: [idOf(scene, 'bob'), idOf(scene, 'dario')],
    message: { text: 'Hello' },
  }
  const made = await scene.server.post('/2/dm_conversations', body, { user: 'alice' })
  if (made.status !== 201) throw new Error(`The example group was refused: ${made.text}`)
  return made.body.data.dm_conversation_id
}

const without = { 'post.fields': PRIVATE_METRICS }

export const examples: Examples = {
  createDirectMessagesConversation: (scene) => [
    {
      as: 'user',
      body: {
        conversation_type: 'Group',
        participant_ids: [idOf(scene, 'bob'), idOf(scene, 'dario')],
        message: { text: 'Tea at four?' },
      },
    },
  ],
  createDirectMessagesByParticipantId: async (scene) => [
    { as: 'user', path: { participant_id: idOf(scene, 'bob') }, body: { text: 'Tea at four?' } },
    {
      as: 'user',
      path: { participant_id: idOf(scene, 'bob') },
      body: { attachments: [{ media_id: (await uploadWhole(scene.server, makePng(), 'dm_image')).id }] },
    },
  ],
  createDirectMessagesByConversationId: async (scene) => [
    { as: 'user', path: { dm_conversation_id: await makeGroup(scene) }, body: { text: 'Tea at four?' } },
    {
      as: 'user',
      path: { dm_conversation_id: (await send(scene)).dm_conversation_id },
      body: { text: 'Or at five?' },
    },
  ],
  getDirectMessagesEvents: async (scene) => {
    await send(scene)
    await makeGroup(scene)
    return [{ as: 'user', without }]
  },
  getDirectMessagesEventsByParticipantId: async (scene) => {
    await send(scene)
    return [{ as: 'user', path: { participant_id: idOf(scene, 'bob') }, without }]
  },
  getDirectMessagesEventsByConversationId: async (scene) => [
    { as: 'user', path: { id: (await send(scene)).dm_conversation_id }, without },
    { as: 'user', path: { id: await makeGroup(scene) }, without },
  ],
  getDirectMessagesEventsById: async (scene) => [
    { as: 'user', path: { event_id: (await send(scene)).dm_event_id }, without },
  ],
  deleteDirectMessagesEvents: async (scene) => [{ as: 'user', path: { event_id: (await send(scene)).dm_event_id } }],
  dmConversationsMediaDownload: async (scene) => {
    const { dm_event_id: eventId, mediaId } = await send(scene)
    const read = await scene.server.get(`/2/media/5_${mediaId}?media.fields=url`, { user: 'alice' })
    const name = new URL(read.body.data.url).pathname.split('/').at(-1)!
    return [{ as: 'oauth2', path: { dm_id: eventId, media_id: mediaId, resource_id: name } }]
  },
  blockUsersDms: (scene) => [{ as: 'user', path: { id: idOf(scene, 'erin') } }],
  unblockUsersDms: (scene) => [{ as: 'user', path: { id: idOf(scene, 'erin') } }],
}
