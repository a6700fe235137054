import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../support/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

const WORLD = {
  users: [
    {
      username: 'mara',
      id: '1001',
      name: 'Mara Voss',
      password: 'correct horse',
      email: 'mara@example.org',
      description: 'Rivers, see https://example.org/rivers',
      verified_type: 'blue',
      tokens: [
        { app: 'gauge', access_token: '1001-mara', access_token_secret: 'mara-secret' },
        { app: 'gauge', oauth2_access_token: 'mara-oauth2', scopes: ['post.read', 'users.read', 'bookmark.read'] },
      ],
      follows: ['nils', 'alice'],
      mutes: ['bob'],
      pinned_post: 'high-water',
    },
    { username: 'nils', id: '1002', protected: true, follows: ['mara'], blocks: ['dario'] },
  ],
  apps: [
    {
      key: 'gauge',
      id: '2001',
      name: 'River gauge',
      owner: 'mara',
      tier: 'enterprise',
      api_key: 'gauge-key',
      api_key_secret: 'gauge-key-secret',
      bearer_token: 'gauge-bearer',
      client_id: 'gauge-client',
      client_secret: 'gauge-client-secret',
      callback_urls: ['http://127.0.0.1:3000/callback'],
    },
  ],
  posts: [
    {
      key: 'answer',
      author: 'nils',
      text: '@mara thanks, seen',
      at: '-1h',
      reply_to: 'high-water',
    },
    {
      key: 'high-water',
      author: 'mara',
      text: 'The zephyrgauge is at 4.20 m https://example.org/gauge #floodwatch',
      at: '-2h',
      likes: ['nils', 'alice'],
      bookmarks: ['nils'],
      reposts: ['alice', { user: 'bob', at: '-30m' }],
    },
    { key: 'quote', author: 'mara', text: 'Still rising', at: '-10m', quotes: 'answer' },
    {
      id: '1950000000000000001',
      author: 'mara',
      text: 'Which bank?',
      poll: { options: ['Left', 'Right'], duration_minutes: 60, votes: [3, 1] },
    },
  ],
}
const KEYS = {
  consumerKey: 'gauge-key',
  consumerSecret: 'gauge-key-secret',
  token: '1001-mara',
  tokenSecret: 'mara-secret',
}
const apply = (world: object, args = {}) => server.command('world.apply', { world, ...args })

test('a dry run says what would be created, and creates nothing', async () => {
  const planned = await apply(WORLD, { dry_run: true })
  expect(planned).toMatchObject({ dry_run: true, created: { user: 2, app: 1, post: 4, like: 2 } })
  expect(planned.changed).toEqual({})
  expect(planned.changes).toContain('create user: @mara')
  expect((await server.get('/2/users/by/username/mara', 'app')).body.data).toBeUndefined()
})

test('a world has the users, apps, tokens, posts and relations of its file, with the ids and keys of the file', async () => {
  const applied = await apply(WORLD)
  expect(applied).toMatchObject({
    created: { user: 2, app: 1, follow: 3, mute: 1, block: 1, post: 4, like: 2, bookmark: 1, repost: 2, pin: 1 },
    changed: {},
    unchanged: {},
  })
  const me = await server.get('/2/users/me?user.fields=public_metrics,pinned_post_id,description,verified_type', {
    keys: KEYS,
  })
  expect(me.body.data).toMatchObject({
    id: '1001',
    username: 'mara',
    name: 'Mara Voss',
    verified_type: 'blue',
    public_metrics: { followers_count: 1, following_count: 2, post_count: 3 },
  })
  const pinned = me.body.data.pinned_post_id
  const post = await server.get(`/2/posts/${pinned}?post.fields=public_metrics,source,entities,created_at`, {
    bearer: 'gauge-bearer',
  })
  expect(post.body.data).toMatchObject({
    source: 'River gauge',
    public_metrics: { like_count: 2, reply_count: 1, repost_count: 2, bookmark_count: 1 },
    entities: { hashtags: [{ tag: 'floodwatch' }] },
  })
  const age = Date.now() - Date.parse(post.body.data.created_at)
  expect(Math.round(age / 60_000)).toBe(120)
  const nils = await server.get('/2/users/1002?user.fields=public_metrics', 'app')
  expect(nils.body.data.public_metrics).toMatchObject({ followers_count: 1, following_count: 1, like_count: 1 })
})

test('posts of a world are found by a search, and by their conversation', async () => {
  const found = await server.get('/2/posts/search/recent?query=zephyrgauge%20has%3Alinks%20-is%3Arepost', 'app')
  expect(found.body.meta.result_count).toBe(1)
  const reposts = await server.get('/2/posts/search/recent?query=zephyrgauge%20is%3Arepost', 'app')
  expect(reposts.body.meta.result_count).toBe(2)
  const replies = await server.get('/2/users/1002/posts?post.fields=conversation_id', { keys: KEYS })
  expect(replies.body.data).toMatchObject([{ text: '@mara thanks, seen', conversation_id: found.body.data[0].id }])
})

test('a poll has the votes of the file', async () => {
  const poll = await server.get('/2/posts/1950000000000000001?expansions=attachments.poll_ids', 'app')
  expect(poll.body.includes.polls[0].options).toMatchObject([
    { label: 'Left', votes: 3 },
    { label: 'Right', votes: 1 },
  ])
})

test('tokens of both kinds work', async () => {
  const marked = await server.get('/2/users/1001/bookmarks', { bearer: 'mara-oauth2' })
  expect(marked.status).toBe(200)
  const refused = await server.get('/2/dm_events', { bearer: 'mara-oauth2' })
  expect(refused.status).toBe(403)
})

test('applying a world again changes nothing, and says so', async () => {
  const again = await apply(WORLD)
  expect(again).toEqual(expect.objectContaining({ created: {}, changed: {}, changes: [] }))
  expect(again.unchanged).toMatchObject({ user: 2, app: 1, post: 4, follow: 3, like: 2, repost: 2, pin: 1 })
})

test('a changed file changes what differs, and nothing else', async () => {
  const changed = structuredClone(WORLD)
  Object.assign(changed.users[0]!, { name: 'Mara V.' })
  changed.users[1]!.follows!.push('alice')
  changed.apps[0]!.bearer_token = 'gauge-bearer-2'
  changed.posts[1]!.text = 'The yonderlevel is at 4.40 m'
  expect(await apply(changed)).toMatchObject({
    created: { follow: 1 },
    changed: { user: 1, app: 1, post: 1 },
    changes: expect.arrayContaining(['change user: @mara: name', 'change app: River gauge: bearer_token']),
  })
  expect((await server.get('/2/users/1001', { bearer: 'gauge-bearer-2' })).body.data.name).toBe('Mara V.')
  expect((await server.get('/2/users/1001', { bearer: 'gauge-bearer' })).status).toBe(401)
  const search = (word: string) => server.get(`/2/posts/search/recent?query=${word}%20-is%3Arepost`, 'app')
  expect((await search('yonderlevel')).body.meta.result_count).toBe(1)
  expect((await search('zephyrgauge')).body.meta.result_count).toBe(0)
  await apply(WORLD)
})

test('a world with anything wrong is refused as a whole, with every place', async () => {
  const refused = await server.tryCommand('world.apply', {
    world: {
      users: [{ username: 'olga', follows: ['nobody_here'] }],
      posts: [{ author: 'olga', text: 'one', reply_to: 'missing' }],
    },
  })
  expect(refused.status).toBe(400)
  expect(refused.body.errors[0].parameters).toEqual({ '$.world.users[0].follows[0]': ['nobody_here'] })
  expect((await server.get('/2/users/by/username/olga', 'app')).body.data).toBeUndefined()
  const wrong = await server.tryCommand('world.apply', { world: { posts: [{ text: 'x', likes: 'all' }] } })
  expect(wrong.body.errors.map((error: { parameters: object }) => Object.keys(error.parameters)[0])).toEqual([
    '$.world.posts[0].author',
    '$.world.posts[0].likes',
  ])
})
