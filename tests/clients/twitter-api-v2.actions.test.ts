import { TwitterApi, type TwitterApiv2 } from 'twitter-api-v2'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { accessToken, makePost } from '../social/acting.ts'
import { type LegacyHost, startLegacyHost } from '../support/legacy-host.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { twitterClientOf } from './twitter-client.ts'

let server: TestServer
let host: LegacyHost
let alice: TwitterApiv2
let post: string
beforeAll(async () => {
  server = await startTestServer()
  host = await startLegacyHost(server)
  alice = twitterClientOf(server, host, 'alice').v2
  post = await makePost(server, 'bob', { text: 'A heron for @alice' })
})
afterAll(async () => {
  await host.close()
  await server.close()
})

const id = (username: string) => server.userId(username)
const namesOf = (users: readonly { username: string }[] | undefined) => (users ?? []).map((user) => user.username)

test('the library likes and reposts a post, sees it in each list, and takes both back', async () => {
  const me = id('alice')
  expect((await alice.like(me, post)).data).toEqual({ liked: true })
  expect((await alice.userLikedTweets(me)).tweets.map((item) => item.id)).toContain(post)
  expect(namesOf((await alice.tweetLikedBy(post)).data)).toEqual(['alice'])
  expect((await alice.unlike(me, post)).data).toEqual({ liked: false })
  expect((await alice.retweet(me, post)).data).toMatchObject({ retweeted: true })
  expect(namesOf((await alice.tweetRetweetedBy(post)).data)).toEqual(['alice'])
  expect((await alice.unretweet(me, post)).data).toEqual({ retweeted: false })
})

test('the library pages through timelines, mentions and quotes, and hides a reply', async () => {
  const own: string[] = []
  for (let number = 0; number < 7; number++) own.push(await makePost(server, 'alice', { text: `Heron ${number}` }))
  const timeline = await alice.userTimeline(id('alice'), { max_results: 5 })
  await timeline.fetchLast(7)
  expect(timeline.tweets.slice(0, 7).map((item) => item.id)).toEqual([...own].reverse())
  expect((await alice.homeTimeline({ max_results: 5 })).tweets[0]!.id).toBe(own.at(-1))
  expect((await alice.userMentionTimeline(id('alice'))).tweets.map((item) => item.id)).toContain(post)
  const quote = await makePost(server, 'bob', { text: 'Quoted heron', quote_post_id: own[0] })
  expect((await alice.quotes(own[0]!)).tweets.map((item) => item.id)).toEqual([quote])
  const reply = await makePost(server, 'bob', { text: 'No heron', reply: { in_reply_to_post_id: own[0] } })
  expect((await alice.hideReply(reply, true)).data).toEqual({ hidden: true })
})

test('the library follows and mutes a user and reads follows, mutes and blocks', async () => {
  const me = id('alice')
  await server.command('relation.remove', { kind: 'follow', source: 'alice', target: 'dario' })
  expect((await alice.follow(me, id('dario'))).data).toEqual({ following: true, pending_follow: false })
  expect(namesOf((await alice.following(me)).data)).toContain('dario')
  expect(namesOf((await alice.followers(id('dario'))).data)).toContain('alice')
  expect((await alice.unfollow(me, id('dario'))).data).toEqual({ following: false })
  expect((await alice.mute(me, id('dario'))).data).toEqual({ muting: true })
  expect(namesOf((await alice.userMutingUsers(me)).users)).toEqual(['dario'])
  expect((await alice.unmute(me, id('dario'))).data).toEqual({ muting: false })
  await server.command('relation.add', { kind: 'block', source: 'alice', target: 'dario' })
  expect(namesOf((await alice.userBlockingUsers(me)).users)).toEqual(['dario'])
})

test('the library adds, lists and removes a bookmark', async () => {
  const scopes = ['post.read', 'users.read', 'bookmark.read', 'bookmark.write']
  const client = new TwitterApi(await accessToken(server, 'alice', scopes), { httpAgent: host.agent }).v2
  expect((await client.bookmark(post)).data).toEqual({ bookmarked: true })
  expect((await client.bookmarks()).tweets.map((item) => item.id)).toEqual([post])
  expect((await client.deleteBookmark(post)).data).toEqual({ bookmarked: false })
})
