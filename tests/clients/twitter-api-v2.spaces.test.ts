import { TwitterApi } from 'twitter-api-v2'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makePost } from '../social/acting.ts'
import { from, listening } from '../social/space-acting.ts'
import { type LegacyHost, startLegacyHost } from '../support/legacy-host.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { twitterClientOf } from './twitter-client.ts'

let server: TestServer
let host: LegacyHost
let app: TwitterApi
let alice: TwitterApi
beforeAll(async () => {
  server = await startTestServer()
  host = await startLegacyHost(server)
  app = new TwitterApi(server.credentials.apps[0]!.bearer_token!, { httpAgent: host.agent })
  const { bearer } = (await listening(server, 'alice')) as { bearer: string }
  alice = new TwitterApi(bearer, { httpAgent: host.agent })
})
afterAll(async () => {
  await host.close()
  await server.close()
})

describe('spaces with the library', () => {
  test('are looked up, searched and listed with creators, topics, posts and buyers', async () => {
    const { id, url } = await server.command('spaces.create', {
      user: 'alice',
      title: 'Marmalade for beginners',
      ticketed: true,
      topics: ['Food'],
    })
    const { id: later } = await server.command('spaces.create', {
      user: 'bob',
      title: 'Marmalade, the second part',
      scheduled_start: from(server, 3600_000),
    })
    await server.command('spaces.buy', { space: id, user: 'dario' })
    const post = await makePost(server, 'bob', { text: `I listen to ${url}` })

    const one = await app.v2.space(id, {
      expansions: ['creator_id', 'host_ids'],
      'space.fields': ['title', 'subscriber_count', 'is_ticketed'],
    })
    expect(one.data).toMatchObject({ id, state: 'live', title: 'Marmalade for beginners', subscriber_count: 1 })
    expect(one.includes?.users?.map((user) => user.username)).toEqual(['alice'])

    const several = await app.v2.spaces([id, later, '1unknown'], { 'space.fields': ['state'] })
    expect(several.data.map((space) => space.state)).toEqual(['live', 'scheduled'])
    expect(several.errors?.[0]).toMatchObject({ resource_type: 'space', resource_id: '1unknown' })

    const users = [server.userId('alice'), server.userId('bob')]
    const created = await app.v2.spacesByCreators(users, { expansions: ['creator_id'] })
    expect(created.data.map((space) => space.id)).toEqual([later, id])
    expect(created.meta.result_count).toBe(2)

    const found = await app.v2.searchSpaces({ query: 'marmalade', state: 'scheduled', 'space.fields': ['title'] })
    expect(found.data).toEqual([{ id: later, state: 'scheduled', title: 'Marmalade, the second part' }])

    expect((await app.v2.spaceTweets(id)).data.map((item) => item.id)).toEqual([post])
    expect((await alice.v2.spaceBuyers(id)).data.map((user) => user.username)).toEqual(['dario'])
  })
})

describe('communities with the library', () => {
  test('are looked up and searched, and a member posts in one', async () => {
    const { id } = await server.command('communities.create', {
      user: 'bob',
      name: 'Preserves',
      description: 'Jam and marmalade',
    })
    await server.command('communities.join', { community: id, user: 'alice' })
    expect((await app.v2.community(id)).data).toEqual({ id, name: 'Preserves' })
    const client = twitterClientOf(server, host, 'alice')
    const found = await client.v2.searchCommunities('marmalade jam')
    expect(found.data).toEqual([{ id, name: 'Preserves' }])
    const { data } = await client.v2.tweet('Eleven jars today', { community_id: id })
    const read = await client.v2.singleTweet(data.id, { 'tweet.fields': ['community_id'] })
    expect(read.data.community_id).toBe(id)
  })
})
