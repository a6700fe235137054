import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AdsScene, startAdsScene } from './ads-scene.ts'

let scene: AdsScene
beforeAll(async () => {
  scene = await startAdsScene(['--rate-limits', 'on'])
})
afterAll(() => scene.close())

const remaining = (headers: Headers, prefix: string) => Number(headers.get(`${prefix}-remaining`))

test('reads of campaigns count for the account, and the reply has its headers beside those of the user', async () => {
  const first = await scene.get('campaigns')
  expect(first.headers.get('x-account-rate-limit-limit')).toBe('10000')
  expect(first.headers.get('x-account-rate-limit-reset')).toMatch(/^\d{10}$/)
  expect(first.headers.get('x-rate-limit-limit')).toBe('100000')
  const next = await scene.get('campaigns')
  expect(remaining(next.headers, 'x-account-rate-limit')).toBe(remaining(first.headers, 'x-account-rate-limit') - 1)
  const other = await scene.get('line_items')
  expect(remaining(other.headers, 'x-account-rate-limit')).toBe(9_999)
})

test('a user without access uses nothing of the limits of an account', async () => {
  const before = remaining((await scene.get('campaigns')).headers, 'x-account-rate-limit')
  const refused = await scene.get('campaigns', {}, { user: 'dario' })
  expect(refused.status).toBe(403)
  expect(refused.headers.get('x-account-rate-limit-limit')).toBeNull()
  expect(remaining((await scene.get('campaigns')).headers, 'x-account-rate-limit')).toBe(before - 1)
})

test('all writes share one counter of 450 a minute', async () => {
  const campaign = await scene.post('campaigns', {
    funding_instrument_id: scene.funding,
    name: 'x',
    daily_budget_amount_local_micro: 1_000_000,
  })
  expect(campaign.headers.get('x-rate-limit-limit')).toBe('450')
  const renamed = await scene.call('PUT', `accounts/${scene.account}`, { name: 'y' })
  expect(remaining(renamed.headers, 'x-rate-limit')).toBe(remaining(campaign.headers, 'x-rate-limit') - 1)
})

test('lists that count all records have a limit of 200 in 15 minutes', async () => {
  const answer = await scene.get('campaigns', { with_total_count: true })
  expect(answer.headers.get('x-rate-limit-limit')).toBe('200')
  await Promise.all(Array.from({ length: 199 }, () => scene.get('campaigns', { with_total_count: true })))
  const refused = await scene.get('campaigns', { with_total_count: true })
  expect(refused.status).toBe(429)
  expect(refused.body.errors).toEqual([
    {
      code: 'TOO_MANY_REQUESTS',
      message: 'The rate limit of this call is exceeded',
      details: 'requests with with_total_count are used up for this window',
    },
  ])
  expect((await scene.get('campaigns')).status).toBe(200)
  expect((await scene.get('line_items', { with_total_count: true })).status).toBe(200)
  await scene.server.command('ads.account.grant', {
    account: scene.account,
    user: 'bob',
    permissions: ['CAMPAIGN_ANALYST'],
  })
  expect((await scene.get('campaigns', { with_total_count: true }, { user: 'bob' })).status).toBe(200)
})

test('reads without an account are answered five times in 15 minutes', async () => {
  const answers = []
  for (let at = 0; at < 6; at++) answers.push(await scene.call('GET', 'advertiser_business_categories'))
  expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200, 200, 200, 429])
  expect(answers[0]!.headers.get('x-rate-limit-limit')).toBe('5')
})
