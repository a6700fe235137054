import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AdsScene, startAdsScene } from './ads-scene.ts'
import { openShop } from './catalog-shop.ts'

let scene: AdsScene
beforeAll(async () => {
  scene = await startAdsScene(['--private-webhooks', 'on'])
})
afterAll(() => scene.close())

// biome-ignore lint/suspicious/noExplicitAny: tests look at members of answers whose shape they assert.
const tree = (args: Record<string, unknown> = {}): Promise<any> =>
  scene.server.command('ads.tree', { account: scene.account, ...args })

test('the tree has campaigns, line items and creatives with the reasons why they do not serve', async () => {
  const running = await scene.campaign({ name: 'Autumn' })
  const lineItem = await scene.lineItem({ campaign_id: running, name: 'Shown' })
  const ended = await scene.lineItem({
    campaign_id: running,
    name: 'Over',
    start_time: '2026-01-01',
    end_time: '2026-02-01',
  })
  const { id: post } = (await scene.server.post('/2/posts', { text: 'To promote' }, { user: 'alice' })).body.data
  await scene.made('promoted_posts', { line_item_id: lineItem, post_ids: post })
  const paused = await scene.campaign({ name: 'Winter', entity_status: 'PAUSED' })
  const waiting = await scene.lineItem({ campaign_id: paused, start_time: '2029-01-01', entity_status: 'PAUSED' })

  const { funding_instruments: instruments, campaigns, next } = await tree()
  expect(next).toBe(null)
  expect(instruments).toMatchObject([{ id: scene.funding, able_to_fund: true }])
  const read = await scene.get(`campaigns/${running}`)
  const { line_items: items, ...campaign } = campaigns[0]
  expect(campaign).toEqual(read.body.data)
  expect(items).toMatchObject([
    {
      id: lineItem,
      effective_status: 'RUNNING',
      reasons_not_servable: [],
      creatives: [{ kind: 'promoted_post', post_id: post, entity_status: 'ACTIVE', approval_status: 'ACCEPTED' }],
    },
    { id: ended, effective_status: 'ACTIVE', reasons_not_servable: ['EXPIRED', 'NO_ACTIVE_CREATIVE'], creatives: [] },
  ])
  expect(campaigns[1]).toMatchObject({
    id: paused,
    effective_status: 'PAUSED',
    line_items: [
      {
        id: waiting,
        effective_status: 'PAUSED',
        reasons_not_servable: ['CAMPAIGN_NOT_ACTIVE', 'NO_ACTIVE_CREATIVE', 'PAUSED_BY_ADVERTISER', 'STARTS_IN_FUTURE'],
      },
    ],
  })
})

test('the tree is narrowed and read page by page', async () => {
  const first = await tree({ limit: 1 })
  expect(first.campaigns).toHaveLength(1)
  const rest = await tree({ limit: 1, after: first.next })
  expect(rest.campaigns).toMatchObject([{ name: 'Winter' }])
  expect(rest.next).toBe(null)
  expect((await tree({ q: 'tum' })).campaigns).toMatchObject([{ name: 'Autumn' }])
  expect((await tree({ entity_status: 'PAUSED' })).campaigns).toMatchObject([{ name: 'Winter' }])
  expect((await scene.server.tryCommand('ads.tree', { account: 'zzzz' })).status).toBe(404)
  const refused = await scene.server.tryCommand('ads.tree', { account: scene.account, after: 'zzzzzzzzzzzzz' })
  expect(refused.status).toBe(400)
})

test('a line item is shown with its targeting, an account with its audiences, catalogs and feed errors', async () => {
  const lineItem = await scene.lineItem()
  await scene.made('targeting_criteria', {
    line_item_id: lineItem,
    targeting_type: 'BROAD_KEYWORD',
    targeting_value: 'tea',
  })
  const shown = await scene.server.command('ads.line_item.show', { account: scene.account, line_item: lineItem })
  expect(shown).toMatchObject({
    id: lineItem,
    targeting: [{ targeting_type: 'BROAD_KEYWORD', targeting_value: 'tea' }],
  })
  const missing = await scene.server.tryCommand('ads.line_item.show', { account: scene.account, line_item: 'zz' })
  expect(missing.status).toBe(404)

  await scene.made('custom_audiences', { name: 'Friends' })
  const shop = await openShop(scene.server)
  const files = http.createServer((_request, response) => void response.writeHead(404).end())
  await new Promise<void>((resolve) => files.listen(0, '127.0.0.1', resolve))
  const { port } = files.address() as AddressInfo
  const feed = await shop.call('POST', 'scheduled_feeds', {
    feed_url: `http://127.0.0.1:${port}/feed.csv`,
    feed_format: 'CSV',
    frequency: 'DAILY',
    start_time: '00:00',
    time_zone: 'UTC',
  })
  expect(feed.status, feed.text).toBe(200)
  await scene.server.command('clock', { advance: '25h' })
  await scene.server.command('ads.work')
  files.close()
  const account = await scene.server.command('ads.account.show', { account: scene.account })
  expect(account.audiences).toMatchObject([
    { name: 'Friends', audience_size: null, targetable: false, reasons_not_targetable: ['TOO_SMALL'] },
  ])
  expect(account.catalogs).toMatchObject([
    { id: shop.catalog, username: 'alice', products: 0, feeds: [{ last_run: { outcome: 'FAILED' } }] },
  ])
  expect(account.catalogs[0].feeds[0].last_run.problem).toContain('404')
})
