import {
  actionBody,
  addKey,
  type ChatUser,
  type Conversation,
  changeBody,
  createClient,
  createGroup,
  encrypt,
  joinChat,
  pairId,
  prepareAddition,
  prepareGroup,
  readAll,
  readKeys,
  registrationOf,
  say,
  sendBody,
} from '../../social/chatting.ts'
import type { TestServer } from '../../support/server.ts'
import type { Cast, Scene } from '../scene.ts'
import type { Examples } from './example.ts'

interface ChatScene {
  alice: ChatUser
  chika: ChatUser
  erin: ChatUser
  registration: ReturnType<typeof registrationOf>
}

const scenes = new WeakMap<TestServer, Promise<ChatScene>>()

/** Three users with their keys, once for each server. The tokens of the others have a lower level in a scene. */
function chatScene({ server }: Scene): Promise<ChatScene> {
  const made = scenes.get(server) ?? makeScene(server)
  scenes.set(server, made)
  return made
}

async function makeScene(server: TestServer): Promise<ChatScene> {
  const client = await createClient()
  const registration = registrationOf(client)
  const id = server.userId('alice')
  const made = await server.post(`/2/users/${id}/public_keys`, registration, { user: 'alice' })
  if (made.status !== 200) throw new Error(`The example key was refused: ${made.text}`)
  client.setIdentity(id, registration.version)
  return {
    alice: { id, as: { user: 'alice' }, client, keyVersion: registration.version },
    chika: await joinChat(server, server.userId('chika'), { user: 'chika' }),
    erin: await joinChat(server, server.userId('erin'), { user: 'erin' }),
    registration,
  }
}

/** The conversation of alice and chika with a new key. */
async function talk(scene: Scene): Promise<ChatScene & { talk: Conversation }> {
  const people = await chatScene(scene)
  const { alice, chika } = people
  return { ...people, talk: await addKey(scene.server, alice, [alice, chika], pairId(alice, chika)) }
}

const FILE = Buffer.from('These bytes are encrypted.')

async function upload(scene: Scene, cast: Cast, until: 'begun' | 'sent' | 'finished') {
  const { talk: conversation } = await talk(scene)
  const call = async (rest: string, body: object) => {
    const answer = await scene.server.post(`/2/chat/media/${rest}`, body, cast.user)
    if (answer.status !== 200) throw new Error(`${rest} was refused: ${answer.text}`)
    return answer.body.data
  }
  const begun = await call('upload/initialize', { conversation_id: conversation.id, total_bytes: FILE.length })
  const facts = { conversation_id: conversation.id, media_hash_key: begun.media_hash_key }
  const segment = { ...facts, segment_index: '0', media: FILE.toString('base64') }
  const id: string = begun.session_id
  if (until !== 'begun') await call(`upload/${id}/append`, segment)
  if (until === 'finished') await call(`upload/${id}/finalize`, facts)
  return { id, facts, segment }
}

export const examples: Examples = {
  getUsersPublicKeys: async (scene) => {
    const { alice, chika } = await chatScene(scene)
    return [{ as: 'user', query: { ids: `${alice.id},${chika.id}` } }]
  },
  getUsersPublicKey: async (scene) => [{ as: 'user', path: { id: (await chatScene(scene)).chika.id } }],
  addUserPublicKey: async (scene) => {
    const { alice, registration } = await chatScene(scene)
    return [{ as: 'user', path: { id: alice.id }, body: registration }]
  },
  getChatConversations: async (scene) => {
    await talk(scene)
    return [{ as: 'user' }]
  },
  getChatConversation: async (scene) => {
    const { alice, chika, erin } = await talk(scene)
    const group = await createGroup(scene.server, alice, [alice, chika, erin], { title: 'Example', ttlMsec: 60_000 })
    return [
      { as: 'user', path: { id: chika.id } },
      { as: 'user', path: { id: group.id } },
    ]
  },
  getChatConversationEvents: async (scene) => {
    const { alice, chika, talk: conversation } = await talk(scene)
    await say(scene.server, chika, conversation, 'An example')
    return [
      { as: 'user', path: { id: conversation.id } },
      { as: 'user', path: { id: pairId(alice, chika) }, query: { max_results: '1' } },
    ]
  },
  addConversationKeys: async (scene) => {
    const { alice, chika } = await chatScene(scene)
    const { identities } = await readKeys(scene.server, alice.as, [alice, chika])
    const change = alice.client.prepareConversationKeyChange({ publicKeys: identities })
    return [{ as: 'user', path: { id: chika.id }, body: changeBody(change) }]
  },
  initializeChatGroup: () => [{ as: 'user' }],
  createChatConversation: async (scene) => {
    const { alice, chika } = await chatScene(scene)
    return [{ as: 'user', body: (await prepareGroup(scene.server, alice, [alice, chika], { title: 'Example' })).body }]
  },
  addChatGroupMembers: async (scene) => {
    const { alice, chika, erin } = await chatScene(scene)
    const group = await createGroup(scene.server, alice, [alice, chika])
    const { body } = await prepareAddition(scene.server, alice, group, [alice, chika], [erin])
    return [{ as: 'user', path: { id: group.id }, body }]
  },
  sendChatMessage: async (scene) => {
    const { alice, chika, talk: conversation } = await talk(scene)
    return [{ as: 'user', path: { id: chika.id }, body: sendBody(encrypt(alice, conversation, 'An example')) }]
  },
  deleteChatMessages: async (scene) => {
    const { alice, chika, talk: conversation } = await talk(scene)
    await say(scene.server, alice, conversation, 'Not for long')
    const { sequences } = await readAll(scene.server, alice, chika.id, [alice, chika])
    const sequenceIds = [sequences.at(-1)!]
    const action = alice.client.prepareMessageDelete({
      conversationId: conversation.id,
      sequenceIds,
      deleteForAll: true,
    })
    const body = {
      sequence_ids: sequenceIds,
      delete_message_action: 'delete_for_all',
      action_signatures: [actionBody(action)],
    }
    return [{ as: 'user', path: { id: conversation.id }, body }]
  },
  markChatConversationRead: async (scene) => {
    const { talk: conversation } = await talk(scene)
    const body = { seen_until_sequence_id: conversation.sequence }
    return [{ as: 'user', path: { id: conversation.id }, body }]
  },
  sendChatTypingIndicator: async (scene) => [{ as: 'user', path: { id: (await talk(scene)).talk.id } }],
  chatMediaUploadInitialize: async (scene) => [
    { as: 'user', body: { conversation_id: (await talk(scene)).talk.id, total_bytes: 10 } },
  ],
  chatMediaUploadAppend: async (scene, cast) => {
    const { id, segment } = await upload(scene, cast, 'begun')
    return [{ as: 'user', path: { id }, body: segment }]
  },
  chatMediaUploadFinalize: async (scene, cast) => {
    const { id, facts } = await upload(scene, cast, 'sent')
    return [{ as: 'user', path: { id }, body: { ...facts, num_parts: '1' } }]
  },
  chatMediaDownload: async (scene, cast) => {
    const { facts } = await upload(scene, cast, 'finished')
    return [{ as: 'user', path: { id: facts.conversation_id, media_hash_key: facts.media_hash_key } }]
  },
}
