import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { tidy } from '../../src/world/housekeeping.ts'
import { type As, startTestServer, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'
import { makePost, readPost, rows } from './acting.ts'
import { bookmarking } from './crowd.ts'

const HOUR = 3600_000
const DAY = 24 * HOUR

let server: TestServer
let bobsBookmarks: As
beforeAll(async () => {
  server = await startTestServer([], { events: true })
  bobsBookmarks = await bookmarking(server, 'bob')
})
afterAll(() => server.close())

const alice = { user: 'alice' }
const ago = (ms: number) => new Date(server.runtime.clock.now() - ms).toISOString()
const see = (...views: object[]) => server.command('views.add', { views })
const period = (fromMs: number, toMs = 0) => `start_time=${ago(fromMs)}&end_time=${ago(toMs)}`

async function analytics(ids: string, granularity = 'total', more = period(DAY), as: As = alice) {
  const read = await server.get(`/2/posts/analytics?ids=${ids}&granularity=${granularity}&${more}`, as)
  expect(read.status).toBe(200)
  return read.body
}
const totals = async (id: string) => (await analytics(id)).data[0].timestamped_metrics[0].metrics

describe('analytics of a post', () => {
  test('count views and clicks of all kinds, in bulk', async () => {
    const post = await makePost(server, 'alice', { text: 'seen often' })
    const added = await see(
      { post, count: 1000 },
      { post, viewer: 'bob' },
      { post, kind: 'link_click', count: 7 },
      { post, kind: 'profile_click', viewer: '@chika' },
      { post, kind: 'hashtag_click' },
      { post, kind: 'permalink_click', count: 2 },
      { post, kind: 'detail_expand', count: 3 },
      { post, kind: 'share' },
    )
    expect(added).toEqual({ added: 1016 })
    expect(await totals(post)).toEqual({
      app_install_attempts: 0,
      app_opens: 0,
      bookmarks: 0,
      detail_expands: 3,
      email_post: 0,
      engagements: 15,
      follows: 0,
      hashtag_clicks: 1,
      impressions: 1001,
      likes: 0,
      link_clicks: 7,
      media_engagements: 0,
      media_views: 0,
      permalink_clicks: 2,
      profile_visits: 1,
      quote_posts: 0,
      replies: 0,
      reposts: 0,
      shares: 1,
      unfollows: 0,
      unlikes: 0,
      url_clicks: 7,
      user_profile_clicks: 1,
    })
    expect((await readPost(server, post, 'public_metrics')).public_metrics.impression_count).toBe(1001)
  })

  test('count likes, replies, reposts, quotes, bookmarks and follows when they happen, also those that are undone', async () => {
    const post = await makePost(server, 'alice', { text: 'engaging' })
    const bob = { user: 'bob' }
    const at = (path: string) => `/2/users/${server.userId('bob')}/${path}`
    await server.post(at('likes'), { post_id: post }, bob)
    await server.delete(at(`likes/${post}`), bob)
    await server.post(at('reposts'), { post_id: post }, bob)
    await server.post(at('bookmarks'), { post_id: post }, bobsBookmarks)
    await makePost(server, 'bob', { text: 'an answer', reply: { in_reply_to_post_id: post } })
    const quote = await makePost(server, 'chika', { text: 'a quote', quote_post_id: post })
    await server.delete(`/2/posts/${quote}`, { user: 'chika' })
    // A follow counts for the post through which the follower came to the profile.
    await server.delete(at(`following/${server.userId('alice')}`), bob)
    await see({ post, kind: 'profile_click', viewer: 'bob' })
    await server.post(at('following'), { target_user_id: server.userId('alice') }, bob)
    await server.delete(at(`following/${server.userId('alice')}`), bob)
    const counted = await until(async () => {
      const metrics = await totals(post)
      return metrics.unfollows > 0 ? metrics : undefined
    })
    expect(counted).toMatchObject({
      likes: 1,
      unlikes: 1,
      reposts: 1,
      replies: 1,
      quote_posts: 1,
      bookmarks: 1,
      follows: 1,
      unfollows: 1,
      engagements: 7,
    })
    const now = await readPost(server, post, 'public_metrics')
    expect(now.public_metrics).toMatchObject({ like_count: 0, repost_count: 1, quote_count: 0, bookmark_count: 1 })
  })

  test('are given by hour, day, week and in total, with the periods in which nothing happened', async () => {
    const post = await makePost(server, 'alice', { text: 'over time' })
    await see(
      { post, at: ago(0) },
      { post, at: ago(2 * HOUR), count: 2 },
      { post, at: ago(3 * DAY), count: 4 },
      { post, at: ago(10 * DAY), count: 8 },
    )
    const series = async (granularity: string, ms: number) =>
      (await analytics(post, granularity, `${period(ms)}&analytics.fields=impressions`)).data[0].timestamped_metrics
    const hours = await series('hourly', 3 * HOUR)
    expect(hours.map((item: { metrics: object }) => item.metrics)).toEqual([
      { impressions: 0 },
      { impressions: 2 },
      { impressions: 0 },
      { impressions: 1 },
    ])
    expect(hours[0].timestamp).toMatch(/:00:00\.000Z$/)
    const days = await series('daily', 11 * DAY)
    expect(days).toHaveLength(12)
    expect(days[1].metrics.impressions).toBe(8)
    expect(days[1].timestamp).toMatch(/T00:00:00\.000Z$/)
    const weeks = await series('weekly', 14 * DAY)
    expect(weeks.length).toBeGreaterThan(1)
    expect(new Date(weeks[1].timestamp).getUTCDay()).toBe(1)
    const sum = (some: { metrics: { impressions: number } }[]) =>
      some.reduce((total, item) => total + item.metrics.impressions, 0)
    expect([sum(days), sum(weeks), sum(await series('total', 11 * DAY))]).toEqual([15, 15, 15])
    expect(sum(await series('total', 5 * HOUR))).toBe(3)
  })

  test('of posts of others, and of posts that are missing, are errors beside the data', async () => {
    const own = await makePost(server, 'alice', { text: 'mine' })
    const other = await makePost(server, 'bob', { text: 'not mine' })
    const read = await analytics(`${own},${other},1234567890`)
    expect(read.data.map((item: { id: string }) => item.id)).toEqual([own])
    expect(read.errors).toEqual([
      expect.objectContaining({
        resource_id: other,
        parameter: 'ids',
        field: 'timestamped_metrics',
        type: `${server.runtime.problemBase}/not-authorized-for-field`,
      }),
      expect.objectContaining({ resource_id: '1234567890', title: 'Not Found Error' }),
    ])
    expect((await analytics(other)).data).toBeUndefined()
  })

  test('end with the post', async () => {
    const post = await makePost(server, 'alice', { text: 'short life' })
    await see({ post, viewer: 'bob', promoted: true })
    await server.delete(`/2/posts/${post}`, alice)
    expect(await analytics(post)).toEqual({ errors: [expect.objectContaining({ title: 'Not Found Error' })] })
    const left = await rows(
      server,
      `select 1 from post_total where post_id = $1 union all select 1 from post_hour where post_id = $1
             union all select 1 from post_viewer where post_id = $1`,
      [post],
    )
    expect(left).toEqual([])
    expect((await server.tryCommand('views.add', { views: [{ post }] })).status).toBe(400)
  })

  test('without a granularity are the total', async () => {
    const post = await makePost(server, 'alice', { text: 'in total' })
    await see({ post, count: 3 })
    const read = await server.get(`/2/posts/analytics?ids=${post}&${period(DAY)}`, alice)
    expect(read.body.data[0].timestamped_metrics).toMatchObject([{ metrics: { impressions: 3 } }])
  })

  test('count views of a repost for the original', async () => {
    const post = await makePost(server, 'alice', { text: 'passed on' })
    const made = await server.post(`/2/users/${server.userId('bob')}/reposts`, { post_id: post }, { user: 'bob' })
    await see({ post: made.body.data.id, count: 3 })
    expect((await totals(post)).impressions).toBe(3)
  })

  test.each([
    ['without times', 'granularity=total', 'start_time'],
    ['that end before they begin', () => `granularity=total&${period(0, HOUR)}`, 'start_time'],
    ['with an unknown granularity', () => `granularity=Daily&${period(DAY)}`, 'granularity'],
    ['by the hour of a time whose hours are gone', () => `granularity=hourly&${period(40 * DAY)}`, 'start_time'],
    [
      'that would be very many',
      () => `granularity=daily&start_time=2006-04-01T00:00:00Z&end_time=${ago(0)}`,
      'granularity',
    ],
    ['with unknown fields', () => `granularity=total&${period(DAY)}&analytics.fields=views`, 'analytics.fields'],
  ])('%s are refused', async (_name, query, parameter) => {
    const ids = Array.from({ length: 3 }, (_item, index) => String(1000 + index)).join()
    const asked = typeof query === 'string' ? query : query()
    const read = await server.get(`/2/posts/analytics?ids=${ids}&${asked}`, alice)
    expect(read.status).toBe(400)
    expect(read.body).toMatchObject({ title: 'Invalid Request' })
    expect(JSON.stringify(read.body.errors)).toContain(parameter)
  })
})

describe('insights', () => {
  const METRICS = 'requested_metrics=Impressions,Likes,UrlClicks'

  test('have the totals and the hours of the last 28 hours', async () => {
    const post = await makePost(server, 'alice', { text: 'recently' })
    await see({ post, count: 5 }, { post, at: ago(20 * HOUR), count: 3 }, { post, at: ago(30 * HOUR), count: 9 })
    const read = await server.get(`/2/insights/28hr?post_ids=${post}&granularity=Hourly&${METRICS}`, alice)
    const [{ measurement, errors }] = read.body.data
    expect(errors).toBeUndefined()
    expect(measurement.metrics_total).toEqual([
      {
        post_id: post,
        value: [
          { metric_type: 'Impressions', metric_value: 8 },
          { metric_type: 'Likes', metric_value: 0 },
          { metric_type: 'UrlClicks', metric_value: 0 },
        ],
      },
    ])
    expect(measurement.metrics_time_series).toHaveLength(28)
    expect(measurement.metrics_time_series.at(-1)).toEqual({
      post_id: post,
      value: {
        metric_values: [
          { metric_type: 'Impressions', metric_value: 5 },
          { metric_type: 'Likes', metric_value: 0 },
          { metric_type: 'UrlClicks', metric_value: 0 },
        ],
        timestamp: { iso8601_time: expect.stringMatching(/:00:00\.000Z$/) },
      },
    })
  })

  test('have the numbers of a time, in the spelling of the request, and name posts without numbers', async () => {
    const post = await makePost(server, 'alice', { text: 'historical' })
    const other = await makePost(server, 'bob', { text: 'of somebody else' })
    await see({ post, at: ago(2 * DAY), kind: 'email', count: 4 })
    const asked = (fields = '') =>
      server.get(
        `/2/insights/historical?tweet_ids=${post}&tweet_ids=${other}&granularity=Total&requested_metrics=EmailTweet&${period(3 * DAY)}${fields}`,
        alice,
      )
    const read = (await asked()).body
    expect(read.data).toEqual([
      {
        errors: [{ error: 'Field Authorization Error', tweets: [other] }],
        measurement: {
          metrics_total: [{ tweet_id: post, value: [{ metric_type: 'EmailTweet', metric_value: 4 }] }],
        },
      },
    ])
    expect(read.errors).toEqual([expect.objectContaining({ resource_id: other, parameter: 'tweet_ids' })])
    expect((await asked('&engagement.fields=errors')).body.data).toEqual([
      { errors: [{ error: 'Field Authorization Error', tweets: [other] }] },
    ])
  })
})

describe('views.add', () => {
  test.each([
    ['an unknown post', { post: '12' }, 'views[1].post'],
    ['an unknown viewer', { viewer: 'nobody_here' }, 'views[1].viewer'],
    ['a moment to come', { at: '2099-01-01T00:00:00Z' }, 'views[1].at'],
    ['a moment long ago', { at: '2020-01-01T00:00:00Z' }, 'views[1].at'],
    ['a play without its media item', { kind: 'video_start' }, 'views[1].media_key'],
    ['a media item of another post', { kind: 'video_start', media_key: '7_1' }, 'views[1].media_key'],
    ['a media item that was only seen', { media_key: '7_1' }, 'views[1].media_key'],
    ['too many at once', { count: 1_000_001 }, 'count'],
    ['an unknown kind', { kind: 'glance' }, 'kind'],
  ])('refuses %s and adds nothing', async (_name, fault, parameter) => {
    const post = await makePost(server, 'alice', { text: `faulty ${JSON.stringify(fault)}` })
    const refused = await server.tryCommand('views.add', { views: [{ post }, { post, ...fault }] })
    expect(refused.status).toBe(400)
    expect(refused.text).toContain(parameter)
    expect((await totals(post)).impressions).toBe(0)
  })
})

test('views of the same posts at the same time are all counted, also while one of the posts is deleted', async () => {
  const posts = await Promise.all([1, 2, 3, 4].map((index) => makePost(server, 'alice', { text: `crowded ${index}` })))
  const gone = await makePost(server, 'alice', { text: 'crowded and gone' })
  const orders = [posts, [...posts].reverse()]
  const batches = Array.from({ length: 20 }, (_none, index) =>
    orders[index % 2]!.map((post) => ({ post, viewer: 'bob' })),
  )
  const ended = Promise.all(
    [1, 2, 3].map(() => server.tryCommand('views.add', { views: [{ post: gone }, { post: posts[0] }] })),
  )
  const [adds] = await Promise.all([
    Promise.all(batches.map((views) => server.tryCommand('views.add', { views }))),
    server.delete(`/2/posts/${gone}`, alice),
    server.post(`/2/users/${server.userId('bob')}/bookmarks`, { post_id: posts[1] }, bobsBookmarks),
  ])
  expect(adds.map((answer) => answer.status)).toEqual(batches.map(() => 200))
  const more = (await ended).filter((answer) => answer.status === 200).length
  const read = await analytics(posts.join())
  const impressions = read.data.map(
    (item: { timestamped_metrics: { metrics: { impressions: number } }[] }) =>
      item.timestamped_metrics[0]!.metrics.impressions,
  )
  expect(impressions).toEqual([20 + more, 20, 20, 20])
  expect(await rows(server, 'select from post_total where post_id = $1', [gone])).toEqual([])
})

describe('hours that are too old', () => {
  test('become days, and no number is lost', async () => {
    const post = await makePost(server, 'alice', { text: 'growing old' })
    const first = ago(0)
    await see(
      { post, count: 2 },
      { post, at: ago(HOUR), count: 3 },
      { post, at: ago(0), promoted: true, viewer: 'bob' },
    )
    await server.command('clock', { advance_ms: 34 * DAY })
    try {
      await see({ post, count: 4 })
      await tidy(server.runtime)
      const asked = async (granularity: string, start: string) =>
        (await analytics(post, granularity, `start_time=${start}&end_time=${ago(0)}&analytics.fields=impressions`))
          .data[0].timestamped_metrics as { metrics: { impressions: number } }[]
      const sum = (some: { metrics: { impressions: number } }[]) =>
        some.reduce((total, item) => total + item.metrics.impressions, 0)
      const begun = new Date(Date.parse(first) - HOUR).toISOString()
      expect([sum(await asked('total', begun)), sum(await asked('daily', begun))]).toEqual([10, 10])
      expect(sum(await asked('hourly', ago(DAY)))).toBe(4)
      const stored = await rows(
        server,
        `select (select count(*)::int from post_hour where post_id = $1) as hours,
                      (select count(*)::int from post_viewer where post_id = $1) as viewers`,
        [post],
      )
      expect(stored).toEqual([{ hours: 1, viewers: 0 }])
    } finally {
      await server.command('clock', { reset: true })
    }
  })
})
