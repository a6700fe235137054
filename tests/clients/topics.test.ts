import type * as Xdk from '@xdevplatform/xdk'
import { TwitterApi } from 'twitter-api-v2'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { accessToken, makePost } from '../social/acting.ts'
import { type LegacyHost, startLegacyHost } from '../support/legacy-host.ts'
import { loadXdk } from '../support/load-xdk.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

let server: TestServer
let host: LegacyHost
let xdk: typeof Xdk
let newsId: string
beforeAll(async () => {
  server = await startTestServer()
  host = await startLegacyHost(server)
  vi.stubGlobal('fetch', host.fetch)
  xdk = await loadXdk('topics')
  for (const user of ['alice', 'bob', 'chika']) await makePost(server, user, { text: `Seen by ${user}: #clienttrend` })
  newsId = (
    await server.command('trigger', { event_type: 'news.new', text: 'A comet passes above the Grand Canyon tonight' })
  ).news_id
})
afterAll(async () => {
  vi.unstubAllGlobals()
  await host.close()
  await server.close()
})

const appClient = () =>
  new xdk.Client({ baseUrl: server.baseUrl, bearerToken: server.credentials.apps[0]!.bearer_token! })

test('the library of the platform reads trends of a place and of a user', async () => {
  const { data } = await appClient().trends.getByWoeid(1, { maxTrends: 50, trendFields: ['trend_name', 'tweet_count'] })
  expect(data).toContainEqual({ trendName: '#clienttrend', tweetCount: 3 })
  const token = await accessToken(server, 'alice', ['post.read', 'users.read'])
  const user = new xdk.Client({ baseUrl: server.baseUrl, accessToken: token })
  const personal = await user.trends.getPersonalized({
    personalizedTrendFields: ['trend_name', 'post_count', 'category'],
  })
  expect(personal.data).toContainEqual({ trendName: '#clienttrend', postCount: 3, category: 'Other' })
})

test('the library of the platform searches and reads news', async () => {
  const found = await appClient().news.search('comet', {
    maxAgeHours: 24,
    newsFields: ['name', 'category', 'contexts'],
  })
  expect(found.data?.[0]).toMatchObject({ restId: newsId, name: 'A comet passes above the Grand Canyon tonight' })
  const one = await appClient().news.get(newsId, { newsFields: ['cluster_posts_results', 'updated_at'] })
  expect(one.data?.clusterPostsResults).toHaveLength(3)
})

test('the other library reads trends and news in the legacy naming', async () => {
  const client = new TwitterApi(server.credentials.apps[0]!.bearer_token!, { httpAgent: host.agent })
  const { data } = await client.v2.get<{ data: object[] }>('trends/by/woeid/1', { max_trends: 50 })
  expect(data).toContainEqual({ trend_name: '#clienttrend', tweet_count: 3 })
  const news = await client.v2.get<{ data: object[] }>('news/search', { query: 'comet', 'news.fields': 'name' })
  expect(news.data[0]).toMatchObject({ rest_id: newsId })
})
