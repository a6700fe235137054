import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseBase36 } from '../../src/ads/kit/values.ts'
import { serveLooks } from '../../src/ads/serving/ad-server.ts'
import { OUTCOME } from '../../src/ads/serving/outcomes.ts'
import { viewerOf } from '../../src/ads/serving/viewers.ts'
import { idAt } from '../../src/process/ids.ts'
import { factBuffer } from '../../src/social/insights/fact-buffer.ts'
import { type AdsScene, startAdsScene } from '../ads/ads-scene.ts'
import { cardMedia } from '../ads/library-media.ts'
import { countsOf } from '../ads/shown-ads.ts'
import { makePost, readPost } from '../social/acting.ts'
import { uploadSegments } from '../social/uploading.ts'
import type { Browser } from '../support/browser.ts'
import { makeMp4 } from '../support/make-media.ts'
import { until } from '../support/until.ts'
import { signedIn } from './signed-in.ts'

let scene: AdsScene
let bob: Browser
let lineItem: string
let post: string

beforeAll(async () => {
  scene = await startAdsScene([], { environment: 'production', events: true })
  bob = await signedIn(scene.server, 'bob')
  for (let at = 0; at < 14; at++) await makePost(scene.server, 'bob', { text: `An own post ${at}` })
  lineItem = await scene.lineItem({ bid_strategy: 'AUTO', standard_delivery: false })
  post = await makePost(scene.server, 'alice', { text: 'An offer, see https://example.com/offer' })
  await scene.made('promoted_posts', { line_item_id: lineItem, post_ids: post })
})
afterAll(() => scene.close())

/** What was counted for a record of advertising. */
async function counted(id: string): Promise<Record<string, number>> {
  const names = [
    'impressions',
    'engagements',
    'likes',
    'reposts',
    'replies',
    'follows',
    'clicks',
    'url_clicks',
    'card_engagements',
  ]
  const { rows } = await scene.server.runtime.database.query<Record<string, string>>({
    text: `select ${names.map((name) => `coalesce(sum(${name}), 0)::text as ${name}`).join(', ')} from ads_hour where entity_id = $1`,
    values: [parseBase36(id)],
  })
  return Object.fromEntries(names.map((name) => [name, Number(rows[0]![name])]))
}

/** The cards of a page, in order: the ids of the posts, and the impressions of ads. */
const cardsOf = (text: string): string[] =>
  [...text.matchAll(/<article class="card post" id="(post|ad)-(\d+)"/g)].map((hit) => `${hit[1]} ${hit[2]}`)

const promotedMetrics = async (id: string) => {
  await scene.server.runtime.singleton(factBuffer).flush()
  return (await readPost(scene.server, id, 'public_metrics,organic_metrics,promoted_metrics', { user: 'alice' })) as {
    public_metrics: Record<string, number>
    organic_metrics: Record<string, number>
    promoted_metrics?: Record<string, number>
  }
}

describe('the home timeline of the pages', () => {
  let impression: string

  test('has ads at the third and the thirteenth place, marked as promoted', async () => {
    const { text } = await bob.open('/home')
    const cards = cardsOf(text)
    const ads = cards.flatMap((card, at) => (card.startsWith('ad ') ? [at] : []))
    expect(ads.length).toBeGreaterThan(0)
    expect([2, 12]).toEqual(expect.arrayContaining(ads))
    impression = cards[ads[0]!]!.slice(3)
    const card = text.slice(text.indexOf(`id="ad-${impression}"`))
    expect(card.slice(0, card.indexOf('</article>'))).toContain('>Promoted<')
    expect((await counted(lineItem)).impressions).toBe(ads.length)
    expect((await promotedMetrics(post)).promoted_metrics).toMatchObject({ impression_count: ads.length })
  })

  test('counts what somebody does with an ad, each kind once, and only for who saw it', async () => {
    const form = async () => {
      const page = await bob.open(`/alice/status/${post}?ad=${impression}`)
      return { csrf: page.forms.find((one) => one.fields.csrf)!.fields.csrf!, page }
    }
    const { csrf, page } = await form()
    const like = page.forms.find((one) => one.action.endsWith('/i/actions/like'))!
    expect(like.fields.ad).toBe(impression)
    await bob.post('/i/actions/like', like.fields)
    await bob.post('/i/actions/unlike', { csrf, post_id: post, ad: impression })
    await bob.post('/i/actions/like', { csrf, post_id: post, ad: impression })
    await bob.post('/i/actions/repost', { csrf, post_id: post, ad: impression })
    await bob.post('/i/compose', { csrf, text: 'An answer to an ad', reply_to: post, ad: impression })
    await bob.open(`/alice?ad=${impression}`)
    await bob.post('/i/actions/follow', { csrf, user_id: scene.server.userId('alice'), ad: impression })
    // What is not about the ad counts nothing, nor does nonsense.
    const own = await makePost(scene.server, 'chika', { text: 'Something else' })
    await bob.post('/i/actions/like', { csrf, post_id: own, ad: impression })
    await bob.post('/i/actions/repost', { csrf, post_id: own, ad: 'nonsense' })
    const chika = await signedIn(scene.server, 'chika')
    await chika.open(`/alice?ad=${impression}`)
    expect(await counted(lineItem)).toMatchObject({ likes: 1, reposts: 1, replies: 1, follows: 1, clicks: 1 })
    const metrics = await until(async () => {
      const read = await promotedMetrics(post)
      const { like_count, reply_count, repost_count } = read.promoted_metrics!
      return like_count! > 0 && reply_count! > 0 && repost_count! > 0 ? read : undefined
    })
    expect(metrics.promoted_metrics).toMatchObject({ user_profile_clicks: 1, reply_count: 1, repost_count: 1 })
    expect(metrics.organic_metrics.reply_count).toBe(0)
  })

  test('counts a click on the link of an ad as promoted, and leads to its target with a click id', async () => {
    const { text } = await bob.open(`/alice/status/${post}?ad=${impression}`)
    const [, address] = /href="([^"]*\/i\/ads\/\d+\/links\/[^"]*)"/.exec(text)!
    const opened = await bob.open(address!.replaceAll('&amp;', '&'))
    expect(opened.leftFor?.href).toMatch(/^https:\/\/example\.com\/offer\?twclid=[\w-]{32}$/)
    expect((await counted(lineItem)).url_clicks).toBe(1)
    const windows = { click_window: 1, view_through_window: 1, retargeting_enabled: false }
    const tag = await scene.made('web_event_tags', { name: 'Thanks', type: 'PURCHASE', ...windows })
    const hit = `/i/pixel/${tag.website_tag_id}/hit.gif${opened.leftFor!.search}&event=${tag.id}`
    expect((await scene.server.get(hit, 'nobody')).status).toBe(200)
    expect(await countsOf(scene, [lineItem], 'conversion_purchases')).toMatchObject([{ engagement: 1, view: 0 }])
    const { promoted_metrics: promoted, organic_metrics: organic } = await promotedMetrics(post)
    expect([promoted!.url_link_clicks, organic.url_link_clicks]).toEqual([1, 0])
    const missing = await bob.open(`/i/ads/${impression}/links/nothere?post=${post}`)
    expect(missing.status).toBe(404)
  })

  test('has no ads in what is loaded ahead, nor in the interface', async () => {
    const before = await counted(lineItem)
    await fetch(`${scene.server.baseUrl}/home`, {
      headers: { cookie: [...bob.cookies].map((pair) => pair.join('=')).join('; '), 'sec-purpose': 'prefetch' },
    })
    const timeline = await scene.server.get(
      `/2/users/${scene.server.userId('bob')}/timelines/reverse_chronological?exclude=reposts`,
      { user: 'bob' },
    )
    expect(timeline.status).toBe(200)
    expect((await counted(lineItem)).impressions).toBe(before.impressions)
  })
})

test('a video that is promoted has promoted views and quartiles, for its owner', async () => {
  const video = await uploadSegments(scene.server, makeMp4(), { category: 'post_video' })
  const film = await makePost(scene.server, 'alice', { text: 'A film', media: { media_ids: [video.id] } })
  const other = await scene.lineItem({ bid_strategy: 'AUTO', standard_delivery: false })
  await scene.made('promoted_posts', { line_item_id: other, post_ids: film })
  const { runtime } = scene.server
  const viewer = await viewerOf(runtime, scene.server.userId('chika'))
  const looks = Array.from({ length: 60 }, (_, at) => ({
    id: idAt(runtime.clock.now() - 60_000 + at * 1_000, 1_000),
    at: runtime.clock.now(),
    viewer,
    placement: 'PLATFORM_TIMELINE' as const,
    slots: 2,
  }))
  const shown = (await serveLooks(runtime, looks, { responds: 'model' })).flat().filter((ad) => ad.postId === film)
  const has = (bit: number) => shown.filter((ad) => (ad.outcomes & bit) !== 0).length
  expect(has(OUTCOME.video_total_views)).toBeGreaterThan(0)
  await runtime.singleton(factBuffer).flush()
  const read = await scene.server.get(`/2/media/${video.media_key}?media.fields=promoted_metrics,public_metrics`, {
    user: 'alice',
  })
  expect(read.body.data.promoted_metrics).toEqual({
    view_count: has(OUTCOME.video_total_views),
    playback_0_count: has(OUTCOME.video_content_starts),
    playback_25_count: has(OUTCOME.video_views_25),
    playback_50_count: has(OUTCOME.video_views_50),
    playback_75_count: has(OUTCOME.video_views_75),
    playback_100_count: has(OUTCOME.video_views_100),
  })
  expect((await promotedMetrics(film)).promoted_metrics!.impression_count).toBe(shown.length)
})

test('the card of a promoted post leads to its address, and the click is an engagement with the card', async () => {
  const components = [
    { type: 'MEDIA', media_key: await cardMedia.square(scene) },
    { type: 'DETAILS', title: 'The shop', destination: { type: 'WEBSITE', url: 'https://shop.example.com/now' } },
  ]
  const { card_uri } = (await scene.json('POST', 'cards', { name: 'Shop', components })).body.data
  const carded = await makePost(scene.server, 'alice', { text: 'Look at the shop', card_uri })
  const item = await scene.lineItem({ bid_strategy: 'AUTO', standard_delivery: false })
  await scene.made('promoted_posts', { line_item_id: item, post_ids: carded })
  const { runtime } = scene.server
  const viewer = await viewerOf(runtime, scene.server.userId('bob'))
  const looks = Array.from({ length: 10 }, (_, at) => ({
    id: idAt(runtime.clock.now() - 60_000 + at * 1_000, 900),
    at: runtime.clock.now(),
    viewer,
    placement: 'PLATFORM_TIMELINE' as const,
    slots: 3,
  }))
  const shown = (await serveLooks(runtime, looks, { responds: 'later' })).flat()
  const ad = shown.find((one) => one.postId === carded)!
  const { text } = await bob.open(`/alice/status/${carded}?ad=${ad.impressionId}`)
  const [, address] = /class="linked" href="([^"]*)"/.exec(text)!
  const opened = await bob.open(address!.replaceAll('&amp;', '&'))
  // With a click id, so that the website can tell which ad led there.
  expect(opened.leftFor?.href).toMatch(/^https:\/\/shop\.example\.com\/now\?\w+=[\w-]+$/)
  expect(await counted(item)).toMatchObject({ url_clicks: 1, clicks: 1, card_engagements: 1 })
})

test('a promoted account is a card with a button, and a follow there counts', async () => {
  const item = await scene.lineItem({
    objective: 'FOLLOWERS',
    product_type: 'PROMOTED_ACCOUNT',
    placements: 'PLATFORM_TIMELINE',
    bid_strategy: 'AUTO',
    standard_delivery: false,
  })
  await scene.made('promoted_accounts', { line_item_id: item, user_id: scene.server.userId('alice') })
  const chika = await signedIn(scene.server, 'chika')
  await scene.server.request(
    'DELETE',
    `/2/users/${scene.server.userId('chika')}/following/${scene.server.userId('alice')}`,
    {
      as: { user: 'chika' },
    },
  )
  for (let at = 0; at < 14; at++) await makePost(scene.server, 'chika', { text: `A post of chika ${at}` })
  let follow: { fields: Record<string, string> } | undefined
  for (let at = 0; at < 20 && !follow; at++) {
    const page = await chika.open('/home')
    follow = page.forms.find((form) => form.action.endsWith('/i/actions/follow') && form.fields.ad !== undefined)
    if (follow) expect(page.text).toMatch(/<article class="card user"[^>]*>\s*<p class="above soft">Promoted</)
  }
  await chika.post('/i/actions/follow', follow!.fields)
  expect((await counted(item)).follows).toBe(1)
})
