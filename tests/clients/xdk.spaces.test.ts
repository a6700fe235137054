import { Client } from '@xdevplatform/xdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { accessToken, makePost } from '../social/acting.ts'
import { listening } from '../social/space-acting.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

let server: TestServer
let client: Client
beforeAll(async () => {
  server = await startTestServer()
  client = new Client({ baseUrl: server.baseUrl, bearerToken: server.credentials.apps[0]!.bearer_token })
})
afterAll(() => server.close())

test('the library reads spaces, their posts and buyers', async () => {
  const { id, url } = await server.command('spaces.create', {
    user: 'alice',
    title: 'Quince and pear',
    ticketed: true,
    topics: ['Food'],
  })
  await server.command('spaces.buy', { space: id, user: 'chika' })
  const post = await makePost(server, 'bob', { text: `Join ${url}` })

  const one = await client.spaces.getById(id, { spaceFields: ['title'], expansions: ['topic_ids', 'creator_id'] })
  expect(one.data).toMatchObject({ id, state: 'live', title: 'Quince and pear', creatorId: server.userId('alice') })
  expect(one.includes?.topics).toEqual([{ id: '705', name: 'Food' }])
  expect((await client.spaces.getByIds([id])).data?.map((space) => space.id)).toEqual([id])
  const created = await client.spaces.getByCreatorIds([server.userId('alice')])
  expect(created.data?.map((space) => space.id)).toEqual([id])
  const found = await client.spaces.search('quince', { state: 'live', maxResults: 10 })
  expect(found.data?.map((space) => space.id)).toEqual([id])
  expect((await client.spaces.getPosts(id)).data?.map((item) => item.id)).toEqual([post])

  const { bearer } = (await listening(server, 'alice')) as { bearer: string }
  const creator = new Client({ baseUrl: server.baseUrl, accessToken: bearer })
  const buyers = await creator.spaces.getBuyers(id, { maxResults: 5 })
  expect(buyers.data?.map((user) => user.username)).toEqual(['chika'])
})

test('the library reads and searches communities', async () => {
  const { id } = await server.command('communities.create', { user: 'bob', name: 'Orchards', description: 'Old pears' })
  const one = await client.communities.getById(id, { communityFields: ['member_count', 'description'] })
  expect(one.data).toMatchObject({ id, name: 'Orchards', memberCount: 1, description: 'Old pears' })
  const token = await accessToken(server, 'alice', ['post.read', 'users.read'])
  const alice = new Client({ baseUrl: server.baseUrl, accessToken: token })
  const found = await alice.communities.search('pears orchards', { maxResults: 10 })
  expect(found.data?.map((item) => item.id)).toEqual([id])
})
