import {
  type ActionSignature,
  type ChatWithJuicebox,
  type CreateChatOptions,
  createChat,
  type Event,
  type PreparedConversationChange,
  type PublicKeyInput,
  type SendPayload,
  type SigningKeyEntry,
} from '@xdevplatform/chat-xdk'
import { expect } from 'vitest'
import type { As, TestServer } from '../support/server.ts'

/** A server as chatting needs it. */
export type ChatServer = Pick<TestServer, 'get' | 'post'>

/** A user with a chat client whose keys are registered. */
export interface ChatUser {
  id: string
  as: As
  client: ChatWithJuicebox
  keyVersion: string
}

/** A client of the official library. Its keys stay in memory: the stand-in backs up nothing. */
export const createClient = (): Promise<ChatWithJuicebox> =>
  createChat({
    juiceboxConfig: JSON.stringify({ realms: [] }),
    getAuthToken: async () => 'none',
    juiceboxModule: { Client: class {}, Configuration: class {} },
  } as CreateChatOptions)

/** The body with which a client registers the keys that it makes. */
export function registrationOf(client: ChatWithJuicebox) {
  const { publicKey, version, generateVersion } = client.generateKeypairs()
  return {
    public_key: {
      identity_public_key_signature: publicKey.identityPublicKeySignature,
      public_key: publicKey.publicKey,
      public_key_fingerprint: publicKey.publicKeyFingerprint,
      registration_method: publicKey.registrationMethod,
      signing_public_key: publicKey.signingPublicKey,
      signing_public_key_signature: publicKey.signingPublicKeySignature,
    },
    version: version!,
    generate_version: generateVersion,
  }
}

/** Makes keys and registers them. */
export async function joinChat(server: ChatServer, id: string, as: As): Promise<ChatUser> {
  const client = await createClient()
  const body = registrationOf(client)
  const made = await server.post(`/2/users/${id}/public_keys`, body, as)
  expect(made.status, made.text).toBe(200)
  const keyVersion: string = made.body.data.public_key_version
  client.setIdentity(id, keyVersion)
  return { id, as, client, keyVersion }
}

export const joinAs = (server: TestServer, username: string): Promise<ChatUser> =>
  joinChat(server, server.userId(username), { user: username })

/** The registered keys of users, as the server gives them to one of them. */
export async function readKeys(server: ChatServer, as: As, users: readonly { id: string }[]) {
  const read = await server.get(`/2/users/public_keys?ids=${users.map((user) => user.id).join()}`, as)
  expect(read.status, read.text).toBe(200)
  // biome-ignore lint/suspicious/noExplicitAny: the shape is asserted elsewhere.
  const records: any[] = read.body.data
  return {
    identities: records.map(
      (key): PublicKeyInput => ({ userId: key.user_id, publicKey: key.public_key, keyVersion: key.public_key_version }),
    ),
    signing: records.map(
      (key): SigningKeyEntry => ({
        userId: key.user_id,
        publicKeyVersion: key.public_key_version,
        publicKey: key.signing_public_key,
        identityPublicKey: key.public_key,
        identityPublicKeySignature: key.identity_public_key_signature,
      }),
    ),
  }
}

export const actionBody = (action: ActionSignature) => ({
  message_id: action.messageId,
  encoded_message_event_detail: action.encodedMessageEventDetail,
  message_event_signature: {
    signature: action.signature,
    public_key_version: action.publicKeyVersion,
    signature_version: action.signatureVersion,
  },
  ...(action.signaturePayload === undefined ? {} : { signature_payload: action.signaturePayload }),
})

/** The members of a body that a prepared change fills. */
export const changeBody = (change: PreparedConversationChange) => ({
  conversation_key_version: change.conversationKeyVersion,
  conversation_participant_keys: change.participantKeys.map((key) => ({
    user_id: key.userId,
    encrypted_conversation_key: key.encryptedKey,
    public_key_version: key.publicKeyVersion,
  })),
  action_signatures: change.actionSignatures.map(actionBody),
})

export const sendBody = (payload: SendPayload) => ({
  message_id: payload.messageId,
  encoded_message_create_event: payload.encryptedContent,
  encoded_message_event_signature: payload.encodedEventSignature,
})

export const path = (id: string, rest = '') => `/2/chat/conversations/${id}${rest}`
export const pairId = (one: ChatUser, other: ChatUser): string =>
  (BigInt(one.id) < BigInt(other.id) ? [one.id, other.id] : [other.id, one.id]).join('-')

/** A conversation as one of its members knows it. */
export interface Conversation {
  id: string
  key: Uint8Array
  version: string
  sequence: string
}

/** Adds a key to the conversation of users: the first one creates a direct conversation. */
export async function addKey(
  server: ChatServer,
  by: ChatUser,
  members: readonly ChatUser[],
  id?: string,
): Promise<Conversation> {
  const { identities } = await readKeys(server, by.as, members)
  const change = by.client.prepareConversationKeyChange({ publicKeys: identities, conversationId: id })
  const target = id ?? members.find((member) => member !== by)!.id
  const made = await server.post(path(target, '/keys'), changeBody(change), by.as)
  expect(made.status, made.text).toBe(200)
  return {
    id: made.body.data.conversation_id,
    key: change.conversationKey,
    version: change.conversationKeyVersion,
    sequence: made.body.data.sequence_id,
  }
}

/** Creates a group with these members. */
export async function createGroup(
  server: ChatServer,
  by: ChatUser,
  members: readonly ChatUser[],
  facts: { title?: string; ttlMsec?: number } = {},
): Promise<Conversation & { title?: string }> {
  const { id, body, change } = await prepareGroup(server, by, members, facts)
  const made = await server.post(path('group'), body, by.as)
  expect(made.status, made.text).toBe(201)
  return {
    ...facts,
    id,
    key: change.conversationKey,
    version: change.conversationKeyVersion,
    sequence: made.body.data.conversation_key_change_sequence_id,
  }
}

export async function prepareGroup(
  server: ChatServer,
  by: ChatUser,
  members: readonly ChatUser[],
  facts: { title?: string; ttlMsec?: number } = {},
) {
  const reserved = await server.post(path('group/initialize'), undefined, by.as)
  expect(reserved.status, reserved.text).toBe(200)
  const id: string = reserved.body.data.conversation_id
  const { identities } = await readKeys(server, by.as, members)
  const memberIds = members.map((member) => member.id)
  const change = by.client.prepareGroupCreate({
    publicKeys: identities,
    conversationId: id,
    memberIds,
    adminIds: [by.id],
    ...facts,
  })
  const body = {
    conversation_id: id,
    group_members: memberIds,
    group_admins: [by.id],
    ...(facts.title === undefined ? {} : { group_name: facts.title }),
    ...(facts.ttlMsec === undefined ? {} : { ttl_msec: String(facts.ttlMsec) }),
    ...changeBody(change),
  }
  return { id, body, change }
}

/** What a member sends to add others to a group. */
export async function prepareAddition(
  server: ChatServer,
  by: ChatUser,
  group: Conversation & { title?: string },
  members: readonly ChatUser[],
  added: readonly ChatUser[],
  admins: readonly ChatUser[] = [members[0]!],
) {
  const { identities } = await readKeys(server, by.as, [...members, ...added])
  const change = by.client.prepareGroupMembersChange({
    publicKeys: identities,
    conversationId: group.id,
    newMemberIds: added.map((user) => user.id),
    currentMemberIds: members.map((user) => user.id),
    currentAdminIds: admins.map((user) => user.id),
    currentPendingMemberIds: [],
    ...(group.title === undefined ? {} : { currentTitle: group.title }),
  })
  const next: Conversation = {
    id: group.id,
    key: change.conversationKey,
    version: change.conversationKeyVersion,
    sequence: '',
  }
  return { body: { user_ids: added.map((user) => user.id), ...changeBody(change) }, next }
}

export const encrypt = (by: ChatUser, conversation: Conversation, text: string, ttlMsec?: number): SendPayload =>
  by.client.encryptMessage({
    conversationId: conversation.id,
    text,
    conversationKey: conversation.key,
    conversationKeyVersion: conversation.version,
    ...(ttlMsec === undefined ? {} : { ttlMsec }),
  })

/** Sends a text. Returns the event as the answer has it. */
export async function say(
  server: ChatServer,
  by: ChatUser,
  conversation: Conversation,
  text: string,
  ttlMsec?: number,
): Promise<string> {
  const sent = await server.post(
    path(conversation.id, '/messages'),
    sendBody(encrypt(by, conversation, text, ttlMsec)),
    by.as,
  )
  expect(sent.status, sent.text).toBe(201)
  return sent.body.data.encoded_message_event
}

/** Reads the whole conversation as a client does, and decrypts it. The oldest event comes first. */
export async function readAll(
  server: ChatServer,
  by: ChatUser,
  id: string,
  members: readonly { id: string }[],
  pageSize = 100,
) {
  const { signing } = await readKeys(server, by.as, members)
  const keyEvents = new Set<string>()
  const events: string[] = []
  const sequences: string[] = []
  for (let token: string | undefined, isFirst = true; isFirst || token !== undefined; isFirst = false) {
    const page = await server.get(
      `${path(id, '/events')}?max_results=${pageSize}${token ? `&pagination_token=${token}` : ''}`,
      by.as,
    )
    expect(page.status, page.text).toBe(200)
    const { data, meta } = page.body
    expect(meta).toMatchObject({ result_count: data.length, has_more: meta.next_token !== undefined })
    for (const change of meta.conversation_key_events) keyEvents.add(change)
    for (const item of data) {
      events.unshift(item.encoded_event)
      sequences.unshift(item.id)
    }
    token = meta.next_token
  }
  const decrypted = by.client.decryptEvents([...new Set([...keyEvents, ...events])], signing)
  const own = new Set(events)
  const seen: Event[] = decrypted.messages
    .filter((message) => message.originalB64 === undefined || own.has(message.originalB64))
    .map((message) => message.event)
  return {
    events,
    sequences,
    keyEvents: [...keyEvents],
    signing,
    errors: decrypted.errors,
    keys: decrypted.conversationKeys,
    seen,
    texts: seen.filter((event) => event.type === 'message').map((event) => event.content?.text),
  }
}
