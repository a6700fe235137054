import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../support/server.ts'
import { walk } from './crowd.ts'
import { newHost } from './space-acting.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

const ALL = 'access,created_at,description,id,join_policy,member_count,name'
const bob = { user: 'bob' } as const
const create = async (name: string, more: object = {}): Promise<string> =>
  (await server.command('communities.create', { user: 'alice', name, ...more })).id
const count = async (id: string): Promise<number> =>
  (await server.get(`/2/communities/${id}?community.fields=member_count`)).body.data.member_count
const found = async (query: string) =>
  ((await server.get(`/2/communities/search?query=${query}`, bob)).body.data ?? []).map(
    (item: { id: string }) => item.id,
  )
const rolesIn = async (id: string): Promise<Record<string, string>> => {
  const { members } = await server.command('communities.members', { community: id })
  return Object.fromEntries(members.map((item: { username: string; role: string }) => [item.username, item.role]))
}
async function refused(name: string, args: object): Promise<string> {
  const { status, body } = await server.tryCommand(`communities.${name}`, args)
  expect(status).toBeGreaterThanOrEqual(400)
  expect(status).toBeLessThan(500)
  return body.errors?.[0].message ?? body.detail
}

describe('a community', () => {
  test('is read with the members that it has', async () => {
    const id = await create('Lamplighters', {
      description: 'Wicks and oil',
      join_policy: 'RestrictedJoinRequestsDisabled',
    })
    expect((await server.get(`/2/communities/${id}`)).body).toEqual({ data: { id, name: 'Lamplighters' } })
    expect((await server.get(`/2/communities/${id}?community.fields=${ALL}`, bob)).body).toEqual({
      data: {
        id,
        name: 'Lamplighters',
        description: 'Wicks and oil',
        access: 'Public',
        join_policy: 'RestrictedJoinRequestsDisabled',
        member_count: 1,
        created_at: expect.stringMatching(/\.000Z$/),
      },
    })
  })

  test.each(['1', '9999999999999999999'])('%s, which does not exist, is a 200 with an error of no type', async (id) => {
    const { status, body } = await server.get(`/2/communities/${id}`)
    expect(status).toBe(200)
    const detail = `Could not find community with id: [${id}].`
    expect(body).toEqual({ errors: [{ title: 'Not Found Error', type: 'about:blank', status: 404, detail }] })
  })

  test('of the first world has its users as members, the first one as admin', async () => {
    const [id] = await found('gardeners')
    expect(await count(id)).toBe(Object.keys(await rolesIn(id)).length)
    expect(await rolesIn(id)).toMatchObject({ alice: 'admin', bob: 'member' })
  })
})

describe('search', () => {
  test('finds all words in name and description, newest first, each once', async () => {
    const first = await create('Moss and lichen', { description: 'Slow, soft, GREEN' })
    const second = await create('Green roofs', { description: 'Where moss grows' })
    expect(await found('moss')).toEqual([second, first])
    expect(await found('Green%20MOSS')).toEqual([second, first])
    expect(await found('lichen%20soft')).toEqual([first])
    expect(await found('mos')).toEqual([])
    await server.command('communities.update', { community: first, by: 'alice', name: 'Stones', description: 'grey' })
    expect(await found('moss')).toEqual([second])
    expect(await found('stones%20grey')).toEqual([first])
  })

  test('has pages, with either name of the token, and only next_token in meta', async () => {
    const ids: string[] = []
    for (let index = 0; index < 23; index++) ids.unshift(await create(`Wren watchers ${index}`))
    expect(await walk(server, '/2/communities/search?query=wren', bob)).toEqual({ ids, pages: 3 })
    const first = await server.get('/2/communities/search?query=wren', bob)
    expect(Object.keys(first.body.meta)).toEqual(['next_token'])
    const next = await server.get(
      `/2/communities/search?query=wren&max_results=100&next_token=${first.body.meta.next_token}`,
      bob,
    )
    expect(next.body.data.map((item: { id: string }) => item.id)).toEqual(ids.slice(10))
    expect(next.body.meta).toEqual({})
  })

  test('finds nothing for a query without words', async () => {
    expect((await server.get('/2/communities/search?query=%21%21', bob)).body).toEqual({ meta: {} })
  })
})

describe('join policies', () => {
  test('Open: whoever joins is a member', async () => {
    const id = await create('Open one')
    expect(await server.command('communities.join', { community: id, user: 'bob' })).toMatchObject({
      state: 'member',
      member_count: 2,
    })
    await server.command('communities.join', { community: id, user: 'bob' })
    expect(await rolesIn(id)).toEqual({ alice: 'admin', bob: 'member' })
  })

  test.each([
    ['RestrictedJoinRequestsRequireAdminApproval', 'admin'],
    ['RestrictedJoinRequestsRequireModeratorApproval', 'moderator or admin'],
  ])('%s: a request waits for a user with the role %s', async (policy, roles) => {
    const id = await create('Asked first', { join_policy: policy })
    for (const user of ['bob', 'chika']) {
      await server.command('communities.invite', { community: id, user, by: 'alice' })
      await server.command('communities.join', { community: id, user })
    }
    await server.command('communities.role', { community: id, user: 'bob', by: 'alice', role: 'moderator' })
    const args = { community: id, user: 'dario' }
    expect(await server.command('communities.join', args)).toMatchObject({ state: 'requested', member_count: 3 })
    const sentence = `Only a user with the role ${roles} can do this in the community [${id}].`
    expect(await refused('approve', { ...args, by: 'chika' })).toBe(sentence)
    if (roles === 'admin') expect(await refused('approve', { ...args, by: 'bob' })).toBe(sentence)
    await server.command('communities.approve', { ...args, by: roles === 'admin' ? 'alice' : 'bob' })
    expect(await rolesIn(id)).toMatchObject({ dario: 'member' })
    expect(await count(id)).toBe(4)
    expect(await refused('approve', { ...args, by: 'alice' })).toBe(
      `The user [${server.userId('dario')}] has not asked to join the community [${id}].`,
    )
  })

  test('a refused request, and one that was taken back, are gone', async () => {
    const id = await create('No entry', { join_policy: 'RestrictedJoinRequestsRequireAdminApproval' })
    const args = { community: id, user: 'bob' }
    await server.command('communities.join', args)
    await server.command('communities.refuse', { ...args, by: 'alice' })
    expect(await refused('approve', { ...args, by: 'alice' })).toContain('has not asked to join')
    await server.command('communities.join', args)
    await server.command('communities.leave', args)
    expect(await refused('approve', { ...args, by: 'alice' })).toContain('has not asked to join')
    expect(await count(id)).toBe(1)
  })

  test.each([
    ['RestrictedJoinRequestsDisabled', 'This community can be joined only by invitation.'],
    ['SuperFollowRequired', 'This community can be joined only by subscribers of its admins, or by invitation.'],
  ])('%s: only invited users join', async (policy, sentence) => {
    const id = await create('Invited only', { join_policy: policy })
    expect(await refused('join', { community: id, user: 'bob' })).toBe(sentence)
    await server.command('communities.invite', { community: id, user: 'bob', by: 'alice' })
    await server.command('communities.join', { community: id, user: 'bob' })
    expect(await refused('invite', { community: id, user: 'chika', by: 'bob' })).toContain('moderator or admin')
    expect(await rolesIn(id)).toEqual({ alice: 'admin', bob: 'member' })
  })
})

describe('roles', () => {
  test('decide who changes, promotes and removes', async () => {
    const id = await create('Ranks')
    for (const user of ['bob', 'chika', 'dario']) await server.command('communities.join', { community: id, user })
    const only = (roles: string) => `Only a user with the role ${roles} can do this in the community [${id}].`
    expect(await refused('update', { community: id, by: 'bob', name: 'Mine' })).toBe(only('admin'))
    expect(await refused('role', { community: id, user: 'bob', by: 'bob', role: 'admin' })).toBe(only('admin'))
    expect(await refused('remove', { community: id, user: 'chika', by: 'bob' })).toBe(only('moderator or admin'))
    await server.command('communities.role', { community: id, user: 'bob', by: 'alice', role: 'moderator' })
    await server.command('communities.remove', { community: id, user: 'chika', by: 'bob' })
    expect(await refused('remove', { community: id, user: 'alice', by: 'bob' })).toBe(only('admin'))
    expect(await refused('remove', { community: id, user: 'chika', by: 'bob' })).toBe(
      `The user [${server.userId('chika')}] is not a member of the community [${id}].`,
    )
    await server.command('communities.remove', { community: id, user: 'bob', by: 'alice' })
    expect(await rolesIn(id)).toEqual({ alice: 'admin', dario: 'member' })
    expect(await count(id)).toBe(2)
  })

  test('a community keeps an admin as long as it has other members', async () => {
    const id = await create('Last one')
    await server.command('communities.join', { community: id, user: 'bob' })
    const sentence = 'A community needs an admin. Make another member an admin first.'
    expect(await refused('leave', { community: id, user: 'alice' })).toBe(sentence)
    expect(await refused('role', { community: id, user: 'alice', by: 'alice', role: 'member' })).toBe(sentence)
    await server.command('communities.role', { community: id, user: 'bob', by: 'alice', role: 'admin' })
    // Both want to go at the same moment: one of them stays.
    const answers = await Promise.all([
      server.tryCommand('communities.role', { community: id, user: 'alice', by: 'alice', role: 'member' }),
      server.tryCommand('communities.role', { community: id, user: 'bob', by: 'bob', role: 'member' }),
    ])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 403])
    expect(Object.values(await rolesIn(id)).sort()).toEqual(['admin', 'member'])
  })

  test('a suspended user neither joins nor acts', async () => {
    const id = await create('Quiet')
    const { username } = await newHost(server, 'cm_gone')
    await server.command('user.update', { user: username, suspended: true })
    expect(await refused('join', { community: id, user: username })).toBe('@cm_gone is suspended.')
  })
})

test('members are counted exactly, whoever joins and leaves at the same moment', async () => {
  const id = await create('Crowded')
  const crowd: string[] = []
  for (let index = 0; index < 12; index++) crowd.push((await newHost(server, `cm_crowd${index}`)).username)
  await Promise.all([...crowd, ...crowd].map((user) => server.command('communities.join', { community: id, user })))
  expect(await count(id)).toBe(13)
  await Promise.all(
    [...crowd.slice(5), ...crowd.slice(5)].map((user) => server.command('communities.leave', { community: id, user })),
  )
  expect(await count(id)).toBe(6)
  expect(Object.keys(await rolesIn(id))).toHaveLength(6)
})
