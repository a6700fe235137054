import { ApiResponseError } from 'twitter-api-v2'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makePost } from '../social/acting.ts'
import { type LegacyHost, startLegacyHost } from '../support/legacy-host.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { refusalOf } from './refusal.ts'
import { twitterClientOf } from './twitter-client.ts'

let server: TestServer
let host: LegacyHost
beforeAll(async () => {
  server = await startTestServer()
  host = await startLegacyHost(server)
})
afterAll(async () => {
  await host.close()
  await server.close()
})

const clientOf = (username: string) => twitterClientOf(server, host, username).v2
const id = (username: string) => server.userId(username)

test('the library makes, reads, changes and deletes a list', async () => {
  const alice = clientOf('alice')
  const made = await alice.createList({ name: 'Harbours', description: 'By the sea', private: false })
  expect(made.data).toEqual({ id: expect.any(String), name: 'Harbours' })
  const read = await clientOf('bob').list(made.data.id, {
    'list.fields': ['created_at', 'description', 'follower_count', 'member_count', 'owner_id', 'private'],
    expansions: ['owner_id'],
    'user.fields': ['username'],
  })
  expect(read.data).toMatchObject({ description: 'By the sea', member_count: 0, owner_id: id('alice'), private: false })
  expect(read.includes!.users!.map((user) => user.username)).toEqual(['alice'])
  expect((await alice.updateList(made.data.id, { name: 'Ports', private: true })).data).toEqual({ updated: true })
  expect((await clientOf('bob').list(made.data.id)).errors![0]!.title).toBe('Not Found Error')
  expect((await alice.removeList(made.data.id)).data).toEqual({ deleted: true })
  const refusal = await refusalOf(ApiResponseError, alice.removeList(made.data.id))
  expect([refusal.code, refusal.data.errors]).toEqual([
    400,
    [{ parameters: { id: [made.data.id] }, message: 'You cannot delete a List that does not exist.' }],
  ])
})

test('the library adds members, pages through them and reads their posts in the legacy naming', async () => {
  const [alice, bob] = [clientOf('alice'), clientOf('bob')]
  const { data: list } = await alice.createList({ name: 'Writers' })
  for (const name of ['bob', 'chika', 'dario'])
    expect((await alice.addListMember(list.id, id(name))).data).toEqual({ is_member: true })
  const members = await bob.listMembers(list.id, { max_results: 2, 'user.fields': ['public_metrics'] })
  await members.fetchNext()
  expect(members.users.map((user) => user.username)).toEqual(['dario', 'chika', 'bob'])
  expect(members.users.map((user) => user.public_metrics!.listed_count)).toEqual([1, 1, 1])
  const post = await makePost(server, 'chika', { text: 'Written for a list' })
  const posts = await bob.listTweets(list.id, { max_results: 1, 'tweet.fields': ['public_metrics'] })
  expect(posts.tweets).toMatchObject([{ id: post, public_metrics: { retweet_count: 0 } }])
  expect((await bob.listMemberships(id('chika'))).lists.map((item) => item.id)).toEqual([list.id])
  expect((await alice.removeListMember(list.id, id('chika'))).data).toEqual({ is_member: false })
  expect((await bob.listMemberships(id('chika'))).lists).toEqual([])
})

test('the library follows and pins lists, and lists those of a user', async () => {
  const [alice, bob] = [clientOf('alice'), clientOf('bob')]
  const { data: list } = await alice.createList({ name: 'News' })
  expect((await bob.subscribeToList(id('bob'), list.id)).data).toEqual({ following: true })
  expect((await bob.pinList(id('bob'), list.id)).data).toEqual({ pinned: true })
  expect((await alice.listFollowers(list.id)).users.map((user) => user.username)).toEqual(['bob'])
  expect((await alice.listFollowed(id('bob'))).lists.map((item) => item.name)).toEqual(['News'])
  expect((await bob.listsOwned(id('alice'), { max_results: 1 })).lists.map((item) => item.id)).toEqual([list.id])
  expect((await bob.unsubscribeOfList(id('bob'), list.id)).data).toEqual({ following: false })
  expect((await bob.unpinList(id('bob'), list.id)).data).toEqual({ pinned: false })
})
