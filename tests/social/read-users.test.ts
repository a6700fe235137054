import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { timeOfId } from '../../src/process/ids.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { accessToken, invalidRequest, makePost, rows } from './acting.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

const bob = () => ({ id: server.userId('bob'), name: 'Bob Okafor', username: 'bob' })
const alice = () => ({ id: server.userId('alice'), name: 'Alice Moreau', username: 'alice' })
const notFound = (value: string, parameter: string) => ({
  value,
  detail: `Could not find user with ${parameter}: [${value}].`,
  title: 'Not Found Error',
  resource_type: 'user',
  parameter,
  resource_id: value,
  type: `${server.runtime.problemBase}/resource-not-found`,
})

describe('lookup of users', () => {
  test('gives only id, name and username, in the order of the ids', async () => {
    const read = await server.get(`/2/users?ids=${bob().id},7,${alice().id}`)
    expect(read.status).toBe(200)
    expect(read.body).toEqual({ data: [bob(), alice()], errors: [notFound('7', 'ids')] })
  })

  test('by one id gives the user or only an error', async () => {
    expect((await server.get(`/2/users/${bob().id}`)).body).toEqual({ data: bob() })
    for (const id of ['7', '9223372036854775808']) {
      const missing = await server.get(`/2/users/${id}`)
      expect(missing.status).toBe(200)
      expect(missing.body).toEqual({ errors: [notFound(id, 'id')] })
    }
  })

  test('by username ignores case and gives the name as its owner writes it', async () => {
    expect((await server.get('/2/users/by/username/BoB')).body).toEqual({ data: bob() })
    const several = await server.get('/2/users/by?usernames=ALICE,Nobody_1,bob')
    expect(several.body).toEqual({ data: [alice(), bob()], errors: [notFound('Nobody_1', 'usernames')] })
    const missing = await server.get('/2/users/by/username/nobody_1')
    expect(missing.status).toBe(200)
    expect(missing.body).toEqual({ errors: [notFound('nobody_1', 'username')] })
  })

  test('has only errors when nobody is found', async () => {
    expect((await server.get('/2/users/by?usernames=x1,x2')).body).toEqual({
      errors: [notFound('x1', 'usernames'), notFound('x2', 'usernames')],
    })
    expect((await server.get('/2/users?ids=5,6')).body).toEqual({
      errors: [notFound('5', 'ids'), notFound('6', 'ids')],
    })
  })

  test('accepts 100 names or ids and rejects 101', async () => {
    const hundred = Array.from({ length: 100 }, (_, index) => String(index + 1))
    for (const [path, parameter] of [
      ['/2/users', 'ids'],
      ['/2/users/by', 'usernames'],
    ]) {
      expect((await server.get(`${path}?${parameter}=${hundred}`)).body.errors).toHaveLength(100)
      const over = await server.get(`${path}?${parameter}=${hundred},101`)
      expect(over.status).toBe(400)
      expect(over.body.errors[0].message).toBe(
        `The number of values in the \`${parameter}\` query parameter list [101] is not between 1 and 100`,
      )
    }
  })

  test.each([
    [
      '/2/users/by/username/a%20b',
      { username: ['a b'] },
      'The `username` query parameter value [a b] does not match ^[A-Za-z0-9_]{1,15}$',
    ],
    [
      '/2/users/by/username/abcdefghijklmnop',
      { username: ['abcdefghijklmnop'] },
      'The `username` query parameter value [abcdefghijklmnop] does not match ^[A-Za-z0-9_]{1,15}$',
    ],
    [
      '/2/users/by?usernames=ok,%40bob',
      { usernames: ['ok,@bob'] },
      'The `usernames` query parameter value [@bob] does not match ^[A-Za-z0-9_]{1,15}$',
    ],
    ['/2/users/12x', { id: ['12x'] }, 'The `id` query parameter value [12x] is not valid'],
    ['/2/users?ids=-1', { ids: ['-1'] }, 'The `ids` query parameter value [-1] is not valid'],
    ['/2/users', { ids: [] }, 'The `ids` query parameter can not be empty'],
    ['/2/users/by?usernames=', { usernames: [] }, 'The `usernames` query parameter can not be empty'],
  ])('refuses %s', async (path, parameters, message) => {
    const read = await server.get(path)
    expect(read.status).toBe(400)
    expect(read.body).toEqual(invalidRequest(server, { parameters, message }))
  })
})

describe('the caller', () => {
  test('is given by users/me, which rejects apps without a user', async () => {
    expect((await server.get('/2/users/me', { user: 'bob' })).body).toEqual({ data: bob() })
    const app = await server.get('/2/users/me', 'app')
    expect(app.status).toBe(403)
    expect(app.body.type).toBe(`${server.runtime.problemBase}/unsupported-authentication`)
    const nobody = await server.get('/2/users/me', 'nobody')
    expect(nobody.status).toBe(401)
    expect(nobody.body).toEqual({ title: 'Unauthorized', type: 'about:blank', status: 401, detail: 'Unauthorized' })
  })

  test('sees their own confirmed address only with the scope users.email', async () => {
    const scopes = ['post.read', 'users.read']
    const bearer = await accessToken(server, 'bob', [...scopes, 'users.email'])
    const without = await accessToken(server, 'bob', scopes)
    const path = '/2/users/me?user.fields=confirmed_email'
    expect((await server.get(path, { bearer })).body).toEqual({
      data: { ...bob(), confirmed_email: 'bob@example.com' },
    })
    expect((await server.get(path, { bearer: without })).body).toEqual({ data: bob() })
    expect((await server.get(path, { user: 'bob' })).body).toEqual({ data: bob() })
    const other = await server.get(`/2/users/${alice().id}?user.fields=confirmed_email`, { bearer })
    expect(other.body).toEqual({ data: alice() })
  })

  test('sees their own subscription, others see none', async () => {
    const path = `/2/users/${alice().id}?user.fields=subscription_type`
    expect((await server.get(path, { user: 'alice' })).body.data.subscription_type).toBe('Premium')
    expect((await server.get(path, { user: 'bob' })).body.data.subscription_type).toBe('None')
    expect((await server.get(path, 'app')).body.data.subscription_type).toBe('None')
  })
})

describe('the relation to the caller', () => {
  const status = async (target: string, user: string) =>
    (await server.get(`/2/users/by/username/${target}?user.fields=connection_status`, { user })).body.data
      .connection_status

  test('shows every kind of connection', async () => {
    expect((await status('bob', 'alice')).sort()).toEqual(['followed_by', 'following'])
    expect(await status('chika', 'alice')).toEqual([])
    await server.command('relation.add', { kind: 'follow', source: 'alice', target: 'chika' })
    expect(await status('chika', 'alice')).toEqual(['following'])
    expect(await status('alice', 'chika')).toEqual(['followed_by'])
    await server.command('relation.add', { kind: 'mute', source: 'alice', target: 'chika' })
    expect((await status('chika', 'alice')).sort()).toEqual(['following', 'muting'])
    expect(await status('alice', 'chika')).toEqual(['followed_by'])
    await server.command('relation.add', { kind: 'block', source: 'alice', target: 'chika' })
    expect((await status('chika', 'alice')).sort()).toEqual(['blocking', 'muting'])
    expect(await status('alice', 'chika')).toEqual([])
  })

  test('shows pending follow requests', async () => {
    await rows(server, 'insert into follow (source_id, target_id, id, pending) values ($1, $2, 1, true)', [
      server.userId('alice'),
      server.userId('erin'),
    ])
    expect(await status('erin', 'alice')).toEqual(['follow_request_sent'])
    expect(await status('alice', 'erin')).toEqual(['follow_request_received'])
  })

  test('is left out where the caller is not a user', async () => {
    const read = await server.get(`/2/users/${bob().id}?user.fields=connection_status,receives_your_dm`, 'app')
    expect(read.body).toEqual({ data: bob() })
  })

  test('receives_your_dm is false for users who blocked the caller, and follows the setting of the receiver', async () => {
    const takes = async (target: string, user: string) =>
      (await server.get(`/2/users/by/username/${target}?user.fields=receives_your_dm`, { user })).body.data
        .receives_your_dm
    expect(await takes('dario', 'chika')).toBe(true)
    await server.command('relation.add', { kind: 'block', source: 'dario', target: 'chika' })
    expect(await takes('dario', 'chika')).toBe(false)
    await rows(server, 'update user_account set receives_messages_from_everyone = false where id = $1', [bob().id])
    // The server does not see rows that are written past it until the user is invalidated.
    await server.command('user.update', { user: 'bob', location: 'Lagos' })
    expect(await takes('bob', 'alice')).toBe(true)
    expect(await takes('bob', 'dario')).toBe(false)
  })
})

describe('the profile', () => {
  test('has all public members, counters included', async () => {
    const made = await server.command('user.create', {
      username: 'Fresh_1',
      name: 'Fresh & new',
      description: 'I know @bob, see https://example.com/me #tag',
      url: 'https://example.com/home',
      location: 'Here',
      verified_type: 'government',
    })
    const fields =
      'created_at,description,entities,location,url,protected,verified,verified_type,public_metrics,verified_followers_count,pinned_post_id,most_recent_post_id,profile_image_url,parody,is_identity_verified,affiliation,withheld,subscription'
    const { data } = (await server.get(`/2/users/${made.id}?user.fields=${fields}`)).body
    expect(data).toMatchObject({
      id: made.id,
      username: 'Fresh_1',
      location: 'Here',
      protected: false,
      verified: true,
      verified_type: 'government',
      verified_followers_count: '0',
      public_metrics: { followers_count: 0, following_count: 0, post_count: 0, listed_count: 0 },
      created_at: expect.stringMatching(/\.000Z$/),
    })
    for (const missing of ['pinned_post_id', 'most_recent_post_id', 'affiliation', 'withheld', 'subscription'])
      expect(data).not.toHaveProperty(missing)
    const [link] = data.entities.description.urls
    expect([...data.description].slice(link.start, link.end).join('')).toBe(link.url)
    expect(data.entities.url.urls[0].expanded_url).toBe('https://example.com/home')
  })

  test('has a drawn picture where its owner chose none, always the same and in the sizes of the platform', async () => {
    const pictureOf = async (name: string) =>
      (await server.get(`/2/users/by/username/${name}?user.fields=profile_image_url`)).body.data.profile_image_url
    const one = await server.command('user.create', { username: 'faceless' })
    const url: string = await pictureOf('faceless')
    const { pathname, origin } = new URL(url)
    expect([pathname, origin]).toEqual([
      `/profile_images/${one.id}/default_normal.png`,
      expect.stringMatching(/^http:/),
    ])
    const sideOf = async (address: string) => {
      const answer = await fetch(server.baseUrl + new URL(address).pathname)
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/png'])
      const bytes = Buffer.from(await answer.arrayBuffer())
      return { bytes, width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
    }
    for (const [end, side] of [
      ['_normal', 48],
      ['_mini', 24],
      ['_bigger', 73],
      ['_200x200', 200],
      ['_400x400', 400],
      ['', 400],
    ] as const)
      expect(await sideOf(url.replace('_normal', end))).toMatchObject({ width: side, height: side })
    expect((await sideOf(url)).bytes).toEqual((await sideOf(url)).bytes)
    expect((await sideOf(url)).bytes).not.toEqual((await sideOf(await pictureOf('bob'))).bytes)
    for (const path of [`${one.id}/default_huge.png`, `${one.id}/other.png`, 'x/default_normal.png'])
      expect((await fetch(`${server.baseUrl}/profile_images/${path}`)).status, path).toBe(404)
    await server.command('user.update', { user: 'faceless', profile_image_url: 'https://example.com/me.png' })
    expect(await pictureOf('faceless')).toBe('https://example.com/me.png')
  })

  test('was created at the time of its id', async () => {
    const { body } = await server.get('/2/users/by?usernames=alice,bob,faceless&user.fields=created_at')
    for (const { id, created_at } of body.data)
      expect(created_at).toBe(`${new Date(timeOfId(id)).toISOString().slice(0, 19)}.000Z`)
    expect(body.data).toHaveLength(3)
  })

  test('has no member for what its owner left empty', async () => {
    const made = await server.command('user.create', { username: 'bare' })
    const read = await server.get(`/2/users/${made.id}?user.fields=description,location,url,entities`)
    expect(read.body).toEqual({ data: { id: made.id, name: 'bare', username: 'bare' } })
  })

  test('includes the pinned and the newest post, each once, with the requested fields', async () => {
    const read = await server.get(
      '/2/users/by/username/alice?expansions=pinned_post_id,most_recent_post_id&post.fields=author_id',
    )
    const { pinned_post_id: pinned, most_recent_post_id: recent } = read.body.data
    expect(pinned).not.toBe(recent)
    expect(read.body.includes.posts.map((post: { id: string }) => post.id).sort()).toEqual([pinned, recent].sort())
    for (const post of read.body.includes.posts) expect(post.author_id).toBe(alice().id)
    const id = await makePost(server, 'alice', { text: 'newest of all' })
    await rows(server, 'update user_account set pinned_post_id = $1 where id = $2', [id, alice().id])
    await server.command('user.update', { user: 'alice', location: 'Lisbon' })
    const same = await server.get('/2/users/by/username/alice?expansions=pinned_post_id,most_recent_post_id')
    expect(same.body.includes.posts).toEqual([{ id, text: 'newest of all' }])
  })

  test('reports a pinned post that no longer exists', async () => {
    await rows(server, 'update user_account set pinned_post_id = 77 where id = $1', [bob().id])
    await server.command('user.update', { user: 'bob', location: 'Lagos' })
    const read = await server.get('/2/users/by/username/bob?expansions=pinned_post_id')
    expect(read.body.data.pinned_post_id).toBe('77')
    expect(read.body.errors).toEqual([
      {
        ...notFound('77', 'pinned_post_id'),
        detail: 'Could not find post with pinned_post_id: [77].',
        resource_type: 'post',
      },
    ])
  })
})
