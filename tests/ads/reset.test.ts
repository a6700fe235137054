import { expect, test } from 'vitest'
import { startAdsScene } from './ads-scene.ts'

test('a reset leaves the first account alone', async () => {
  const scene = await startAdsScene()
  await scene.lineItem()
  const before = scene.server.credentials.ads_account_id
  const reset = await scene.server.request('POST', '/_rostra/reset', {
    as: { bearer: scene.server.credentials.admin_key },
  })
  expect(reset.status, reset.text).toBe(200)
  expect(
    (await scene.server.get(`/ads/12/accounts/${before}/funding_instruments`, { user: 'alice' })).body.data,
  ).toHaveLength(1)
  expect((await scene.server.get('/ads-sandbox/12/accounts', { user: 'alice' })).body.data).toEqual([])
  await scene.close()
})
