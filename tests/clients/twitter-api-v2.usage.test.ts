import { ApiResponseError, TwitterApi } from 'twitter-api-v2'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { processJobs } from '../../src/social/compliance/process-jobs.ts'
import { makePost } from '../social/acting.ts'
import { type LegacyHost, startLegacyHost } from '../support/legacy-host.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

let server: TestServer
let host: LegacyHost
beforeAll(async () => {
  // The library opens the addresses of a job with TLS, which only the built-in host has here.
  server = await startTestServer(['--public-url', 'https://api.x.com'])
  host = await startLegacyHost(server)
})
afterAll(async () => {
  await host.close()
  await server.close()
})

const client = () => new TwitterApi(server.credentials.apps[0]!.bearer_token!, { httpAgent: host.agent }).v2

test('the library reads the usage of its project', async () => {
  const before = Number((await client().usage()).data.project_usage)
  const id = await makePost(server, 'bob', { text: 'used once' })
  await client().singleTweet(id)
  await client().singleTweet(id)
  const { data } = await client().usage({ days: 1, 'usage.fields': ['daily_project_usage', 'project_usage'] as never })
  expect(Number(data.project_usage)).toBe(before + 1)
  expect(data.daily_project_usage).toMatchObject({ usage: [{ usage: before + 1 }] })
})

test('the library creates a compliance job, uploads its ids and downloads the result', async () => {
  const kept = await makePost(server, 'bob', { text: 'kept' })
  const { data: job } = await client().sendComplianceJob({ type: 'tweets', name: 'nightly', ids: [kept, '11', '12'] })
  expect(job).toMatchObject({ type: 'tweets', name: 'nightly', status: 'created' })
  await expect(client().sendComplianceJob({ type: 'tweets', ids: ['1'] })).rejects.toThrow(ApiResponseError)
  await processJobs(server.runtime, new AbortController().signal)
  const { data: done } = await client().complianceJob(job.id)
  expect(done.status).toBe('complete')
  const result = await client().complianceJobResult(done)
  expect(result.map(({ id, action, reason }) => [id, action, reason])).toEqual([
    ['11', 'delete', 'deleted'],
    ['12', 'delete', 'deleted'],
  ])
  const { data: listed } = await client().complianceJobs({ type: 'tweets', status: 'complete' })
  expect(listed.map((item) => item.id)).toEqual([job.id])
})
