import { ApiResponseError, type TwitterApi } from 'twitter-api-v2'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type LegacyHost, startLegacyHost } from '../support/legacy-host.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { twitterClientOf } from './twitter-client.ts'

let server: TestServer
let host: LegacyHost
let client: TwitterApi
beforeAll(async () => {
  server = await startTestServer()
  host = await startLegacyHost(server)
  client = twitterClientOf(server, host, 'alice')
})
afterAll(async () => {
  await host.close()
  await server.close()
})

// biome-ignore lint/suspicious/noExplicitAny: the library types its advertising answers as unknown.
type Answer = any

test('the client creates a paused campaign with a line item, targeting and a promoted post in the sandbox', async () => {
  const { sandbox } = client.ads
  const account: string = ((await sandbox.post('accounts')) as Answer).data[0].id
  const made = async (path: string, values: Record<string, string | number>): Promise<Answer> =>
    ((await sandbox.post(`accounts/${account}/${path}`, values)) as Answer).data
  const funding = await made('funding_instruments', { type: 'CREDIT_LINE', currency: 'USD', start_time: '2026-01-01' })
  const campaign = await made('campaigns', {
    funding_instrument_id: funding.id,
    name: 'Spring sale',
    daily_budget_amount_local_micro: 5_000_000,
    entity_status: 'PAUSED',
  })
  expect(campaign).toMatchObject({ entity_status: 'PAUSED', currency: 'USD' })
  const lineItem = await made('line_items', {
    campaign_id: campaign.id,
    name: 'Everyone',
    objective: 'ENGAGEMENTS',
    product_type: 'PROMOTED_TWEETS',
    placements: 'ALL_ON_TWITTER',
    start_time: '2026-01-01T00:00:00Z',
    end_time: '2030-01-01T00:00:00Z',
  })
  // The library's own host uses the legacy naming.
  expect(lineItem).toMatchObject({ product_type: 'PROMOTED_TWEETS', placements: ['ALL_ON_TWITTER'] })
  const { data: places } = (await sandbox.get('targeting_criteria/locations', { q: 'Portugal' })) as Answer
  const criterion = await made('targeting_criteria', {
    line_item_id: lineItem.id,
    targeting_type: 'LOCATION',
    targeting_value: places[0].targeting_value,
    operator_type: 'EQ',
  })
  expect(criterion).toMatchObject({ targeting_type: 'LOCATION', line_item_id: lineItem.id })
  const post = await made('tweet', { as_user_id: server.userId('alice'), text: 'Spring is here', name: 'Spring' })
  expect(post).toMatchObject({ text: 'Spring is here', nullcast: true })
  const promoted = await made('promoted_tweets', { line_item_id: lineItem.id, tweet_ids: post.id_str })
  expect(promoted).toMatchObject([{ line_item_id: lineItem.id, tweet_id: post.id_str, entity_status: 'ACTIVE' }])
  const read = (await sandbox.get(`accounts/${account}/campaigns/${campaign.id}`)) as Answer
  expect(read.data).toMatchObject({ id: campaign.id, servable: false, reasons_not_servable: ['PAUSED_BY_ADVERTISER'] })
})

test('the client sends batches as JSON and reads their answers in order', async () => {
  const account: string = ((await client.ads.sandbox.post('accounts')) as Answer).data[0].id
  const funding = (await client.ads.sandbox.post(`accounts/${account}/funding_instruments`, {
    type: 'INSERTION_ORDER',
    currency: 'EUR',
    start_time: '2026-01-01',
  })) as Answer
  const create = (name: string) => ({
    operation_type: 'Create',
    params: { name, funding_instrument_id: funding.data.id },
  })
  const answer = (await client.ads.sandbox.post(
    `batch/accounts/${account}/campaigns`,
    [create('One'), create('Two')] as unknown as Record<string, unknown>,
    { forceBodyMode: 'json' },
  )) as Answer
  expect(answer.data.map((item: { name: string }) => item.name)).toEqual(['One', 'Two'])
  expect(answer.request[0]).toEqual({
    operation_type: 'Create',
    params: { account_id: account, name: 'One', funding_instrument_id: funding.data.id },
  })
})

test('the client reads production accounts, pages through lists, and gets errors', async () => {
  const { data, next_cursor } = (await client.ads.get('accounts')) as Answer
  expect(data.map((item: { id: string }) => item.id)).toEqual([server.credentials.ads_account_id])
  expect(next_cursor).toBeNull()
  const refused = await client.ads.get('accounts/zzz/campaigns').catch((error: unknown) => error)
  expect(refused).toBeInstanceOf(ApiResponseError)
  expect((refused as ApiResponseError).code).toBe(403)
  expect((refused as ApiResponseError).data).toMatchObject({ errors: [{ code: 'ACCOUNT_NOT_FOUND' }] })
})
