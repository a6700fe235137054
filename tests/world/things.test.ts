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
      tokens: [{ app: 'gauge', access_token: 'mara-token', access_token_secret: 'mara-secret' }],
    },
    { username: 'nils' },
    { username: 'oda' },
  ],
  apps: [
    {
      key: 'gauge',
      name: 'River gauge',
      owner: 'mara',
      tier: 'enterprise',
      api_key: 'gauge-key',
      api_key_secret: 'gauge-key-secret',
      bearer_token: 'gauge-bearer',
      ads: { level: 'standard' },
    },
  ],
  communities: [{ key: 'rowers', name: 'Rowers', admin: 'mara', members: ['nils'] }],
  posts: [
    {
      key: 'pictures',
      author: 'mara',
      text: 'Two banks',
      at: '-3h',
      media: [{ draw: 'hills', alt_text: 'Hills' }, { draw: 'rings' }],
    },
    {
      key: 'inside',
      author: 'nils',
      text: 'Who rows on Sunday?',
      at: '-2h',
      community: 'rowers',
      place: 'a1f0c2d4e5b60002',
    },
  ],
  lists: [
    { key: 'river', id: '3001', owner: 'mara', name: 'River people', members: ['nils', 'oda'], followers: ['nils'] },
  ],
  webhooks: [{ key: 'hook', app: 'gauge', url: 'http://127.0.0.1:9/hook' }],
  rules: [{ app: 'gauge', value: 'flood lang:en', tag: 'floods' }],
  activity_subscriptions: [
    { app: 'gauge', event_type: 'profile.update.bio', user: 'nils', webhook: 'hook', tag: 'bio' },
  ],
  messages: [
    { from: 'mara', to: 'nils', text: 'Boat is ready, see https://example.org/boat', at: '-50m' },
    { from: 'nils', to: 'mara', text: 'Coming', at: '-40m' },
    { from: 'oda', to: ['mara', 'nils'], group: 'crew', text: 'All set?', at: '-30m' },
  ],
  ads_accounts: [
    {
      id: 'rive1',
      name: 'River ads',
      owner: 'mara',
      timezone: 'Europe/Lisbon',
      users: [{ user: 'nils', permissions: ['AD_MANAGER'] }],
      features: ['CITY_TARGETING'] as string[],
      funding_instruments: [{ type: 'CREDIT_LINE', currency: 'EUR', amount_local_micro: 5_000_000 }],
    },
  ],
}
const KEYS = {
  consumerKey: 'gauge-key',
  consumerSecret: 'gauge-key-secret',
  token: 'mara-token',
  tokenSecret: 'mara-secret',
}
const apply = (world: object) => server.command('world.apply', { world })

test('everything that a file describes is there', async () => {
  const { created } = await apply(WORLD)
  expect(created).toMatchObject({
    community: 1,
    'media item': 2,
    post: 2,
    list: 1,
    'list member': 2,
    webhook: 1,
    rule: 1,
    'activity subscription': 1,
    message: 3,
    'ads account': 1,
    'funding instrument': 1,
  })
})

test('applying it again changes nothing', async () => {
  expect(await apply(WORLD)).toEqual(expect.objectContaining({ created: {}, changed: {} }))
})

test('pictures can be read, and have their words', async () => {
  const found = await server.get(
    '/2/posts/search/recent?query=from%3Amara%20has%3Aimages&expansions=attachments.media_keys&media.fields=url,alt_text,width',
    'app',
  )
  const [first, second] = found.body.includes.media
  expect(first).toMatchObject({ type: 'photo', alt_text: 'Hills', width: 640 })
  const bytes = await fetch(second.url)
  expect(bytes.headers.get('content-type')).toBe('image/png')
  expect((await bytes.arrayBuffer()).byteLength).toBeGreaterThan(100)
  const me = await server.get('/2/users/me?user.fields=public_metrics', { keys: KEYS })
  expect(me.body.data.public_metrics).toMatchObject({ media_count: 1 })
})

test('a list has its members, a community its posts', async () => {
  const list = await server.get('/2/lists/3001?list.fields=member_count,follower_count', { keys: KEYS })
  expect(list.body.data).toMatchObject({ name: 'River people', member_count: 2, follower_count: 1 })
  const members = await server.get('/2/lists/3001/members', { keys: KEYS })
  expect(members.body.data.map((user: { username: string }) => user.username)).toEqual(['oda', 'nils'])
  const posts = await server.get('/2/posts/search/recent?query=from%3Anils%20rows&post.fields=community_id,geo', 'app')
  expect(posts.body.data[0]).toMatchObject({ community_id: expect.any(String), geo: { place_id: 'a1f0c2d4e5b60002' } })
})

test('webhooks, rules and subscriptions belong to the app', async () => {
  const bearer = { bearer: 'gauge-bearer' }
  expect((await server.get('/2/webhooks', bearer)).body.data).toMatchObject([
    { url: 'http://127.0.0.1:9/hook', valid: true },
  ])
  expect((await server.get('/2/posts/search/stream/rules', bearer)).body.data).toMatchObject([
    { value: 'flood lang:en', tag: 'floods' },
  ])
  expect((await server.get('/2/activity/subscriptions', bearer)).body.data).toMatchObject([
    { event_type: 'profile.update.bio', tag: 'bio', webhook_id: expect.any(String) },
  ])
})

test('messages are in conversations of two and in groups', async () => {
  const events = await server.get('/2/dm_events?dm_event.fields=text,sender_id,dm_conversation_id', { keys: KEYS })
  expect(events.body.data.map((event: { text: string }) => event.text)).toEqual([
    'All set?',
    'Coming',
    expect.stringMatching(/^Boat is ready, see https:\/\//),
  ])
  expect(events.body.data[0].dm_conversation_id).toMatch(/^\d+$/)
  expect(events.body.data[1].dm_conversation_id).toMatch(/^\d+-\d+$/)
})

test('an advertising account has its id, features and users', async () => {
  const { body } = await server.get('/ads/12/accounts/rive1', { keys: KEYS })
  expect(body.data).toMatchObject({ id: 'rive1', name: 'River ads', timezone: 'Europe/Lisbon' })
  const features = await server.get('/ads/12/accounts/rive1/features', { keys: KEYS })
  expect(features.body.data).toEqual(['CITY_TARGETING'])
  const funding = await server.get('/ads/12/accounts/rive1/funding_instruments', { keys: KEYS })
  expect(funding.body.data).toMatchObject([{ currency: 'EUR', credit_limit_local_micro: 5_000_000 }])
})

test('what differs is changed', async () => {
  const changed = structuredClone(WORLD)
  changed.lists[0]!.name = 'Bank people'
  changed.rules[0]!.tag = 'high water'
  changed.ads_accounts[0]!.name = 'Bank ads'
  changed.ads_accounts[0]!.features = []
  changed.communities[0]!.members.push('oda')
  expect(await apply(changed)).toMatchObject({
    created: {},
    changed: { list: 1, rule: 1, 'ads account': 1, community: 1 },
  })
  expect((await server.get('/2/lists/3001', { keys: KEYS })).body.data.name).toBe('Bank people')
})

test('what cannot be is refused at its place', async () => {
  const cases: [object, string][] = [
    [{ rules: [{ app: 'gauge', value: 'flood OR' }] }, '$.world.rules[0].value'],
    [{ webhooks: [{ app: 'gauge', url: 'ftp://example.org' }] }, '$.world.webhooks[0].url'],
    [{ webhooks: [{ app: 'gauge', url: 'http://127.0.0.1:1/x', challenge: true }] }, '$.world.webhooks[0].url'],
    [
      { activity_subscriptions: [{ app: 'gauge', event_type: 'profile.update.bio' }] },
      '$.world.activity_subscriptions[0]',
    ],
    [{ messages: [{ from: 'mara', to: 'mara', text: 'Me' }] }, '$.world.messages[0].to'],
    [{ posts: [{ author: 'mara', text: 'x', media: [{ data: 'bm8=' }] }] }, '$.world.posts[0].media[0]'],
    [
      {
        posts: [
          { key: 'a', author: 'mara', text: 'x', reply_to: 'b' },
          { key: 'b', author: 'mara', text: 'y', reply_to: 'a' },
        ],
      },
      '$.world.posts[0].reply_to',
    ],
    [{ posts: [{ id: '77', author: 'mara', text: 'x', at: '-2h' }] }, '$.world.posts[0].at'],
    [
      { posts: [{ key: 'pictures', author: 'mara', text: 'Two banks', media: [{ draw: 'rings', id: '9' }] }] },
      '$.world.posts[0].media',
    ],
    [{ lists: [{ owner: 'mara', name: 'New', members: ['nobody_here'] }] }, '$.world.lists[0].members[0]'],
    [{ apps: [{ name: 'Other', owner: 'nils', api_key: 'gauge-key' }] }, '$.world.apps[0].owner'],
    [
      { users: [{ username: 'painter', profile_image_url: 'javascript:alert(1)' }] },
      '$.world.users[0].profile_image_url',
    ],
    [
      {
        ads_accounts: [
          {
            name: 'Double',
            owner: 'mara',
            users: [
              { user: 'nils', permissions: ['AD_MANAGER', 'AD_MANAGER'] },
              { user: '@NILS', permissions: ['ANALYST'] },
            ],
          },
        ],
      },
      '$.world.ads_accounts[0].users[1].user',
    ],
    [{ ads_accounts: [{ name: 'Far', owner: 'mara', timezone: 'Mars/Base' }] }, '$.world.ads_accounts[0].timezone'],
  ]
  for (const [world, where] of cases) {
    const refused = await server.tryCommand('world.apply', { world })
    expect({ where, status: refused.status, text: refused.text }).toMatchObject({ status: 400 })
    expect(Object.keys(refused.body.errors[0].parameters)).toEqual([where])
  }
})

test('two things that cannot both be are refused, and nothing of the file is there', async () => {
  const secrets = { access_token: '1-twice', access_token_secret: 'twice' }
  const cases: [world: Record<string, object[]>, section: string, says: string][] = [
    [
      {
        users: [
          { username: 'twin_a', tokens: [{ app: 'gauge', ...secrets }] },
          { username: 'twin_b', tokens: [{ app: 'gauge', ...secrets }] },
        ],
      },
      'users',
      'the same id, name or secret',
    ],
    [
      {
        apps: [
          { name: 'Twin A', owner: 'mara', api_key: 'twin-key' },
          { name: 'Twin B', owner: 'mara', api_key: 'twin-key' },
        ],
      },
      'apps',
      'the same id, name or secret',
    ],
    [
      {
        communities: [
          { name: 'Twin A', admin: 'mara', id: '88' },
          { name: 'Twin B', admin: 'mara', id: '88' },
        ],
      },
      'communities',
      'the id 88',
    ],
    [
      {
        posts: [
          {
            author: 'mara',
            id: '1950000000000000009',
            text: 'twin',
            reposts: [{ user: 'nils', id: '1950000000000000009' }],
          },
        ],
      },
      'posts',
      'the id 1950000000000000009',
    ],
    [
      {
        messages: [
          { from: 'mara', to: 'nils', text: 'twin a', id: '99' },
          { from: 'mara', to: 'nils', text: 'twin b', id: '99' },
        ],
      },
      'messages',
      'the same id, name or secret',
    ],
  ]
  for (const [world, section, says] of cases) {
    const refused = await server.tryCommand('world.apply', { world: { users: [{ username: 'bystander' }], ...world } })
    expect({ section, status: refused.status, text: refused.text }).toMatchObject({ status: 400 })
    expect(refused.body.errors[0].message).toBe(
      `$.world.${section}: two things have ${says}, in this file or on the server`,
    )
  }
  expect((await server.get('/2/users/by/username/bystander', { keys: KEYS })).body.data).toBeUndefined()
})
