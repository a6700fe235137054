import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AdsScene, ALICE, startAdsScene } from './ads-scene.ts'

let scene: AdsScene
beforeAll(async () => {
  scene = await startAdsScene()
})
afterAll(() => scene.close())

const batch = (json: unknown, plural = 'campaigns', headers?: Record<string, string>) =>
  scene.server.request('POST', `/ads-sandbox/12/batch/accounts/${scene.account}/${plural}`, {
    as: ALICE,
    json,
    ...(headers ? { headers } : {}),
  })
const create = (values: Record<string, unknown> = {}) => ({
  operation_type: 'Create',
  params: { funding_instrument_id: scene.funding, name: 'x', daily_budget_amount_local_micro: 1_000_000, ...values },
})

describe('an operation of a batch', () => {
  test('names what it does', async () => {
    const answer = await batch([{ params: {} }, { operation_type: 'create', params: {} }, { operation_type: 7 }, {}])
    expect(answer.status).toBe(400)
    expect(answer.body).not.toHaveProperty('errors')
    const missing = {
      code: 'MISSING_PARAMETER',
      message: 'A required parameter is missing',
      parameter: 'operation_type',
    }
    const unknown = (value: unknown) => ({
      code: 'INVALID_PARAMETER',
      message: 'Expected a valid value for the parameter',
      parameter: 'operation_type',
      details: 'must be one of Create, Update, Delete',
      value,
    })
    expect(answer.body.operation_errors).toEqual([[missing], [unknown('create')], [unknown(7)], [missing]])
    expect(answer.body.request).toEqual([
      { params: { account_id: scene.account }, operation_type: null },
      { params: { account_id: scene.account }, operation_type: 'create' },
      { params: { account_id: scene.account }, operation_type: 7 },
      { params: { account_id: scene.account }, operation_type: null },
    ])
  })

  test('has the parameters of what it does, as an object', async () => {
    const answer = await batch([
      { operation_type: 'Create' },
      { operation_type: 'Create', params: null },
      { operation_type: 'Create', params: [] },
      { operation_type: 'Create', params: 'name=x' },
    ])
    expect(answer.status).toBe(400)
    const codes = answer.body.operation_errors.map((errors: { code: string; parameter: string; details?: string }[]) =>
      errors.map(({ code, parameter, details }) => [code, parameter, details]),
    )
    const wrong = [['INVALID_PARAMETER', 'params', 'must be an object']]
    expect(codes).toEqual([[['MISSING_PARAMETER', 'params', undefined]], wrong, wrong, wrong])
  })

  test('names its record when it changes or deletes one', async () => {
    const id = await scene.campaign()
    const operations = [
      { operation_type: 'Update', params: { name: 'x' } },
      { operation_type: 'Delete', params: {} },
      { operation_type: 'Delete', params: { campaign_id: 'a-b' } },
      { operation_type: 'Delete', params: { campaign_id: id, name: 'x' } },
      { operation_type: 'Create', params: { ...create().params, campaign_id: id } },
    ]
    const found = async () => {
      const answer = await batch(operations)
      expect(answer.status).toBe(400)
      return answer.body.operation_errors.map((errors: { code: string; parameter: string }[]) =>
        errors.map(({ code, parameter }) => `${code} ${parameter}`),
      )
    }
    const unnamed = [
      ['MISSING_PARAMETER campaign_id'],
      ['MISSING_PARAMETER campaign_id'],
      ['INVALID_PARAMETER campaign_id'],
    ]
    expect(await found()).toEqual([...unnamed, [], []])
    scene.server.runtime.strict = 'on'
    expect(await found()).toEqual([...unnamed, ['INVALID_PARAMETER name'], ['INVALID_PARAMETER campaign_id']])
    scene.server.runtime.strict = 'off'
    expect((await scene.get(`campaigns/${id}`)).status).toBe(200)
  })

  test('on a record that is not there is an error of its kind, at its index', async () => {
    const [gone, kept] = [await scene.campaign(), await scene.campaign({ name: 'Kept' })]
    await scene.delete(`campaigns/${gone}`)
    const answer = await batch([
      { operation_type: 'Update', params: { campaign_id: kept, name: 'Changed' } },
      { operation_type: 'Update', params: { campaign_id: gone, name: 'x' } },
      { operation_type: 'Delete', params: { campaign_id: 'zz' } },
    ])
    expect(answer.status).toBe(400)
    const missing = (value: string) => ({
      code: 'CAMPAIGN_NOT_FOUND',
      message: 'No such record can be found here',
      parameter: 'campaign_id',
      value,
    })
    expect(answer.body.operation_errors).toEqual([[], [missing(gone)], [missing('zz')]])
    expect((await scene.get(`campaigns/${kept}`)).body.data.name).toBe('Kept')
  })

  test('that names a missing record is not checked further', async () => {
    const unknown = { funding_instrument_id: 'zz', name: 'x' }
    const answer = await batch([{ operation_type: 'Create', params: unknown }])
    expect(answer.status, answer.text).toBe(400)
    expect(answer.body.operation_errors).toEqual([
      [
        {
          code: 'FUNDING_INSTRUMENT_NOT_FOUND',
          message: 'No such record can be found here',
          parameter: 'funding_instrument_id',
          value: 'zz',
        },
      ],
    ])
    const single = await scene.post('campaigns', unknown)
    expect(single.status).toBe(404)
    expect(single.body.errors[0].code).toBe('FUNDING_INSTRUMENT_NOT_FOUND')
  })

  test('can be refused by a rule of the record, at its index', async () => {
    const answer = await batch([create(), create({ daily_budget_amount_local_micro: undefined })])
    expect(answer.body.operation_errors).toEqual([
      [],
      [expect.objectContaining({ code: 'MISSING_PARAMETER', parameter: 'daily_budget_amount_local_micro' })],
    ])
  })
})

describe('the body of a batch', () => {
  test('has 1 to 40 operations', async () => {
    const full = await batch(Array.from({ length: 40 }, () => create()))
    expect(full.status, full.text).toBe(200)
    expect(full.body.data).toHaveLength(40)
    for (const length of [0, 41]) {
      const refused = await batch(Array.from({ length }, () => create()))
      expect(refused.status).toBe(400)
      expect(refused.body.errors).toEqual([
        expect.objectContaining({ code: 'REQUEST_TOO_COMPLEX', details: 'a batch has 1 to 40 operations' }),
      ])
    }
  })

  test('is an array of objects', async () => {
    for (const [json, parameter] of [
      [{ operation_type: 'Create' }, 'body'],
      ['text', 'body'],
      [[1], '[0]'],
    ]) {
      const answer = await batch(json)
      expect(answer.status, answer.text).toBe(400)
      expect(answer.body.errors[0]).toMatchObject({ code: 'INVALID_PARAMETER', parameter })
      expect(answer.body.request).toEqual({ params: { account_id: scene.account } })
    }
  })

  test('is JSON, and says so', async () => {
    const path = `/ads-sandbox/12/batch/accounts/${scene.account}/campaigns`
    const send = (raw: string | undefined, type: string) =>
      scene.server.request('POST', path, {
        as: ALICE,
        ...(raw === undefined ? {} : { raw }),
        headers: { 'content-type': type },
      })
    const text = JSON.stringify([create()])
    for (const type of ['application/json', 'APPLICATION/JSON; charset=utf-8', 'application/json ;x=y'])
      expect((await send(text, type)).status, type).toBe(200)
    for (const type of ['text/plain', 'application/jsonp']) {
      const refused = await send(text, type)
      expect(refused.status, type).toBe(415)
      expect(refused.body.errors[0]).toMatchObject({
        code: 'INVALID_PARAMETER',
        parameter: 'Content-Type',
        details: 'must be application/json',
        value: type,
      })
    }
    const broken = await send('[{', 'application/json')
    expect(broken.status).toBe(400)
    expect(broken.body.errors[0]).toMatchObject({ code: 'INVALID_PARAMETER' })
    const huge = await send(JSON.stringify([create({ name: 'x'.repeat(1_100_000) })]), 'application/json')
    expect(huge.status).toBe(413)
    expect(huge.body.errors).toEqual([
      { code: 'REQUEST_TOO_COMPLEX', message: 'The body is larger than this call allows' },
    ])
    const empty = await send(undefined, 'application/json')
    expect(empty.status).toBe(400)
    expect(empty.body.errors[0]).toMatchObject({ code: 'MISSING_PARAMETER', parameter: 'body' })
  })

  test('can be in the legacy spelling, of names and of words', async () => {
    const campaign_id = await scene.campaign()
    const params = {
      campaign_id,
      objective: 'APP_INSTALLS',
      product_type: 'PROMOTED_POSTS',
      placements: ['PLATFORM_TIMELINE'],
      ios_app_store_identifier: '12345',
      // What people wrote is not a word of the interface.
      name: 'PROMOTED_POSTS',
    }
    const named = await batch([{ operation_type: 'Create', params }], 'line_items')
    expect(named.status, named.text).toBe(200)
    expect(named.body.data[0]).toMatchObject({ ios_app_store_identifier: '12345', placements: ['TWITTER_TIMELINE'] })
    expect(named.body.request[0].params).toMatchObject({
      ios_app_store_identifier: '12345',
      placements: ['TWITTER_TIMELINE'],
      product_type: 'PROMOTED_TWEETS',
      name: 'PROMOTED_POSTS',
    })
    expect(named.body.request[0].params).not.toHaveProperty('platform_b_app_store_identifier')
  })
})
