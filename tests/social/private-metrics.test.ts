import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { factBuffer } from '../../src/social/insights/fact-buffer.ts'
import { makeMp4, makePng } from '../support/make-media.ts'
import { type As, startTestServer, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'
import { makePost, readPost } from './acting.ts'
import { uploadSegments, uploadWhole } from './uploading.ts'

const DAY = 24 * 3600_000

let server: TestServer
beforeAll(async () => {
  server = await startTestServer([], { events: true })
})
afterAll(() => server.close())

const alice = { user: 'alice' }
const bob = { user: 'bob' }
const see = (...views: object[]) => server.command('views.add', { views })
const now = () => server.runtime.clock.now()
const lastDay = () =>
  `start_time=${new Date(now() - DAY).toISOString()}&end_time=${new Date(now()).toISOString()}&granularity=total`
const allPrivate = 'public_metrics,non_public_metrics,organic_metrics,promoted_metrics'
const linkClicks = async (id: string) => {
  await server.runtime.singleton(factBuffer).flush()
  return (await readPost(server, id, 'non_public_metrics', alice)).non_public_metrics.url_link_clicks
}

describe('the private metrics of a post', () => {
  test('are its views and clicks, organic and promoted', async () => {
    const post = await makePost(server, 'alice', { text: 'promoted and not' })
    await see(
      { post, count: 40 },
      { post, count: 60, promoted: true },
      { post, kind: 'link_click', count: 3 },
      { post, kind: 'link_click', count: 5, promoted: true },
      { post, kind: 'profile_click', count: 2 },
      { post, kind: 'detail_expand', count: 4 },
    )
    expect(await readPost(server, post, allPrivate, alice)).toMatchObject({
      public_metrics: { impression_count: 100 },
      non_public_metrics: { impression_count: 100, url_link_clicks: 8, user_profile_clicks: 2, engagements: 14 },
      organic_metrics: { impression_count: 40, url_link_clicks: 3, user_profile_clicks: 2 },
      promoted_metrics: { impression_count: 60, url_link_clicks: 5, user_profile_clicks: 0, like_count: 0 },
    })
  })

  test('count as promoted what somebody did after they saw the promotion', async () => {
    const post = await makePost(server, 'alice', { text: 'paid for' })
    await see({ post, promoted: true, viewer: 'bob' }, { post, viewer: 'chika' })
    for (const user of ['bob', 'chika'])
      await server.post(`/2/users/${server.userId(user)}/likes`, { post_id: post }, { user })
    await makePost(server, 'bob', { text: 'a paid answer', reply: { in_reply_to_post_id: post } })
    const read = await until(async () => {
      const found = await readPost(server, post, allPrivate, alice)
      return found.promoted_metrics.reply_count > 0 ? found : undefined
    })
    expect(read).toMatchObject({
      public_metrics: { like_count: 2, reply_count: 1 },
      organic_metrics: { impression_count: 1, like_count: 1, reply_count: 0 },
      promoted_metrics: { impression_count: 1, like_count: 1, reply_count: 1, repost_count: 0 },
    })
  })
})

describe('a click on a short link', () => {
  const codeOf = async (id: string) =>
    (await readPost(server, id, 'entities')).entities.urls[0].url.split('/').at(-1) as string
  const open = (code: string, query = '') =>
    fetch(`${server.baseUrl}/i/links/${code}${query}`, { redirect: 'manual' }).then((answer) => answer.status)

  test('counts for the only post that has the link', async () => {
    const post = await makePost(server, 'alice', { text: 'read https://example.com/only-here' })
    const code = await codeOf(post)
    expect(await open(code)).toBe(302)
    await open(code)
    expect(await linkClicks(post)).toBe(2)
  })

  test('counts for the post that the address names where several have the link', async () => {
    const first = await makePost(server, 'alice', { text: 'first https://example.com/shared' })
    const second = await makePost(server, 'alice', { text: 'second https://example.com/shared' })
    const other = await makePost(server, 'alice', { text: 'without a link' })
    const code = await codeOf(first)
    await open(code)
    await open(code, `?post=${second}`)
    await open(code, `?post=${other}`)
    await open(code, '?post=nonsense')
    expect([await linkClicks(first), await linkClicks(second), await linkClicks(other)]).toEqual([0, 1, 0])
  })
})

describe('a video', () => {
  let key: string
  let post: string
  beforeAll(async () => {
    const video = await uploadSegments(server, makeMp4(), { category: 'post_video' })
    key = video.media_key
    post = await makePost(server, 'alice', { text: 'a film', media: { media_ids: [video.id] } })
    await see(
      { post, media_key: key, kind: 'video_view', viewer: 'bob', watch_ms: 900 },
      { post, media_key: key, kind: 'video_view', viewer: 'bob', watch_ms: 100 },
      { post, media_key: key, kind: 'video_view', viewer: 'chika' },
      { post, media_key: key, kind: 'video_view', count: 5 },
      { post, media_key: key, kind: 'video_start', count: 8 },
      { post, media_key: key, kind: 'video_25', count: 6 },
      { post, media_key: key, kind: 'video_50', count: 4 },
      { post, media_key: key, kind: 'video_75', count: 3, promoted: true },
      { post, media_key: key, kind: 'video_complete', count: 2 },
      { post, media_key: key, kind: 'video_tap' },
      { post, media_key: key, kind: 'video_link_click' },
    )
  })

  test('has metrics of how it was played, which its owner sees in full', async () => {
    const read = (as: As, fields: string) => server.get(`/2/media/${key}?media.fields=${fields}`, as)
    expect((await read('app', 'public_metrics')).body.data.public_metrics).toEqual({ view_count: 8 })
    const playback = { playback_0_count: 8, playback_25_count: 6, playback_50_count: 4, playback_100_count: 2 }
    expect((await read(alice, allPrivate)).body.data).toMatchObject({
      non_public_metrics: { ...playback, playback_75_count: 3 },
      organic_metrics: { ...playback, playback_75_count: 0, view_count: 8 },
      promoted_metrics: { playback_0_count: 0, playback_75_count: 3, view_count: 0 },
    })
    const refused = (await read(bob, 'non_public_metrics')).body
    expect(refused.data).toBeUndefined()
    expect(refused.errors).toHaveLength(5)
    // The command would also forget who saw what.
    server.runtime.clock.setOffset(31 * DAY)
    try {
      expect((await read(alice, 'non_public_metrics')).body.data).toBeUndefined()
      expect((await read(alice, 'public_metrics')).body.data.public_metrics).toEqual({ view_count: 8 })
    } finally {
      server.runtime.clock.setOffset(0)
    }
  })

  test('has analytics for its owner, and errors for others', async () => {
    const picture = await uploadWhole(server, makePng(4, 4), 'post_image', 'bob')
    const read = (await server.get(`/2/media/analytics?media_keys=${key},${picture.media_key},7_1&${lastDay()}`, alice))
      .body
    expect(read.data).toEqual([
      {
        media_key: key,
        timestamped_metrics: [
          {
            timestamp: expect.stringMatching(/:00:00\.000Z$/),
            metrics: {
              video_views: 8,
              playback_start: 8,
              playback25: 6,
              playback50: 4,
              playback75: 3,
              playback_complete: 2,
              play_from_tap: 1,
              cta_url_clicks: 1,
              cta_watch_clicks: 0,
              watch_time_ms: 1000,
            },
          },
        ],
      },
    ])
    expect(read.errors.map((error: { resource_id: string }) => error.resource_id)).toEqual([picture.media_key, '7_1'])
    const chosen = await server.get(
      `/2/media/analytics?media_keys=${key}&${lastDay()}&media_analytics.fields=media_key,playback25`,
      alice,
    )
    expect(chosen.body.data[0].timestamped_metrics[0].metrics).toEqual({ playback25: 6 })
  })

  test('counts for its post too, each known viewer once', async () => {
    const metrics = 'VideoViews,UniqueVideoViews,VideoStarts,VideoCompletions,MediaViews,MediaEngagements,LinkClicks'
    const read = await server.get(
      `/2/insights/28hr?post_ids=${post}&granularity=Total&requested_metrics=${metrics}`,
      alice,
    )
    const values = read.body.data[0].measurement.metrics_total[0].value
    expect(values.map((item: { metric_value: number }) => item.metric_value)).toEqual([8, 2, 8, 2, 8, 2, 1])
    await see({ post, media_key: key, kind: 'video_view', viewer: 'bob' })
    const again = await server.get(
      `/2/insights/28hr?post_ids=${post}&granularity=Total&requested_metrics=UniqueVideoViews`,
      alice,
    )
    expect(again.body.data[0].measurement.metrics_total[0].value[0].metric_value).toBe(2)
  })
})
