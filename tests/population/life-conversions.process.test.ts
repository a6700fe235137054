import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { parseBase36 } from '../../src/ads/kit/values.ts'
import { startAdsScene } from '../ads/ads-scene.ts'
import { countsOf } from '../ads/shown-ads.ts'
import { makePost } from '../social/acting.ts'

test('personas who click ads visit the website later, and that is counted for the ads', async () => {
  const scene = await startAdsScene([], { environment: 'production', events: true })
  try {
    await scene.server.command('clock', { set: '2029-01-08T18:00:00Z' })
    const windows = { click_window: 7, view_through_window: 1, retargeting_enabled: false }
    await scene.made('web_event_tags', { name: 'Visit', type: 'SITE_VISIT', ...windows })
    const campaign = await scene.campaign({ daily_budget_amount_local_micro: 900_000_000 })
    const lineItem = await scene.lineItem({ campaign_id: campaign, bid_strategy: 'AUTO', standard_delivery: false })
    const post = await makePost(scene.server, 'alice', { text: 'An offer, see https://example.com/offer' })
    const [promoted] = await scene.made('promoted_posts', { line_item_id: lineItem, post_ids: post })
    const { id } = await scene.server.command('live.start', { personas: 400, for: '2h', seed: 3, speed: 'max' })
    while (!['ended', 'stopped', 'failed'].includes((await scene.server.command('live.show', { id })).state))
      await sleep(20)
    await scene.server.command('clock', { advance: '2d' })
    await scene.server.command('ads.work')
    const { rows } = await scene.server.runtime.database.query<{ clicks: number }>({
      text: 'select coalesce(sum(url_clicks), 0)::int as clicks from ads_hour where entity_id = $1',
      values: [parseBase36(lineItem)],
    })
    const counts = await countsOf(scene, [promoted.id, lineItem, campaign], 'conversion_site_visits')
    expect(Number(counts[0]!.engagement)).toBeGreaterThan(0)
    expect(Number(counts[0]!.engagement)).toBeLessThanOrEqual(rows[0]!.clicks)
    expect(counts[1]).toEqual(counts[0])
    expect(counts[2]).toEqual(counts[0])
  } finally {
    await scene.close()
  }
})
