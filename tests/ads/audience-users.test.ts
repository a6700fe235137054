import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { As, TestAnswer } from '../support/server.ts'
import { type AdsScene, ALICE, startAdsScene } from './ads-scene.ts'
import { addPeople, countMatched, hash, type Person } from './people.ts'

const DAY = 86_400_000
let scene: AdsScene
let people: Person[]
beforeAll(async () => {
  scene = await startAdsScene()
  people = await addPeople(scene.server, 130)
})
afterAll(() => scene.close())

let named = 0
const audience = async (): Promise<string> => {
  named += 1
  return (await scene.made('custom_audiences', { name: `Audience ${named}` })).id
}
type Users = Record<string, string[]>[]
const update = (users: Users, more: Record<string, unknown> = {}) => ({
  operation_type: 'Update',
  params: { users, ...more },
})
const remove = (users: Users) => ({ operation_type: 'Delete', params: { users } })
const send = (id: string, operations: unknown, as: As = ALICE): Promise<TestAnswer> =>
  scene.json('POST', `custom_audiences/${id}/users`, operations, as)
const read = async (id: string) => (await scene.get(`custom_audiences/${id}`)).body.data
const work = () => scene.server.command('ads.work')
const pass = (ms: number) => scene.server.command('clock', { advance_ms: ms })
const byEmail = (list: Person[]): Users => list.map((person) => ({ email: [hash(person.email)] }))
const sizeOf = (id: string): Promise<number> => countMatched(scene.server, id)
const firstError = (answer: TestAnswer) => ({ status: answer.status, ...answer.body.errors[0] })

describe('a batch of users', () => {
  test('answers with the number of user objects, not of operations, and echoes only the path', async () => {
    const id = await audience()
    const answer = await send(id, [
      update(byEmail(people.slice(0, 3)), { effective_at: '2026-01-01T00:00:00Z', expires_at: '2040-01-01' }),
      update([
        {
          handle: [hash('x')],
          phone_number: [hash('1')],
          device_id: [hash('d')],
          partner_user_id: ['as it is'],
          platform_id: [],
        },
      ]),
      remove([{ email: [hash('nobody'), hash('no one')] }]),
    ])
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({
      request: { params: { account_id: scene.account, custom_audience_id: id } },
      data: { success_count: 5, total_count: 5 },
    })
  })

  test('must be JSON, an array, of 1 to 2500 operations and at most 5,000,000 bytes', async () => {
    const id = await audience()
    const raw = (body: string, type = 'application/json') =>
      scene.server.request('POST', `/ads-sandbox/12/accounts/${scene.account}/custom_audiences/${id}/users`, {
        as: ALICE,
        raw: body,
        headers: { 'content-type': type },
      })
    expect(firstError(await raw('[]', 'text/plain'))).toMatchObject({ status: 415, parameter: 'Content-Type' })
    expect(firstError(await raw('{}'))).toMatchObject({ status: 400, code: 'INVALID_PARAMETER', parameter: 'body' })
    expect(firstError(await raw('[]'))).toMatchObject({ status: 400, code: 'REQUEST_TOO_COMPLEX' })
    const one = update(byEmail(people.slice(0, 1)))
    expect((await send(id, Array(2_500).fill(one))).body.data.total_count).toBe(2_500)
    expect(firstError(await send(id, Array(2_501).fill(one)))).toMatchObject({
      status: 400,
      code: 'REQUEST_TOO_COMPLEX',
      details: 'a batch has 1 to 2500 operations',
    })
    const text = JSON.stringify([one])
    expect((await raw(text.padEnd(5_000_000))).status).toBe(200)
    const large = await raw(text.padEnd(5_000_001))
    expect(firstError(large)).toMatchObject({ status: 413, code: 'REQUEST_TOO_COMPLEX' })
    expect(large.body).toHaveProperty('request')
  })

  test('is all or nothing: the errors of each operation are at its index, and no operation is applied', async () => {
    const id = await audience()
    const good = update(byEmail(people.slice(0, 5)))
    const email = [hash('a')]
    const cases: [operation: unknown, error: Record<string, unknown>][] = [
      [7, { parameter: 'operation' }],
      [{ params: { users: [{ email }] } }, { code: 'MISSING_PARAMETER', parameter: 'operation_type' }],
      [
        { operation_type: 'update', params: { users: [{ email }] } },
        { parameter: 'operation_type', value: 'update' },
      ],
      [{ operation_type: 'Update' }, { code: 'MISSING_PARAMETER', parameter: 'params' }],
      [{ operation_type: 'Update', params: [] }, { parameter: 'params' }],
      [
        { operation_type: 'Update', params: {} },
        { code: 'MISSING_PARAMETER', parameter: 'params.users' },
      ],
      [update([]), { parameter: 'params.users' }],
      [update([{}]), { parameter: 'params.users[0]' }],
      [update([{ email: [] }]), { parameter: 'params.users[0]' }],
      [
        update([{ email }, { email: ['plain@example.com'] }]),
        { parameter: 'params.users[1].email[0]', value: 'plain@example.com' },
      ],
      [
        update([{ handle: [hash('a').toUpperCase()] }]),
        { details: 'must be a SHA-256 hash: 64 hexadecimal digits in lower case' },
      ],
      [update([{ partner_user_id: [''] }]), { parameter: 'params.users[0].partner_user_id[0]' }],
      [update([{ email: hash('a') } as never]), { parameter: 'params.users[0].email', details: 'must be an array' }],
      [
        update([{ name: ['x'] }]),
        { parameter: 'params.users[0].name', details: expect.stringContaining('email, device_id') },
      ],
      [update([{ email }], { expires_at: 'soon' }), { parameter: 'params.expires_at' }],
      [
        update([{ email }], { effective_at: '2030-01-01', expires_at: '2030-01-01' }),
        { details: 'must be later than effective_at' },
      ],
    ]
    for (const [operation, error] of cases) {
      const answer = await send(id, [good, operation, good])
      expect(answer.status, JSON.stringify(operation)).toBe(400)
      expect(answer.body, JSON.stringify(operation)).toEqual({
        operation_errors: [[], [expect.objectContaining({ code: 'INVALID_PARAMETER', ...error })], []],
        request: { params: { account_id: scene.account, custom_audience_id: id } },
      })
    }
    expect(await sizeOf(id)).toBe(0)
  })

  test('goes to own audiences and those shared for writing; flexible, deleted and foreign ones are refused', async () => {
    const body = [update(byEmail(people.slice(0, 1)))]
    const accounts = await Promise.all(
      [1, 2].map(() => scene.server.command('ads.account.create', { owner: 'alice', sandbox: true, business: 'b9' })),
    )
    const [owner, other] = accounts.map((item) => item.id as string)
    const at = (account: string, method: string, path: string, json?: unknown) =>
      scene.server.request(method, `/ads-sandbox/12/accounts/${account}/${path}`, {
        as: ALICE,
        ...(json ? { json } : {}),
      })
    const { id } = (await at(owner!, 'POST', 'custom_audiences?name=Lent')).body.data
    expect(firstError(await at(other!, 'POST', `custom_audiences/${id}/users`, body))).toMatchObject({
      status: 404,
      code: 'TAILORED_AUDIENCE_NOT_FOUND',
    })
    for (const [level, status] of [
      ['READ_ONLY', 403],
      ['READ_WRITE', 200],
    ] as const) {
      const grant = `custom_audiences/${id}/permissions`
      const { id: permission } = (
        await at(owner!, 'POST', `${grant}?granted_account_id=${other}&permission_level=${level}`)
      ).body.data
      expect((await at(other!, 'POST', `custom_audiences/${id}/users`, body)).status, level).toBe(status)
      await at(owner!, 'DELETE', `${grant}/${permission}`)
    }
    const deleted = await audience()
    await scene.delete(`custom_audiences/${deleted}`)
    expect(firstError(await send(deleted, body))).toMatchObject({ status: 404, code: 'TAILORED_AUDIENCE_NOT_FOUND' })
  })
})

describe('the users whom hashes identify', () => {
  test('are found by e-mail address, handle and user id at the next run; until then nothing changes', async () => {
    const id = await audience()
    const users: Users = people.slice(0, 120).map((person, at): Record<string, string[]> => {
      if (at % 3 === 0) return { email: [hash(person.email)] }
      return at % 3 === 1
        ? { handle: [hash(person.handle)] }
        : { platform_id: [hash(person.id)], email: [hash(`unknown ${at}`)] }
    })
    await send(id, [
      update(users),
      update([{ device_id: [hash(people[125]!.id)], partner_user_id: [people[126]!.id] }]),
    ])
    expect(await read(id)).toMatchObject({
      targetable: false,
      reasons_not_targetable: ['PROCESSING', 'TOO_SMALL'],
      audience_size: null,
    })
    await work()
    expect(await read(id)).toMatchObject({ targetable: true, reasons_not_targetable: [], audience_size: 120 })
    await send(id, [remove(users.slice(0, 21))])
    expect(await read(id)).toMatchObject({ targetable: true, reasons_not_targetable: [], audience_size: 120 })
    await work()
    expect(await read(id)).toMatchObject({
      targetable: false,
      reasons_not_targetable: ['TOO_SMALL'],
      audience_size: null,
    })
    await send(id, [update(users.slice(0, 1))])
    expect(await read(id)).toMatchObject({ reasons_not_targetable: ['PROCESSING', 'TOO_SMALL'], audience_size: null })
    expect(await sizeOf(id)).toBe(100)
    expect((await read(id)).targetable).toBe(true)
  })

  test('count when they joined or posted within the last 90 days', async () => {
    const old = await addPeople(scene.server, 3, 100)
    const young = await addPeople(scene.server, 100)
    const id = await audience()
    await send(id, [update(byEmail([...old, ...young]))])
    const shownSize = async () => {
      await work()
      return (await read(id)).audience_size
    }
    expect(await shownSize()).toBe(100)
    await scene.server.runtime.database.query({
      text: 'update user_metrics set most_recent_post_id = $2 where user_id = $1',
      values: [old[0]!.id, scene.server.runtime.ids.next()],
    })
    expect(await shownSize(), 'counted again after a day').toBe(100)
    await pass(DAY)
    expect(await shownSize()).toBe(101)
  })

  test('are removed by any of their keys, while users who share another key with them stay', async () => {
    const id = await audience()
    const [a, b, c] = people as [Person, Person, Person]
    const shared = { phone_number: [hash('')] }
    await send(id, [
      update([
        { email: [hash(a.email)], partner_user_id: ['a'], ...shared },
        { handle: [hash(b.handle)], ...shared },
      ]),
    ])
    await send(id, [update([{ platform_id: [hash(c.id)], ...shared }, { handle: [hash(c.handle)] }])])
    expect(await sizeOf(id)).toBe(3)
    await send(id, [remove([{ partner_user_id: ['a'] }])])
    expect(await sizeOf(id)).toBe(2)
    await send(id, [remove([shared])])
    expect(await sizeOf(id), 'c was added a second time with only the handle').toBe(1)
    await send(id, [remove([{ handle: [hash(c.handle)] }])])
    expect(await sizeOf(id)).toBe(0)
  })

  test('are members or not by the last operation that names them', async () => {
    const id = await audience()
    const [a, b, c] = people as [Person, Person, Person]
    const one = (person: Person) => [{ email: [hash(person.email)] }]
    await send(id, [
      update(one(a)),
      remove(one(a)),
      update([...one(b), ...one(b)]),
      remove([{ handle: [hash('other')] }]),
      remove(one(c)),
      update(one(c)),
    ])
    expect(await sizeOf(id)).toBe(2)
    const pair = { email: [hash(a.email), hash(a.email)], partner_user_id: ['pair'] }
    await send(id, [update([pair]), update([{ handle: [hash(a.handle)] }]), remove([{ partner_user_id: ['pair'] }])])
    expect(await sizeOf(id), 'a stays by handle').toBe(3)
    await send(id, [remove([{ handle: [hash(a.handle)] }]), update([pair]), update([pair]), remove(one(b))])
    expect(await sizeOf(id)).toBe(2)
    await send(id, [remove([{ partner_user_id: ['pair'] }])])
    expect(await sizeOf(id)).toBe(1)
  })

  test('are members from effective_at until expires_at, or for 13 months after the request', async () => {
    const id = await audience()
    const now = scene.server.runtime.clock.now()
    const iso = (days: number) => new Date(now + days * DAY).toISOString()
    const [a, b, c] = people as [Person, Person, Person]
    await send(id, [
      update(byEmail([a]), { effective_at: iso(2), expires_at: iso(4) }),
      update(byEmail([b]), { expires_at: iso(3) }),
      update(byEmail([c])),
    ])
    const sizes = [await sizeOf(id)]
    for (const days of [2, 1, 1]) {
      await pass(days * DAY)
      sizes.push(await sizeOf(id))
    }
    expect(sizes).toEqual([2, 3, 2, 1])
    const stored = await scene.server.runtime.database.query({
      text: `select abs(extract(epoch from min(expires_at at time zone 'utc') - ($2::timestamptz at time zone 'utc' + interval '13 months'))) < 60 as fits, count(*)::int
               from ads_audience_key where audience_id = (select id from ads_custom_audience where name = $1)`,
      values: [`Audience ${named}`, new Date(now).toISOString()],
    })
    expect(stored.rows).toEqual([{ fits: true, count: 1 }])
  })

  test('who join later are found within a day', async () => {
    const id = await audience()
    await send(id, [update([{ handle: [hash('late_comer')] }])])
    expect(await sizeOf(id)).toBe(0)
    await scene.server.command('user.create', { username: 'Late_Comer' })
    await pass(DAY)
    expect(await sizeOf(id)).toBe(1)
  })

  test('are removed when the audience is deleted', async () => {
    const id = await audience()
    await send(id, [update(byEmail(people.slice(0, 4)))])
    await work()
    const kept = async () =>
      (
        await scene.server.runtime.database.query({
          text: `select (select count(*) from ads_audience_key where audience_id = a.id)::int as keys,
                        (select count(*) from ads_audience_match where audience_id = a.id)::int as matches from ads_custom_audience a where name = $1`,
          values: [`Audience ${named}`],
        })
      ).rows[0]
    expect(await kept()).toEqual({ keys: 4, matches: 4 })
    await scene.delete(`custom_audiences/${id}`)
    await work()
    expect(await kept()).toEqual({ keys: 0, matches: 0 })
  })
})

describe('a flexible audience', () => {
  const batch = (json: unknown) =>
    scene.server.request('POST', `/ads-sandbox/12/batch/accounts/${scene.account}/custom_audiences`, {
      as: ALICE,
      json,
    })
  const make = async (params: Record<string, unknown>): Promise<string> => {
    named += 1
    const answer = await batch([{ operation_type: 'Create', params: { name: `Audience ${named}`, ...params } }])
    return answer.body.data[0].id
  }

  test('has the users of its segments: operators, negation, windows and frequencies, as its audiences change', async () => {
    await pass(40 * DAY)
    const [x, y] = [await make({ audience_type: 'MOBILE_AUDIENCE' }), await make({ audience_type: 'MOBILE_AUDIENCE' })]
    const ago = (days: number) => ({
      effective_at: new Date(scene.server.runtime.clock.now() - days * DAY).toISOString(),
    })
    // x: 0 to 9, the first four of them ten days ago; y: 6 to 11.
    await send(x, [update(byEmail(people.slice(0, 4)), ago(10)), update(byEmail(people.slice(4, 10)))])
    await send(y, [update(byEmail(people.slice(6, 12)))])
    const leaf = (id: string, more = {}) => ({ custom_audience_id: id, ...more })
    const both = (operator: string, ...child_segments: unknown[]) => ({ boolean_operator: operator, child_segments })
    const cases: [segments: unknown, size: number][] = [
      [leaf(x), 10],
      [both('AND', leaf(x), leaf(y)), 4],
      [both('OR', leaf(x), leaf(y)), 12],
      [both('AND', leaf(x), leaf(y, { negate: true })), 6],
      [{ ...both('AND', leaf(x), leaf(y)), negate: true }, 8],
      [leaf(x, { lookback_window: 7 }), 6],
      [leaf(x, { lookback_window: 7, frequency: 0, frequency_comparator: 'NUM_EQ' }), 4],
      [leaf(x, { lookback_window: 14, frequency: 2 }), 0],
      [
        both(
          'OR',
          both('AND', leaf(x, { lookback_window: 7 }), leaf(y)),
          leaf(x, { frequency: 1, lookback_window: 1, frequency_comparator: 'NUM_LT' }),
        ),
        8,
      ],
    ]
    const ids = await Promise.all(
      cases.map(([segments]) => make({ audience_type: 'FLEXIBLE', segments }).catch(() => '')),
    )
    await work()
    for (const [at, [segments, size]] of cases.entries())
      expect(await sizeOf(ids[at]!), JSON.stringify(segments)).toBe(size)
    await send(y, [remove(byEmail(people.slice(6, 12)))])
    await work()
    expect(await sizeOf(ids[1]!)).toBe(0)
    expect(firstError(await send(ids[0]!, [update(byEmail(people.slice(0, 1)))]))).toMatchObject({
      status: 400,
      code: 'INVALID_TAILORED_AUDIENCE_TYPE',
    })
    await pass(5 * DAY)
    await work()
    expect(await sizeOf(ids[7]!), 'no user is added twice').toBe(0)
    expect(await sizeOf(ids[5]!), 'still within 7 days').toBe(6)
    await pass(3 * DAY)
    expect(await sizeOf(ids[5]!)).toBe(0)
    await scene.delete(`custom_audiences/${x}`)
    expect(await sizeOf(ids[0]!)).toBe(0)
  })
})

test('an audience of one known address is like one of an address that nobody has, in every member and estimate', async () => {
  const [known] = await addPeople(scene.server, 1)
  const [first, second] = [await audience(), await audience()]
  await send(first, [update([{ email: [hash(known!.email)] }])])
  await send(second, [update([{ email: [hash('nobody@example.com')] }])])
  await work()
  expect([await sizeOf(first), await sizeOf(second)]).toEqual([1, 0])
  const shown = async (id: string) => {
    const { audience_size, targetable, reasons_not_targetable } = await read(id)
    const targeting_criteria = [{ targeting_type: 'CUSTOM_AUDIENCE', targeting_value: id }]
    const estimate = await scene.json('POST', 'audience_estimate', { targeting_criteria })
    const { data, errors } = estimate.body
    return { audience_size, targetable, reasons_not_targetable, estimate: data ?? errors[0].code }
  }
  expect(await shown(first)).toEqual(await shown(second))
  for (const sort_by of ['audience_size-asc', 'audience_size-desc']) {
    const custom_audience_ids = `${first},${second}`
    const listed = (await scene.get('custom_audiences', { sort_by, custom_audience_ids })).body.data
    const ids = listed.map((item: { id: string }) => item.id)
    expect(ids, sort_by).toEqual(sort_by.endsWith('asc') ? [first, second] : [second, first])
  }
})
