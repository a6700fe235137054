import { ApiResponseError, TwitterApi } from 'twitter-api-v2'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DAY, makePost } from '../social/acting.ts'
import { type LegacyHost, startLegacyHost } from '../support/legacy-host.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { twitterClientOf } from './twitter-client.ts'

let server: TestServer
let host: LegacyHost
beforeAll(async () => {
  server = await startTestServer()
  host = await startLegacyHost(server)
})
afterAll(async () => {
  await host.close()
  await server.close()
})

const clientOf = (app: 0 | 1 = 0) =>
  new TwitterApi(server.credentials.apps[app]!.bearer_token!, { httpAgent: host.agent })
const userClient = (username: string) => twitterClientOf(server, host, username)

const AUTHORS = ['alice', 'bob', 'chika', 'dario']
let written = 0

/** Writes `count` posts with a word; returns the ids, newest first, as searches list them. */
async function writePosts(word: string, count: number): Promise<string[]> {
  const ids: string[] = []
  for (let index = 0; index < count; index++)
    ids.unshift(await makePost(server, AUTHORS[written % AUTHORS.length]!, { text: `A ${word}, number ${written++}` }))
  return ids
}

/** A time in the format of the parameters. */
const moment = (ms: number) => `${new Date(ms).toISOString().slice(0, 19)}Z`

const idsOf = (page: { tweets: { id: string }[] }) => page.tweets.map((post) => post.id)

/** The URLs of the requests to a path. */
const asked = (path: string) =>
  host.asked.map((request) => new URL(request.path, 'https://asked')).filter((url) => url.pathname === path)

describe('search of the library', () => {
  test('pages through 35 posts with fetchNext while new ones arrive, each exactly once', async () => {
    const ids = await writePosts('lantern', 35)
    const pages = await clientOf().v2.search('lantern', { max_results: 10 })
    const newer: string[] = []
    expect(pages.meta).toMatchObject({ result_count: 10, newest_id: ids[0], oldest_id: ids[9] })
    while (!pages.done) {
      newer.unshift(...(await writePosts('lantern', 2)))
      await pages.fetchNext()
    }
    expect(idsOf(pages)).toEqual(ids)
    expect(pages.meta).toMatchObject({ result_count: 35, oldest_id: ids.at(-1) })
    expect(newer).toHaveLength(6)

    await pages.fetchPrevious()
    expect(idsOf(pages)).toEqual([...newer, ...ids])
    expect(pages.meta.newest_id).toBe(newer[0])
  })

  test('iterates over 35 posts as a user while new ones arrive, each exactly once', async () => {
    const ids = await writePosts('compass', 35)
    const seen: string[] = []
    // Without a size the library requests the default first and 100 afterwards.
    for await (const post of await userClient('bob').v2.search('compass')) {
      seen.push(post.id)
      if (seen.length % 5 === 0) await writePosts('compass', 1)
    }
    expect(seen).toEqual(ids)
    const sizes = asked('/2/tweets/search/recent').map((url) => url.searchParams.get('max_results'))
    expect(sizes.slice(-2)).toEqual([null, '100'])
  })

  test('fetches some more posts and then the rest, with independent page objects', async () => {
    const ids = await writePosts('anchor', 35)
    const pages = await clientOf().v2.search('anchor', { max_results: 10 })
    const second = await pages.next()
    expect(idsOf(second)).toEqual(ids.slice(10, 20))
    expect(idsOf(pages)).toEqual(ids.slice(0, 10))
    await pages.fetchLast(15)
    expect(idsOf(pages)).toEqual(ids.slice(0, 30))
    await pages.fetchLast()
    expect(idsOf(pages)).toEqual(ids)
    expect(pages.done).toBe(true)
  })

  // After the last page the library continues with the id of the oldest post and turns a start time into an id.
  test('finds nothing after the last page, and nothing from before the start time', async () => {
    const older = await writePosts('sextant', 3)
    await server.command('clock', { advance_ms: 60_000 })
    const startMs = Math.ceil(server.runtime.clock.now() / 1000) * 1000
    await server.command('clock', { advance_ms: 30_000 })
    const ids = await writePosts('sextant', 12)
    await server.command('clock', { advance_ms: 60_000 })
    const pages = await clientOf().v2.search('sextant', { start_time: moment(startMs), max_results: 10 })
    await pages.fetchNext()
    expect(idsOf(pages)).toEqual(ids)
    expect(pages.done).toBe(true)
    await pages.fetchNext()
    expect(idsOf(pages)).toEqual(ids)
    const last = asked('/2/tweets/search/recent').at(-1)!.searchParams
    expect(Object.fromEntries(last)).toMatchObject({ until_id: ids.at(-1), since_id: expect.stringMatching(/^\d+$/) })
    expect(last.has('start_time')).toBe(false)
    expect(idsOf(await clientOf().v2.search('sextant', { max_results: 100 }))).toEqual([...ids, ...older])
  })

  test('provides included users and posts of all pages to the library helpers', async () => {
    const root = await makePost(server, 'chika', { text: 'An original barometer' })
    const quotes: string[] = []
    for (const [index, author] of ['alice', 'bob', 'dario', 'alice', 'bob', 'dario'].entries())
      quotes.unshift(
        await makePost(server, author, { text: `Weatherglass ${index} @${author}`, quote_post_id: root }),
        await makePost(server, author, { text: `Weatherglass ${index} again` }),
      )
    const pages = await clientOf().v2.search('weatherglass -is:retweet', {
      max_results: 10,
      expansions: ['author_id', 'referenced_tweets.id', 'referenced_tweets.id.author_id'],
      'tweet.fields': ['author_id', 'referenced_tweets', 'public_metrics'],
      'user.fields': ['username'],
    })
    await pages.fetchLast()
    expect(pages.tweets).toHaveLength(12)
    const quoting = pages.tweets.filter((post) => post.referenced_tweets)
    expect(quoting).toHaveLength(6)
    for (const post of pages.tweets) expect(AUTHORS).toContain(pages.includes.author(post)!.username)
    for (const post of quoting) {
      expect(pages.includes.quote(post)!.id).toBe(root)
      expect(pages.includes.author(pages.includes.quote(post)!)!.username).toBe('chika')
      expect(post.public_metrics).toHaveProperty('retweet_count')
    }
  })

  test('without results is an empty, finished page', async () => {
    const pages = await clientOf().v2.search('nobodysaysthis')
    expect(pages.tweets).toEqual([])
    expect(pages.meta).toEqual({ result_count: 0 })
    expect(pages.done).toBe(true)
    for await (const post of pages) throw new Error(`found ${post.id}`)
  })

  test('with an invalid query is refused, with the reason in the error of the library', async () => {
    const failed = await clientOf()
      .v2.search('cat colour:red')
      .catch((error: unknown) => error)
    expect(failed).toBeInstanceOf(ApiResponseError)
    expect(failed).toMatchObject({
      code: 400,
      message: expect.stringContaining('Invalid Request: One or more parameters to your request was invalid.'),
      errors: [
        {
          parameters: { query: ['cat colour:red'] },
          message: expect.stringContaining("Reference to invalid operator 'colour'"),
        },
      ],
    })
  })
})

describe('the whole archive in the library', () => {
  let old: string[]
  let recent: string[]
  beforeAll(async () => {
    old = await writePosts('astrolabe', 12)
    await server.command('clock', { advance_ms: 20 * DAY })
    recent = await writePosts('astrolabe', 35)
  })

  test('is searched by searchAll beyond seven days, while new posts arrive', async () => {
    expect((await clientOf().v2.search('astrolabe', { max_results: 100 })).tweets).toHaveLength(35)
    const pages = await clientOf().v2.searchAll('astrolabe', { max_results: 10 })
    const seen: string[] = []
    for await (const post of pages) if (seen.push(post.id) % 10 === 1) await writePosts('astrolabe', 1)
    expect(seen).toEqual([...recent, ...old])
  })

  test('is searched in one large page, and within bounds of ids and times', async () => {
    const { v2 } = clientOf()
    const whole = await v2.searchAll('astrolabe', { max_results: 500 })
    expect(idsOf(whole).slice(-47)).toEqual([...recent, ...old])
    expect(whole.done).toBe(true)
    expect(idsOf(await v2.searchAll('astrolabe', { until_id: old[3], max_results: 100 }))).toEqual(old.slice(4))
    const between = { since_id: old[3], until_id: recent[30], max_results: 100 }
    expect(idsOf(await v2.searchAll('astrolabe', between))).toEqual([...recent.slice(31), ...old.slice(0, 3)])
    const end_time = moment(server.runtime.clock.now() - 10 * DAY)
    expect(idsOf(await v2.searchAll('astrolabe', { end_time, max_results: 100 }))).toEqual(old)
  })

  test('is open to a self-serve app', async () => {
    expect((await clientOf(1).v2.searchAll('astrolabe')).tweets).toHaveLength(10)
  })
})

describe('counts of the library', () => {
  test('tweetCountRecent counts the last seven days by the hour and by the day', async () => {
    await writePosts('octant', 3)
    await server.command('clock', { advance_ms: 2 * DAY })
    await writePosts('octant', 4)
    const { v2 } = clientOf()
    const hours = await v2.tweetCountRecent('octant')
    expect(hours.meta).toEqual({ total_tweet_count: 7 })
    expect(hours.data.length).toBeGreaterThanOrEqual(168)
    expect(hours.data[0]).toEqual({ start: expect.any(String), end: expect.any(String), tweet_count: 0 })
    const days = await v2.tweetCountRecent('octant', { granularity: 'day' })
    expect(days.data.map((slice) => slice.tweet_count).filter((count) => count > 0)).toEqual([3, 4])
    for (const [index, slice] of days.data.entries()) if (index > 0) expect(slice.start).toBe(days.data[index - 1]!.end)
    const late = await v2.tweetCountRecent('octant', {
      start_time: moment(server.runtime.clock.now() - DAY),
      granularity: 'minute',
    })
    expect(late.meta.total_tweet_count).toBe(4)
  })

  test('tweetCountAll counts everything in pages of 31 days', async () => {
    await writePosts('quadrant', 2)
    await server.command('clock', { advance_ms: 40 * DAY })
    await writePosts('quadrant', 5)
    await server.command('clock', { advance_ms: 60_000 })
    const { v2 } = clientOf()
    const options = { granularity: 'day', start_time: moment(server.runtime.clock.now() - 50 * DAY) } as const
    const newest = await v2.tweetCountAll('quadrant', options)
    expect(newest.meta).toEqual({ total_tweet_count: 5, next_token: expect.any(String) })
    const oldest = await v2.tweetCountAll('quadrant', { ...options, next_token: newest.meta.next_token })
    expect(oldest.meta).toEqual({ total_tweet_count: 2 })
    expect(oldest.data.at(-1)!.end).toBe(newest.data[0]!.start)
    expect((await v2.tweetCountAll('quadrant')).meta.total_tweet_count).toBe(5)
  })
})
