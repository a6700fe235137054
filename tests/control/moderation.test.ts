import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { actAs } from '../../src/control/triggers/trigger-context.ts'
import { type ReportDraft, report } from '../../src/social/reports/report.ts'
import { makePost, readPost, rows } from '../social/acting.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer([], { newDatabase: true })
})
afterAll(() => server.close())

/** What a page does when a user reports something. */
const reportAs = (username: string, draft: ReportDraft) => {
  const { context, runtime } = actAs(server.runtime, { id: server.userId(username), username })
  return report(runtime, context, draft)
}

const newUser = async (username: string) => (await server.command('user.create', { username })).id as string
const tokenOf = async (user: string) => {
  const made = await server.command('user.token', { user, oauth2: true })
  return { bearer: made.access_token as string }
}

describe('reports', () => {
  test('a report lists who reported what, with the text as it was, and is changed by reporting again', async () => {
    const id = await makePost(server, 'alice', { text: 'buy <b>cheap</b> watches' })
    const first = await reportAs('bob', { kind: 'post', id, reason: 'spam', comment: ' again ' })
    expect(await reportAs('bob', { kind: 'post', id, reason: 'abuse' })).toBe(first)
    await reportAs('chika', { kind: 'post', id, reason: 'spam' })
    const { reports } = await server.command('report.list', { user: 'alice', state: 'open' })
    expect(reports).toEqual([
      expect.objectContaining({ reporter: 'chika', subject_id: id, open_reports: 2 }),
      {
        id: first,
        kind: 'post',
        subject_id: id,
        reporter_id: server.userId('bob'),
        reporter: 'bob',
        owner_id: server.userId('alice'),
        owner: 'alice',
        owner_suspended: false,
        reason: 'abuse',
        comment: '',
        excerpt: 'buy <b>cheap</b> watches',
        state: 'open',
        created_at: expect.any(String),
        open_reports: 2,
        actions: ['none', 'remove_post', 'suspend_user', 'mark_sensitive'],
      },
    ])
    expect((await server.command('report.list', { reporter: 'chika' })).reports).toHaveLength(1)
    const page = await server.command('report.list', { limit: 1 })
    const rest = await server.command('report.list', { limit: 1, after: page.next })
    expect([page.reports[0].reporter, rest.reports[0].reporter, rest.next]).toEqual(['chika', 'bob', undefined])
  })

  test('everything that a user can see can be reported, and nothing else', async () => {
    const nosy = await newUser('nosy')
    const as = await tokenOf('nosy')
    const list = (await server.post('/2/lists', { name: 'Rude' }, as)).body.data.id
    const secret = (await server.post('/2/lists', { name: 'Secret', private: true }, as)).body.data.id
    const space = (await server.command('spaces.create', { user: 'nosy', title: 'Loud' })).id
    const community = (await server.command('communities.create', { user: 'nosy', name: 'Odd' })).id
    const sent = await server.post(
      `/2/dm_conversations/with/${server.userId('bob')}/messages`,
      { text: 'psst' },
      { bearer: as.bearer },
    )
    const message = sent.body.data.dm_event_id
    const reported = { user: nosy, list, space, community, message }
    for (const [kind, id] of Object.entries(reported)) await reportAs('bob', { kind, id, reason: 'other' })
    const { reports } = await server.command('report.list', { reporter: 'bob', limit: 5 })
    expect(reports.map((item: { kind: string; excerpt: string }) => [item.kind, item.excerpt])).toEqual([
      ['message', 'psst'],
      ['community', 'Odd'],
      ['space', 'Loud'],
      ['list', 'Rude'],
      ['user', 'nosy @nosy'],
    ])
    const refused = (username: string, draft: ReportDraft) =>
      reportAs(username, draft).then(
        () => 'stored',
        (problem) => problem.status,
      )
    expect(await refused('bob', { kind: 'list', id: secret, reason: 'other' })).toBe(404)
    expect(await refused('chika', { kind: 'message', id: message, reason: 'other' })).toBe(404)
    expect(await refused('bob', { kind: 'user', id: server.userId('bob'), reason: 'other' })).toBe(403)
    expect(await refused('bob', { kind: 'post', id: '99999999999999999999', reason: 'other' })).toBe(404)
    expect(await refused('bob', { kind: 'space', id: "1'", reason: 'other' })).toBe(404)
    expect(await refused('bob', { kind: 'user', id: nosy, reason: 'dull' })).toBe(400)
    expect(await refused('bob', { kind: 'user', id: nosy, reason: 'other', comment: 'x'.repeat(501) })).toBe(400)
  })

  test('a user can report 50 times a day', async () => {
    const id = await newUser('keen')
    const { context, runtime } = actAs(server.runtime, { id, username: 'keen' })
    const draft = { kind: 'user', id: server.userId('alice'), reason: 'other' }
    for (let count = 0; count < 50; count++) await report(runtime, context, draft)
    await expect(report(runtime, context, draft)).rejects.toMatchObject({ status: 429 })
  })

  test('an action is done, and resolves all open reports about the same thing', async () => {
    await newUser('loud')
    const as = await tokenOf('loud')
    const id = await makePost(server, as, { text: 'one' })
    const other = await makePost(server, as, { text: 'two' })
    const mild = await makePost(server, as, { text: 'three' })
    const [first] = [await reportAs('bob', { kind: 'post', id, reason: 'spam' })]
    await reportAs('chika', { kind: 'post', id, reason: 'spam' })
    const warned = await reportAs('bob', { kind: 'post', id: mild, reason: 'sensitive' })
    const third = await reportAs('bob', { kind: 'post', id: other, reason: 'spam' })

    const removed = await server.command('report.resolve', { report: first, action: 'remove_post', comment: 'spam' })
    expect(removed).toMatchObject({
      resolved: 2,
      report: { state: 'resolved', action: 'remove_post', resolution: 'spam' },
    })
    expect((await server.get(`/2/posts/${id}`)).body.errors[0].title).toBe('Not Found Error')
    await server.command('report.resolve', { report: warned, action: 'mark_sensitive' })
    expect(await readPost(server, mild, 'possibly_sensitive')).toMatchObject({ possibly_sensitive: true })
    await server.command('report.resolve', { report: third, action: 'suspend_user' })
    expect((await server.get('/2/users/by/username/loud')).body.errors[0].title).toBe('Forbidden')
    const again = await server.tryCommand('report.resolve', { report: third, action: 'none' })
    expect([again.status, again.body.detail]).toEqual([409, `The report [${third}] is resolved already.`])
    expect((await server.tryCommand('report.resolve', { report: '1', action: 'none' })).status).toBe(404)
  })

  test('an action that does not fit what was reported is refused with those that do', async () => {
    const id = await reportAs('chika', { kind: 'user', id: server.userId('alice'), reason: 'other' })
    const answer = await server.tryCommand('report.resolve', { report: id, action: 'remove_post' })
    expect([answer.status, answer.body.errors[0].message]).toEqual([
      400,
      'action must be one of [none,suspend_user] for a report about a user',
    ])
    expect((await server.command('report.resolve', { report: id, action: 'none' })).resolved).toBe(2)
  })
})

test('an operator can let a user report something, with the same refusals', async () => {
  const args = { user: 'dario', kind: 'user', id: server.userId('alice'), reason: 'impersonation', comment: 'not her' }
  expect(await server.command('report.create', args)).toMatchObject({ id: expect.any(String), user: 'dario' })
  expect((await server.tryCommand('report.create', { ...args, id: server.userId('dario') })).status).toBe(403)
  expect((await server.tryCommand('report.create', { ...args, reason: 'dull' })).status).toBe(400)
})

describe('posts of others', () => {
  test('an operator removes any post, and what follows is a deletion', async () => {
    const id = await makePost(server, 'alice', { text: 'gone soon' })
    await server.post(`/2/users/${server.userId('bob')}/reposts`, { post_id: id }, { user: 'bob' })
    const removed = await server.command('post.remove', { post: id, reason: 'a test' })
    expect(removed).toEqual({ post_id: id, author_id: server.userId('alice'), removed: true })
    const events = await rows(server, 'select type from event_outbox where post_id = $1 order by type', [id])
    expect(events.map((event) => event.type)).toEqual(['post.create', 'post.delete', 'repost.create', 'repost.delete'])
    expect((await server.tryCommand('post.remove', { post: id })).status).toBe(404)
  })

  test('marking as sensitive shows in the post and its reposts, and can be undone', async () => {
    const id = await makePost(server, 'alice', { text: 'to be marked' })
    const repost = await server.post(`/2/users/${server.userId('bob')}/reposts`, { post_id: id }, { user: 'bob' })
    expect(repost.status).toBe(200)
    const [{ id: repostId }] = await rows(server, 'select id from post where reposted_post_id = $1', [id])
    const marks = async () => [
      (await readPost(server, id, 'possibly_sensitive')).possibly_sensitive,
      (await readPost(server, repostId, 'possibly_sensitive')).possibly_sensitive,
    ]
    expect(await marks()).toEqual([false, false])
    expect(await server.command('post.sensitive', { post: id })).toMatchObject({ sensitive: true, changed: true })
    expect(await marks()).toEqual([true, true])
    await server.command('post.sensitive', { post: id, sensitive: false })
    expect(await marks()).toEqual([false, false])
  })
})

describe('the audit log', () => {
  const newest = async (args: object = {}) => (await server.command('audit.list', { limit: 1, ...args })).entries[0]

  test('has every command that changes something, with who, when and how it ended', async () => {
    await server.command('clock', { advance_ms: 86_400_000 })
    await server.command('user.update', { user: 'bob', location: 'Here' })
    const { id, ...entry } = await newest()
    expect(entry).toEqual({
      happened_at: expect.any(String),
      recorded_at: expect.any(String),
      actor: 'admin key',
      name: 'user.update',
      arguments: { user: 'bob', location: 'Here' },
      outcome: 'done',
      status: 200,
      result: { id: server.userId('bob'), username: 'bob', updated: true },
    })
    const dayMs = Date.parse(entry.happened_at) - Date.parse(entry.recorded_at)
    expect(Math.round(dayMs / 3600_000)).toBe(24)
    await server.command('clock', { reset: true })
    await server.command('user.list')
    expect((await newest()).name).toBe('clock')
    const before = await newest({ name: 'user.update', outcome: 'done', actor: 'admin key' })
    expect(before.id).toBe(id)
  })

  test('has refusals, and no secret anywhere', async () => {
    await server.tryCommand('user.update', { user: 'nobody_here', password: 'correct horse battery' })
    expect(await newest()).toMatchObject({ outcome: 'refused', status: 404, name: 'user.update' })
    const short = await server.tryCommand('user.update', { user: 'bob', password: 'c0rrect' })
    expect(short.status).toBe(400)
    const made = await server.command('user.token', { user: 'bob' })
    const app = await server.command('app.create', {
      name: 'Audited',
      owner: 'bob',
      callback_urls: ['https://user:pass@example.com/back?key=hush'],
    })
    expect((await newest()).arguments.callback_urls).toEqual(['https://example.com/back'])
    const user = await server.command('user.create', { username: 'audited', email: 'audited@example.com' })
    const stored = JSON.stringify(await rows(server, 'select * from audit_entry'))
    for (const secret of [
      ...['correct horse battery', 'c0rrect', 'hush', 'user:pass', 'audited@example.com', user.password],
      ...[made.access_token, made.access_token_secret, app.api_key_secret, app.client_secret, app.bearer_token],
    ])
      expect(stored).not.toContain(secret)
  })

  test('has no key of a world file, under whatever name', async () => {
    const key = `AAAA${'k3y'.repeat(30)}`
    await server.tryCommand('world.apply', { world: { apps: [{ name: 'Keys', owner: 'alice', bearer_token: key }] } })
    await server.tryCommand('user.update', { user: 'bob', description: `bearer ${key}` })
    await server.tryCommand('user.update', { user: 'bob', location: 'first line\nsecond line' })
    expect(await newest()).toMatchObject({ arguments: { location: '[text of 22 characters]' } })
    expect(JSON.stringify(await rows(server, 'select * from audit_entry'))).not.toContain(key)
  })

  test('keeps a bounded part of large arguments, and characters that JSON columns cannot have', async () => {
    const views = Array.from({ length: 200 }, () => ({ post_id: '1', kind: 'x'.repeat(300) }))
    await server.tryCommand('views.add', { views })
    const [{ size }] = await rows(
      server,
      'select length(arguments::text) as size from audit_entry order by id desc limit 1',
    )
    expect(size).toBeLessThan(5_000)
    expect((await server.tryCommand('user.update', { user: 'bob', location: 'a\u0000b' })).status).not.toBe(500)
    // A text of two-unit characters is cut between them.
    expect((await server.tryCommand('user.update', { user: 'bob', location: `x${'💥'.repeat(300)}` })).status).toBe(400)
    expect(await newest()).toMatchObject({
      outcome: 'refused',
      arguments: { location: `x${'💥'.repeat(99)}… (601 characters)` },
    })
  })

  test('has no entry for what is only read', async () => {
    const before = await newest()
    await server.command('ads.statistics', { account: server.credentials.ads_account_id })
    await server.command('ads.tree', { account: server.credentials.ads_account_id })
    expect((await newest()).id).toBe(before.id)
  })

  test('survives a reset, which is an entry itself', async () => {
    const before = await newest()
    await server.request('POST', '/_rostra/reset', { as: { bearer: server.credentials.admin_key } })
    expect(await newest()).toMatchObject({ name: 'reset', outcome: 'done', actor: 'admin key' })
    expect((await server.command('audit.list', { limit: 2 })).entries[1].id).toBe(before.id)
    expect((await server.command('report.list')).reports).toEqual([])
  })
})
