import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { TestAnswer } from '../support/server.ts'
import { type AdsScene, ALICE, startAdsScene } from './ads-scene.ts'

let scene: AdsScene
beforeAll(async () => {
  scene = await startAdsScene()
})
afterAll(() => scene.close())
afterEach(() => {
  scene.server.runtime.strict = 'off'
})

const firstError = (answer: TestAnswer) => answer.body.errors[0]
const batch = (plural: string, json: unknown) =>
  scene.server.request('POST', `/ads-sandbox/12/batch/accounts/${scene.account}/${plural}`, { as: ALICE, json })

/** A record as the official library sends it back: every member that has a value, lists repeated, flags as words. */
const sentBack = (record: Record<string, unknown>): string =>
  Object.entries(record)
    .flatMap(([name, value]) =>
      (Array.isArray(value) ? value : [value])
        .filter((item) => item !== null && item !== undefined)
        .map((item) => `${name}=${encodeURIComponent(String(item))}`),
    )
    .join('&')
const save = (plural: string, record: Record<string, unknown>) =>
  scene.server.request(
    'PUT',
    `/ads-sandbox/12/accounts/${scene.account}/${plural}/${record.id}?${sentBack(record)}&to_delete=false`,
    { as: ALICE },
  )

const lastRequest = async () => {
  const answer = await scene.server.get('/_rostra/requests?limit=1', { bearer: scene.server.credentials.admin_key })
  return answer.body.requests.at(-1)
}

describe('a whole record can be sent back', () => {
  test('as the parameters of an update, with one member changed', async () => {
    const campaign = (await scene.get(`campaigns/${await scene.campaign()}`)).body.data
    const renamed = await save('campaigns', { ...campaign, name: 'Renamed' })
    expect(renamed.status, renamed.text).toBe(200)
    expect(renamed.body.data.name).toBe('Renamed')
    const item = (await scene.get(`line_items/${await scene.lineItem()}`)).body.data
    const changed = await save('line_items', { ...item, name: 'Changed' })
    expect(changed.status, changed.text).toBe(200)
    expect(changed.body.data).toEqual({ ...item, name: 'Changed', updated_at: expect.any(String) })
  })

  test('in a batch, to update and to delete', async () => {
    const item = (await scene.get(`line_items/${await scene.lineItem()}`)).body.data
    const params = { ...item, line_item_id: item.id, to_delete: null }
    const updated = await batch('line_items', [{ operation_type: 'Update', params: { ...params, name: 'Changed' } }])
    expect(updated.status, updated.text).toBe(200)
    expect(updated.body.data[0].name).toBe('Changed')
    const removed = await batch('line_items', [{ operation_type: 'Delete', params: { ...params, to_delete: true } }])
    expect(removed.status, removed.text).toBe(200)
    expect(removed.body.data[0].deleted).toBe(true)
  })

  test('but a member that only a creation sets keeps its value', async () => {
    const id = await scene.campaign()
    const other = (
      await scene.made('funding_instruments', { type: 'CREDIT_CARD', currency: 'USD', start_time: '2026-01-01' })
    ).id
    const answer = await scene.put(`campaigns/${id}`, { name: 'After', funding_instrument_id: other })
    expect(answer.status, answer.text).toBe(400)
    expect(firstError(answer)).toMatchObject({
      code: 'INVALID_PARAMETER',
      parameter: 'funding_instrument_id',
      details: 'cannot be changed after creation',
      value: other,
    })
    expect((await scene.get(`campaigns/${id}`)).body.data.name).toBe('Spring')
  })
})

describe('a parameter that an operation does not know', () => {
  test('is ignored and not echoed, and the request log names it', async () => {
    const answer = await scene.get('campaigns', { surprise: 1, __proto__x: 2, count: 5 })
    expect(answer.status, answer.text).toBe(200)
    expect(answer.body.request.params).toEqual({ account_id: scene.account, count: 5 })
    expect((await lastRequest()).details).toEqual({ ignored: 'surprise, __proto__x' })
  })

  test('is ignored in the members of a body too, at every depth', async () => {
    const id = await scene.campaign()
    const answer = await batch('campaigns', [
      { operation_type: 'Update', params: { campaign_id: id, name: 'After', surprise: { a: [1] } }, note: 'x' },
    ])
    expect(answer.status, answer.text).toBe(200)
    expect(answer.body.request[0].params).toEqual({ account_id: scene.account, campaign_id: id, name: 'After' })
    expect((await lastRequest()).details).toEqual({ ignored: 'note, surprise' })
  })

  test('leaves the values of known parameters strictly checked', async () => {
    const answer = await scene.get('campaigns', { surprise: 1, count: 0, with_deleted: 'maybe' })
    expect(answer.body.errors).toMatchObject([{ parameter: 'count' }, { parameter: 'with_deleted' }])
  })

  test('is refused when the server is strict, and so is a member that cannot be changed', async () => {
    const id = await scene.campaign()
    scene.server.runtime.strict = 'on'
    for (const values of [{ surprise: 1 }, { created_at: '2026-01-01' }, { funding_instrument_id: scene.funding }]) {
      const answer = await scene.put(`campaigns/${id}`, values)
      expect(answer.status, answer.text).toBe(400)
      expect(firstError(answer)).toMatchObject({
        parameter: Object.keys(values)[0],
        details: expect.stringContaining('is not a parameter here; allowed are '),
      })
    }
    const inBatch = await batch('campaigns', [{ operation_type: 'Delete', params: { campaign_id: id, name: 'x' } }])
    expect(inBatch.body.operation_errors[0]).toMatchObject([{ parameter: 'name' }])
  })

  test('is refused by a server that was started with --strict on', async () => {
    const strict = await startAdsScene(['--strict', 'on'])
    try {
      expect(firstError(await strict.get('campaigns', { surprise: 1 }))).toMatchObject({ parameter: 'surprise' })
    } finally {
      await strict.close()
    }
  })
})

test('an id of the path may be repeated, but not with another value', async () => {
  const id = await scene.campaign()
  const repeated = await scene.put(`campaigns/${id}`, { campaign_id: id, account_id: scene.account, name: 'After' })
  expect(repeated.status, repeated.text).toBe(200)
  expect(repeated.body.request.params).toEqual({ account_id: scene.account, campaign_id: id, name: 'After' })
  const other = await scene.put(`campaigns/${id}`, { campaign_id: await scene.campaign(), name: 'Other' })
  expect(firstError(other)).toMatchObject({ parameter: 'campaign_id', details: 'differs from the one in the path' })
})
