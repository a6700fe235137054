import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { v1Time } from '../../src/social/v1/v1-json.ts'
import { shortenText } from '../../src/social/v1/v1-text.ts'
import { makePost, readPost, rows } from '../social/acting.ts'
import { makePng } from '../support/make-media.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { addWebhook, deliveriesOf, subscribe, v1TimeOf } from './delivered-events.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())
afterEach(() => rows(server, 'delete from webhook'))

const LISBON = 'a1f0c2d4e5b60002'

/** The delivery to a user's webhook for a post of theirs. */
async function ownPost(user: string, body: object, naming: 'neutral' | 'legacy' = 'neutral') {
  await subscribe(server, await addWebhook(server, { naming }), user)
  let id = ''
  const [item] = await deliveriesOf(server, async () => {
    id = await makePost(server, user, body)
  })
  return { id, ...item! }
}

async function userOf(username: string) {
  const read = await server.get(`/2/users/by/username/${username}?user.fields=created_at,public_metrics`)
  return read.body.data
}

test('the time of the reference is written as the reference does', () => {
  expect(v1Time(Date.parse('2025-05-19T14:01:46.999Z'))).toBe('Mon May 19 14:01:46 +0000 2025')
  expect(v1Time(Date.parse('2018-03-06T06:03:02Z'))).toBe('Tue Mar 06 06:03:02 +0000 2018')
})

test('a post with pictures has the first in its entities, all of them in its extended entities, and none in its links', async () => {
  const upload = async () => {
    const sent = { media: makePng(800, 600).toString('base64'), media_category: 'post_image' }
    return (await server.post('/2/media/upload', sent, { user: 'bob' })).body.data
  }
  const [one, two] = [await upload(), await upload()]
  const { body } = await ownPost('bob', {
    text: 'Two trains https://example.com/trains',
    media: { media_ids: [one.id, two.id] },
  })
  const [post] = JSON.parse(body).post_create_events
  expect(post.entities.urls.map((item: { expanded_url: string }) => item.expanded_url)).toEqual([
    'https://example.com/trains',
  ])
  expect(post.entities.media).toHaveLength(1)
  expect(post.extended_entities.media).toMatchObject([
    { id_str: one.id, media_key: one.media_key, type: 'photo', sizes: { small: { w: 680, h: 510, resize: 'fit' } } },
    { id_str: two.id, media_key: two.media_key, type: 'photo' },
  ])
  const [from, to] = post.entities.media[0].indices
  expect(post.text.slice(from, to)).toBe(post.entities.media[0].url)
})

test('a post has the members of version 1.1, and ids with all their digits', async () => {
  const text = 'Coffee & cake with @bob at $ROS #tea https://example.com/menu'
  const { id, body, json } = await ownPost('dario', { text, geo: { place_id: LISBON } })
  const shown = await readPost(server, id, 'created_at,entities')
  const [dario, bob] = [await userOf('dario'), server.userId('bob')]
  const span = (item: { start: number; end: number }) => [item.start, item.end]
  const { mentions, cashtags, hashtags, urls } = shown.entities
  const picture = expect.stringMatching(new RegExp(`^http.*/profile_images/${dario.id}/default_normal\\.png$`))
  expect(json).toEqual({
    for_user_id: dario.id,
    post_create_events: [
      {
        created_at: v1TimeOf(shown.created_at),
        id: Number(id),
        id_str: id,
        text: shown.text,
        display_text_range: [0, shown.text.length],
        truncated: false,
        entities: {
          hashtags: [{ text: 'tea', indices: span(hashtags[0]) }],
          symbols: [{ text: 'ROS', indices: span(cashtags[0]) }],
          user_mentions: [
            { screen_name: 'bob', name: 'Bob Okafor', id: Number(bob), id_str: bob, indices: span(mentions[0]) },
          ],
          urls: [
            {
              url: urls[0].url,
              expanded_url: 'https://example.com/menu',
              display_url: 'example.com/menu',
              indices: span(urls[0]),
            },
          ],
        },
        source: 'First app',
        in_reply_to_status_id: null,
        in_reply_to_status_id_str: null,
        in_reply_to_user_id: null,
        in_reply_to_user_id_str: null,
        in_reply_to_screen_name: null,
        user: {
          id: Number(dario.id),
          id_str: dario.id,
          name: 'Dario Conti',
          screen_name: 'dario',
          location: 'Turin',
          url: null,
          description: 'Cooks, writes about it, eats it.',
          protected: false,
          verified: false,
          followers_count: dario.public_metrics.followers_count,
          friends_count: dario.public_metrics.following_count,
          listed_count: 0,
          favourites_count: dario.public_metrics.like_count,
          statuses_count: dario.public_metrics.post_count,
          created_at: v1TimeOf(dario.created_at),
          geo_enabled: true,
          default_profile_image: expect.any(Boolean),
          profile_image_url: picture,
          profile_image_url_https: picture,
          withheld_in_countries: [],
        },
        place: {
          id: LISBON,
          place_type: 'city',
          name: 'Lisbon',
          full_name: 'Lisbon, Portugal',
          country_code: 'PT',
          country: 'Portugal',
          bounding_box: {
            type: 'Polygon',
            coordinates: [
              [
                [-9.23, 38.69],
                [-9.23, 38.8],
                [-9.09, 38.8],
                [-9.09, 38.69],
              ],
            ],
          },
        },
        is_quote_status: false,
        quote_count: 0,
        reply_count: 0,
        repost_count: 0,
        favorite_count: 0,
        favorited: false,
        reposted: false,
        possibly_sensitive: false,
        lang: 'en',
        timestamp_ms: expect.stringMatching(/^\d{13}$/),
      },
    ],
  })
  expect(v1Time(Number(json.post_create_events[0].timestamp_ms))).toBe(v1TimeOf(shown.created_at))
  expect(BigInt(id)).toBeGreaterThan(BigInt(Number.MAX_SAFE_INTEGER))
  expect(body).toContain(`"id":${id},"id_str":"${id}"`)
  expect(body).toContain(`"id":${bob},"id_str":"${bob}"`)
})

describe('the legacy naming of a webhook', () => {
  test('renames the members of every kind of event, and leaves the texts of people as they are', async () => {
    const [neutral, legacy] = [await addWebhook(server), await addWebhook(server, { naming: 'legacy' })]
    for (const hook of [neutral, legacy]) await subscribe(server, hook, 'alice')
    const path = `/2/users/${server.userId('alice')}`
    let quote = ''
    const made = await deliveriesOf(server, async () => {
      const first = await makePost(server, 'alice', { text: `A post about post_count. ${'Long. '.repeat(30)}` })
      quote = await makePost(server, 'bob', { text: 'posts and reposts', quote_post_id: first })
      await server.post(`${path}/reposts`, { post_id: quote }, { user: 'alice' })
      await server.post(`${path}/likes`, { post_id: quote }, { user: 'alice' })
      await server.command('relation.add', { kind: 'mute', source: 'alice', target: 'dario' })
    })
    const list = [
      ...made,
      ...(await deliveriesOf(server, () => server.delete(`${path}/reposts/${quote}`, { user: 'alice' }))),
    ]
    const of = (hook: string) => list.filter((item) => item.webhookId === hook)
    expect(of(neutral).map((item) => Object.keys(item.json)[1])).toEqual([
      'post_create_events',
      'post_create_events',
      'post_create_events',
      'favorite_events',
      'mute_events',
      'post_delete_events',
    ])
    expect(of(legacy).map((item) => Object.keys(item.json)[1])).toEqual([
      'tweet_create_events',
      'tweet_create_events',
      'tweet_create_events',
      'favorite_events',
      'mute_events',
      'tweet_delete_events',
    ])
    const [first, , repost] = of(legacy).map((item) => item.json.tweet_create_events?.[0])
    expect(first.extended_tweet.full_text).toMatch(/^A post about post_count\. Long\./)
    expect(first).toMatchObject({ truncated: true, retweet_count: 0, retweeted: false })
    expect(repost.retweeted_status).toMatchObject({ text: 'posts and reposts', retweet_count: 1 })
    expect(repost.retweeted_status.quoted_status.extended_tweet.full_text).toBe(first.extended_tweet.full_text)
    for (const item of of(legacy)) expect(item.body).not.toMatch(/"[a-z_]*post[a-z_]*":/)
    for (const item of of(neutral)) expect(item.body).not.toMatch(/tweet/)
    // Only the names differ: the values are the same.
    const values = (body: string) => body.replace(/"[a-z_]+":/g, '')
    expect(of(legacy).map((item) => values(item.body))).toEqual(of(neutral).map((item) => values(item.body)))
  })
})

describe('a long post', () => {
  test('is cut to 140 characters with a working link to itself, and has its full text besides', async () => {
    const text = `Hello @bob ${'words and more words '.repeat(11)}#end`
    const { id, json } = await ownPost('dario', { text })
    const [shown] = json.post_create_events
    expect(shown.truncated).toBe(true)
    expect(shown.text).toMatch(/^Hello @bob words .*\S… https:\/\/t\.co\/\w{10}$/)
    expect(Array.from(shown.text as string).length).toBeLessThanOrEqual(140)
    expect(shown.display_text_range).toBeUndefined()
    const address = `${server.runtime.baseUrl}/dario/status/${id}`
    expect(shown.entities).toMatchObject({
      hashtags: [],
      user_mentions: [{ screen_name: 'bob', indices: [6, 10] }],
      urls: [{ expanded_url: address, indices: [shown.text.length - 23, shown.text.length] }],
    })
    expect(shown.extended_post).toMatchObject({
      full_text: text,
      display_text_range: [0, text.length],
      entities: { hashtags: [{ text: 'end', indices: [text.length - 4, text.length] }], urls: [] },
    })
    const code = shown.entities.urls[0].url.split('/').at(-1)
    const opened = await server.get(`/i/links/${code}`, 'nobody')
    expect(opened.headers.get('location')).toBe(address)
  })

  test('of more than 280 characters has all of them besides, without the leading mentions of a reply', async () => {
    const asked = await makePost(server, 'bob', { text: 'Tell me everything' })
    const words = 'Everything there is to tell. '.repeat(20).trim()
    const { json } = await ownPost('alice', {
      text: words,
      reply: { in_reply_to_post_id: asked, auto_populate_reply_metadata: true },
    })
    const [shown] = json.post_create_events
    expect(Array.from(shown.text as string).length).toBeLessThanOrEqual(140)
    const whole = `@bob ${words}`
    expect(shown.extended_post).toMatchObject({ full_text: whole, display_text_range: [5, whole.length] })
  })

  test('of exactly 140 characters is complete', async () => {
    const text = 'x'.repeat(140)
    const { json } = await ownPost('dario', { text })
    expect(json.post_create_events[0]).toMatchObject({ text, truncated: false, display_text_range: [0, 140] })
    expect(json.post_create_events[0].extended_post).toBeUndefined()
  })

  const room = 140 - 2 - 23
  test.each([
    ['an escaped sign', 'x'.repeat(room - 2), '&amp;', {}],
    ['a character of several parts', 'x'.repeat(room - 2), '👩‍👩‍👧', {}],
    [
      'a mention',
      'x'.repeat(room - 2),
      '@bob',
      { mentions: [{ start: room - 2, end: room + 2, username: 'bob', id: '1' }] },
    ],
  ])('is never cut inside %s', (_what, before, whole, entities) => {
    const full = { text: `${before}${whole}${'y'.repeat(60)}`, entities, range: [0, 0] as [number, number] }
    const short = shortenText(full, 'https://example.com/dario/status/1')
    expect(short.text.split('…')[0]).toBe(before)
    expect(Object.keys(short.entities)).toEqual(['urls'])
  })
})
