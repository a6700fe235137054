import { Client } from '@xdevplatform/xdk'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accessToken } from '../social/acting.ts'
import {
  actionBody,
  addKey,
  type ChatUser,
  changeBody,
  createGroup,
  encrypt,
  joinAs,
  pairId,
  path,
  prepareAddition,
  readAll,
  readKeys,
  say,
  sendBody,
} from '../social/chatting.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

let server: TestServer
let alice: ChatUser
let bob: ChatUser
let chika: ChatUser
beforeAll(async () => {
  server = await startTestServer()
  // One after the other: clients that are created at the same moment share their memory by mistake.
  alice = await joinAs(server, 'alice')
  bob = await joinAs(server, 'bob')
  chika = await joinAs(server, 'chika')
})
afterAll(() => server.close())

describe('the official chat client', () => {
  test('finds its keys registered byte for byte, and bound to each other', async () => {
    const [own] = (await readKeys(server, bob.as, [alice])).signing
    expect(alice.client.matchesRegisteredKey(own!.identityPublicKey)).toBe(true)
    expect(bob.client.verifyKeyBinding(own!.identityPublicKey, own!.publicKey, own!.identityPublicKeySignature)).toBe(
      true,
    )
  })

  test('exchanges messages, replies, reactions and edits between two users, and everything verifies', async () => {
    const first = await addKey(server, alice, [alice, bob])
    expect(first.id).toBe(pairId(alice, bob))
    const hello = await say(server, alice, first, 'hello')
    const seen = await readAll(server, bob, alice.id, [alice, bob])
    expect(seen.errors).toEqual({})
    expect(seen.texts).toEqual(['hello'])
    expect(seen.seen.every((event) => event.verified)).toBe(true)
    const known = { conversationId: first.id, conversationKey: first.key, conversationKeyVersion: first.version }
    const reply = bob.client.encryptReply({ ...known, text: 'hi', replyToEvent: hello })
    const replied = await server.post(path(alice.id, '/messages'), sendBody(reply), bob.as)
    expect(replied.status, replied.text).toBe(201)
    const target = { ...known, emoji: '👋', targetEvent: replied.body.data.encoded_message_event }
    for (const payload of [
      alice.client.encryptAddReaction(target),
      alice.client.encryptRemoveReaction(target),
      alice.client.encryptEdit({ ...known, updatedText: 'hello!', targetEvent: hello }),
    ])
      expect((await server.post(path(bob.id, '/messages'), sendBody(payload), alice.as)).status).toBe(201)
    // The same batch for both, read in pages of two.
    for (const [reader, id] of [
      [alice, bob.id],
      [bob, first.id],
    ] as const) {
      const all = await readAll(server, reader, id, [alice, bob], 2)
      expect(all.errors).toEqual({})
      expect(all.seen.map((event) => event.type)).toEqual(['keyChange', ...Array(5).fill('message')])
      expect(all.seen[2]!.replyPreviewValidation).toBe('valid')
      expect(all.seen.every((event) => event.verified !== false)).toBe(true)
    }
  })

  test('rotates a key and reads messages of both keys, each verified', async () => {
    const before = await addKey(server, bob, [bob, chika])
    const old = await say(server, bob, before, 'under the first key')
    const after = await addKey(server, chika, [bob, chika], before.id)
    expect(BigInt(after.version)).toBeGreaterThan(BigInt(before.version))
    const latest = await readAll(server, bob, chika.id, [bob, chika])
    expect(latest.keys.latestVersion).toBe(after.version)
    await say(server, chika, after, 'under the second')
    const keyChange = latest.keyEvents[0]!
    const reply = bob.client.encryptReply({
      conversationId: after.id,
      text: 'to the first',
      conversationKey: after.key,
      conversationKeyVersion: after.version,
      replyToEvent: old,
      replyToCkces: [keyChange],
    })
    expect((await server.post(path(after.id, '/messages'), sendBody(reply), bob.as)).status).toBe(201)
    const all = await readAll(server, chika, after.id, [bob, chika], 2)
    expect(all.errors).toEqual({})
    expect(all.texts).toEqual(['under the first key', 'under the second', 'to the first'])
    expect(all.seen.at(-1)!.replyPreviewValidation).toBe('valid')
    const refused = await server.post(path(after.id, '/messages'), sendBody(encrypt(bob, before, 'late')), bob.as)
    expect(refused.status).toBe(409)
  })

  test('creates a group and adds a member, who reads what comes after and nothing before', async () => {
    const group = await createGroup(server, alice, [alice, bob], { title: 'Plans' })
    await say(server, alice, group, 'only for two')
    const early = await readAll(server, bob, group.id, [alice, bob])
    expect(early.errors).toEqual({})
    expect(early.seen.map((event) => event.type)).toEqual(['keyChange', 'groupChange', 'message'])
    const { body, next } = await prepareAddition(server, bob, group, [alice, bob], [chika], [alice])
    const added = await server.post(path(group.id, '/members'), body, bob.as)
    expect(added.status, added.text).toBe(200)
    expect(added.body).toEqual({
      conversation_key_change_sequence_id: expect.stringMatching(/^\d+$/),
      current_member_ids: [alice.id, bob.id, chika.id],
    })
    await say(server, bob, next, 'for three')
    const late = await readAll(server, chika, group.id, [alice, bob, chika])
    expect(late.errors).toEqual({})
    expect(late.texts).toEqual(['for three'])
    expect(late.seen.map((event) => event.type)).toEqual(['keyChange', 'groupChange', 'message'])
    const all = await readAll(server, alice, group.id, [alice, bob, chika])
    expect(all.errors).toEqual({})
    expect(all.texts).toEqual(['only for two', 'for three'])
  })

  test('sends a file in parts, and the other user decrypts the same bytes', async () => {
    const talk = await addKey(server, alice, [alice, chika])
    const file = Uint8Array.from({ length: 300_000 }, (_none, index) => (index * 7 + (index >> 8)) & 255)
    const secret = Buffer.from(alice.client.encryptStream(file, talk.key))
    const colon = talk.id.replace('-', ':')
    const begun = await server.post(
      '/2/chat/media/upload/initialize',
      { conversation_id: colon, total_bytes: secret.length },
      alice.as,
    )
    expect(begun.status, begun.text).toBe(200)
    const { session_id: session, media_hash_key: hash } = begun.body.data
    const parts = [0, 1, 2, 3].map((part) => secret.subarray(part * 100_000, (part + 1) * 100_000))
    for (const [index, part] of parts.entries()) {
      const sent = await server.post(
        `/2/chat/media/upload/${session}/append`,
        { conversation_id: colon, media_hash_key: hash, segment_index: String(index), media: part.toString('base64') },
        alice.as,
      )
      expect(sent.status, sent.text).toBe(200)
    }
    const done = await server.post(
      `/2/chat/media/upload/${session}/finalize`,
      { conversation_id: colon, media_hash_key: hash, num_parts: String(parts.length) },
      alice.as,
    )
    expect(done.body).toEqual({ data: { success: true } })
    const message = alice.client.encryptMessage({
      conversationId: talk.id,
      text: 'a file',
      conversationKey: talk.key,
      conversationKeyVersion: talk.version,
      attachments: [
        {
          attachment_type: 'media',
          media_hash_key: hash,
          width: 1,
          height: 1,
          filesize_bytes: file.length,
          filename: 'file.bin',
        },
      ],
    })
    expect((await server.post(path(talk.id, '/messages'), sendBody(message), alice.as)).status).toBe(201)
    const read = await readAll(server, chika, alice.id, [alice, chika])
    expect(read.errors).toEqual({})
    const named = read.seen.at(-1)!.mediaHashes![0]!.mediaHashKey
    const bytes = await download(`/2/chat/media/${alice.id}/${named}`, 'chika')
    const key = read.keys.keys[talk.version]!
    expect(Buffer.from(chika.client.decryptStream(bytes, key)).equals(Buffer.from(file))).toBe(true)
    // A file that lacks its end, or that was changed, is noticed.
    expect(() => chika.client.decryptStream(bytes.subarray(0, -20), key)).toThrow()
    bytes[bytes.length >> 1]! ^= 1
    expect(() => chika.client.decryptStream(bytes, key)).toThrow()
  })

  test('deletes messages for all with a signed event that verifies', async () => {
    const talk = await addKey(server, bob, [alice, bob], pairId(alice, bob))
    await say(server, bob, talk, 'never mind')
    const { sequences } = await readAll(server, bob, talk.id, [alice, bob])
    const action = bob.client.prepareMessageDelete({
      conversationId: talk.id,
      sequenceIds: [sequences.at(-1)!],
      deleteForAll: true,
    })
    const gone = await server.post(
      path(talk.id, '/messages/delete'),
      {
        sequence_ids: [sequences.at(-1)],
        delete_message_action: 'delete_for_all',
        action_signatures: [actionBody(action)],
      },
      bob.as,
    )
    expect(gone.body).toEqual({ data: { deleted: true } })
    const after = await readAll(server, alice, talk.id, [alice, bob])
    expect(after.errors).toEqual({})
    expect(after.texts).not.toContain('never mind')
    expect(after.seen.at(-1)).toMatchObject({ type: 'messageDeleted' })
  })

  test('notices a server that changes one byte of an event', async () => {
    const talk = await addKey(server, alice, [alice, bob], pairId(alice, bob))
    const event = Buffer.from(await say(server, alice, talk, 'every byte counts'), 'base64')
    const { signing } = await readKeys(server, bob.as, [alice, bob])
    const keys = { [talk.version]: talk.key }
    expect(bob.client.decryptEvent(event.toString('base64'), keys, signing).content?.text).toBe('every byte counts')
    const contents = event.indexOf(Buffer.from([11, 0, 100])) + 7
    const places = [contents, contents + 30, contents + 45, event.indexOf(talk.version), event.indexOf(alice.id)]
    for (const place of places) {
      const changed = Buffer.from(event)
      changed[place]! ^= 1
      expect(() => bob.client.decryptEvent(changed.toString('base64'), keys, signing), `byte ${place}`).toThrow()
    }
  })
})

test('the official REST library carries keys, messages, marks and files with its own methods', async () => {
  const scopes = ['dm.read', 'dm.write', 'post.read', 'users.read', 'media.write']
  const rest = async (name: string) =>
    new Client({ baseUrl: server.baseUrl, accessToken: await accessToken(server, name, scopes) })
  const [hers, his] = [await rest('alice'), await rest('chika')]
  const keys = (await hers.users.getPublicKeys([alice.id, chika.id])).data as unknown as {
    userId: string
    publicKey: string
    publicKeyVersion: string
  }[]
  const change = alice.client.prepareConversationKeyChange({
    publicKeys: keys.map((key) => ({
      userId: key.userId,
      publicKey: key.publicKey,
      keyVersion: key.publicKeyVersion,
    })),
  })
  const added = await hers.chat.addConversationKeys(chika.id, {
    conversationKeyVersion: change.conversationKeyVersion,
    conversationParticipantKeys: change.participantKeys.map(({ userId, encryptedKey, publicKeyVersion }) => ({
      userId,
      encryptedConversationKey: encryptedKey,
      publicKeyVersion,
    })),
    actionSignatures: change.actionSignatures.map((action) => ({
      messageId: action.messageId,
      encodedMessageEventDetail: action.encodedMessageEventDetail,
      messageEventSignature: {
        signature: action.signature,
        publicKeyVersion: action.publicKeyVersion,
        signatureVersion: action.signatureVersion,
      },
    })),
  })
  const id = added.data!.conversationId!
  expect(id).toBe(pairId(alice, chika))
  const talk = { id, key: change.conversationKey, version: change.conversationKeyVersion, sequence: '' }
  const message = encrypt(alice, talk, 'by the library')
  const sent = await hers.chat.sendMessage(id, {
    messageId: message.messageId,
    encodedMessageCreateEvent: message.encryptedContent,
    encodedMessageEventSignature: message.encodedEventSignature,
  })
  const listed = await his.chat.getConversationEvents(alice.id, { maxResults: 2 })
  expect(listed.data![0]!.encodedEvent).toBe(sent.data!.encodedMessageEvent)
  const { signing } = await readKeys(server, chika.as, [alice, chika])
  const batch = [...listed.meta!.conversationKeyEvents!, listed.data![0]!.encodedEvent!]
  const read = chika.client.decryptEvents(batch, signing)
  expect(read.errors).toEqual({})
  expect(read.messages.at(-1)!.event.content?.text).toBe('by the library')
  const seen = { seenUntilSequenceId: listed.data![0]!.id! }
  expect((await his.chat.markConversationRead(id, seen)).data).toEqual({ success: true })
  expect((await his.chat.sendTypingIndicator(alice.id)).data).toEqual({ success: true })
  expect((await his.chat.getConversation(id)).data).toMatchObject({ id, type: 'direct' })
  expect((await his.chat.getConversations()).data![0]).toMatchObject({ id })
  const begun = await hers.chat.mediaUploadInitialize({ conversationId: id, totalBytes: 3 })
  const { sessionId, mediaHashKey } = begun.data!
  const segment = { conversationId: id, mediaHashKey, segmentIndex: 0, media: 'AQID' }
  await hers.chat.mediaUploadAppend(sessionId, segment)
  const end = { conversationId: id, mediaHashKey, numParts: '1' }
  expect((await hers.chat.mediaUploadFinalize(sessionId, end)).data).toEqual({ success: true })
  const bytes = (await his.chat.mediaDownload(alice.id, mediaHashKey)) as unknown as ArrayBuffer
  expect([...new Uint8Array(bytes)]).toEqual([1, 2, 3])
  expect((await hers.chat.initializeGroup()).data!.conversationId).toMatch(/^g\d+$/)
})

test('a change that another client prepared is refused', async () => {
  const { identities } = await readKeys(server, bob.as, [alice, bob])
  const change = bob.client.prepareConversationKeyChange({ publicKeys: identities })
  const body = changeBody(change)
  const refused = await server.post(path(bob.id, '/keys'), body, alice.as)
  expect(refused.status).toBe(400)
})

async function download(address: string, username: string): Promise<Buffer> {
  const { sign } = await import('../support/sign.ts')
  const url = server.baseUrl + address
  const answer = await fetch(url, { headers: { authorization: sign('GET', url, server.keysOf(username)) } })
  expect(answer.status).toBe(200)
  expect(answer.headers.get('content-type')).toBe('application/octet-stream')
  return Buffer.from(await answer.arrayBuffer())
}
