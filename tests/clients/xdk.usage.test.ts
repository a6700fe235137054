import { ApiError, Client, OAuth1 } from '@xdevplatform/xdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { processJobs } from '../../src/social/compliance/process-jobs.ts'
import { makePost } from '../social/acting.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { refusalOf } from './refusal.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

const appClient = () => new Client({ baseUrl: server.baseUrl, bearerToken: server.credentials.apps[0]!.bearer_token })
function userClient(username: string): Client {
  const keys = server.keysOf(username)
  const oauth1 = new OAuth1({
    apiKey: keys.consumerKey,
    apiSecret: keys.consumerSecret,
    callback: 'oob',
    accessToken: keys.token!,
    accessTokenSecret: keys.tokenSecret!,
  })
  return new Client({ baseUrl: server.baseUrl, oauth1 })
}

test('the library reads the usage of its project', async () => {
  const id = await makePost(server, 'bob', { text: 'used' })
  await appClient().posts.getById(id)
  const { data } = await appClient().usage.get({ days: 3 })
  expect(data).toMatchObject({ projectCap: 200_000_000, projectUsage: 1 })
  expect(data!.dailyProjectUsage!.usage).toHaveLength(1)
})

test('the library creates, lists and reads compliance jobs', async () => {
  const { compliance } = appClient()
  const { data: job } = await compliance.createJobs({ type: 'users', name: 'weekly' })
  expect(job).toMatchObject({ type: 'users', status: 'created' })
  expect(await refusalOf(ApiError, compliance.createJobs({ type: 'users' }))).toMatchObject({ status: 409 })
  const sent = await fetch(job!.uploadUrl!, { method: 'PUT', body: '11', headers: { 'content-type': 'text/plain' } })
  expect(sent.status).toBe(200)
  await processJobs(server.runtime, new AbortController().signal)
  expect((await compliance.getJobs('users')).data).toHaveLength(1)
  const { data: done } = await compliance.getJobsById(job!.id!)
  expect(done!.status).toBe('complete')
  expect(await (await fetch(done!.downloadUrl!)).json()).toMatchObject({ id: '11', reason: 'deleted' })
})

test('the library drafts and publishes an article', async () => {
  const { articles } = userClient('alice')
  const { data: draft } = await articles.articleCreateDraft({
    title: 'Typed',
    contentState: { blocks: [{ text: 'A block', type: 'unstyled' }], entities: [] },
  })
  expect(draft).toMatchObject({ title: 'Typed' })
  const { data: published } = await articles.articlePublish(draft!.id!)
  const { data: post } = await appClient().posts.getById(published!.postId!, { postFields: ['article'] })
  expect(post!.article).toMatchObject({ title: 'Typed' })
})
