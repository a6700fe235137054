import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseWindows } from '../../src/api-kit/limits/rate-limiter.ts'
import type { TestAnswer } from '../support/server.ts'
import { type AdsScene, ALICE, startAdsScene } from './ads-scene.ts'
import { addPeople, hash, type Person } from './people.ts'

const DAY = 86_400_000
let scene: AdsScene
let people: Person[]
beforeAll(async () => {
  scene = await startAdsScene(['--rate-limits', 'on'])
  people = await addPeople(scene.server, 110)
})
afterAll(() => scene.close())

const firstError = (answer: TestAnswer) => ({ status: answer.status, ...answer.body.errors[0] })
const lists = async (values = {}) => (await scene.get('do_not_reach_lists', values)).body.data
/** The account's list, created when there is none. */
const list = async (): Promise<string> => (await lists())[0]?.id ?? (await scene.made('do_not_reach_lists', {})).id
const send = (id: string, json: unknown): Promise<TestAnswer> =>
  scene.server.request('POST', `/ads-sandbox/12/batch/accounts/${scene.account}/do_not_reach_lists/${id}/users`, {
    as: ALICE,
    json,
  })
const operation = (operation_type: string, params: unknown) => ({ operation_type, params })
const byEmail = (list: Person[]) => ({ users: list.map((person) => ({ email: [hash(person.email)] })) })
const work = () => scene.server.command('ads.work')
const inDays = (days: number) => new Date(scene.server.runtime.clock.now() + days * DAY).toISOString()

describe('a Do Not Reach list', () => {
  test('is created once for an account, with a fixed name, and not targetable at first', async () => {
    const made = await scene.post('do_not_reach_lists', { description: 'Asked to be left alone' })
    expect(made.body).toEqual({
      request: { params: { account_id: scene.account, description: 'Asked to be left alone' } },
      data: {
        id: expect.stringMatching(/^[0-9a-z]+$/),
        name: 'Do Not Reach List',
        description: 'Asked to be left alone',
        targetable: false,
        reasons_not_targetable: ['PROCESSING', 'TOO_SMALL'],
        list_size: null,
        created_at: expect.any(String),
        updated_at: expect.any(String),
        deleted: false,
      },
    })
    expect(firstError(await scene.post('do_not_reach_lists'))).toMatchObject({
      status: 403,
      code: 'ACTION_NOT_ALLOWED',
    })
    const listed = await scene.get('do_not_reach_lists')
    expect(listed.body).toEqual({
      request: { params: { account_id: scene.account } },
      data: [made.body.data],
      next_cursor: null,
    })
  })

  test('is deleted softly, then listed only with with_deleted, and another can be created', async () => {
    const id = await list()
    expect((await scene.delete(`do_not_reach_lists/${id}`)).body.data).toMatchObject({ id, deleted: true })
    expect(firstError(await scene.delete(`do_not_reach_lists/${id}`))).toMatchObject({
      status: 404,
      code: 'NOT_FOUND',
      parameter: 'do_not_reach_list_id',
    })
    expect(await lists()).toEqual([])
    expect(await lists({ with_deleted: true })).toMatchObject([{ id, deleted: true }])
    expect(firstError(await send(id, [operation('Update', byEmail(people))]))).toMatchObject({
      status: 404,
      code: 'NOT_FOUND',
    })
    const next = await list()
    expect(next).not.toBe(id)
    expect(await lists({ with_deleted: true })).toHaveLength(2)
  })
})

describe('the users of a Do Not Reach list', () => {
  test('are sent in two forms, with hashes in either case; every operation gets its counts, and the echo omits users', async () => {
    const id = await list()
    const expires_at = inDays(30)
    const answer = await send(id, [
      operation('Update', {
        users: [{ email: [hash(people[0]!.email).toUpperCase(), hash('second')] }, { phone_number: [hash('1')] }],
      }),
      operation('Update', {
        emails: [people[1], people[2], people[3]].map((person) => hash(person!.email)),
        expires_at,
      }),
      operation('Delete', { users: [{ email: [hash('nobody')] }] }),
    ])
    expect(answer.status).toBe(200)
    const params = { account_id: scene.account, do_not_reach_list_id: id }
    expect(answer.body).toEqual({
      request: [
        { params, operation_type: 'Update' },
        { params: { ...params, expires_at: `${expires_at.slice(0, 19)}Z` }, operation_type: 'Update' },
        { params, operation_type: 'Delete' },
      ],
      data: [
        { success_count: 2, total_count: 2 },
        { success_count: 3, total_count: 3 },
        { success_count: 1, total_count: 1 },
      ],
    })
  })

  test('are refused together when one operation has errors', async () => {
    const id = await list()
    const users = [{ email: [hash('a')] }]
    const cases: [params: unknown, error: Record<string, unknown>][] = [
      [
        { users, expires_at: inDays(-1) },
        { parameter: 'params.expires_at', details: 'must be later than now' },
      ],
      [
        { users, expires_at: inDays(400) },
        { parameter: 'params.expires_at', details: 'may be at most 13 months ahead' },
      ],
      [{ emails: [hash('a')] }, { code: 'MISSING_PARAMETER', parameter: 'params.expires_at' }],
      [
        { emails: [hash('a')], users, expires_at: inDays(1) },
        { code: 'EXCLUSIVE_PARAMETERS', parameter: 'params.emails' },
      ],
      [{ emails: [], expires_at: inDays(1) }, { parameter: 'params.emails' }],
      [{ emails: ['a@example.com'], expires_at: inDays(1) }, { parameter: 'params.emails[0]' }],
      [
        { users: [{ handle: [hash('a')] }] },
        { parameter: 'params.users[0].handle', details: expect.stringContaining('email, phone_number') },
      ],
      [{}, { code: 'MISSING_PARAMETER', parameter: 'params.users' }],
    ]
    for (const [params, error] of cases) {
      const answer = await send(id, [operation('Update', params), operation('Update', { users })])
      expect(answer.status, JSON.stringify(params)).toBe(400)
      expect(answer.body.operation_errors, JSON.stringify(params)).toEqual([[expect.objectContaining(error)], []])
      expect(answer.body.request).toHaveLength(2)
    }
    const word = await send(id, [operation('Create', { users })])
    expect(word.body.operation_errors[0][0]).toMatchObject({
      parameter: 'operation_type',
      details: 'must be one of Update, Delete',
    })
    const many = await send(id, Array(2_501).fill(operation('Update', { users })))
    expect(firstError(many)).toMatchObject({ status: 400, code: 'REQUEST_TOO_COMPLEX' })
    const large = await send(id, [operation('Update', { users, expires_at: ' '.repeat(5_000_000) })])
    expect(firstError(large)).toMatchObject({ status: 413, code: 'REQUEST_TOO_COMPLEX' })
  })

  test('are counted at the next run, until they expire, and do not leave custom audiences', async () => {
    await scene.delete(`do_not_reach_lists/${await list()}`)
    const id = await list()
    const audience = (await scene.made('custom_audiences', { name: 'The same people' })).id
    await scene.json('POST', `custom_audiences/${audience}/users`, [operation('Update', byEmail(people))])
    await send(id, [
      operation('Update', { ...byEmail(people.slice(0, 105)), expires_at: inDays(10) }),
      operation('Update', byEmail(people.slice(105))),
    ])
    expect((await lists())[0]).toMatchObject({ reasons_not_targetable: ['PROCESSING', 'TOO_SMALL'], list_size: null })
    await work()
    expect((await lists())[0]).toMatchObject({ targetable: true, reasons_not_targetable: [], list_size: 110 })
    expect((await scene.get(`custom_audiences/${audience}`)).body.data.audience_size).toBe(110)
    await send(id, [operation('Delete', byEmail(people.slice(0, 2)))])
    await work()
    expect((await lists())[0]).toMatchObject({ targetable: true, list_size: 108 })
    await scene.server.command('clock', { advance_ms: 10 * DAY })
    await work()
    expect((await lists())[0]).toMatchObject({
      targetable: false,
      reasons_not_targetable: ['TOO_SMALL'],
      list_size: null,
    })
  })
})

test('users calls have a limit of 1500 a minute for each account and call', async () => {
  const window = parseWindows('1500/1m')[0]!
  const body = [operation('Update', { users: [{ email: [hash('a')] }] })]
  const audience = (await scene.made('custom_audiences', { name: 'Busy' })).id
  const calls = {
    updateCustomAudienceUsers: () => scene.json('POST', `custom_audiences/${audience}/users`, body),
    batchDoNotReachListUsers: async () => send(await list(), body),
  }
  for (const [name, call] of Object.entries(calls)) {
    const id = [...scene.account].reduce((sum, sign) => sum * 36n + BigInt(Number.parseInt(sign, 36)), 0n)
    const take = () => scene.server.runtime.limiter.take(`ads:${name}:account:${id}`, window)
    expect((await call()).headers.get('x-account-rate-limit-limit')).toBe('1500')
    await Promise.all(Array.from({ length: 1_500 }, take))
    expect(firstError(await call()), name).toMatchObject({ status: 429, code: 'TOO_MANY_REQUESTS' })
  }
})
