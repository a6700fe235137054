import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { armOf, type RunningTest, readRunningTests } from '../../src/ads/ab-tests/arms.ts'
import { parseBase36 } from '../../src/ads/kit/values.ts'
import { type AdsScene, startAdsScene } from './ads-scene.ts'

let scene: AdsScene
beforeAll(async () => {
  scene = await startAdsScene()
})
afterAll(() => scene.close())

const DAY = 86_400
const time = (days: number) =>
  `${new Date(scene.server.runtime.clock.now() + days * DAY * 1000).toISOString().slice(0, 19)}Z`

type Body = Record<string, unknown>
const group = (size: string, ...entity_ids: string[]): Body => ({ entity_ids, size })

/** A body that creates a test of campaigns, from tomorrow for a week. */
async function testOf(...sizes: string[]): Promise<Body> {
  const groups: Body[] = []
  for (const size of sizes) groups.push(group(size, await scene.campaign()))
  return { start_time: time(1), end_time: time(8), entity_type: 'CAMPAIGN', user_groups: groups }
}
const create = (body: Body) => scene.json('POST', 'ab_tests', body)
const update = (id: string, body: Body) => scene.json('PUT', `ab_tests/${id}`, body)
async function made(body?: Body) {
  const answer = await create(body ?? (await testOf('50', '50')))
  expect(answer.status, answer.text).toBe(200)
  return answer.body.data
}
const advance = (days: number) => scene.server.command('clock', { advance_ms: days * DAY * 1000 })
const idsOf = async (values: Record<string, string | number | boolean>) =>
  (await scene.get('ab_tests', values)).body.data.map((item: { id: string }) => item.id)

/** The parameter and the details of a refusal. */
async function refused(body: Body, status = 400) {
  const answer = await create(body)
  expect(answer.status, answer.text).toBe(status)
  const [{ code, parameter, details }] = answer.body.errors
  return { code, parameter, details }
}

test('a new test is scheduled, and shows groups, creator and sizes with a decimal', async () => {
  const body = await testOf('33.33', '66.67')
  const data = await made({ ...body, name: 'Colours', description: 'Red or blue' })
  expect(data).toMatchObject({
    name: 'Colours',
    description: 'Red or blue',
    entity_type: 'CAMPAIGN',
    status: 'SCHEDULED',
    start_time: body.start_time,
    end_time: body.end_time,
    deleted: false,
    created_by: { username: 'alice' },
    updated_by: { username: 'alice' },
  })
  expect(data.user_groups.map((item: Body) => item.size)).toEqual(['33.33', '66.67'])
  expect(data.user_groups.map((item: Body) => item.entity_ids)).toEqual(
    (body.user_groups as Body[]).map((item) => item.entity_ids),
  )
  expect(data.entities).toEqual(data.user_groups.map((item: Body) => ({ id: item.id, account_id: scene.account })))
  expect((await made()).user_groups[0].size).toBe('50.0')
})

describe('a new test is refused', () => {
  test('without a JSON body', async () => {
    const answer = await scene.post('ab_tests', { entity_type: 'CAMPAIGN' })
    expect(answer.status).toBe(415)
  })

  test('if it begins or ends in the past, ends too early or has no members', async () => {
    const body = await testOf('50', '50')
    expect(await refused({ ...body, start_time: time(-1) })).toMatchObject({ parameter: 'start_time' })
    expect(await refused({ ...body, start_time: time(-3), end_time: time(-1) })).toMatchObject({
      code: 'INVALID_TIME_WINDOW',
    })
    expect(await refused({ ...body, end_time: time(1.9) })).toMatchObject({
      parameter: 'end_time',
      details: 'a test lasts at least 1 day',
    })
    const { user_groups: _, ...rest } = body
    expect(await refused(rest)).toMatchObject({ code: 'MISSING_PARAMETER', parameter: 'user_groups' })
    expect(await refused({ ...body, start_time: 'soon' })).toMatchObject({ parameter: 'start_time' })
  })

  test('with sizes out of range, with more decimals, or that do not add up', async () => {
    const [a, b] = [await scene.campaign(), await scene.campaign()]
    const body = await testOf('50', '50')
    for (const [first, second] of [
      ['0.99', '99.01'],
      ['50.001', '49.999'],
      ['100', '0'],
    ] as const)
      expect((await refused({ ...body, user_groups: [group(first, a), group(second, b)] })).parameter).toBe(
        'user_groups[0].size',
      )
    expect(await refused({ ...body, user_groups: [group('50', a), group('49.99', b)] })).toMatchObject({
      parameter: 'user_groups',
      details: 'the sizes must add up to 100.00',
    })
    expect((await refused({ ...body, user_groups: [group('50', a)] })).parameter).toBe('user_groups')
    const many = Array.from({ length: 31 }, () => group('3', a))
    expect((await refused({ ...body, user_groups: many })).parameter).toBe('user_groups')
  })

  test('with an entity that is missing, repeated, or in another test', async () => {
    const body = await testOf('50', '50')
    const [first, second] = body.user_groups as { entity_ids: string[] }[]
    expect(await refused({ ...body, user_groups: [first, group('50', 'zzz')] }, 404)).toMatchObject({
      code: 'CAMPAIGN_NOT_FOUND',
    })
    expect(await refused({ ...body, user_groups: [first, first] })).toMatchObject({
      details: 'an entity can be in one group only',
    })
    const { id } = await made(body)
    const again = { ...(await testOf('50', '50')), user_groups: [second, group('50', await scene.campaign())] }
    expect(await refused(again)).toMatchObject({ details: 'an entity can belong to one A/B test only' })
    await scene.delete(`ab_tests/${id}`)
    await made(again)
  })

  test('if it does not overlap the flight of an entity', async () => {
    const body = await testOf('50', '50')
    const [{ entity_ids: campaigns }] = body.user_groups as [{ entity_ids: string[] }]
    await scene.lineItem({ campaign_id: campaigns[0]!, start_time: time(9), end_time: time(30) })
    expect(await refused(body)).toMatchObject({ code: 'INVALID_TIME_WINDOW', parameter: 'start_time' })
    await made({ ...body, end_time: time(10) })
  })

  test('if it is about apps and lasts less than five days', async () => {
    const body = await testOf('50', '50')
    const [{ entity_ids: campaigns }] = body.user_groups as [{ entity_ids: string[] }]
    await scene.lineItem({
      campaign_id: campaigns[0]!,
      objective: 'APP_INSTALLS',
      goal: 'APP_CLICKS',
      platform_a_app_store_identifier: 'com.example.app',
    })
    expect(await refused({ ...body, end_time: time(5.9) })).toMatchObject({
      details: 'a test of app campaigns lasts at least 5 days',
    })
    await made({ ...body, end_time: time(6.1) })
  })
})

test('a test of line items takes every line item of a campaign, one in each of at most five equal groups', async () => {
  const campaign_id = await scene.campaign()
  const items: string[] = []
  for (let at = 0; at < 3; at++) items.push(await scene.lineItem({ campaign_id }))
  const [a, b, c] = items as [string, string, string]
  const body = { start_time: time(1), end_time: time(8), entity_type: 'LINE_ITEM' }
  const refusal = async (...groups: Body[]) => (await refused({ ...body, user_groups: groups })).details
  expect(await refusal(group('50', a), group('50', b))).toBe('every line item of the campaign must take part')
  expect(await refusal(group('50', a, b), group('50', c))).toBe('each group of a test of line items has one line item')
  expect(await refusal(group('30', a), group('30', b), group('40', c))).toBe(
    'the groups of a test of line items have equal sizes',
  )
  expect(await refusal(group('50', a), group('50', await scene.lineItem()))).toBe(
    'the line items of a test belong to one campaign',
  )
  const six = Array.from({ length: 6 }, (_, at) => group(at < 4 ? '16.67' : '16.66', `${at}abc`))
  expect(await refusal(...six)).toBe('a test of line items has at most 5 groups')
  const data = await made({ ...body, user_groups: [group('33.33', a), group('33.33', b), group('33.34', c)] })
  expect(data.entity_type).toBe('LINE_ITEM')
})

describe('an update', () => {
  test('changes what it names, removes what is null, and patches groups by id', async () => {
    const before = await made({ ...(await testOf('40', '60')), name: 'Colours', description: 'Old' })
    const [first, second] = before.user_groups
    const more = await scene.campaign()
    const answer = await update(before.id, {
      description: null,
      user_groups: [
        { id: first.id, size: '60', name: 'Red', entity_ids: [more] },
        { id: second.id, size: '40' },
      ],
    })
    expect(answer.status, answer.text).toBe(200)
    expect(answer.body.data).toMatchObject({
      name: 'Colours',
      description: null,
      user_groups: [
        { id: first.id, size: '60.0', name: 'Red', entity_ids: [more] },
        { id: second.id, size: '40.0', name: null, entity_ids: second.entity_ids },
      ],
    })
    const replaced = await update(before.id, {
      user_groups: [group('50', more), group('50', await scene.campaign())],
    })
    expect(replaced.body.data.user_groups.map((item: Body) => item.id)).not.toContain(first.id)
  })

  test('is refused with mixed, unknown or incomplete groups, and changes nothing', async () => {
    const before = await made()
    const [first] = before.user_groups
    const campaign = await scene.campaign()
    for (const user_groups of [
      [{ id: first.id, size: '50' }, group('50', campaign)],
      [{ id: 'zzzz', size: '50' }],
      [{ id: first.id, size: '49' }],
      [group('50', campaign), { size: '50' }],
      [{ id: first.id, entity_ids: [] }],
    ]) {
      const answer = await update(before.id, { name: 'Changed', user_groups })
      expect(answer.status, answer.text).toBe(400)
    }
    const [after] = (await scene.get('ab_tests', { ab_test_ids: before.id })).body.data
    expect(after).toEqual(before)
  })

  test('of two at once, both count', async () => {
    const before = await made()
    const [first, second] = before.user_groups
    await Promise.all([
      update(before.id, { user_groups: [{ id: first.id, name: 'A' }] }),
      update(before.id, { user_groups: [{ id: second.id, name: 'B' }] }),
    ])
    const [after] = (await scene.get('ab_tests', { ab_test_ids: before.id })).body.data
    expect(after.user_groups.map((item: Body) => item.name)).toEqual(['A', 'B'])
  })

  test('of a live test may only move its end, and a completed one is frozen', async () => {
    const { id } = await made()
    await advance(2)
    expect((await scene.get('ab_tests', { ab_test_ids: id })).body.data[0].status).toBe('LIVE')
    const refusedName = await update(id, { name: 'Later' })
    expect(refusedName.body.errors[0]).toMatchObject({ code: 'INVALID_PARAMETER', parameter: 'name' })
    expect((await update(id, { start_time: time(1) })).status).toBe(400)
    expect((await update(id, { end_time: time(-0.5) })).status).toBe(400)
    const later = time(20)
    const moved = await update(id, { end_time: later })
    expect(moved.body.data, moved.text).toMatchObject({ end_time: later, status: 'LIVE' })
    await advance(21)
    expect((await scene.get('ab_tests', { ab_test_ids: id })).body.data[0].status).toBe('COMPLETED')
    const frozen = await update(id, { end_time: time(5) })
    expect(frozen.body.errors[0]).toMatchObject({ details: 'cannot be changed: the test is COMPLETED' })
  })

  test('of a test that is not there is not found', async () => {
    expect((await update('zzz', { name: 'x' })).status).toBe(404)
  })
})

test('a deleted test comes back once, is listed with with_deleted, and cannot be deleted again', async () => {
  const { id } = await made()
  const answer = await scene.delete(`ab_tests/${id}`)
  expect(answer.body.data).toMatchObject({ id, deleted: true })
  expect((await scene.delete(`ab_tests/${id}`)).status).toBe(404)
  expect(await idsOf({ ab_test_ids: id })).toEqual([])
  expect(await idsOf({ ab_test_ids: id, with_deleted: true })).toEqual([id])
})

test('lists are filtered by time, name, status and creator, and paged', async () => {
  const soon = await made({ ...(await testOf('50', '50')), name: 'Needle one' })
  const later = await made({
    ...(await testOf('50', '50')),
    name: 'Needle two',
    start_time: time(3),
    end_time: time(5),
  })
  const both = [soon.id, later.id]
  const q = { q: 'needle' }
  expect(await idsOf(q)).toEqual(both)
  expect(await idsOf({ q: 'needle two' })).toEqual([later.id])
  expect(await idsOf({ ...q, live_during: `${time(1.1)},${time(2)}` })).toEqual([soon.id])
  expect(await idsOf({ ...q, live_during: `${time(4)},${time(6)}` })).toEqual(both)
  expect(await idsOf({ ...q, live_during: `${time(9)},${time(10)}` })).toEqual([])
  expect(await idsOf({ ...q, username: 'ALICE' })).toEqual(both)
  expect(await idsOf({ ...q, username: 'nobody_here' })).toEqual([])
  expect(await idsOf({ ...q, user_id: soon.created_by.user_id })).toEqual(both)
  expect(await idsOf({ ...q, user_id: '12' })).toEqual([])
  expect(await idsOf({ ...q, status: 'SCHEDULED' })).toEqual(both)
  expect(await idsOf({ ...q, status: 'LIVE' })).toEqual([])
  const page = await scene.get('ab_tests', { ...q, count: 1, sort_by: 'start_time-desc' })
  expect(page.body.data[0].id).toBe(later.id)
  expect(await idsOf({ ...q, count: 1, sort_by: 'start_time-desc', cursor: page.body.next_cursor })).toEqual([soon.id])
  await advance(2)
  expect(await idsOf({ ...q, status: 'LIVE' })).toEqual([soon.id])
  await advance(8)
  expect(await idsOf({ ...q, status: 'COMPLETED' })).toEqual(both)
  const refusals = [
    { user_id: '12', username: 'alice' },
    { username: '@alice' },
    { live_during: `${time(2)},${time(1)}` },
    { live_during: time(2) },
    { status: 'OVER' },
  ]
  for (const values of refusals) expect((await scene.get('ab_tests', values)).status).toBe(400)
  const exclusive = await scene.get('ab_tests', refusals[0])
  expect(exclusive.body.errors[0].code).toBe('EXCLUSIVE_PARAMETERS')
})

test('people stay in their group, the groups have their sizes, and two tests are independent', async () => {
  const first = await made(await testOf('10', '30', '60'))
  const second = await made(await testOf('50', '50'))
  await advance(2)
  const { database, clock } = scene.server.runtime
  const running = new Map((await readRunningTests(database, clock.now())).map((item) => [item.id, item]))
  const find = (id: string) => running.get(parseBase36(id)!) as RunningTest
  const [a, b] = [find(first.id), find(second.id)]
  expect(a.groups[0]!.entityIds).toEqual(new Set([parseBase36(first.user_groups[0].entity_ids[0])]))
  const again = structuredClone(a)
  const PEOPLE = 20_000
  let moved = 0
  const counts = [0, 1, 2].map(() => [0, 0])
  for (let viewer = 1; viewer <= PEOPLE; viewer++) {
    counts[armOf(a, viewer)]![armOf(b, viewer)]! += 1
    if (armOf(a, viewer) !== armOf(again, viewer)) moved += 1
  }
  expect(moved).toBe(0)
  // Four standard deviations of a share of 20,000 people are less than 1.5 %.
  const differences = counts.flatMap((row, at) => row.map((count) => Math.abs(count / PEOPLE - [0.05, 0.15, 0.3][at]!)))
  expect(Math.max(...differences)).toBeLessThan(0.015)
  await advance(20)
  expect(await readRunningTests(database, clock.now())).toEqual([])
})
