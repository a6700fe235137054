import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findActivity } from '../../src/activity/find-activity.ts'
import { messagePairLock } from '../../src/social/user-pair.ts'
import { tidy } from '../../src/world/housekeeping.ts'
import { delivered, eventsOf, firstApp, subscribeAs } from '../activity/subscribed-activity.ts'
import { waitingForLocks } from '../support/locks.ts'
import { startTestServer, type TestAnswer, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'
import { rows } from './acting.ts'
import {
  actionBody,
  addKey,
  type ChatUser,
  type Conversation,
  changeBody,
  createClient,
  createGroup,
  encrypt,
  joinAs,
  joinChat,
  pairId,
  path,
  prepareAddition,
  prepareGroup,
  readAll,
  readKeys,
  registrationOf,
  say,
  sendBody,
} from './chatting.ts'

let server: TestServer
let alice: ChatUser
let bob: ChatUser
let chika: ChatUser
let dario: ChatUser
beforeAll(async () => {
  server = await startTestServer()
  alice = await joinAs(server, 'alice')
  bob = await joinAs(server, 'bob')
  chika = await joinAs(server, 'chika')
  dario = await joinAs(server, 'dario')
})
afterAll(() => server.close())

/** Turns one bit of base64 bytes, counted from the end. */
function flipped(text: string, fromEnd: number): string {
  const bytes = Buffer.from(text, 'base64')
  bytes[bytes.length - fromEnd]! ^= 1
  return bytes.toString('base64')
}

const countEvents = async () => (await rows(server, 'select count(*)::int as n from chat_event'))[0].n

/** Expects a refusal in the platform's shape that names a parameter, and that nothing was stored. */
async function expectRefused(call: () => Promise<TestAnswer>, status: number, named: RegExp) {
  const before = await countEvents()
  const answer = await call()
  expect(answer.status, answer.text).toBe(status)
  expect(answer.headers.get('content-type')).toBe('application/problem+json; charset=utf-8')
  expect(answer.text).toMatch(named)
  expect(await countEvents()).toBe(before)
}

/** Deletes messages as a client does. */
async function remove(by: ChatUser, id: string, sequenceIds: string[], forAll: boolean) {
  const action = by.client.prepareMessageDelete({ conversationId: id, sequenceIds, deleteForAll: forAll })
  return server.post(
    path(id, '/messages/delete'),
    {
      sequence_ids: sequenceIds,
      delete_message_action: forAll ? 'delete_for_all' : 'delete_for_self',
      action_signatures: [actionBody(action)],
    },
    by.as,
  )
}

const talkOf = (one: ChatUser, other: ChatUser): Promise<Conversation> =>
  addKey(server, one, [one, other], pairId(one, other))

describe('public keys', () => {
  test('are listed with the newest first, and in bulk with their user', async () => {
    const { id } = await server.command('user.create', { username: 'keyless' })
    expect((await server.get(`/2/users/${id}/public_keys`, alice.as)).body).toEqual({ data: [] })
    const own = await server.get(`/2/users/${alice.id}/public_keys`, bob.as)
    expect(own.body.data).toEqual([
      {
        identity_public_key_signature: expect.any(String),
        public_key: expect.any(String),
        public_key_version: alice.keyVersion,
        signing_public_key: expect.any(String),
      },
    ])
    const bulk = await server.get(
      `/2/users/public_keys?ids=${alice.id},${id},1&public_key.fields=public_key_version`,
      bob.as,
    )
    expect(bulk.body.data).toEqual([{ user_id: alice.id, public_key_version: alice.keyVersion }])
    expect(bulk.body.errors).toMatchObject([{ parameter: 'ids', resource_id: '1' }])
    const none = await server.get('/2/users/public_keys?ids=1', bob.as)
    expect(none.body).toEqual({ errors: bulk.body.errors })
  })

  test('registered again get no second version; other keys get a newer one', async () => {
    await server.command('user.create', { username: 'rekeyed' })
    const { apps } = await server.command('app.list')
    const pair = await server.command('user.token', { user: 'rekeyed', app: apps[0].id })
    const { consumerKey, consumerSecret } = server.keysOf('alice')
    const as = {
      keys: { consumerKey, consumerSecret, token: pair.access_token, tokenSecret: pair.access_token_secret },
    }
    const { id } = (await server.get('/2/users/me', as)).body.data
    const address = `/2/users/${id}/public_keys`
    const [first, second] = [registrationOf(await createClient()), registrationOf(await createClient())]
    expect((await server.post(address, first, as)).body.data.public_key_version).toBe(first.version)
    expect((await server.post(address, first, as)).body.data.public_key_version).toBe(first.version)
    const older = await server.post(address, { ...second, version: '5' }, as)
    expect(BigInt(older.body.data.public_key_version)).toBeGreaterThan(BigInt(first.version))
    const kept = await server.get(address, as)
    expect(kept.body.data.map((key: { public_key: string }) => key.public_key)).toEqual([
      second.public_key.public_key,
      first.public_key.public_key,
    ])
    const third = { ...registrationOf(await createClient()), generate_version: false }
    expect((await server.post(address, { ...third, version: first.version }, as)).status).toBe(409)
    expect((await server.post(address, { ...third, version: '5' }, as)).status).toBe(400)
    const largest = await server.post(address, { ...third, version: '9223372036854775807' }, as)
    expect(largest.body.data.public_key_version).toBe('9223372036854775807')
    const fourth = { ...registrationOf(await createClient()), generate_version: true }
    const refused = await server.post(address, { ...fourth, version: '5' }, as)
    expect(refused.status, refused.text).toBe(409)
    expect(refused.body.detail).toMatch(/\[9223372036854775807\]/)
  })

  test.each<[what: string, edit: (body: ReturnType<typeof registrationOf>) => unknown, named: RegExp]>([
    ['a version with a leading zero', (body) => ({ ...body, version: '01' }), /version/],
    ['a version beyond 63 bits', (body) => ({ ...body, version: '9223372036854775808' }), /version/],
    [
      'a key that is not DER',
      (body) => ({ ...body, public_key: { ...body.public_key, public_key: 'AAAA' } }),
      /public_key\.public_key/,
    ],
    [
      'a binding by another key',
      (body) => ({
        ...body,
        public_key: { ...body.public_key, signing_public_key: body.public_key.public_key },
      }),
      /identity_public_key_signature/,
    ],
    [
      'a missing signature',
      (body) => ({ ...body, public_key: { ...body.public_key, identity_public_key_signature: undefined } }),
      /identity_public_key_signature is missing/,
    ],
    [
      'another fingerprint',
      (body) => ({ ...body, public_key: { ...body.public_key, public_key_fingerprint: 'abc' } }),
      /fingerprint/,
    ],
  ])('with %s are refused', async (_what, edit, named) => {
    const body = edit(registrationOf(await createClient()))
    await expectRefused(() => server.post(`/2/users/${dario.id}/public_keys`, body, dario.as), 400, named)
  })

  test('of another user cannot be registered', async () => {
    const body = registrationOf(await createClient())
    expect((await server.post(`/2/users/${bob.id}/public_keys`, body, alice.as)).status).toBe(400)
  })
})

describe('a conversation key', () => {
  const prepare = async (edit: (body: ReturnType<typeof changeBody>) => unknown = (body) => body) => {
    const { identities } = await readKeys(server, alice.as, [alice, bob])
    return edit(changeBody(alice.client.prepareConversationKeyChange({ publicKeys: identities })))
  }
  const post = (body: unknown, id = bob.id) => server.post(path(id, '/keys'), body, alice.as)

  test('sent again gives the same answer and is stored once', async () => {
    const body = await prepare()
    const first = await post(body)
    expect(first.body.data).toEqual({
      conversation_id: pairId(alice, bob),
      sequence_id: expect.stringMatching(/^\d{19}$/),
    })
    const before = await countEvents()
    expect((await post(body)).body).toEqual(first.body)
    expect(await countEvents()).toBe(before)
  })

  test.each<[what: string, edit: (body: ReturnType<typeof changeBody>) => unknown, status: number, named: RegExp]>([
    ['without signatures', ({ action_signatures: _none, ...body }) => body, 400, /action_signatures/],
    ['with a malformed signature', (body) => ({ ...body, action_signatures: [{}] }), 400, /action_signatures/],
    ['of another version', (body) => ({ ...body, conversation_key_version: '7' }), 400, /conversation_key_version/],
    [
      'without a key for the other user',
      (body) => ({ ...body, conversation_participant_keys: body.conversation_participant_keys.slice(1) }),
      400,
      /conversation_participant_keys/,
    ],
    [
      'signed with a key that is not registered',
      (body) => ({
        ...body,
        action_signatures: body.action_signatures.map((action) => ({
          ...action,
          message_event_signature: { ...action.message_event_signature, public_key_version: '77' },
        })),
      }),
      400,
      /no public key of the version \[77\]/,
    ],
    [
      'whose event is cut off',
      (body) => ({
        ...body,
        action_signatures: body.action_signatures.map((action) => ({
          ...action,
          encoded_message_event_detail: action.encoded_message_event_detail.slice(0, 100),
        })),
      }),
      400,
      /encoded_message_event_detail ends too early/,
    ],
  ])('%s is refused', async (_what, edit, status, named) => {
    await expectRefused(async () => post(await prepare(edit)), status, named)
  })

  test('whose event is not well-formed is refused, however it is broken', async () => {
    const body = await prepare((made) => made)
    const bytes = (...values: (number | string)[]) =>
      Buffer.concat(values.map((value) => (typeof value === 'string' ? Buffer.from(value) : Buffer.from([value]))))
    const field = (type: number, id: number) => bytes(type, 0, id)
    const broken: Record<string, Buffer> = {
      'an empty union': bytes(0),
      'two kinds': Buffer.concat([field(12, 3), bytes(0), field(12, 7), bytes(0), bytes(0)]),
      'an unknown kind': Buffer.concat([field(12, 6), bytes(0, 0)]),
      'a value that is not a struct': Buffer.concat([field(2, 3), bytes(1, 0)]),
      'a field twice': Buffer.concat([field(12, 3), field(2, 5), bytes(1), field(2, 5), bytes(1, 0, 0)]),
      'an endless list': Buffer.concat([field(12, 3), field(15, 2), bytes(2, 127, 255, 255, 255)]),
      'a list of negative length': Buffer.concat([field(12, 3), field(15, 2), bytes(12, 255, 255, 255, 255, 0, 0)]),
      'a text of negative length': Buffer.concat([field(12, 3), field(11, 1), bytes(255, 255, 255, 255, 0, 0)]),
      'a text that is not UTF-8': Buffer.concat([field(12, 3), field(11, 1), bytes(0, 0, 0, 1, 255, 0, 0)]),
      'a version that is not a number': Buffer.concat([field(12, 3), field(11, 1), bytes(0, 0, 0, 2, '1x', 0, 0)]),
      'an unknown type': Buffer.concat([field(12, 3), field(99, 1), bytes(0, 0)]),
      'a thousand levels': Buffer.concat([...Array.from({ length: 1_000 }, () => field(12, 3)), Buffer.alloc(1_001)]),
    }
    const before = await countEvents()
    for (const [what, detail] of Object.entries(broken)) {
      const [action] = (body as ReturnType<typeof changeBody>).action_signatures
      const changed = { ...action!, encoded_message_event_detail: detail.toString('base64') }
      const answer = await post({ ...(body as object), action_signatures: [changed] })
      expect([what, answer.status]).toEqual([what, 400])
      expect(answer.body.errors[0].parameters, what).toHaveProperty([
        'action_signatures[0].encoded_message_event_detail',
      ])
    }
    expect(await countEvents()).toBe(before)
  })

  test('that is not newer than the last is refused', async () => {
    const old = await prepare()
    await new Promise((resolve) => setTimeout(resolve, 2))
    expect((await post(await prepare())).status).toBe(200)
    await expectRefused(() => post(old), 409, /must be larger/)
  })

  test('of a far future is refused: nobody could replace it', async () => {
    const { identities } = await readKeys(server, alice.as, [alice, bob])
    const id = pairId(alice, bob)
    const change = alice.client.prepareConversationKeyChange({ publicKeys: identities, conversationId: id })
    const { action_signatures: actions, ...body } = changeBody(change)
    const far = '9'.repeat(change.conversationKeyVersion.length)
    const detail = Buffer.from(actions[0]!.encoded_message_event_detail, 'base64').toString('latin1')
    const encoded = Buffer.from(detail.replace(change.conversationKeyVersion, far), 'latin1').toString('base64')
    const signed = { ...actions[0], encoded_message_event_detail: encoded }
    await expectRefused(
      () =>
        server.post(
          path(id, '/keys'),
          { ...body, conversation_key_version: far, action_signatures: [signed] },
          alice.as,
        ),
      400,
      /conversation_key_version must be a time in milliseconds/,
    )
  })

  test('for an outdated public key is refused, with the newest version', async () => {
    const { identities } = await readKeys(server, alice.as, [alice, bob])
    const stale = identities.map((key) => (key.userId === bob.id ? { ...key, keyVersion: '3' } : key))
    const body = changeBody(alice.client.prepareConversationKeyChange({ publicKeys: stale }))
    await expectRefused(() => post(body), 400, new RegExp(`has the version \\[${bob.keyVersion}\\], not \\[3\\]`))
  })
})

describe('a message', () => {
  let refusing: Conversation | undefined

  test('is answered as an event, listed byte for byte, and sent again stored once', async () => {
    const talk = await talkOf(alice, bob)
    const body = sendBody(encrypt(alice, talk, 'once'))
    const sent = await server.post(path(bob.id, '/messages'), body, alice.as)
    expect(sent.status).toBe(201)
    const again = await server.post(path(talk.id, '/messages'), body, alice.as)
    expect(again.status).toBe(201)
    expect(again.body).toEqual(sent.body)
    const page = await server.get(path(alice.id, '/events'), bob.as)
    expect(page.body.data[0].encoded_event).toBe(sent.body.data.encoded_message_event)
    expect(
      Buffer.from(page.body.data[0].encoded_event, 'base64').includes(
        Buffer.from(body.encoded_message_create_event, 'base64'),
      ),
    ).toBe(true)
    expect(page.body.data[0]).toMatchObject({
      conversation_id: talk.id.replace('-', ':'),
      sender_id: alice.id,
      previous_sequence_id: talk.sequence,
      sequence_id: page.body.data[0].id,
      is_trusted: expect.any(Boolean),
      message_event_signature: { public_key_version: alice.keyVersion, signature_version: '7' },
    })
    const only = await server.get(`${path(alice.id, '/events')}?chat_message_event.fields=sender_id`, bob.as)
    expect(Object.keys(only.body.data[0]).sort()).toEqual(['encoded_event', 'sender_id'])
  })

  test('of many at the same moment has a sequence of its own, and each names the one before', async () => {
    const talk = await talkOf(alice, chika)
    const senders = [alice, chika]
    const bodies = Array.from({ length: 24 }, (_none, index) => {
      const by = senders[index % 2]!
      return { by, body: sendBody(encrypt(by, talk, `at once ${index}`)) }
    })
    const answers = await Promise.all(
      // Each is sent twice, as by an impatient client.
      [...bodies, ...bodies].map(({ by, body }) => server.post(path(talk.id, '/messages'), body, by.as)),
    )
    expect(answers.map((answer) => answer.status)).toEqual(Array(48).fill(201))
    const page = await server.get(`${path(talk.id, '/events')}?max_results=24`, chika.as)
    const items: { id: string; previous_id: string }[] = page.body.data
    expect(new Set(items.map((item) => item.id)).size).toBe(24)
    for (const [index, item] of items.slice(0, -1).entries()) expect(item.previous_id).toBe(items[index + 1]!.id)
    expect(items.at(-1)!.previous_id).toBe(talk.sequence)
    expect((await readAll(server, chika, talk.id, [alice, chika])).errors).toEqual({})
  })

  test.each<[what: string, edit: (body: ReturnType<typeof sendBody>) => unknown, status: number, named: RegExp]>([
    ['without a signature', ({ encoded_message_event_signature: _none, ...body }) => body, 400, /signature is missing/],
    [
      'with one changed byte',
      (body) => ({ ...body, encoded_message_create_event: flipped(body.encoded_message_create_event, 40) }),
      400,
      /does not verify|encoded_message_create_event/,
    ],
    [
      'with bytes after its end',
      (body) => ({
        ...body,
        encoded_message_create_event: `${body.encoded_message_create_event.replace(/=+$/, '').slice(0, -4)}AAAAAAAA`,
      }),
      400,
      /encoded_message_create_event/,
    ],
    ['under another message_id', (body) => ({ ...body, message_id: 'other' }), 400, /does not verify/],
    ['with a comma in its message_id', (body) => ({ ...body, message_id: 'a,b' }), 400, /message_id/],
    ['that is not base64', (body) => ({ ...body, encoded_message_create_event: '***' }), 400, /must be base64/],
    [
      'that is text in base64',
      (body) => ({ ...body, encoded_message_create_event: 'aGVsbG8=' }),
      400,
      /encoded_message_create_event/,
    ],
    ['with a foreign token', (body) => ({ ...body, conversation_token: 'abc' }), 400, /conversation_token/],
  ])('%s is refused', async (_what, edit, status, named) => {
    refusing ??= await talkOf(alice, bob)
    const body = edit(sendBody(encrypt(alice, refusing, 'refused')))
    await expectRefused(() => server.post(path(bob.id, '/messages'), body, alice.as), status, named)
  })

  test('sent with the token of another user, or by an outsider, is refused', async () => {
    const talk = await talkOf(alice, bob)
    const body = sendBody(encrypt(alice, talk, 'mine'))
    await expectRefused(
      () => server.post(path(talk.id, '/messages'), body, bob.as),
      400,
      /no public key of the version/,
    )
    await expectRefused(() => server.post(path(talk.id, '/messages'), body, chika.as), 404, /does not exist/)
  })

  test('to a user who blocks the sender while it is being sent is refused', async () => {
    const { id } = await server.command('user.create', { username: 'swift' })
    const { apps } = await server.command('app.list')
    const pair = await server.command('user.token', { user: 'swift', app: apps[0].id })
    const { consumerKey, consumerSecret } = server.keysOf('alice')
    const keys = { consumerKey, consumerSecret, token: pair.access_token, tokenSecret: pair.access_token_secret }
    const swift = await joinChat(server, id, { keys })
    const talk = await talkOf(alice, swift)
    const other = await server.runtime.database.pool.connect()
    try {
      await other.query('begin')
      await messagePairLock.count(other, id, alice.id)
      const body = sendBody(encrypt(alice, talk, 'in the same moment'))
      const sending = server.post(path(talk.id, '/messages'), body, alice.as)
      await Promise.race([until(async () => (await waitingForLocks(server)) > 0), sending])
      await other.query('insert into block (source_id, target_id, id) values ($1, $2, 1)', [id, alice.id])
      await other.query('commit')
      expect((await sending).status).toBe(403)
    } finally {
      other.release()
    }
  })

  test('with another content under a used message_id is a conflict', async () => {
    const talk = await talkOf(bob, dario)
    const [one, other] = [sendBody(encrypt(bob, talk, 'one')), sendBody(encrypt(bob, talk, 'other'))]
    expect((await server.post(path(talk.id, '/messages'), one, bob.as)).status).toBe(201)
    await rows(server, 'update chat_event set message_id = $1 where message_id = $2', [
      other.message_id,
      one.message_id,
    ])
    await expectRefused(() => server.post(path(talk.id, '/messages'), other, bob.as), 409, /another event/)
  })

  test('with a time to live is gone after it, also from the database', async () => {
    const talk = await talkOf(bob, chika)
    await say(server, bob, talk, 'short-lived', 60_000)
    await say(server, bob, talk, 'long-lived')
    expect((await readAll(server, chika, talk.id, [bob, chika])).texts.slice(-2)).toEqual(['short-lived', 'long-lived'])
    await server.command('clock', { advance_ms: 61_000 })
    expect((await readAll(server, chika, talk.id, [bob, chika])).texts.slice(-1)).toEqual(['long-lived'])
    await tidy(server.runtime)
    const left = await rows(server, 'select 1 from chat_event where expires_at is not null and detail is not null')
    expect(left).toEqual([])
    await server.command('clock', { reset: true })
  })

  test('to a user who blocks the sender, or is blocked, is refused', async () => {
    const talk = await talkOf(chika, dario)
    const body = sendBody(encrypt(chika, talk, 'let me in'))
    await server.command('relation.add', { kind: 'block', source: 'dario', target: 'chika' })
    await expectRefused(() => server.post(path(talk.id, '/messages'), body, chika.as), 403, /You cannot send messages/)
    const back = sendBody(encrypt(dario, talk, 'and out'))
    await expectRefused(() => server.post(path(talk.id, '/messages'), back, dario.as), 403, /You cannot send messages/)
    await server.command('relation.remove', { kind: 'block', source: 'dario', target: 'chika' })
    expect((await server.post(path(talk.id, '/messages'), body, chika.as)).status).toBe(201)
  })
})

describe('message requests', () => {
  test('are conversations with somebody whom the user does not follow, until the user answers', async () => {
    await server.command('user.create', { username: 'stranger' })
    const { apps } = await server.command('app.list')
    const pair = await server.command('user.token', { user: 'stranger', app: apps[0].id })
    const { consumerKey, consumerSecret } = server.keysOf('alice')
    const as = {
      keys: { consumerKey, consumerSecret, token: pair.access_token, tokenSecret: pair.access_token_secret },
    }
    const { joinChat } = await import('./chatting.ts')
    const stranger = await joinChat(server, (await server.get('/2/users/me', as)).body.data.id, as)
    const talk = await addKey(server, stranger, [stranger, dario])
    await say(server, stranger, talk, 'do you know me?')
    const inbox = await server.get('/2/chat/conversations', dario.as)
    expect(inbox.body.meta.has_message_requests).toBe(true)
    expect(inbox.body.data[0].id).toBe(talk.id)
    const events = async () => (await server.get(path(talk.id, '/events'), dario.as)).body.data
    expect((await events())[0].is_trusted).toBe(false)
    await say(server, dario, talk, 'now I do')
    expect((await events()).map((item: { is_trusted: boolean }) => item.is_trusted)).toEqual([true, true, true])
    await rows(server, 'update user_account set receives_messages_from_everyone = false where id = $1', [bob.id])
    server.runtime.parts.invalidate('user', [bob.id])
    const { identities } = await readKeys(server, stranger.as, [stranger, bob])
    const body = changeBody(stranger.client.prepareConversationKeyChange({ publicKeys: identities }))
    await expectRefused(() => server.post(path(bob.id, '/keys'), body, stranger.as), 403, /You cannot send messages/)
    await rows(server, 'update user_account set receives_messages_from_everyone = true where id = $1', [bob.id])
    server.runtime.parts.invalidate('user', [bob.id])
  })
})

describe('a conversation', () => {
  test('is found by all forms of its id, with all members unless fields are asked for', async () => {
    const talk = await talkOf(alice, bob)
    const [low, high] = talk.id.split('-')
    for (const id of [bob.id, `${low}-${high}`, `${high}-${low}`]) {
      const read = await server.get(path(id), alice.as)
      expect(read.body.data).toMatchObject({
        id: talk.id,
        type: 'direct',
        participant_ids: [low, high],
        is_muted: false,
      })
    }
    const asked = await server.get(`${path(bob.id)}?chat_conversation.fields=type&expansions=participant_ids`, alice.as)
    expect(asked.body.data).toEqual({ id: talk.id, type: 'direct', participant_ids: [low, high] })
    expect(asked.body.includes.users.map((user: { id: string }) => user.id)).toEqual([low, high])
  })

  test('is not found by outsiders, in any form or operation', async () => {
    const talk = await talkOf(alice, bob)
    const group = await createGroup(server, alice, [alice, bob])
    for (const id of [talk.id, group.id, 'g1', '1', `${alice.id}-1`]) {
      for (const rest of ['', '/events']) {
        const read = await server.get(path(id, rest), chika.as)
        expect([id, rest, read.status]).toEqual([id, rest, 404])
      }
      expect((await server.post(path(id, '/typing'), {}, chika.as)).status).toBe(404)
      const seen = { seen_until_sequence_id: talk.sequence }
      expect((await server.post(path(id, '/read'), seen, chika.as)).status).toBe(404)
    }
  })

  test('is listed by its newest event, page by page', async () => {
    const first = await talkOf(alice, bob)
    const second = await talkOf(alice, chika)
    await say(server, bob, first, 'newer')
    const page = await server.get('/2/chat/conversations?max_results=1', alice.as)
    expect(page.body).toMatchObject({ data: [{ id: first.id }], meta: { has_more: true, result_count: 1 } })
    const next = await server.get(
      `/2/chat/conversations?max_results=1&pagination_token=${page.body.meta.next_token}`,
      alice.as,
    )
    expect(next.body.data).toMatchObject([{ id: second.id }])
  })

  test('is marked as read up to one of its events, and typing is accepted with and without a body', async () => {
    const talk = await talkOf(alice, bob)
    const read = (id: string) => server.post(path(talk.id, '/read'), { seen_until_sequence_id: id }, bob.as)
    expect((await read(talk.sequence)).body).toEqual({ data: { success: true } })
    for (const id of ['1', 'abc', '9'.repeat(19)]) expect((await read(id)).status).toBe(400)
    for (const body of [undefined, {}])
      expect((await server.post(path(alice.id, '/typing'), body, bob.as)).body).toEqual({ data: { success: true } })
    expect((await readAll(server, alice, talk.id, [alice, bob])).errors).toEqual({})
  })
})

describe('a group', () => {
  test('sent again is created once, and cannot be created by somebody else', async () => {
    const { body, id } = await prepareGroup(server, alice, [alice, bob], { title: 'Once' })
    expect((await server.post(path('group'), body, bob.as)).status).toBe(400)
    const made = await server.post(path('group'), body, alice.as)
    expect(made.status).toBe(201)
    expect((await server.post(path('group'), body, alice.as)).body).toEqual(made.body)
    expect((await server.get(path(id), bob.as)).body.data).toMatchObject({
      id,
      type: 'group',
      group_name: 'Once',
      member_ids: [alice.id, bob.id],
      admin_ids: [alice.id],
    })
  })

  test.each<[what: string, edit: (body: Record<string, unknown>) => unknown, status: number, named: RegExp]>([
    ['with another name than the signed one', (body) => ({ ...body, group_name: 'Other' }), 400, /group_name/],
    [
      'with other members than the signed ones',
      (body) => ({ ...body, group_members: [alice.id] }),
      400,
      /group_members/,
    ],
    ['with an admin who is not a member', (body) => ({ ...body, group_admins: ['5'] }), 400, /group_admins/],
    ['with an id that is not reserved', (body) => ({ ...body, conversation_id: 'g5' }), 404, /does not exist/],
    [
      'with one signature',
      (body) => ({ ...body, action_signatures: (body.action_signatures as unknown[]).slice(1) }),
      400,
      /exactly 2 entries/,
    ],
  ])('%s is refused', async (_what, edit, status, named) => {
    const { body } = await prepareGroup(server, alice, [alice, bob], { title: 'Signed' })
    await expectRefused(() => server.post(path('group'), edit(body), alice.as), status, named)
  })

  test.each([
    ['has the character U+0000', 'Tea\u0000time'],
    ['is too long', 'x'.repeat(4_097)],
  ])('whose signed name %s is refused, also without a name in the body', async (_what, title) => {
    const { body } = await prepareGroup(server, alice, [alice, bob], { title })
    const { group_name: _name, ...unnamed } = body
    const actions = body.action_signatures.map(({ signature_payload: _text, ...action }) => action)
    await expectRefused(
      () => server.post(path('group'), { ...unnamed, action_signatures: actions }, alice.as),
      400,
      /title or an avatar/,
    )
  })

  test('has at most 256 members', async () => {
    const { id, body } = await prepareGroup(server, alice, [alice, bob])
    const { identities } = await readKeys(server, alice.as, [alice])
    const memberIds = [alice.id, ...Array.from({ length: 256 }, (_none, index) => String(index + 1))]
    const change = alice.client.prepareGroupCreate({
      publicKeys: identities,
      conversationId: id,
      memberIds,
      adminIds: [alice.id],
    })
    await expectRefused(
      () => server.post(path('group'), { ...body, group_members: memberIds, ...changeBody(change) }, alice.as),
      400,
      /Too many members: adding these members would exceed the allowed group size\./,
    )
  })

  test('takes no members who cannot be added, and none from outsiders', async () => {
    const group = await createGroup(server, alice, [alice, bob])
    const addition = async (by: ChatUser, added: ChatUser[]) =>
      (await prepareAddition(server, by, group, [alice, bob], added)).body
    const post = (body: unknown, by: ChatUser) => server.post(path(group.id, '/members'), body, by.as)
    const outside = await addition(dario, [dario])
    await expectRefused(() => post(outside, dario), 404, /does not exist/)
    const cannot = 'Cannot add all members: one or more of the requested members cannot be added to this conversation.'
    await server.command('relation.add', { kind: 'block', source: 'dario', target: 'alice' })
    const blocked = await addition(alice, [dario])
    await expectRefused(() => post(blocked, alice), 400, new RegExp(cannot))
    await server.command('relation.remove', { kind: 'block', source: 'dario', target: 'alice' })
    const good = await addition(alice, [dario])
    const changed = good.action_signatures.map((action) => ({
      ...action,
      message_event_signature: {
        ...action.message_event_signature,
        signature: flipped(action.message_event_signature.signature, 1).replace(/=+$/, ''),
      },
    }))
    await expectRefused(() => post({ ...good, action_signatures: changed }, alice), 400, /does not verify/)
    const made = await post(good, alice)
    expect(made.status, made.text).toBe(200)
    expect((await post(good, alice)).body).toEqual(made.body)
    const late = await addition(alice, [chika])
    await expectRefused(() => post(late, alice), 409, /other members or admins/)
  })

  test('takes no message from a member who is removed at the same moment', async () => {
    const group = await createGroup(server, alice, [alice, bob, chika])
    const other = await server.runtime.database.pool.connect()
    try {
      await other.query('begin')
      await other.query('select from chat_conversation where id = $1 for update', [group.id.slice(1)])
      const body = sendBody(encrypt(chika, group, 'in the same moment'))
      const sending = server.post(path(group.id, '/messages'), body, chika.as)
      await until(async () => (await waitingForLocks(server)) > 0)
      await other.query('update chat_member set left_sequence = 1 where conversation_id = $1 and user_id = $2', [
        group.id.slice(1),
        chika.id,
      ])
      await other.query('commit')
      expect((await sending).status).toBe(404)
    } finally {
      other.release()
    }
  })

  test('shows a former member nothing, and takes messages again after a new key', async () => {
    const group = await createGroup(server, alice, [alice, bob, chika])
    await say(server, alice, group, 'with chika')
    await server.command('chat.member.remove', { conversation_id: group.id, user: 'chika' })
    expect((await server.get(path(group.id, '/events'), chika.as)).status).toBe(404)
    expect((await server.get('/2/chat/conversations?max_results=100', chika.as)).body.data ?? []).not.toContainEqual(
      expect.objectContaining({ id: group.id }),
    )
    const body = sendBody(encrypt(alice, group, 'chika knows this key'))
    await expectRefused(() => server.post(path(group.id, '/messages'), body, alice.as), 409, /former member/)
    const next = await addKey(server, bob, [alice, bob], group.id)
    await subscribeAs(server, 'chika', 'chat.received')
    expect(await delivered(server, () => say(server, alice, next, 'without chika'))).toEqual([])
    const mine = sendBody(encrypt(chika, group, 'still here'))
    await expectRefused(() => server.post(path(group.id, '/messages'), mine, chika.as), 404, /does not exist/)
  })
})

describe('deleting messages', () => {
  test('from one’s own view leaves them to the others', async () => {
    const talk = await talkOf(alice, bob)
    await say(server, alice, talk, 'yours to keep')
    const sequence = (await readAll(server, bob, talk.id, [alice, bob])).sequences.at(-1)!
    expect((await remove(bob, talk.id, [sequence], false)).body).toEqual({ data: { deleted: true } })
    expect((await readAll(server, bob, talk.id, [alice, bob])).texts).not.toContain('yours to keep')
    expect((await readAll(server, alice, talk.id, [alice, bob])).texts).toContain('yours to keep')
  })

  test('for all is for their sender, and in a group for its admins; the bytes are gone', async () => {
    const group = await createGroup(server, alice, [alice, bob])
    await say(server, alice, group, 'of the admin')
    await say(server, bob, group, 'of a member')
    const { sequences } = await readAll(server, alice, group.id, [alice, bob])
    const [first, second] = sequences.slice(-2) as [string, string]
    expect((await remove(bob, group.id, [first], true)).status).toBe(403)
    expect((await remove(bob, group.id, ['5'], true)).status).toBe(400)
    expect((await remove(alice, group.id, [first, second], true)).status).toBe(200)
    expect((await readAll(server, bob, group.id, [alice, bob])).texts).toEqual([])
    const kept = await rows(server, 'select detail from chat_event where sequence = any($1::bigint[])', [
      sequences.slice(-2),
    ])
    expect(kept).toEqual([{ detail: null }, { detail: null }])
  })
})

describe('files', () => {
  const post = (rest: string, body: object, by: ChatUser) => server.post(`/2/chat/media/upload/${rest}`, body, by.as)

  test('are refused where they are too large, incomplete, foreign or of another conversation', async () => {
    const talk = await talkOf(alice, bob)
    const other = await talkOf(alice, chika)
    const conversation_id = talk.id
    for (const total_bytes of [0, 536_870_913])
      expect((await post('initialize', { conversation_id, total_bytes }, alice)).status).toBe(400)
    expect((await post('initialize', { total_bytes: 5 }, alice)).status).toBe(400)
    expect((await post('initialize', { conversation_id, total_bytes: 5 }, chika)).status).toBe(404)
    const { session_id: id, media_hash_key } = (await post('initialize', { conversation_id, total_bytes: 4 }, alice))
      .body.data
    const segment = { conversation_id, media_hash_key, segment_index: 0, media: Buffer.from('abcd').toString('base64') }
    expect((await post(`${id}/append`, segment, bob)).status).toBe(404)
    expect((await post(`${id}/append`, { ...segment, conversation_id: other.id }, alice)).status).toBe(404)
    expect((await post(`${id}/append`, { ...segment, media_hash_key: 'abc' }, alice)).status).toBe(404)
    expect((await post(`${id}/append`, { ...segment, media: 'AAAAAAAA' }, alice)).status).toBe(400)
    expect((await post(`${id}/finalize`, { conversation_id, media_hash_key }, alice)).status).toBe(400)
    expect((await post(`${id}/append`, segment, alice)).status).toBe(200)
    const file = `/2/chat/media/${talk.id}/${media_hash_key}`
    expect((await server.get(file, bob.as)).status).toBe(404)
    expect((await post(`${id}/finalize`, { conversation_id, media_hash_key, num_parts: '2' }, alice)).status).toBe(400)
    const end = { conversation_id, media_hash_key, num_parts: '1' }
    for (let times = 0; times < 2; times++)
      expect((await post(`${id}/finalize`, end, alice)).body).toEqual({ data: { success: true } })
    expect((await post(`${id}/append`, segment, alice)).status).toBe(400)
    expect((await server.get(file, bob.as)).text).toBe('abcd')
    expect((await server.get(file, chika.as)).status).toBe(404)
    expect((await server.get(`/2/chat/media/${other.id}/${media_hash_key}`, alice.as)).status).toBe(404)
  })
})

describe('activity', () => {
  test('reports a message to sender and receivers, and a fresh client decrypts what it got', async () => {
    const talk = await talkOf(alice, dario)
    await subscribeAs(server, 'alice', 'chat.sent')
    await subscribeAs(server, 'dario', 'chat.received')
    const messages = await delivered(server, () => say(server, alice, talk, 'delivered'))
    expect(messages.map((message) => message.event_type)).toEqual(['chat.sent', 'chat.received'])
    const { payload } = messages[1]!
    expect(payload).toMatchObject({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      conversation_id: talk.id.replace('-', ':'),
      conversation_key_version: talk.version,
      sender_id: alice.id,
      created_at_msec: expect.stringMatching(/^\d+$/),
      message_event_signature: { public_key_version: alice.keyVersion, signing_public_key: expect.any(String) },
    })
    expect(payload.conversation_token).not.toBe(messages[0]!.payload.conversation_token)
    const { signing } = await readKeys(server, dario.as, [alice, dario])
    const { conversationKeys } = dario.client.decryptEvents([payload.conversation_key_change_event], signing)
    const event = dario.client.decryptEvent(payload.encoded_event, conversationKeys.keys, signing)
    expect(event).toMatchObject({ verified: true, content: { text: 'delivered' } })
  })

  test('withholds a message that was deleted before its delivery', async () => {
    const talk = await talkOf(alice, dario)
    const events = await eventsOf(server, () => say(server, alice, talk, 'too late'))
    const sequence = (await readAll(server, alice, talk.id, [alice, dario])).sequences.at(-1)!
    expect((await remove(alice, talk.id, [sequence], true)).status).toBe(200)
    const found = await findActivity(server.runtime, events, { appIds: [await firstApp(server)] })
    expect(found.length).toBeGreaterThan(0)
    expect(new Set(found.map((message) => [message.envelope, message.withheld].join()))).toEqual(
      new Set([',its message is gone']),
    )
  })

  test('reports to each user who joins a group', async () => {
    await subscribeAs(server, 'bob', 'chat.conversation_join')
    await subscribeAs(server, 'chika', 'chat.conversation_join')
    let group: Conversation | undefined
    const created = await delivered(server, async () => {
      group = await createGroup(server, alice, [alice, bob])
    })
    expect(created.map((message) => [message.event_type, message.filter.user_id])).toEqual([
      ['chat.conversation_join', bob.id],
    ])
    const added = await delivered(server, async () => {
      const { body } = await prepareAddition(server, alice, group!, [alice, bob], [chika])
      expect((await server.post(path(group!.id, '/members'), body, alice.as)).status).toBe(200)
    })
    expect(added).toHaveLength(1)
    expect(added[0]!.payload).toMatchObject({ conversation_id: group!.id, sender_id: alice.id })
    const { signing } = await readKeys(server, chika.as, [alice, bob, chika])
    expect(chika.client.decryptEvent(added[0]!.payload.encoded_event, {}, signing)).toMatchObject({
      type: 'groupChange',
      verified: true,
    })
  })
})
