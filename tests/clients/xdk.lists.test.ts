import { ApiError, Client, OAuth1 } from '@xdevplatform/xdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makePost } from '../social/acting.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { refusalOf } from './refusal.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

function clientOf(username: string): Client {
  const app = server.credentials.apps[0]!
  const user = server.credentials.users.find((item) => item.username === username)!
  const oauth1 = new OAuth1({
    apiKey: app.api_key,
    apiSecret: app.api_key_secret,
    callback: 'http://127.0.0.1:3000/callback',
    accessToken: user.access_token,
    accessTokenSecret: user.access_token_secret,
  })
  return new Client({ baseUrl: server.baseUrl, oauth1 })
}
const id = (username: string) => server.userId(username)

test('the library makes a list, adds members, and reads it, its members and their posts', async () => {
  const alice = clientOf('alice')
  const made = await alice.lists.create({ name: 'Harbours', description: 'By the sea' })
  const list = made.data!.id!
  expect((await alice.lists.addMember(list, { userId: id('bob') })).data).toMatchObject({ isMember: true })
  const post = await makePost(server, 'bob', { text: 'Seen in a list' })
  const app = new Client({ baseUrl: server.baseUrl, bearerToken: server.credentials.apps[0]!.bearer_token })
  const read = await app.lists.getById(list, {
    listFields: ['member_count', 'private', 'description'],
    expansions: ['owner_id'],
  })
  expect(read.data).toMatchObject({ memberCount: 1, ownerId: id('alice'), private: false, description: 'By the sea' })
  expect(read.includes!.users).toMatchObject([{ username: 'alice' }])
  expect((await app.lists.getMembers(list)).data).toMatchObject([{ username: 'bob' }])
  expect((await app.lists.getPosts(list, { maxResults: 1 })).data).toMatchObject([{ id: post }])
  expect((await app.users.getListMemberships(id('bob'))).data).toMatchObject([{ id: list }])
  expect((await alice.lists.removeMemberByUserId(list, id('bob'))).data).toMatchObject({ isMember: false })
  expect((await alice.lists.update(list, { name: 'Ports' })).data).toMatchObject({ updated: true })
  expect((await app.users.getOwnedLists(id('alice'))).data).toMatchObject([{ id: list, name: 'Ports' }])
  const refusal = await refusalOf(ApiError, clientOf('bob').lists.delete(list))
  expect(refusal.status).toBe(403)
  expect((await alice.lists.delete(list)).data).toMatchObject({ deleted: true })
})

test('the library follows and pins a list', async () => {
  const [alice, bob] = [clientOf('alice'), clientOf('bob')]
  const list = (await alice.lists.create({ name: 'News' })).data!.id!
  expect((await bob.users.followList(id('bob'), { listId: list })).data).toMatchObject({ following: true })
  expect((await bob.users.pinList(id('bob'), { listId: list })).data).toMatchObject({ pinned: true })
  expect((await bob.users.getFollowedLists(id('bob'))).data).toMatchObject([{ id: list }])
  expect((await bob.users.getPinnedLists(id('bob'))).data).toMatchObject([{ id: list }])
  expect((await alice.lists.getFollowers(list)).data).toMatchObject([{ username: 'bob' }])
  expect((await bob.users.unpinList(id('bob'), list)).data).toMatchObject({ pinned: false })
  expect((await bob.users.unfollowList(id('bob'), list)).data).toMatchObject({ following: false })
})
