import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../support/server.ts'
import { forbidden, HOUR, makePost, postCount, readPost, rows } from './acting.ts'
import { walk } from './crowd.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

const edit = (previous: string, text: string, user = 'alice', more: object = {}) =>
  server.post('/2/posts', { text, edit_options: { previous_post_id: previous }, ...more }, { user })

/** Edits a post, which must succeed. Returns the id of the new version. */
async function edited(previous: string, text: string, user = 'alice'): Promise<string> {
  const answer = await edit(previous, text, user)
  expect(answer.status, answer.text).toBe(201)
  return answer.body.data.id
}

const versionsOf = (first: string) =>
  rows(server, 'select id, superseded from post where first_version_id = $1 order by id', [first])

test('an edit is a new post; all versions show the whole history, and each keeps its own text', async () => {
  const count = await postCount(server, 'alice')
  const first = await makePost(server, 'alice', { text: 'version one' })
  const second = await edited(first, 'version two')
  const third = await edited(second, 'version three')
  expect(new Set([first, second, third]).size).toBe(3)
  const read = await server.get(
    `/2/posts?ids=${[first, second, third]}&post.fields=edit_history_post_ids,edit_controls,conversation_id,created_at`,
  )
  expect(read.body.data.map((post: { text: string }) => post.text)).toEqual([
    'version one',
    'version two',
    'version three',
  ])
  const until = new Date(Date.parse(read.body.data[0].created_at) + HOUR).toISOString()
  for (const post of read.body.data) {
    expect(post.edit_history_post_ids).toEqual([first, second, third])
    expect(post.edit_controls).toEqual({ is_edit_eligible: true, edits_remaining: 3, editable_until: until })
    expect(post.conversation_id).toBe(first)
  }
  expect(await postCount(server, 'alice')).toBe(count + 1)
})

test('the other versions come by expansion, each once', async () => {
  const first = await makePost(server, 'alice', { text: 'expand one' })
  const second = await edited(first, 'expand two')
  const read = await server.get(`/2/posts/${second}?expansions=edit_history_post_ids`)
  expect(read.body.data.edit_history_post_ids).toEqual([first, second])
  expect(read.body.includes.posts.map((post: { id: string }) => post.id)).toEqual([first, second])
})

test('a post that was never edited has itself as history and five edits left', async () => {
  const id = await makePost(server, 'bob', { text: 'never edited' })
  const post = await readPost(server, id, 'edit_history_post_ids,edit_controls')
  expect(post.edit_history_post_ids).toEqual([id])
  expect(post.edit_controls).toMatchObject({ is_edit_eligible: true, edits_remaining: 5 })
})

test('nothing can be edited without a paid subscription', async () => {
  const id = await makePost(server, 'bob', { text: 'stuck' })
  const answer = await edit(id, 'unstuck', 'bob')
  expect(answer.status).toBe(403)
  expect(answer.body).toEqual(forbidden('You are not permitted to edit a Post: editing needs a paid subscription.'))
  expect(await versionsOf(id)).toHaveLength(1)
})

test('users can edit only their own posts', async () => {
  const id = await makePost(server, 'chika', { text: 'hands off' })
  const answer = await edit(id, 'mine now')
  expect(answer.status).toBe(403)
  expect(answer.body).toEqual(forbidden('You are not authorized to edit this Post.'))
})

test('a post that does not exist cannot be edited', async () => {
  const answer = await edit('12345', 'nothing')
  expect(answer.status).toBe(400)
  expect(answer.body.errors[0].parameters).toEqual({ 'edit_options.previous_post_id': ['12345'] })
})

test('five edits are allowed, the sixth is not', async () => {
  let newest = await makePost(server, 'alice', { text: 'counting 0' })
  const first = newest
  for (let round = 1; round <= 5; round++) newest = await edited(newest, `counting ${round}`)
  const post = await readPost(server, first, 'edit_controls,edit_history_post_ids')
  expect(post.edit_controls.edits_remaining).toBe(0)
  expect(post.edit_history_post_ids).toHaveLength(6)
  const answer = await edit(newest, 'counting 6')
  expect(answer.status).toBe(403)
  expect(answer.body).toEqual(forbidden('This Post was edited 5 times and cannot be edited again.'))
  expect(await versionsOf(first)).toHaveLength(6)
})

test('only the newest version can be edited', async () => {
  const first = await makePost(server, 'alice', { text: 'old' })
  await edited(first, 'newer')
  const answer = await edit(first, 'branch')
  expect(answer.status).toBe(403)
  expect(answer.body).toEqual(forbidden('Only the newest version of a Post can be edited.'))
  expect(await versionsOf(first)).toHaveLength(2)
})

test('an hour after the first version, by the clock, the time for edits is over', async () => {
  const first = await makePost(server, 'alice', { text: 'in time' })
  await server.command('clock', { advance_ms: HOUR - 60_000 })
  const second = await edited(first, 'just in time')
  await server.command('clock', { advance_ms: 61_000 })
  const answer = await edit(second, 'too late')
  expect(answer.status).toBe(403)
  expect(answer.body).toEqual(
    forbidden('This Post can no longer be edited: an hour has passed since its first version.'),
  )
})

describe('posts that cannot be edited', () => {
  const refusal = forbidden(
    'This Post cannot be edited: polls, replies to other users, reposts and community posts are not editable.',
  )
  test('a poll', async () => {
    const id = await makePost(server, 'alice', { text: 'pick', poll: { options: ['a', 'b'], duration_minutes: 5 } })
    expect((await edit(id, 'pick again')).body).toEqual(refusal)
    expect((await readPost(server, id, 'edit_controls')).edit_controls.is_edit_eligible).toBe(false)
  })

  test('a reply to another user', async () => {
    const target = await makePost(server, 'bob', { text: 'question' })
    const id = await makePost(server, 'alice', { text: 'answer', reply: { in_reply_to_post_id: target } })
    expect((await edit(id, 'better answer')).body).toEqual(refusal)
  })

  test('a post that is only for promotion', async () => {
    const id = await makePost(server, 'alice', { text: 'for an advertisement', nullcast: true })
    expect((await edit(id, 'for another advertisement')).body).toEqual(refusal)
    expect((await readPost(server, id, 'edit_controls')).edit_controls.is_edit_eligible).toBe(false)
  })

  test('a post of a community', async () => {
    const [community] = await rows(server, 'select id from community')
    const id = await makePost(server, 'alice', { text: 'in the garden', community_id: community.id })
    expect((await edit(id, 'in the yard')).body).toEqual(refusal)
  })
})

test('a reply in one’s own thread keeps its position and its conversation when edited', async () => {
  const root = await makePost(server, 'alice', { text: 'thread' })
  const reply = await makePost(server, 'alice', { text: 'thread two', reply: { in_reply_to_post_id: root } })
  const id = await edited(reply, 'thread two, corrected')
  expect(await readPost(server, id, 'conversation_id,referenced_posts,in_reply_to_user_id')).toMatchObject({
    conversation_id: root,
    in_reply_to_user_id: server.userId('alice'),
    referenced_posts: [{ type: 'replied_to', id: root }],
  })
  expect((await readPost(server, root, 'public_metrics')).public_metrics.reply_count).toBe(1)
})

test('a quote stays a quote when edited and is counted once', async () => {
  const quoted = await makePost(server, 'bob', { text: 'to be quoted' })
  const quote = await makePost(server, 'alice', { text: 'quoting', quote_post_id: quoted, paid_partnership: true })
  const id = await edited(quote, 'quoting better')
  expect(await readPost(server, id, 'referenced_posts,paid_partnership')).toMatchObject({
    referenced_posts: [{ type: 'quoted', id: quoted }],
    paid_partnership: true,
  })
  expect((await readPost(server, quoted, 'public_metrics')).public_metrics.quote_count).toBe(1)
})

test.each([
  ['poll', { poll: { options: ['a', 'b'], duration_minutes: 5 } }],
  ['reply', { reply: { in_reply_to_post_id: '1' } }],
  ['quote_post_id', { quote_post_id: '1' }],
  ['reply_settings', { reply_settings: 'following' }],
  ['geo', { geo: { place_id: 'a1f0c2d4e5b60002' } }],
])('%s cannot be given together with an edit', async (name, more) => {
  const id = await makePost(server, 'alice', { text: `edit with ${name}` })
  const answer = await edit(id, `edited with ${name}`, 'alice', more)
  expect(answer.status).toBe(400)
  expect(answer.body.errors.map((fault: { parameters: object }) => Object.keys(fault.parameters)[0])).toContain(name)
  expect(await versionsOf(id)).toHaveLength(1)
})

test('an edit that is rejected as a duplicate leaves the previous version editable', async () => {
  await makePost(server, 'alice', { text: 'already said' })
  const id = await makePost(server, 'alice', { text: 'something new' })
  const refused = await edit(id, 'already said')
  expect(refused.status).toBe(403)
  expect(refused.body).toEqual(forbidden('You are not allowed to create a Post with duplicate content.'))
  expect(await versionsOf(id)).toEqual([{ id, superseded: false }])
  await edited(id, 'something newer')
})

test('of several edits of one version at the same moment exactly one succeeds', async () => {
  for (let round = 0; round < 4; round++) {
    const first = await makePost(server, 'alice', { text: `race ${round}` })
    const answers = await Promise.all(
      Array.from({ length: 5 }, (_, index) => edit(first, `race ${round} winner ${index}`)),
    )
    expect(answers.map((answer) => answer.status).sort()).toEqual([201, 403, 403, 403, 403])
    const versions = await versionsOf(first)
    expect(versions.map((version) => version.superseded)).toEqual([true, false])
  }
})

test('an edit may keep its text, and texts of earlier versions may be posted again', async () => {
  const first = await makePost(server, 'alice', { text: 'paid words' })
  const told = await edit(first, 'paid words', 'alice', { paid_partnership: true })
  expect(told.status, told.text).toBe(201)
  const third = await edited(told.body.data.id, 'other words for it')
  await edited(third, 'paid words')
  expect((await server.post('/2/posts', { text: 'other words for it' }, { user: 'alice' })).status).toBe(201)
  const same = await server.post('/2/posts', { text: 'paid words' }, { user: 'alice' })
  expect(same.body).toEqual(forbidden('You are not allowed to create a Post with duplicate content.'))
})

test('a pinned post stays pinned when it is edited, as its newest version', async () => {
  const first = await makePost(server, 'alice', { text: 'on top' })
  await server.command('user.pin', { user: 'alice', post: first })
  const second = await edited(first, 'still on top')
  const me = await server.get('/2/users/me?expansions=pinned_post_id', { user: 'alice' })
  expect(me.body.data.pinned_post_id).toBe(second)
  expect(me.body.includes.posts[0].text).toBe('still on top')
})

test('an edited post that was reposted is listed for its author in its newest version, once', async () => {
  const repost = (by: string, id: string) =>
    server.post(`/2/users/${server.userId(by)}/reposts`, { post_id: id }, { user: by })
  const listed = async () => (await walk(server, '/2/users/reposts_of_me?max_results=1', { user: 'alice' })).ids
  const before = await listed()
  const first = await makePost(server, 'alice', { text: 'passed on at first' })
  const other = await makePost(server, 'alice', { text: 'passed on as it is' })
  for (const id of [first, other]) await repost('bob', id)
  const second = await edited(first, 'passed on at second')
  expect(await listed()).toEqual([other, second, ...before])
  await repost('chika', second)
  const third = await edited(second, 'passed on at third')
  expect(await listed()).toEqual([third, other, ...before])
})
