import { Client } from '@xdevplatform/xdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { accessToken, makePost } from '../social/acting.ts'
import { joinAs } from '../social/chatting.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

const SCOPES = [
  ...['post.read', 'post.write', 'post.moderate.write', 'users.read', 'follows.read', 'follows.write'],
  ...['like.read', 'like.write', 'mute.read', 'mute.write', 'block.read', 'bookmark.read', 'bookmark.write', 'dm.read'],
  'timeline.read',
]

let server: TestServer
let alice: Client
let post: string
beforeAll(async () => {
  server = await startTestServer()
  alice = new Client({ baseUrl: server.baseUrl, accessToken: await accessToken(server, 'alice', SCOPES) })
  post = await makePost(server, 'bob', { text: 'An owl for @alice' })
})
afterAll(() => server.close())

const id = (username: string) => server.userId(username)
const idsOf = (list: { data?: { id?: string }[] }) => (list.data ?? []).map((item) => item.id)
const namesOf = (list: { data?: { username?: string }[] }) => (list.data ?? []).map((item) => item.username)

test('the library likes and reposts a post, sees it in each list, and takes both back', async () => {
  const me = id('alice')
  expect((await alice.users.likePost(me, { tweetId: post })).data).toEqual({ liked: true })
  expect(idsOf(await alice.users.getLikedPosts(me, { maxResults: 5 }))).toContain(post)
  expect(namesOf(await alice.posts.getLikingUsers(post))).toEqual(['alice'])
  expect((await alice.users.unlikePost(me, post)).data).toEqual({ liked: false })
  const reposted = await alice.users.repostPost(me, { tweetId: post })
  expect(reposted.data).toMatchObject({ retweeted: true })
  expect(namesOf(await alice.posts.getRepostedBy(post))).toEqual(['alice'])
  expect((await alice.posts.getReposts(post)).data).toHaveLength(1)
  expect((await alice.users.unrepostPost(me, post)).data).toEqual({ retweeted: false })
  expect((await alice.posts.getReposts(post)).data ?? []).toEqual([])
})

test('the library reads timelines, mentions, quotes and reposts of own posts, and hides a reply', async () => {
  expect(idsOf(await alice.users.getMentions(id('alice'), { maxResults: 5 }))).toContain(post)
  const own = await makePost(server, 'alice', { text: 'An own owl' })
  expect(idsOf(await alice.users.getTimeline(id('alice'), { maxResults: 5 }))[0]).toBe(own)
  const quote = await makePost(server, 'bob', { text: 'Quoted owl', quote_post_id: own })
  expect(idsOf(await alice.posts.getQuoted(own, { maxResults: 10 }))).toEqual([quote])
  await server.post(`/2/users/${id('bob')}/reposts`, { post_id: own }, { user: 'bob' })
  expect(idsOf(await alice.users.getRepostsOfMe({ maxResults: 10 }))).toEqual([own])
  const reply = await makePost(server, 'bob', { text: 'No owl', reply: { in_reply_to_post_id: own } })
  expect((await alice.posts.hideReply(reply, { hidden: true })).data).toEqual({ hidden: true })
})

test('the library follows and mutes a user and reads follows, mutes, blocks and affiliates', async () => {
  const me = id('alice')
  await server.command('relation.remove', { kind: 'follow', source: 'alice', target: 'dario' })
  const made = await alice.users.followUser(me, { targetUserId: id('dario') })
  expect(made.data).toEqual({ following: true, pendingFollow: false })
  expect(namesOf(await alice.users.getFollowing(me))).toContain('dario')
  expect(namesOf(await alice.users.getFollowers(id('dario')))).toContain('alice')
  expect((await alice.users.unfollowUser(me, id('dario'))).data).toEqual({ following: false })
  expect((await alice.users.muteUser(me, { targetUserId: id('dario') })).data).toEqual({ muting: true })
  expect(namesOf(await alice.users.getMuting(me))).toEqual(['dario'])
  expect((await alice.users.unmuteUser(me, id('dario'))).data).toEqual({ muting: false })
  await server.command('relation.add', { kind: 'block', source: 'alice', target: 'dario' })
  expect(namesOf(await alice.users.getBlocking(me))).toEqual(['dario'])
  await server.command('user.update', { user: 'chika', affiliation: { user_id: [id('bob')], description: 'Birds' } })
  expect(namesOf(await alice.users.getAffiliates(id('bob')))).toEqual(['chika'])
})

test('the library makes a folder of bookmarks, and adds, lists and removes a bookmark', async () => {
  const me = id('alice')
  const folder = await alice.users.createBookmarkFolder(me, { name: 'Birds' })
  const [listed] = (await alice.users.getBookmarkFolders(me)).data!
  expect(listed).toMatchObject({ name: 'Birds', id: folder.data!.id })
  expect((await alice.users.createBookmark(me, { tweetId: post })).data).toEqual({ bookmarked: true })
  expect(idsOf(await alice.users.getBookmarks(me))).toEqual([post])
  expect(idsOf(await alice.users.getBookmarksByFolderId(me, listed!.id!))).toEqual([])
  expect((await alice.users.deleteBookmark(me, post)).data).toEqual({ bookmarked: false })
})

test('the library reads the keys of a user and the description of the interface', async () => {
  const bob = await joinAs(server, 'bob')
  const { data } = await alice.users.getPublicKey(bob.id)
  expect(data).toMatchObject([{ publicKeyVersion: bob.keyVersion }])
  expect(await alice.general.getOpenApiSpec()).toMatchObject({ openapi: expect.stringMatching(/^3\./) })
})
