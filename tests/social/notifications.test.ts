import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { change } from '../../src/api-kit/runtime.ts'
import {
  countNewNotifications,
  type NotificationGroup,
  readNotifications,
  seeNotifications,
} from '../../src/social/notifications/read-notifications.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'
import { makePost, rows } from './acting.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer([], { events: true })
})
afterAll(() => server.close())

const id = (name: string) => server.userId(name)
const of = (name: string, more = {}) => readNotifications(server.runtime, id(name), { limit: 50, ...more })
const path = (name: string, rest: string) => `/2/users/${id(name)}/${rest}`
const like = (name: string, post: string) => server.post(path(name, 'likes'), { post_id: post }, { user: name })
const unlike = (name: string, post: string) => server.delete(path(name, `likes/${post}`), { user: name })
const unread = (name: string) => countNewNotifications(server.runtime, id(name))

/** Waits until the reader has handled everything that has happened. */
const handled = () =>
  until(async () => {
    const [row] = await rows(
      server,
      `select (select count(*) from event_outbox) + (select place from event_head)
         - coalesce((select place from event_reader where name = 'notifications'), 0) as open`,
    )
    return Number(row.open) === 0 ? true : undefined
  })

const about = (groups: NotificationGroup[], post: string) => groups.filter((group) => group.postId === post)
const brief = ({ kind, actorIds, actorCount }: NotificationGroup) => ({ kind, actorIds, actorCount })

describe('notifications', () => {
  test('of the first world are there from the start, and seen', async () => {
    await handled()
    const first = await of('alice')
    expect(first.map((group) => [group.kind, group.actorIds, group.isNew])).toEqual([['reply', [id('bob')], false]])
    expect((await of('chika')).map((group) => group.kind)).toEqual(['quote'])
    expect(await unread('alice')).toBe(0)
  })

  test('say who likes, reposts, answers, quotes and mentions, likes of one post together', async () => {
    const post = await makePost(server, 'alice', { text: 'worth a notice' })
    await like('bob', post)
    await like('chika', post)
    await like('alice', post)
    await server.post(path('dario', 'reposts'), { post_id: post }, { user: 'dario' })
    const answer = await makePost(server, 'bob', { text: '@alice yes', reply: { in_reply_to_post_id: post } })
    const quote = await makePost(server, 'chika', { text: '@alice see', quote_post_id: post })
    const mention = await makePost(server, 'dario', { text: 'hello @alice, and @alice again' })
    await handled()
    const groups = await of('alice')
    expect(groups.slice(0, 5).map((group) => ({ ...brief(group), postId: group.postId }))).toEqual([
      { kind: 'mention', actorIds: [id('dario')], actorCount: 1, postId: mention },
      { kind: 'quote', actorIds: [id('chika')], actorCount: 1, postId: quote },
      { kind: 'reply', actorIds: [id('bob')], actorCount: 1, postId: answer },
      { kind: 'repost', actorIds: [id('dario')], actorCount: 1, postId: post },
      { kind: 'like', actorIds: [id('chika'), id('bob')], actorCount: 2, postId: post },
    ])
    expect(groups.slice(0, 5).every((group) => group.isNew)).toBe(true)
    expect(await unread('alice')).toBe(6)
    // Seen up to the third: the newer two stay new.
    await seeNotifications(server.runtime, id('alice'), groups[2]!.sequence)
    expect(await unread('alice')).toBe(2)
    await seeNotifications(server.runtime, id('alice'), groups[4]!.sequence)
    expect(await unread('alice')).toBe(2)
    const page = await of('alice', { before: groups[1]!.sequence, limit: 2 })
    expect(page.map((group) => group.kind)).toEqual(['reply', 'repost'])
    expect((await of('alice', { kinds: ['mention'] }))[0]?.postId).toBe(mention)
  })

  test('disappear when what caused them is undone', async () => {
    const post = await makePost(server, 'alice', { text: 'soon without likes' })
    await like('bob', post)
    await like('chika', post)
    await server.post(path('bob', 'reposts'), { post_id: post }, { user: 'bob' })
    const answer = await makePost(server, 'bob', { text: 'gone soon', reply: { in_reply_to_post_id: post } })
    await handled()
    expect(about(await of('alice'), post).map((group) => group.kind)).toEqual(['repost', 'like'])
    await unlike('bob', post)
    await server.delete(path('bob', `reposts/${post}`), { user: 'bob' })
    await server.delete(`/2/posts/${answer}`, { user: 'bob' })
    await handled()
    const left = await of('alice')
    expect(about(left, post).map(brief)).toEqual([{ kind: 'like', actorIds: [id('chika')], actorCount: 1 }])
    expect(about(left, answer)).toEqual([])
    const kept = await rows(server, 'select from notification where object_id = any($1)', [[post, answer]])
    expect(kept).toHaveLength(1)
    // What comes again is new again.
    await like('bob', post)
    await handled()
    expect(about(await of('alice'), post)[0]?.actorIds).toEqual([id('bob'), id('chika')])
  })

  test('come neither from users who are muted or blocked, nor from protected ones whom the receiver does not follow', async () => {
    const post = await makePost(server, 'dario', { text: 'quiet please' })
    await server.command('relation.add', { kind: 'mute', source: 'dario', target: 'bob' })
    await like('bob', post)
    await like('chika', post)
    const hidden = await makePost(server, 'erin', { text: 'psst @alice @dario' })
    await handled()
    expect(about(await of('dario'), post)[0]?.actorIds).toEqual([id('chika')])
    expect(
      await rows(server, 'select from notification where actor_id = $1 and object_id = $2', [id('bob'), post]),
    ).toEqual([])
    const followers = await rows(server, 'select source_id from follow where target_id = $1 and not pending', [
      id('erin'),
    ])
    const isFollower = (name: string) => followers.some((row) => row.source_id === id(name))
    for (const name of ['alice', 'dario']) expect(about(await of(name), hidden)).toHaveLength(isFollower(name) ? 1 : 0)
    expect([isFollower('alice'), isFollower('dario')]).toEqual([false, true])
    // A block hides those that are there.
    await server.command('relation.add', { kind: 'block', source: 'dario', target: 'chika' })
    expect(about(await of('dario'), post)).toEqual([])
    await server.command('relation.remove', { kind: 'block', source: 'dario', target: 'chika' })
    await server.command('relation.remove', { kind: 'mute', source: 'dario', target: 'bob' })
  })

  test('tell of follows, requests and approvals', async () => {
    const [one, two] = await Promise.all(
      ['nora', 'nils'].map((name) => server.command('user.create', { username: name, name })),
    )
    const groups = (user: { id: string }) => readNotifications(server.runtime, user.id, { limit: 10 })
    await server.command('relation.add', { kind: 'follow', source: 'bob', target: 'nora' })
    await server.command('relation.add', { kind: 'follow', source: 'alice', target: 'nora' })
    await server.command('user.update', { user: 'nils', protected: true })
    await server.post(path('bob', 'following'), { target_user_id: two.id }, { user: 'bob' })
    await server.post(path('chika', 'following'), { target_user_id: two.id }, { user: 'chika' })
    await handled()
    expect((await groups(one)).map(brief)).toEqual([
      { kind: 'follow', actorIds: [id('alice'), id('bob')], actorCount: 2 },
    ])
    expect((await groups(two)).map((group) => [group.kind, group.actorIds[0]])).toEqual([
      ['follow_request', id('chika')],
      ['follow_request', id('bob')],
    ])
    await server.command('follow.approve', { source: 'bob', target: 'nils' })
    await server.command('follow.refuse', { source: 'chika', target: 'nils' })
    await handled()
    expect(await groups(two)).toEqual([])
    expect((await of('bob'))[0]).toMatchObject({ kind: 'follow_approval', actorIds: [two.id] })
    await server.delete(path('bob', `following/${two.id}`), { user: 'bob' })
    await handled()
    expect((await of('bob'))[0]?.kind).not.toBe('follow_approval')
  })

  test('tell of lists, message requests and invitations while these last', async () => {
    const user = await server.command('user.create', { username: 'lena', name: 'lena' })
    const groups = () => readNotifications(server.runtime, user.id, { limit: 10 })
    const list = (await server.post('/2/lists', { name: 'gardeners' }, { user: 'bob' })).body.data.id
    const secret = (await server.post('/2/lists', { name: 'secret', private: true }, { user: 'bob' })).body.data.id
    for (const one of [list, secret])
      await server.post(`/2/lists/${one}/members`, { user_id: user.id }, { user: 'bob' })
    await server.post(`/2/lists/${list}/members`, { user_id: user.id }, { user: 'bob' })
    for (const text of ['hello', 'are you there?'])
      await server.post(`/2/dm_conversations/with/${user.id}/messages`, { text }, { user: 'alice' })
    const community = await server.command('communities.create', { user: 'chika', name: 'Beans' })
    await server.command('communities.invite', { community: community.id, by: 'chika', user: 'lena' })
    await handled()
    expect((await groups()).map((group) => [group.kind, group.objectId, group.actorIds])).toEqual([
      ['community_invite', community.id, [id('chika')]],
      ['message_request', id('alice'), [id('alice')]],
      ['list_add', list, [id('bob')]],
    ])
    await server.delete(`/2/lists/${list}/members/${user.id}`, { user: 'bob' })
    await server.command('communities.join', { community: community.id, user: 'lena' })
    await server.command('relation.add', { kind: 'follow', source: 'lena', target: 'alice' })
    expect(await groups()).toEqual([])
  })

  test('of many likes name some users and count all, and the oldest notices are dropped', async () => {
    const user = await server.command('user.create', { username: 'popular', name: 'popular' })
    await change(server.runtime, async (tx) => {
      await tx.query({
        text: `insert into notification (user_id, sequence, kind, actor_id, object_id, post_id, happened_at)
          select $1, -n, 'follow', $2, -n, null, now() - n * interval '1 day' from generate_series(1, 1199) n`,
        values: [user.id, id('bob')],
      })
      await tx.query({
        text: 'insert into notification_mark (user_id, row_count) values ($1, 1199)',
        values: [user.id],
      })
    })
    for (const name of ['bob', 'chika'])
      await server.command('relation.add', { kind: 'follow', source: name, target: 'popular' })
    await handled()
    const [kept] = await rows(server, 'select count(*)::int as n from notification where user_id = $1', [user.id])
    expect(kept.n).toBe(1000)
    const [newest] = await readNotifications(server.runtime, user.id, { limit: 1 })
    expect(newest).toMatchObject({ kind: 'follow', actorIds: [id('chika'), id('bob')], actorCount: 2 })
  })

  test('are those of the world: a snapshot keeps them, a reset has those of the first world', async () => {
    const post = await makePost(server, 'alice', { text: 'kept' })
    await like('dario', post)
    await server.command('snapshot.save', { name: 'with-like' })
    await unlike('dario', post)
    await handled()
    expect(about(await of('alice'), post)).toEqual([])
    await server.command('snapshot.restore', { name: 'with-like' })
    expect(about(await of('alice'), post).map(brief)).toEqual([
      { kind: 'like', actorIds: [id('dario')], actorCount: 1 },
    ])
    await server.command('snapshot.delete', { name: 'with-like' })
    await server.request('POST', '/_rostra/reset', { as: { bearer: server.credentials.admin_key } })
    expect((await of('alice')).map((group) => group.kind)).toEqual(['reply'])
    expect(await unread('alice')).toBe(0)
  })
})
