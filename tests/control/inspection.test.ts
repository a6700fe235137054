import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makePost } from '../social/acting.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

type Row = Record<string, unknown>
const ids = (rows: Row[]) => rows.map((row) => row.id)

/** Reads a list page by page. */
async function readAll(command: string, list: string, args: object): Promise<Row[]> {
  const rows: Row[] = []
  let after: string | undefined
  do {
    const page = await server.command(command, { ...args, limit: 2, ...(after === undefined ? {} : { after }) })
    expect(page[list].length).toBeLessThanOrEqual(2)
    rows.push(...page[list])
    after = page.next
  } while (after !== undefined)
  return rows
}

describe('users', () => {
  test('are found by a beginning, by id and by state, suspended ones too, page by page', async () => {
    for (const [index, name] of ['zed_one', 'zed_two', 'zed_three'].entries())
      await server.command('user.create', { username: name, protected: index === 1 })
    await server.command('user.update', { user: 'zed_three', suspended: true })
    const found = await readAll('user.list', 'users', { query: '@zed' })
    expect(found.map((user) => user.username).sort()).toEqual(['zed_one', 'zed_three', 'zed_two'])
    const one = found.find((user) => user.username === 'zed_one')!
    expect(ids((await server.command('user.list', { query: one.id })).users)).toEqual([one.id])
    const suspended = await readAll('user.list', 'users', { state: 'suspended' })
    expect(suspended.map((user) => user.username)).toEqual(['zed_three'])
    expect((await readAll('user.list', 'users', { state: 'protected' })).map((user) => user.username)).toContain(
      'zed_two',
    )
    expect((await server.tryCommand('user.list', { query: 'zed', after: 'x' })).status).toBe(400)
    expect((await server.get('/2/users/search?query=zed', { user: 'alice' })).body.meta.result_count).toBe(2)
  })

  test('are shown with their counters and the apps that have access', async () => {
    await server.command('user.token', { user: 'bob', oauth2: true, scopes: ['users.read'] })
    const { user, apps } = await server.command('user.show', { user: 'bob' })
    expect(user).toMatchObject({ username: 'bob', suspended: false, open_reports: 0, post_count: expect.any(Number) })
    expect(apps.map((app: Row) => [app.app, app.kind])).toContainEqual(['First app', 'OAuth 2.0'])
  })
})

describe('posts', () => {
  test('are listed newest first, by author and by words, with why others do not see them', async () => {
    await server.command('user.create', { username: 'quiet' })
    const { access_token: bearer } = await server.command('user.token', { user: 'quiet', oauth2: true })
    const first = await makePost(server, { bearer }, { text: 'Marmalade <i>one</i> #jam' })
    const reply = await makePost(
      server,
      { user: 'bob' },
      { text: 'marmalade two', reply: { in_reply_to_post_id: first } },
    )
    const third = await makePost(server, { bearer }, { text: 'three' })
    await server.put(`/2/posts/${reply}/hidden`, { hidden: true }, { bearer })
    await server.command('user.update', { user: 'quiet', protected: true })
    expect(ids(await readAll('post.list', 'posts', { user: 'quiet' }))).toEqual([third, first])
    expect(ids(await readAll('post.list', 'posts', { query: 'MARMALADE' }))).toEqual([reply, first])
    expect(ids(await readAll('post.list', 'posts', { query: '#jam' }))).toEqual([first])
    expect(ids(await readAll('post.list', 'posts', { query: 'marmalade', user: 'bob' }))).toEqual([reply])
    expect(ids((await server.command('post.list', { limit: 1 })).posts)).toEqual([third])
    expect((await server.tryCommand('post.list', { query: '!' })).status).toBe(400)

    const shown = await server.command('post.show', { post: reply })
    expect(shown.post).toMatchObject({ id: reply, author: 'bob', hidden_because: ['hidden_reply'] })
    expect(shown.thread.map((post: Row) => [post.id, post.hidden_because])).toEqual([
      [first, ['author_protected']],
      [reply, ['hidden_reply']],
    ])
    expect(shown.thread[0].text).toBe('Marmalade <i>one</i> #jam')
    expect(ids(await readAll('post.show', 'thread', { post: first }))).toEqual([first, reply])
    expect((await server.tryCommand('post.show', { post: '9999999999999999999' })).status).toBe(404)
    await server.command('user.update', { user: 'quiet', suspended: true })
    const after = await server.command('post.show', { post: first })
    expect(after.post.hidden_because).toEqual(['author_suspended', 'author_protected'])
  })

  test('in closed communities and older versions say so', async () => {
    const { id: community } = await server.command('communities.create', {
      user: 'alice',
      name: 'Shut',
      access: 'Closed',
    })
    const id = await makePost(server, { user: 'alice' }, { text: 'inside', community_id: community })
    expect((await server.command('post.show', { post: id })).post.hidden_because).toEqual(['closed_community'])
    await server.command('user.update', { user: 'alice', subscription_type: 'Premium' })
    const old = await makePost(server, { user: 'alice' }, { text: 'before' })
    const edited = await makePost(server, { user: 'alice' }, { text: 'after', edit_options: { previous_post_id: old } })
    const shown = await server.command('post.show', { post: old })
    expect(shown.post.hidden_because).toEqual(['superseded'])
    expect(shown.versions.map((version: Row) => [version.id, version.text])).toEqual([
      [old, 'before'],
      [edited, 'after'],
    ])
  })
})

describe('lists, spaces and communities', () => {
  test('are listed by text and user, private and cancelled ones too', async () => {
    const as = { user: 'bob' } as const
    const open = (await server.post('/2/lists', { name: 'Plums' }, as)).body.data.id
    const secret = (await server.post('/2/lists', { name: 'More plums', private: true }, as)).body.data.id
    await server.post(`/2/lists/${secret}/members`, { user_id: server.userId('alice') }, as)
    expect(ids(await readAll('lists.list', 'lists', { query: 'PLUM' }))).toEqual([secret, open])
    expect(ids(await readAll('lists.list', 'lists', { query: 'more', user: 'bob' }))).toEqual([secret])
    const shown = await server.command('lists.show', { list: secret })
    expect([shown.list.private, shown.members.map((member: Row) => member.username)]).toEqual([true, ['alice']])
    expect((await server.tryCommand('lists.show', { list: '9999999999999999999' })).status).toBe(404)

    const at = new Date(server.runtime.clock.now() + 3600_000).toISOString()
    const one = (await server.command('spaces.create', { user: 'bob', title: 'Plum talk', scheduled_start: at })).id
    const two = (await server.command('spaces.create', { user: 'alice', title: 'Plum jam' })).id
    await server.command('spaces.cancel', { space: one })
    expect(ids(await readAll('spaces.list', 'spaces', { query: 'plum' }))).toEqual([two, one])
    expect(ids(await readAll('spaces.list', 'spaces', { state: 'cancelled' }))).toEqual([one])
    expect(ids(await readAll('spaces.list', 'spaces', { query: one }))).toEqual([one])
    expect(ids(await readAll('lists.list', 'lists', { query: open }))).toEqual([open])

    const { id } = await server.command('communities.create', { user: 'bob', name: 'Plum people', access: 'Closed' })
    expect(await readAll('communities.list', 'communities', { query: 'plum' })).toMatchObject([
      { id, access: 'Closed' },
    ])
    expect(await readAll('communities.list', 'communities', { user: 'bob', query: 'plum' })).toMatchObject([
      { id, role: 'admin' },
    ])
    expect(await readAll('communities.list', 'communities', { user: 'chika', query: 'plum' })).toEqual([])
    expect(ids(await readAll('communities.list', 'communities', { query: id }))).toEqual([id])
  })
})

describe('messages', () => {
  test('are listed with who still sees them; a deleted one stays for the other', async () => {
    const to = server.userId('chika')
    const send = async (text: string) =>
      (await server.post(`/2/dm_conversations/with/${to}/messages`, { text }, { user: 'bob' })).body.data
    const first = await send('one')
    const second = await send('two')
    await server.delete(`/2/dm_events/${first.dm_event_id}`, { user: 'bob' })
    const conversation = second.dm_conversation_id
    const found = await readAll('messages.conversations', 'conversations', { user: 'chika' })
    expect(found).toContainEqual(expect.objectContaining({ id: conversation, last_text: 'two' }))
    expect(ids(await readAll('messages.conversations', 'conversations', {}))).toContain(conversation)
    const messages = await readAll('messages.list', 'messages', { conversation })
    expect(messages.slice(0, 2)).toMatchObject([
      { id: second.dm_event_id, sender: 'bob', text: 'two' },
      { id: first.dm_event_id, sender: 'bob', text: 'one', seen_by: ['chika'] },
    ])
    expect((await server.tryCommand('messages.list', { conversation: '1-2' })).status).toBe(404)
  })

  test('that are encrypted are envelopes without a text', async () => {
    await server.command('trigger', { event_type: 'chat.received', user: 'bob', target: 'chika' })
    const [chat] = (await server.command('chat.conversations', { user: 'chika' })).conversations
    expect(chat.members.sort()).toEqual(['bob', 'chika'])
    const { envelopes } = await server.command('chat.list', { conversation: chat.id })
    expect(envelopes[0]).toMatchObject({ kind: 'message', sender: 'bob', bytes: expect.any(Number) })
    expect(Object.keys(envelopes[0])).not.toContain('detail')
    for (const conversation of ['9999999999999999999-1', 'g9999999999999999999', 'g1'])
      expect((await server.tryCommand('chat.list', { conversation })).status).toBe(404)
  })
})

test('apps are found by a part of their name, page by page', async () => {
  for (const name of ['Pear one', 'Pear two', 'Pear three']) await server.command('app.create', { name, owner: 'bob' })
  const found = await readAll('app.list', 'apps', { query: 'pear' })
  expect(found.map((app) => app.name)).toEqual(['Pear one', 'Pear two', 'Pear three'])
  expect(found[0]).toMatchObject({ tier: 'self-serve', callback_urls: [] })
})
