import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type As, startTestServer, type TestServer } from '../support/server.ts'
import { forbidden, invalidRequest, rows } from './acting.ts'
import { type Member, makeCrowd, walk } from './crowd.ts'
import { newUser } from './relating.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

type Someone = { id: string; as: As }
let made = 0
const someone = (facts: Record<string, unknown> = {}): Promise<Someone> => {
  made += 1
  return newUser(server, `lister_${made}`, facts)
}

async function makeList(owner: Someone, body: object = {}): Promise<string> {
  const answer = await server.post('/2/lists', { name: 'Friends', ...body }, owner.as)
  if (answer.status !== 200) throw new Error(`list refused: ${answer.text}`)
  return answer.body.data.id
}
const add = (owner: Someone, list: string, user: string) =>
  server.post(`/2/lists/${list}/members`, { user_id: user }, owner.as)
const remove = (owner: Someone, list: string, user: string) =>
  server.delete(`/2/lists/${list}/members/${user}`, owner.as)
const follow = (who: Someone, list: string) =>
  server.post(`/2/users/${who.id}/followed_lists`, { list_id: list }, who.as)
const unfollow = (who: Someone, list: string) => server.delete(`/2/users/${who.id}/followed_lists/${list}`, who.as)
const pin = (who: Someone, list: string) => server.post(`/2/users/${who.id}/pinned_lists`, { list_id: list }, who.as)
const update = (who: Someone, list: string, body: object) => server.put(`/2/lists/${list}`, body, who.as)

const ALL = 'list.fields=created_at,description,follower_count,id,member_count,name,owner_id,private'
const read = async (list: string, as: As = 'app') => (await server.get(`/2/lists/${list}?${ALL}`, as)).body
async function counts(list: string, as: As = 'app'): Promise<[number, number]> {
  const { data } = await read(list, as)
  return [data.member_count, data.follower_count]
}
const listed = async (user: string): Promise<number> =>
  (await server.get(`/2/users/${user}?user.fields=public_metrics`)).body.data.public_metrics.listed_count
const idsAt = async (path: string, as: As = 'app') => (await walk(server, path, as)).ids
const lists = (what: string, user: string, as: As = 'app') => idsAt(`/2/users/${user}/${what}`, as)

const missing = (list: string) => ({
  errors: [
    {
      value: list,
      detail: `Could not find list with id: [${list}].`,
      title: 'Not Found Error',
      resource_type: 'list',
      parameter: 'id',
      resource_id: list,
      type: `${server.runtime.problemBase}/resource-not-found`,
    },
  ],
})
const hidden = (list: string) => ({
  errors: [expect.objectContaining({ title: 'Authorization Error', resource_type: 'list', resource_id: list })],
})

describe('a list', () => {
  test('is created, read with all fields and its owner, changed and deleted', async () => {
    const owner = await someone()
    const created = await server.post('/2/lists', { name: 'Birds', description: 'Of the sea' }, owner.as)
    expect([created.status, created.body]).toEqual([200, { data: { id: expect.any(String), name: 'Birds' } }])
    const { id } = created.body.data
    expect((await server.get(`/2/lists/${id}`)).body).toEqual({ data: { id, name: 'Birds' } })
    const full = await server.get(`/2/lists/${id}?${ALL}&expansions=owner_id&user.fields=protected`)
    expect(full.body).toEqual({
      data: {
        id,
        name: 'Birds',
        description: 'Of the sea',
        private: false,
        owner_id: owner.id,
        created_at: expect.stringMatching(/Z$/),
        member_count: 0,
        follower_count: 0,
      },
      includes: { users: [expect.objectContaining({ id: owner.id, protected: false })] },
    })
    expect((await server.get(`/2/lists/${id}?expansions=owner_id`)).body.data).toEqual({
      id,
      name: 'Birds',
      owner_id: owner.id,
    })
    expect((await update(owner, id, { name: 'Gulls' })).body).toEqual({ data: { updated: true } })
    expect((await read(id)).data).toMatchObject({ name: 'Gulls', description: 'Of the sea', private: false })
    expect((await update(owner, id, { description: '' })).body).toEqual({ data: { updated: true } })
    expect((await read(id)).data).toMatchObject({ name: 'Gulls', description: '' })
    expect((await update(owner, id, {})).body).toEqual({ data: { updated: true } })
    expect((await server.delete(`/2/lists/${id}`, owner.as)).body).toEqual({ data: { deleted: true } })
    expect(await read(id)).toEqual(missing(id))
  })

  test.each([
    ['no name', {}],
    ['an empty name', { name: '' }],
    ['a name of spaces', { name: ' \t ' }],
    ['a name of 26 characters', { name: 'a'.repeat(26) }],
    ['a description of 101 characters', { name: 'Fine', description: 'a'.repeat(101) }],
    ['a text as privacy', { name: 'Fine', private: 'yes' }],
    ['a member that it does not know', { name: 'Fine', colour: 'red' }],
  ])('with %s is refused, new or changed, and nothing is stored', async (_what, body) => {
    const owner = await someone()
    const refused = await server.post('/2/lists', body, owner.as)
    expect([refused.status, refused.body.title]).toEqual([400, 'Invalid Request'])
    expect(await lists('owned_lists', owner.id)).toEqual([])
    if (!('name' in body)) return
    const id = await makeList(owner)
    expect((await update(owner, id, body)).status).toBe(400)
    expect((await read(id)).data).toMatchObject({ name: 'Friends', description: '', private: false })
  })

  test('has names of 25 characters of any script, as they were written', async () => {
    const owner = await someone()
    const name = `<&> "${'🎉'.repeat(19)}"`
    const id = await makeList(owner, { name, description: '日'.repeat(100) })
    expect((await read(id)).data).toMatchObject({ name, description: '日'.repeat(100) })
  })

  test('is changed by its owner only', async () => {
    const [owner, other] = [await someone(), await someone()]
    const id = await makeList(owner)
    await add(owner, id, owner.id)
    const refusals = [
      [await update(other, id, { name: 'Mine' }), 'update this List'],
      [await server.delete(`/2/lists/${id}`, other.as), 'delete this List'],
      [await add(other, id, other.id), 'add members to this List'],
      [await remove(other, id, owner.id), 'delete members from this List'],
    ] as const
    for (const [answer, what] of refusals) {
      expect([answer.status, answer.body]).toEqual([403, forbidden(`You are not allowed to ${what}.`)])
    }
    expect((await read(id)).data).toMatchObject({ name: 'Friends', member_count: 1 })
  })

  test.each(['12', '9999999999999999999'])('that does not exist, %s, is refused with its id', async (id) => {
    const user = await someone()
    const refusals = [
      [await update(user, id, { name: 'Mine' }), 'id', 'update a List'],
      [await server.delete(`/2/lists/${id}`, user.as), 'id', 'delete a List'],
      [await add(user, id, user.id), 'id', 'add a member to a List'],
      [await remove(user, id, user.id), 'id', 'delete a member from a List'],
      [await follow(user, id), 'list_id', 'follow a List'],
      [await pin(user, id), 'list_id', 'pin a List'],
    ] as const
    for (const [answer, parameter, what] of refusals) {
      const message = `You cannot ${what} that does not exist.`
      expect([answer.status, answer.body]).toEqual([
        400,
        invalidRequest(server, { parameters: { [parameter]: [id] }, message }),
      ])
    }
    for (const path of ['', '/members', '/followers', '/posts'])
      expect((await server.get(`/2/lists/${id}${path}`)).body).toEqual(missing(id))
    expect((await unfollow(user, id)).body).toEqual({ data: { following: false } })
    expect((await server.delete(`/2/users/${user.id}/pinned_lists/${id}`, user.as)).body).toEqual({
      data: { pinned: false },
    })
  })

  test('cannot be one of more than 1000 of a user', async () => {
    const owner = await someone()
    await rows(
      server,
      `insert into list (id, owner_id, name, created_at) select $1::bigint + n, $1::bigint, 'L', now() from generate_series(1, 999) n`,
      [owner.id],
    )
    const answers = await Promise.all([1, 2, 3].map(() => server.post('/2/lists', { name: 'More' }, owner.as)))
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 403, 403])
    expect(answers.find((answer) => answer.status === 403)!.body).toEqual(
      forbidden('You cannot have more than 1000 Lists.'),
    )
  })
})

describe('members', () => {
  test('are added and removed once, newest first in pages, and counted for both sides', async () => {
    const owner = await someone()
    const crowd = await makeCrowd(server, 5)
    const id = await makeList(owner)
    for (const member of crowd) {
      expect((await add(owner, id, member.id)).body).toEqual({ data: { is_member: true } })
      expect((await add(owner, id, member.id)).body).toEqual({ data: { is_member: true } })
    }
    const ids = crowd.map((member) => member.id).reverse()
    expect(await walk(server, `/2/lists/${id}/members?max_results=2`, 'app')).toEqual({ ids, pages: 3 })
    expect(await counts(id)).toEqual([5, 0])
    const second = await server.get(
      `/2/lists/${id}/members?max_results=2&pagination_token=${(await server.get(`/2/lists/${id}/members?max_results=2`)).body.meta.next_token}`,
    )
    expect(second.body.meta).toMatchObject({ result_count: 2, previous_token: expect.stringMatching(/^\d{1,19}$/) })
    const back = await server.get(
      `/2/lists/${id}/members?max_results=2&pagination_token=${second.body.meta.previous_token}`,
    )
    expect(back.body.data.map((user: { id: string }) => user.id)).toEqual(ids.slice(0, 2))
    expect(await listed(crowd[0]!.id)).toBe(1)
    expect(await lists('list_memberships', crowd[0]!.id)).toEqual([id])
    for (let time = 0; time < 2; time++)
      expect((await remove(owner, id, crowd[0]!.id)).body).toEqual({ data: { is_member: false } })
    expect((await remove(owner, id, '12')).body).toEqual({ data: { is_member: false } })
    expect(await listed(crowd[0]!.id)).toBe(0)
    expect(await counts(id)).toEqual([4, 0])
  })

  test('must exist and not be suspended; the owner may be one', async () => {
    const [owner, gone] = [await someone(), await someone({})]
    await server.command('user.update', { user: gone.id, suspended: true })
    const id = await makeList(owner)
    for (const user of ['12', gone.id]) {
      const answer = await add(owner, id, user)
      expect([answer.status, answer.body.parameter, answer.body.resource_type]).toEqual([404, 'user_id', 'user'])
    }
    expect((await add(owner, id, owner.id)).status).toBe(200)
    expect(await counts(id)).toEqual([1, 0])
  })

  test('are 5000 at most; one who is in the full list already can be added again', async () => {
    const [owner, member, other] = [await someone(), await someone(), await someone()]
    const id = await makeList(owner)
    await add(owner, id, member.id)
    await rows(server, 'update list_metrics set member_count = 5000 where list_id = $1', [id])
    const full = await add(owner, id, other.id)
    expect([full.status, full.body]).toEqual([403, forbidden('A List cannot have more than 5000 members.')])
    expect((await add(owner, id, member.id)).status).toBe(200)
  })

  test('count exactly when many are added and removed at once, in lists that become private and are deleted', async () => {
    const owner = await someone()
    const crowd = await makeCrowd(server, 12)
    const [kept, turned, ended] = [await makeList(owner), await makeList(owner), await makeList(owner)]
    const status = (answers: Promise<{ status: number }>[]) =>
      Promise.all(answers).then((all) => all.map((a) => a.status))
    const each = (work: (member: Member) => Promise<{ status: number }>[]) => status(crowd.flatMap(work))
    expect(new Set(await each((member) => [add(owner, kept, member.id), add(owner, kept, member.id)]))).toEqual(
      new Set([200]),
    )
    expect(await counts(kept)).toEqual([12, 0])
    const answers = await status([
      ...crowd.flatMap((member, at) => [
        add(owner, turned, member.id),
        at % 2 === 0 ? remove(owner, kept, member.id) : add(owner, ended, member.id),
        follow(member, kept),
      ]),
      update(owner, turned, { private: true }),
      server.delete(`/2/lists/${ended}`, owner.as),
      update(owner, turned, { private: false }),
      update(owner, turned, { private: true }),
    ])
    expect(answers.filter((code) => code !== 200 && code !== 400)).toEqual([])
    expect(await counts(kept)).toEqual([6, 12])
    const { data } = await read(turned, owner.as)
    expect(data.member_count).toBe(12)
    for (const [at, member] of crowd.entries())
      expect(await listed(member.id)).toBe((at % 2 === 0 ? 0 : 1) + (data.private ? 0 : 1))
    await each((member) => [unfollow(member, kept), unfollow(member, kept)])
    expect(await counts(kept)).toEqual([6, 0])
  })
})

describe('a private list', () => {
  test('exists for its owner only', async () => {
    const [owner, other] = [await someone(), await someone()]
    const id = await makeList(owner, { private: true })
    await add(owner, id, other.id)
    expect((await read(id, owner.as)).data).toMatchObject({ private: true, member_count: 1 })
    for (const as of [other.as, 'app'] as As[])
      for (const path of ['', '/members', '/followers', '/posts'])
        expect((await server.get(`/2/lists/${id}${path}`, as)).body).toEqual(missing(id))
    for (const path of ['members', 'followers', 'posts'])
      expect((await server.get(`/2/lists/${id}/${path}`, owner.as)).body.errors).toBeUndefined()
    for (const [answer, what] of [
      [await update(other, id, { name: 'Mine' }), 'update a List'],
      [await server.delete(`/2/lists/${id}`, other.as), 'delete a List'],
      [await follow(other, id), 'follow a List'],
      [await pin(other, id), 'pin a List'],
    ] as const) {
      expect([answer.status, answer.body.errors[0].message]).toEqual([400, `You cannot ${what} that does not exist.`])
    }
    expect(await listed(other.id)).toBe(0)
  })

  test('is in the lists of users only where the owner asks, and pages are full without it', async () => {
    const [owner, member] = [await someone(), await someone()]
    const ids: string[] = []
    for (let at = 0; at < 6; at++) {
      ids.unshift(await makeList(owner, { private: at % 2 === 1 }))
      await add(owner, ids[0]!, member.id)
      await follow(owner, ids[0]!)
    }
    const open = ids.filter((_id, at) => at % 2 === 1)
    for (const path of [
      `/2/users/${owner.id}/owned_lists`,
      `/2/users/${owner.id}/followed_lists`,
      `/2/users/${member.id}/list_memberships`,
    ]) {
      expect(await idsAt(`${path}?max_results=4`, owner.as)).toEqual(ids)
      for (const as of [member.as, 'app'] as As[])
        expect(await walk(server, `${path}?max_results=3`, as)).toEqual({ ids: open, pages: 1 })
    }
  })

  test('was public: others lose it with their follows and pins, and members are counted for public lists only', async () => {
    const [owner, member, fan] = [await someone(), await someone(), await someone()]
    const id = await makeList(owner)
    await add(owner, id, member.id)
    for (const who of [owner, fan]) {
      await follow(who, id)
      await pin(who, id)
    }
    expect([await counts(id), await listed(member.id)]).toEqual([[1, 2], 1])
    await update(owner, id, { private: true })
    expect([await counts(id, owner.as), await listed(member.id)]).toEqual([[1, 1], 0])
    expect(await lists('followed_lists', fan.id, fan.as)).toEqual([])
    await update(owner, id, { private: false })
    expect([await counts(id), await listed(member.id)]).toEqual([[1, 1], 1])
    expect(await lists('pinned_lists', fan.id, fan.as)).toEqual([])
    expect(await lists('pinned_lists', owner.id, owner.as)).toEqual([id])
  })
})

describe('following and pinning', () => {
  test('happen once, are listed newest first, and end', async () => {
    const [owner, fan] = [await someone(), await someone()]
    const ids = [await makeList(owner), await makeList(owner)]
    for (const id of [...ids, ...ids]) {
      expect((await follow(fan, id)).body).toEqual({ data: { following: true } })
      expect((await pin(fan, id)).body).toEqual({ data: { pinned: true } })
    }
    expect(await counts(ids[0]!)).toEqual([0, 1])
    expect(await idsAt(`/2/lists/${ids[0]}/followers`)).toEqual([fan.id])
    expect(await lists('followed_lists', fan.id)).toEqual([...ids].reverse())
    const pins = await server.get(`/2/users/${fan.id}/pinned_lists?list.fields=follower_count`, fan.as)
    expect(pins.body).toEqual({
      data: [...ids].reverse().map((id) => ({ id, name: 'Friends', follower_count: 1 })),
      meta: { result_count: 2 },
    })
    for (let time = 0; time < 2; time++) {
      expect((await unfollow(fan, ids[0]!)).body).toEqual({ data: { following: false } })
      const unpinned = await server.delete(`/2/users/${fan.id}/pinned_lists/${ids[0]}`, fan.as)
      expect(unpinned.body).toEqual({ data: { pinned: false } })
    }
    expect(await counts(ids[0]!)).toEqual([0, 0])
    expect(await lists('followed_lists', fan.id)).toEqual([ids[1]])
    expect(await lists('pinned_lists', fan.id, fan.as)).toEqual([ids[1]])
  })

  test('are for the user of the path', async () => {
    const [owner, fan] = [await someone(), await someone()]
    const id = await makeList(owner)
    for (const answer of [
      await server.post(`/2/users/${owner.id}/followed_lists`, { list_id: id }, fan.as),
      await server.post(`/2/users/${owner.id}/pinned_lists`, { list_id: id }, fan.as),
      await server.get(`/2/users/${owner.id}/pinned_lists`, fan.as),
    ]) {
      expect(answer.status).toBe(400)
      expect(answer.body.errors[0].message).toMatch(/must be the same as the authenticating user/)
    }
  })

  test('a user has at most 5 pins, also when they come at once', async () => {
    const owner = await someone()
    const ids = await Promise.all([1, 2, 3, 4, 5, 6, 7].map(() => makeList(owner)))
    const answers = await Promise.all(ids.map((id) => pin(owner, id)))
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(5)
    expect(answers.find((answer) => answer.status === 403)!.body).toEqual(
      forbidden('You cannot pin more than 5 Lists.'),
    )
    const kept = await lists('pinned_lists', owner.id, owner.as)
    expect(kept).toHaveLength(5)
    expect((await pin(owner, kept[0]!)).status).toBe(200)
  })
})

describe('a block', () => {
  test('ends memberships, follows and pins of lists in both directions, and prevents new ones', async () => {
    const [one, other] = [await someone(), await someone()]
    const [mine, theirs] = [await makeList(one), await makeList(other)]
    for (const [owner, list, user] of [
      [one, mine, other],
      [other, theirs, one],
    ] as const) {
      await add(owner, list, user.id)
      await follow(user, list)
      await pin(user, list)
    }
    await server.command('relation.add', { kind: 'block', source: one.id, target: other.id })
    expect([await counts(mine), await counts(theirs)]).toEqual([
      [0, 0],
      [0, 0],
    ])
    expect([await listed(one.id), await listed(other.id)]).toEqual([0, 0])
    expect(await lists('pinned_lists', other.id, other.as)).toEqual([])
    for (const [owner, list, user] of [
      [one, mine, other],
      [other, theirs, one],
    ] as const) {
      const added = await add(owner, list, user.id)
      expect([added.status, added.body]).toEqual([403, forbidden('You are not allowed to add this user to a List.')])
      const followed = await follow(user, list)
      expect([followed.status, followed.body]).toEqual([403, forbidden('You are not allowed to follow this List.')])
      expect((await pin(user, list)).body).toEqual(forbidden('You are not allowed to pin this List.'))
      expect(await read(list, user.as)).toEqual(hidden(list))
      expect((await server.get(`/2/lists/${list}/members`, user.as)).body).toEqual(hidden(list))
    }
    await server.command('relation.remove', { kind: 'block', source: one.id, target: other.id })
    expect((await add(one, mine, other.id)).status).toBe(200)
    expect((await follow(other, mine)).status).toBe(200)
  })

  test('and additions at the same moment leave no membership across it', async () => {
    const [one, other] = [await someone(), await someone()]
    const [mine, theirs] = [await makeList(one), await makeList(other)]
    await Promise.all([
      add(one, mine, other.id),
      follow(one, theirs),
      server.command('relation.add', { kind: 'block', source: other.id, target: one.id }),
      add(other, theirs, one.id),
      follow(other, mine),
    ])
    expect([await counts(mine), await counts(theirs)]).toEqual([
      [0, 0],
      [0, 0],
    ])
    expect([await listed(one.id), await listed(other.id)]).toEqual([0, 0])
  })
})

describe('the account of the owner', () => {
  test('if protected, shows its lists to followers only', async () => {
    const [owner, fan, stranger] = [await someone({ protected: true }), await someone(), await someone()]
    await server.command('relation.add', { kind: 'follow', source: fan.id, target: owner.id })
    const id = await makeList(owner)
    await add(owner, id, stranger.id)
    for (const as of [owner.as, fan.as]) expect((await read(id, as)).data.name).toBe('Friends')
    for (const as of [stranger.as, 'app'] as As[]) expect(await read(id, as)).toEqual(hidden(id))
    expect((await follow(stranger, id)).status).toBe(403)
    expect((await follow(fan, id)).status).toBe(200)
    expect(await lists('list_memberships', stranger.id, stranger.as)).toEqual([])
    expect(await lists('list_memberships', stranger.id, fan.as)).toEqual([id])
  })

  test('if suspended, hides its lists until it is restored', async () => {
    const [owner, fan] = [await someone(), await someone()]
    const id = await makeList(owner)
    await add(owner, id, fan.id)
    await follow(fan, id)
    await server.command('user.update', { user: owner.id, suspended: true })
    expect(await read(id, fan.as)).toEqual(hidden(id))
    expect((await server.get(`/2/lists/${id}/posts`, fan.as)).body).toEqual(hidden(id))
    for (const what of ['followed_lists', 'list_memberships']) expect(await lists(what, fan.id, fan.as)).toEqual([])
    await server.command('user.update', { user: owner.id, suspended: false })
    expect(await counts(id)).toEqual([1, 1])
    for (const what of ['followed_lists', 'list_memberships']) expect(await lists(what, fan.id, fan.as)).toEqual([id])
  })

  test('if removed, takes its lists along, and every counter follows', async () => {
    const [owner, other, fan] = [await someone(), await someone(), await someone()]
    const [mine, theirs] = [await makeList(owner), await makeList(other)]
    await add(owner, mine, other.id)
    await add(other, theirs, owner.id)
    await follow(owner, theirs)
    await follow(fan, mine)
    await rows(server, 'delete from user_account where id = $1', [owner.id])
    server.runtime.parts.invalidateAll()
    expect(await read(mine)).toEqual(missing(mine))
    expect(await counts(theirs)).toEqual([0, 0])
    expect(await listed(other.id)).toBe(0)
    expect(await lists('followed_lists', fan.id)).toEqual([])
  })
})

test('a deleted list leaves memberships, follows, pins and counters of nobody behind', async () => {
  const [owner, member, fan] = [await someone(), await someone(), await someone()]
  const id = await makeList(owner)
  await add(owner, id, member.id)
  await follow(fan, id)
  await pin(fan, id)
  const answers = await Promise.all([1, 2].map(() => server.delete(`/2/lists/${id}`, owner.as)))
  expect(answers.map((answer) => answer.status).sort()).toEqual([200, 400])
  expect(await listed(member.id)).toBe(0)
  expect(await lists('list_memberships', member.id)).toEqual([])
  expect(await lists('followed_lists', fan.id)).toEqual([])
  expect(await lists('pinned_lists', fan.id, fan.as)).toEqual([])
})

test('a suspended member is not shown until the account is restored', async () => {
  const [owner, member] = [await someone(), await someone()]
  const id = await makeList(owner)
  await add(owner, id, member.id)
  await server.command('user.update', { user: member.id, suspended: true })
  expect(await idsAt(`/2/lists/${id}/members`)).toEqual([])
  await server.command('user.update', { user: member.id, suspended: false })
  expect(await idsAt(`/2/lists/${id}/members`)).toEqual([member.id])
})
