import { ApiError, Client, PostPaginator } from '@xdevplatform/xdk'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DAY, makePost } from '../social/acting.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

const posts = () => new Client({ baseUrl: server.baseUrl, bearerToken: server.credentials.apps[0]!.bearer_token }).posts

let written = 0

/** Writes `count` posts with a word; returns the ids, newest first, as searches list them. */
async function writePosts(word: string, count: number): Promise<string[]> {
  const ids: string[] = []
  for (let index = 0; index < count; index++)
    ids.unshift(await makePost(server, 'bob', { text: `A ${word}, number ${written++}` }))
  return ids
}

type Search = (token: string | undefined) => ReturnType<ReturnType<typeof posts>['searchRecent']>

/** The library's paginator over a search, as in its documentation. */
const pagesOf = (search: Search) =>
  new PostPaginator(async (token) => {
    const { data, meta, includes, errors } = await search(token)
    return { data: data ?? [], meta, includes, errors }
  })

const moment = (ms: number) => `${new Date(ms).toISOString().slice(0, 19)}Z`

describe('the paginator of the library', () => {
  test('iterates over 35 found posts while new ones arrive, each exactly once', async () => {
    const ids = await writePosts('violin', 35)
    const seen: string[] = []
    for await (const post of pagesOf((nextToken) => posts().searchRecent('violin', { maxResults: 10, nextToken })))
      if (seen.push(post.id) % 5 === 0) await writePosts('violin', 1)
    expect(seen).toEqual(ids)
  })

  test('fetches page by page with included users, by either name of the token', async () => {
    const ids = await writePosts('cello', 25)
    const pages = pagesOf((paginationToken) =>
      posts().searchRecent('cello', {
        maxResults: 10,
        paginationToken,
        postFields: ['public_metrics'],
        expansions: ['author_id'],
        userFields: ['username'],
      }),
    )
    await pages.fetchNext()
    expect(pages.meta).toMatchObject({ resultCount: 10, newestId: ids[0], oldestId: ids[9] })
    expect(pages.includes!.users).toMatchObject([{ username: 'bob' }])
    expect(pages.posts[0]).toMatchObject({ authorId: server.userId('bob'), publicMetrics: { repostCount: 0 } })
    const second = await pages.next()
    expect(second.items.map((post) => post.id)).toEqual(ids.slice(10, 20))
    await pages.fetchLast(100)
    expect(pages.done).toBe(true)
    expect(pages.posts.map((post) => post.id)).toEqual(ids)
  })

  test('reads the whole archive with searchAll, beyond the seven days of searchRecent', async () => {
    const old = await writePosts('oboe', 11)
    await server.command('clock', { advance_ms: 15 * DAY })
    const recent = await writePosts('oboe', 12)
    const ids: string[] = []
    for await (const post of pagesOf((nextToken) => posts().searchAll('oboe', { maxResults: 10, nextToken })))
      ids.push(post.id)
    expect(ids).toEqual([...recent, ...old])
    const found = await posts().searchRecent('oboe', { maxResults: 100 })
    expect(found.data!.map((post) => post.id)).toEqual(recent)
    const endTime = moment(server.runtime.clock.now() - 7 * DAY)
    const before = await posts().searchAll('oboe', { maxResults: 100, endTime })
    expect(before.data!.map((post) => post.id)).toEqual(old)
  })

  test('stops with the error of the library when the query is invalid', async () => {
    const pages = pagesOf((nextToken) => posts().searchRecent('cat (dog', { nextToken }))
    const failed = await pages.fetchNext().catch((error: unknown) => error)
    expect(failed).toBeInstanceOf(ApiError)
    expect((failed as ApiError).status).toBe(400)
    expect((failed as ApiError).data.errors[0].message).toContain('A parenthesis is not closed (at position 5)')
    expect(pages.rateLimited).toBe(false)
  })
})

describe('counts of the library', () => {
  // Only this parameter shows the server that the library reads the neutral naming at the legacy path.
  const searchCountFields = 'start,end,post_count'

  test('getCountsRecent counts by the hour, in the naming of the library when it requests fields', async () => {
    await writePosts('harp', 4)
    const counts = await posts().getCountsRecent('harp', { searchCountFields })
    expect(counts.meta).toEqual({ totalPostCount: 4 })
    expect(counts.data!.reduce((sum, slice) => sum + slice.postCount, 0)).toBe(4)
    expect(counts.data!.length).toBeGreaterThanOrEqual(168)
    const plain = await posts().getCountsRecent('harp', { granularity: 'day' })
    expect(plain.meta).toEqual({ totalTweetCount: 4 })
  })

  test('getCountsAll counts in pages of 31 days', async () => {
    await writePosts('lute', 2)
    await server.command('clock', { advance_ms: 40 * DAY })
    await writePosts('lute', 3)
    const options = {
      granularity: 'day',
      startTime: moment(server.runtime.clock.now() - 45 * DAY),
      searchCountFields,
    } as const
    const newest = await posts().getCountsAll('lute', options)
    expect(newest.meta).toEqual({ totalPostCount: 3, nextToken: expect.any(String) })
    const oldest = await posts().getCountsAll('lute', { ...options, nextToken: newest.meta!.nextToken })
    expect(oldest.meta).toEqual({ totalPostCount: 2 })
    expect(oldest.data!.at(-1)!.end).toBe(newest.data![0]!.start)
  })
})
