import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../support/server.ts'

type Json = Record<string, unknown>
// biome-ignore lint/suspicious/noExplicitAny: the tests look at members of a document.
type Described = any

let server: TestServer
let document: Described
beforeAll(async () => {
  server = await startTestServer()
  document = (await server.get('/ads/openapi.json', 'nobody')).body
})
afterAll(() => server.close())

const operationAt = (method: string, path: string): Described => document.paths[path][method]
const parameter = (operation: Described, name: string): Json =>
  operation.parameters.find((item: { name: string }) => item.name === name)
/** The members of a reply that succeeded, with the schema of each. */
const replyOf = (operation: Described): Described =>
  operation.responses[200].content['application/json'].schema.properties

const CAMPAIGNS = '/12/accounts/{account_id}/campaigns'

describe('the OpenAPI document of the advertising interface', () => {
  test('names the addresses of production and of the sandbox, and how requests are signed', () => {
    expect(document.info).toEqual({ title: 'Rostra advertising', version: '12' })
    const urls = document.servers.map(({ url }: { url: string }) => new URL(url).pathname)
    expect(urls).toEqual(['/ads', '/ads-sandbox'])
    expect(document.security).toEqual([{ UserToken: [] }])
    expect(document.components.securitySchemes).toEqual({ UserToken: { type: 'http', scheme: 'OAuth' } })
  })

  test('describes an operation with what its path and its query take', () => {
    const list = operationAt('get', CAMPAIGNS)
    expect(list).toMatchObject({ operationId: 'listCampaigns', summary: 'List campaigns', tags: ['Campaigns'] })
    expect(list).not.toHaveProperty('requestBody')
    expect(parameter(list, 'account_id')).toEqual({
      name: 'account_id',
      in: 'path',
      required: true,
      schema: { type: 'string', pattern: '^[0-9a-z]{1,13}$' },
    })
    expect(parameter(list, 'count')).toEqual({
      name: 'count',
      in: 'query',
      required: false,
      schema: { type: 'integer', minimum: 1, maximum: 1_000, default: 200 },
    })
    expect(parameter(list, 'with_deleted').schema).toEqual({ type: 'boolean', default: false })
    expect(parameter(list, 'cursor').schema).toEqual({ type: 'string', minLength: 1, maxLength: 2_000 })
  })

  test('says that lists are separated by commas', () => {
    const list = operationAt('get', CAMPAIGNS)
    expect(parameter(list, 'campaign_ids')).toMatchObject({
      explode: false,
      style: 'form',
      schema: { type: 'array', maxItems: 200 },
    })
    expect(parameter(list, 'count')).not.toHaveProperty('style')
    expect(parameter(list, 'count')).not.toHaveProperty('explode')
  })

  test('says which parameters are required', () => {
    const create = operationAt('post', CAMPAIGNS)
    expect(parameter(create, 'name').required).toBe(true)
    expect(parameter(create, 'purchase_order_number').required).toBe(false)
    expect(parameter(operationAt('put', `${CAMPAIGNS}/{campaign_id}`), 'name').required).toBe(false)
  })

  test('describes the envelope of one record, a list, a batch and a message', () => {
    const campaign = { $ref: '#/components/schemas/Campaign' }
    const one = replyOf(operationAt('get', `${CAMPAIGNS}/{campaign_id}`))
    expect(one.data).toEqual(campaign)
    expect(Object.keys(one)).toEqual(['request', 'data'])
    expect(one.request).toEqual({ $ref: '#/components/schemas/RequestEcho' })
    const list = replyOf(operationAt('get', CAMPAIGNS))
    expect(list.data).toMatchObject({ type: 'array', items: campaign })
    expect(Object.keys(list)).toEqual(['request', 'data', 'next_cursor', 'total_count'])
    expect(list.next_cursor).toMatchObject({ type: 'string', nullable: true })
    const batch = replyOf(operationAt('post', '/12/batch/accounts/{account_id}/campaigns'))
    expect(batch.data).toMatchObject({ type: 'array', items: campaign })
    expect(Object.keys(batch)).toEqual(['request', 'data'])
    expect(batch.request).toEqual({ $ref: '#/components/schemas/BatchRequestEcho' })
    const withMessage = Object.values<Json>(document.paths)
      .flatMap((methods) => Object.values(methods))
      .map(replyOf)
      .filter((reply) => reply.message)
    expect(withMessage.length).toBeGreaterThan(0)
    for (const reply of withMessage) {
      expect(reply.message).toEqual({ type: 'string' })
      expect(reply).not.toHaveProperty('next_cursor')
    }
  })

  test('describes JSON bodies and refusals', () => {
    const batch = operationAt('post', '/12/batch/accounts/{account_id}/campaigns')
    expect(batch.requestBody.required).toBe(true)
    expect(batch.requestBody.content['application/json'].schema).toMatchObject({ type: 'array' })
    expect(batch.responses.default.content['application/json'].schema).toEqual({
      $ref: '#/components/schemas/ErrorResponse',
    })
    expect(Object.keys(document.components.schemas.ErrorItem.properties)).toEqual([
      'code',
      'message',
      'parameter',
      'details',
      'value',
    ])
  })

  test('marks what exists in the sandbox only and what needs an allowlist', () => {
    expect(operationAt('post', '/12/accounts')['x-sandbox-only']).toBe(true)
    expect(operationAt('get', '/12/accounts')).not.toHaveProperty('x-sandbox-only')
    const history = operationAt('get', '/12/accounts/{account_id}/account_history')
    expect(history['x-allowlist']).toBe('account_history')
    expect(operationAt('get', CAMPAIGNS)).not.toHaveProperty('x-allowlist')
  })

  test('is spelled in the legacy naming when it is asked for', async () => {
    const legacy = (await server.get('/ads/openapi.json?naming=legacy', 'nobody')).body
    const create = legacy.paths['/12/accounts/{account_id}/line_items'].post
    expect(parameter(create, 'ios_app_store_identifier')).toBeDefined()
    expect(parameter(create, 'platform_b_app_store_identifier')).toBeUndefined()
    expect(parameter(create, 'product_type').schema).toMatchObject({
      enum: expect.arrayContaining(['PROMOTED_TWEETS']),
    })
  })
})
