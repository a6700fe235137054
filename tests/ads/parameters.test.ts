import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TestAnswer } from '../support/server.ts'
import { type AdsScene, ALICE, startAdsScene } from './ads-scene.ts'

let scene: AdsScene
let campaign: string
let item: string
beforeAll(async () => {
  scene = await startAdsScene()
  campaign = await scene.campaign()
  item = await scene.lineItem({ campaign_id: campaign })
})
afterAll(() => scene.close())

const firstError = (answer: TestAnswer) => {
  expect(answer.status, answer.text).toBe(400)
  return answer.body.errors[0]
}
/** One update in a batch, where values are JSON. */
const update = (params: Record<string, unknown>, plural = 'campaigns', id: object = { campaign_id: campaign }) =>
  scene.server.request('POST', `/ads-sandbox/12/batch/accounts/${scene.account}/${plural}`, {
    as: ALICE,
    json: [{ operation_type: 'Update', params: { ...id, ...params } }],
  })
const updateItem = (params: Record<string, unknown>) => update(params, 'line_items', { line_item_id: item })
const firstOfBatch = (answer: TestAnswer) => {
  expect(answer.status, answer.text).toBe(400)
  return answer.body.operation_errors[0][0]
}

describe('a truth value', () => {
  test.each([
    ['true', true],
    ['T', true],
    ['1', true],
    ['TRUE', true],
    ['false', false],
    ['f', false],
    ['0', false],
    ['False', false],
  ])('can be sent as %s', async (standard_delivery, value) => {
    const answer = await scene.put(`campaigns/${campaign}`, { standard_delivery })
    expect(answer.body.data?.standard_delivery, answer.text).toBe(value)
    expect(answer.body.request.params.standard_delivery).toBe(value)
  })

  test.each(['yes', '2', 'tr', 'on'])('cannot be sent as %s', async (standard_delivery) => {
    const error = firstError(await scene.put(`campaigns/${campaign}`, { standard_delivery }))
    expect(error).toMatchObject({ parameter: 'standard_delivery', details: 'must be true or false' })
    expect(error.value).toBe(standard_delivery)
  })

  test('is JSON in a batch, or the same text', async () => {
    for (const [sent, value] of [
      [true, true],
      [false, false],
      ['t', true],
    ])
      expect((await update({ standard_delivery: sent })).body.data[0].standard_delivery).toBe(value)
    for (const sent of [1, 0, {}, []])
      expect(firstOfBatch(await update({ standard_delivery: sent })), String(sent)).toMatchObject({
        parameter: 'standard_delivery',
        details: 'must be true or false',
      })
  })
})

describe('a number', () => {
  test.each(['1.5', '1e3', '', ' 7', '+7', '123456789012345678', 'seven'])('cannot be sent as %o', async (count) => {
    expect(firstError(await scene.get('campaigns', { count }))).toMatchObject({
      parameter: 'count',
      details: 'must be an integer',
    })
  })

  test('has its bounds, which belong to it', async () => {
    for (const count of [1, 1_000]) expect((await scene.get('campaigns', { count })).status).toBe(200)
    for (const count of [-1, 0, 1_001])
      expect(firstError(await scene.get('campaigns', { count }))).toMatchObject({
        parameter: 'count',
        details: 'must be between 1 and 1000',
        value: String(count),
      })
  })

  test('can be one of a few', async () => {
    const error = firstError(await scene.put(`line_items/${item}`, { duration_in_days: 2 }))
    expect(error).toMatchObject({ parameter: 'duration_in_days', details: 'must be one of 1, 7, 30' })
  })

  test('of money is never negative and never beyond what JSON holds exactly', async () => {
    const name = 'total_budget_amount_local_micro'
    const put = (value: string) => scene.put(`campaigns/${campaign}`, { [name]: value })
    expect(firstError(await put('-1'))).toMatchObject({
      parameter: name,
      details: expect.stringContaining('between 0'),
    })
    expect(firstError(await put('99999999999999999'))).toMatchObject({ parameter: name, details: 'must be an integer' })
    const most = await put('9000000000000000')
    expect(most.body.data?.[name], most.text).toBe(9_000_000_000_000_000)
  })

  test('is JSON in a batch, or the same text', async () => {
    const name = 'total_budget_amount_local_micro'
    for (const sent of [7_000_000, '7000000'])
      expect((await update({ [name]: sent })).body.data[0][name]).toBe(7_000_000)
    for (const sent of [1.5, true, [1], 1e300])
      expect(firstOfBatch(await update({ [name]: sent }))).toMatchObject({
        parameter: name,
        details: 'must be an integer',
      })
  })
})

describe('a text', () => {
  test('is counted in characters, and its bounds belong to it', async () => {
    const put = (name: string) => scene.put(`campaigns/${campaign}`, { name })
    for (const name of ['x', 'x'.repeat(255), '😀'.repeat(255)]) expect((await put(name)).body.data?.name).toBe(name)
    const long = firstError(await put('y'.repeat(256)))
    expect(long).toMatchObject({ parameter: 'name', details: 'must be 1 to 255 characters long' })
    expect(long.value).toBe('y'.repeat(200))
  })

  test('is a string in a batch', async () => {
    for (const name of [1, true, ['x'], {}])
      expect(firstOfBatch(await update({ name })), String(name)).toMatchObject({
        parameter: 'name',
        details: 'must be a string',
        value: name,
      })
  })

  test('that has a form is refused with what the form is', async () => {
    const error = firstError(await scene.put(`line_items/${item}`, { advertiser_domain: `https://${'a'.repeat(230)}` }))
    expect(error).toMatchObject({ parameter: 'advertiser_domain', details: 'must be a domain without a protocol' })
    expect(error.value).toHaveLength(200)
  })
})

describe('a list', () => {
  test('is separated by commas, around which blanks do not matter', async () => {
    const other = await scene.campaign()
    const { body } = await scene.get('campaigns', { campaign_ids: `${campaign} , ${other.toUpperCase()}` })
    expect(body.request.params.campaign_ids).toEqual([campaign, other])
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual([campaign, other])
  })

  test('is an array in a batch', async () => {
    expect((await updateItem({ categories: ['IAB1', 'IAB2-1'] })).body.data[0].categories).toEqual(['IAB1', 'IAB2-1'])
    expect((await updateItem({ categories: 'IAB3,IAB4' })).body.data[0].categories).toEqual(['IAB3', 'IAB4'])
    for (const categories of [7, true, { 0: 'IAB1' }])
      expect(firstOfBatch(await updateItem({ categories }))).toMatchObject({
        parameter: 'categories',
        details: 'must be a comma-separated list',
      })
  })

  test('has its own number of items and valid ones', async () => {
    expect(firstError(await scene.get('campaigns', { campaign_ids: '' }))).toMatchObject({
      parameter: 'campaign_ids',
      details: 'must have 1 to 200 items',
    })
    expect(firstError(await scene.get('campaigns', { campaign_ids: `${campaign},x y` }))).toMatchObject({
      parameter: 'campaign_ids',
      details: 'must be an id in base 36',
      value: 'x y',
    })
    expect(firstOfBatch(await updateItem({ categories: [] }))).toMatchObject({ details: 'must have 1 to 200 items' })
    expect(firstError(await scene.get('campaigns', { sort_by: 'name-asc,oops' }))).toMatchObject({ value: 'oops' })
  })
})

describe('an id', () => {
  test('is in base 36, in either case, and fits 64 bits', async () => {
    for (const ids of ['1y2p0ij32e8e7', '1Y2P0IJ32E8E7', '0'])
      expect((await scene.get('campaigns', { campaign_ids: ids })).body.data).toEqual([])
    for (const ids of ['1y2p0ij32e8e8', 'zzzzzzzzzzzzz', '00000000000001', 'a-b', 'ä'])
      expect(firstError(await scene.get('campaigns', { campaign_ids: ids })), ids).toMatchObject({
        parameter: 'campaign_ids',
        details: 'must be an id in base 36',
      })
  })

  test('in a path is a missing record where it is not one, and illegal with other characters', async () => {
    for (const [id, code] of [
      ['zzzzzzzzzzzzz', 'CAMPAIGN_NOT_FOUND'],
      ['under_score', 'CAMPAIGN_NOT_FOUND'],
      ['a-b', 'INVALID_ID_ILLEGAL_CHARACTERS'],
      ['a%20b', 'INVALID_ID_ILLEGAL_CHARACTERS'],
    ] as const) {
      const answer = await scene.get(`campaigns/${id}`)
      expect(answer.status).toBe(404)
      expect(answer.body.errors).toEqual([
        {
          code,
          message: 'No such record can be found here',
          parameter: 'campaign_id',
          value: decodeURIComponent(id),
        },
      ])
    }
  })

  test('of a user is a decimal number, echoed with all of its digits', async () => {
    const ask = (user_id: string) =>
      scene.get('account_history', {
        entity_type: 'CAMPAIGN',
        entity_id: campaign,
        start_time: '2026-01-01',
        end_time: '2026-02-01',
        user_id,
      })
    const answer = await ask('9223372036854775807')
    expect(answer.status, answer.text).toBe(200)
    expect(answer.text).toContain('"user_id":9223372036854775807')
    for (const user_id of ['9223372036854775808', '-1', 'abc', '1.5'])
      expect(firstError(await ask(user_id))).toMatchObject({ parameter: 'user_id', details: 'must be a 64-bit number' })
  })
})

describe('a time', () => {
  test.each([
    ['2031-05-01', '2031-05-01T00:00:00Z'],
    ['2031-05-01T10:20', '2031-05-01T10:20:00Z'],
    ['2031-05-01T10:20:30', '2031-05-01T10:20:30Z'],
    ['2031-05-01t10:20:30z', '2031-05-01T10:20:30Z'],
    ['2031-05-01T10:20:30.999Z', '2031-05-01T10:20:30Z'],
    [' 2031-05-01T23:59:59Z ', '2031-05-01T23:59:59Z'],
    ['2031-05-01T10:20:30+02', '2031-05-01T08:20:30Z'],
    ['2031-05-01T10:20:30-02:30', '2031-05-01T12:50:30Z'],
    ['2032-02-29', '2032-02-29T00:00:00Z'],
    ['2031-05-01T00:00:00+0059', '2031-04-30T23:01:00Z'],
  ])('can be %s', async (end_time, shown) => {
    const answer = await scene.put(`line_items/${item}`, { end_time })
    expect(answer.body.data?.end_time, answer.text).toBe(shown)
    expect(answer.body.request.params.end_time).toBe(shown)
  })

  test.each([
    '2031-02-29',
    '2031-04-31',
    '2031-13-01',
    '2031-00-10',
    '2031-01-00',
    '2031-05-01T24:00',
    '2031-05-01T10:60',
    '2031-05-01T10:20:60',
    '2031-05-01T10',
    '2031-05-01 10:20:30',
    '2031-05-01T10:20:30Zulu',
    'x2031-05-01',
    '2031-5-1',
    '2031-05-01T10:20:30.Z',
    '2031-05-01T10:20:30+2',
    '1969-12-31T23:00:00Z',
  ])('cannot be %s', async (end_time) => {
    expect(firstError(await scene.put(`line_items/${item}`, { end_time }))).toMatchObject({
      parameter: 'end_time',
      details: 'must be an ISO 8601 date and time',
      value: end_time,
    })
  })

  test('is text in a batch', async () => {
    expect(firstOfBatch(await updateItem({ end_time: 1_900_000_000 }))).toMatchObject({ parameter: 'end_time' })
  })
})

describe('an empty value', () => {
  test('of a required parameter is a missing one', async () => {
    const answer = await scene.post('campaigns', {
      name: '',
      funding_instrument_id: scene.funding,
      daily_budget_amount_local_micro: 1,
    })
    expect(firstError(answer)).toMatchObject({ code: 'MISSING_PARAMETER', parameter: 'name', details: 'is empty' })
  })

  test('clears only members that may be without a value, and is echoed as null', async () => {
    await scene.put(`line_items/${item}`, { name: 'Named' })
    const cleared = await scene.put(`line_items/${item}`, { name: '' })
    expect(cleared.body.data.name).toBeNull()
    expect(cleared.body.request.params.name).toBeNull()
    for (const name of ['entity_status', 'goal'])
      expect(firstError(await scene.put(`line_items/${item}`, { [name]: '' })), name).toMatchObject({
        code: 'INVALID_PARAMETER',
        parameter: name,
        details: 'cannot be cleared',
      })
    expect(firstError(await scene.put(`campaigns/${campaign}`, { name: '' }))).toMatchObject({
      code: 'INVALID_PARAMETER',
      parameter: 'name',
      details: 'cannot be cleared',
    })
  })

  test('of an optional parameter is read like any other when a record is created', async () => {
    const answer = await scene.post('campaigns', {
      name: 'x',
      funding_instrument_id: scene.funding,
      daily_budget_amount_local_micro: '',
    })
    expect(firstError(answer)).toMatchObject({ parameter: 'daily_budget_amount_local_micro' })
  })

  test('is null in a batch: it clears in an update, and is not there in a create', async () => {
    await update({ purchase_order_number: 'PO 7' })
    expect((await update({ purchase_order_number: null })).body).toMatchObject({
      data: [{ purchase_order_number: null }],
      request: [{ params: { purchase_order_number: null } }],
    })
    expect(firstOfBatch(await update({ name: null }))).toMatchObject({ details: 'cannot be cleared' })
    const create = { funding_instrument_id: scene.funding, daily_budget_amount_local_micro: 1_000_000 }
    const send = (params: object) =>
      scene.server.request('POST', `/ads-sandbox/12/batch/accounts/${scene.account}/campaigns`, {
        as: ALICE,
        json: [{ operation_type: 'Create', params }],
      })
    const made = await send({ ...create, name: 'Made', purchase_order_number: null })
    expect(made.status, made.text).toBe(200)
    expect(made.body.request[0].params).not.toHaveProperty('purchase_order_number')
    expect(firstOfBatch(await send({ ...create, name: null }))).toMatchObject({
      code: 'MISSING_PARAMETER',
      parameter: 'name',
    })
  })
})

test('a strict server refuses an unknown parameter with those that are allowed', async () => {
  scene.server.runtime.strict = 'on'
  expect(firstError(await scene.get(`campaigns/${campaign}`, { surprise: 1 }))).toMatchObject({
    code: 'INVALID_PARAMETER',
    parameter: 'surprise',
    details: 'is not a parameter here; allowed are with_deleted',
  })
  expect(firstError(await scene.delete(`campaigns/${campaign}`, { surprise: 1 }))).toMatchObject({
    details: 'is not a parameter here; allowed are none',
  })
  scene.server.runtime.strict = 'off'
})
