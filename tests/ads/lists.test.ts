import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AdsScene, startAdsScene } from './ads-scene.ts'

interface Listed {
  id: string
  name: string
  daily_budget_amount_local_micro: number
  total_budget_amount_local_micro: number | null
  standard_delivery: boolean | null
}

let scene: AdsScene
beforeAll(async () => {
  scene = await startAdsScene()
  // Equal values in each attribute, and members without a value.
  const made: [name: string, daily: number, total: number | undefined, delivery: boolean | undefined][] = [
    ['b', 2, 20, true],
    ['a', 2, undefined, false],
    ['b', 1, 20, undefined],
    ['c', 1, 10, true],
    ['a', 3, undefined, undefined],
    ['c_c', 2, 10, false],
  ]
  for (const [name, daily, total, standard_delivery] of made)
    await scene.campaign({
      name,
      daily_budget_amount_local_micro: daily * 1_000_000,
      total_budget_amount_local_micro: total && total * 1_000_000,
      standard_delivery,
    })
})
afterAll(() => scene.close())

const listed = async (values: Record<string, string | number | boolean | undefined> = {}): Promise<Listed[]> => {
  const answer = await scene.get('campaigns', values)
  expect(answer.status, answer.text).toBe(200)
  return answer.body.data
}
const idsOf = (records: Listed[]) => records.map(({ id }) => id)

/** The ids of all pages of one record each. */
async function pagedIds(sort_by: string): Promise<string[]> {
  const ids: string[] = []
  let cursor: string | undefined
  do {
    const { body } = await scene.get('campaigns', { sort_by, count: 1, cursor })
    ids.push(...idsOf(body.data))
    cursor = body.next_cursor ?? undefined
  } while (cursor && ids.length < 20)
  return ids
}

/** The value by which a record is sorted: one without a value comes first. */
const sortValue = (record: Listed, attribute: string): string | number => {
  const value = record[attribute as keyof Listed]
  return attribute === 'name' ? (value as string) : Number(value ?? (attribute === 'standard_delivery' ? 0 : -1))
}

const compare = (sort_by: string) => (left: Listed, right: Listed) => {
  for (const part of sort_by.split(',')) {
    const [attribute, direction] = part.split('-') as [string, string]
    const [one, other] = [sortValue(left, attribute), sortValue(right, attribute)]
    if (one !== other) return one < other === (direction === 'asc') ? -1 : 1
  }
  // The id decides in the direction of the first attribute.
  const isUp = sort_by.split(',')[0]!.endsWith('-asc')
  const [one, other] = [Number.parseInt(left.id, 36), Number.parseInt(right.id, 36)]
  return one < other === isUp ? -1 : 1
}

describe('a list in an order', () => {
  test.each([
    'name-asc',
    'name-desc',
    'total_budget_amount_local_micro-asc',
    'total_budget_amount_local_micro-desc,name-asc',
    'standard_delivery-asc,name-desc',
    'standard_delivery-desc,daily_budget_amount_local_micro-asc,name-asc',
  ])('of %s has the records without a value first, and its pages have the same order', async (sort_by) => {
    const expected = idsOf([...(await listed())].sort(compare(sort_by)))
    expect(idsOf(await listed({ sort_by }))).toEqual(expected)
    expect(await pagedIds(sort_by)).toEqual(expected)
  })

  test('by creation goes up or down, and what follows it changes nothing', async () => {
    const created = idsOf(await listed())
    expect(idsOf(await listed({ sort_by: 'created_at-desc' }))).toEqual([...created].reverse())
    expect(idsOf(await listed({ sort_by: 'created_at-asc,name-desc' }))).toEqual(created)
    expect(await pagedIds('created_at-desc,name-asc')).toEqual([...created].reverse())
  })

  test('is the same beyond the number of orders that are kept prepared', async () => {
    const attributes = [
      'name',
      'daily_budget_amount_local_micro',
      'total_budget_amount_local_micro',
      'standard_delivery',
    ]
    const single = attributes.flatMap((name) => [`${name}-asc`, `${name}-desc`])
    const orders = single.flatMap((first) =>
      single
        .filter((second) => second.split('-')[0] !== first.split('-')[0])
        .flatMap((second) => [
          `${first},${second}`,
          `${first},${second},deleted-asc`,
          `deleted-asc,${first},${second}`,
        ]),
    )
    expect(orders.length).toBeGreaterThan(100)
    const all = await listed()
    for (const sort_by of orders) {
      const order = sort_by.replace(/,?deleted-asc,?/, '')
      // `deleted` is equal everywhere; in front it decides the direction of the id.
      if (sort_by.startsWith('deleted')) expect(await listed({ sort_by })).toHaveLength(6)
      else expect(idsOf(await listed({ sort_by })), sort_by).toEqual(idsOf([...all].sort(compare(order))))
    }
    const counted = await scene.get('campaigns', {
      q: 'a',
      funding_instrument_ids: scene.funding,
      with_draft: true,
      with_total_count: true,
    })
    expect(counted.body).toMatchObject({ total_count: 2, data: [{ name: 'a' }, { name: 'a' }] })
    const last = await scene.get('campaigns', { sort_by: 'name-desc,deleted-desc,standard_delivery-asc', count: 5 })
    expect(last.body.data).toHaveLength(5)
    const end = await scene.get('campaigns', {
      sort_by: 'name-desc,deleted-desc,standard_delivery-asc',
      cursor: last.body.next_cursor,
    })
    expect(end.body.data).toHaveLength(1)
    expect(end.body.next_cursor).toBeNull()
  })
})

describe('a page', () => {
  test('that ends the list has no next one, also when it is full', async () => {
    expect((await scene.get('campaigns', { count: 6 })).body.next_cursor).toBeNull()
    expect((await scene.get('campaigns', { count: 5 })).body.next_cursor).toEqual(expect.any(String))
    expect((await scene.get('campaigns', { campaign_ids: 'zz' })).body).toMatchObject({ data: [], next_cursor: null })
  })

  const written = (value: unknown) =>
    Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')
  test.each([
    ['is not JSON', 'not json'],
    ['is not an array', { 0: 'id+', 1: '1' }],
    ['is null', null],
    ['has no value', ['id+']],
    ['has a value too many', ['id+', '1', '2']],
    ['has a value that is not plain', ['id+', {}]],
    ['has a fraction', ['id+', 1.5]],
    ['has a text that is too long', ['id+', 'x'.repeat(1_001)]],
    ['has a zero byte', ['id+', '1\0']],
    ['has no id', ['id+', 'abc']],
    ['has an id beyond 64 bits', ['id+', '9223372036854775808']],
  ])('is refused where its cursor %s', async (_, value) => {
    const answer = await scene.get('campaigns', { cursor: written(value) })
    expect(answer.status, answer.text).toBe(400)
    expect(answer.body.errors).toEqual([
      {
        code: 'INVALID_PARAMETER',
        message: 'Expected a valid value for the parameter',
        parameter: 'cursor',
        details: 'is not a next_cursor of this list',
      },
    ])
  })

  test('of another order says so', async () => {
    const { next_cursor: cursor } = (await scene.get('campaigns', { count: 1, sort_by: 'name-asc' })).body
    for (const sort_by of [undefined, 'name-desc', 'deleted-asc'])
      expect((await scene.get('campaigns', { cursor, sort_by })).body.errors[0]).toMatchObject({ parameter: 'cursor' })
    expect((await scene.get('campaigns', { cursor, sort_by: 'name-desc' })).body.errors[0].details).toBe(
      'belongs to a list with another sort_by',
    )
  })

  test('of the history of an account has a cursor of the same form', async () => {
    const history = (cursor: string) =>
      scene.get('account_history', {
        entity_type: 'CAMPAIGN',
        entity_id: '1',
        start_time: '2026-01-01',
        end_time: '2026-02-01',
        cursor,
      })
    for (const value of [['in time', 'x'], ['in time'], ['id+', '1'], ['in time', '9223372036854775808'], 7])
      expect((await history(written(value))).body.errors?.[0], JSON.stringify(value)).toMatchObject({
        parameter: 'cursor',
      })
    expect((await history(written(['id+', '1']))).body.errors[0].details).toBe('belongs to a list with another sort_by')
    const cursor = written(['in time', '1'])
    const answer = await history(cursor)
    expect(answer.status, answer.text).toBe(200)
    expect(answer.body.request.params.cursor).toBe(cursor)
  })
})

describe('a filter', () => {
  test('finds signs of patterns as they are', async () => {
    expect((await listed({ q: 'c_' })).map(({ name }) => name)).toEqual(['c_c'])
    expect(await listed({ q: 'c\\' })).toEqual([])
  })

  test('narrows the total count too, also by a record further up', async () => {
    const count = async (values: object) =>
      (await scene.get('campaigns', { with_total_count: true, ...values })).body.total_count
    expect(await count({ q: 'a' })).toBe(2)
    expect(await count({ q: 'a', count: 1 })).toBe(2)
    expect(await count({ funding_instrument_ids: scene.funding })).toBe(6)
    expect(await count({ funding_instrument_ids: 'zz' })).toBe(0)
    const item = await scene.lineItem()
    const items = async (funding_instrument_ids: string) =>
      (await scene.get('line_items', { funding_instrument_ids, with_total_count: true })).body
    expect(await items(scene.funding)).toMatchObject({ total_count: 1, data: [{ id: item }] })
    expect(await items('zz')).toMatchObject({ total_count: 0, data: [] })
    await scene.delete(`campaigns/${(await scene.get(`line_items/${item}`)).body.data.campaign_id}`)
  })

  test('of a list below a record finds only what belongs to that record', async () => {
    const granted = await scene.server.command('ads.account.create', { owner: 'alice', sandbox: true })
    await scene.server.command('ads.account.set', {
      account: scene.account,
      add_features: ['SHARE_AUDIENCE_OUTSIDE_BUSINESS'],
    })
    const [one, other] = [
      (await scene.made('custom_audiences', { name: 'One' })).id,
      (await scene.made('custom_audiences', { name: 'Other' })).id,
    ]
    const path = `custom_audiences/${one}/permissions`
    const permission = await scene.made(path, { granted_account_id: granted.id, permission_level: 'READ_ONLY' })
    expect((await scene.get(path)).body.data).toHaveLength(1)
    expect((await scene.get(`custom_audiences/${other}/permissions`)).body.data).toEqual([])
    const astray = await scene.delete(`custom_audiences/${other}/permissions/${permission.id}`)
    expect(astray.status).toBe(404)
    expect((await scene.get('custom_audiences/zz/permissions')).status).toBe(404)
    expect((await scene.delete(`${path}/${permission.id}`)).status).toBe(200)
  })
})
