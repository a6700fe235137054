import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { processJobs } from '../../src/social/compliance/process-jobs.ts'
import { tidy } from '../../src/world/housekeeping.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { makePost, rows } from './acting.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/)

async function newApp(): Promise<{ bearer: string }> {
  const app = await server.command('app.create', { name: 'Keeper', owner: 'alice' })
  return { bearer: app.bearer_token }
}

async function newJob(body: object, as?: { bearer: string }) {
  const app = as ?? (await newApp())
  const made = await server.post('/2/compliance/jobs', body, app)
  if (made.status !== 200) throw new Error(`job refused: ${made.text}`)
  return { app, job: made.body.data }
}

const put = (url: string, body: string, headers: Record<string, string> = {}) =>
  fetch(url, { method: 'PUT', body, headers: { 'content-type': 'text/plain', ...headers } })
const work = () => processJobs(server.runtime, new AbortController().signal)
const read = async (app: { bearer: string }, id: string) =>
  (await server.get(`/2/compliance/jobs/${id}`, app)).body.data

async function resultOf(type: 'posts' | 'users', ids: string): Promise<Record<string, string>[]> {
  const { job } = await newJob({ type })
  expect((await put(job.upload_url, ids)).status).toBe(200)
  await work()
  const answer = await fetch(job.download_url)
  expect(answer.status).toBe(200)
  const text = await answer.text()
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))
}

describe('a compliance job', () => {
  test('is created, uploaded to, processed and downloaded', async () => {
    const { app, job } = await newJob({ type: 'users', name: 'Nightly' })
    expect(job).toEqual({
      id: expect.stringMatching(/^\d+$/),
      type: 'users',
      name: 'Nightly',
      resumable: false,
      status: 'created',
      created_at: TIME,
      upload_expires_at: TIME,
      download_expires_at: TIME,
      upload_url: expect.stringContaining(server.baseUrl),
      download_url: expect.stringContaining(server.baseUrl),
    })
    expect(Date.parse(job.upload_expires_at) - Date.parse(job.created_at)).toBe(15 * MINUTE_MS)
    expect(Date.parse(job.download_expires_at) - Date.parse(job.created_at)).toBe(7 * DAY_MS)
    expect((await fetch(job.download_url)).status).toBe(404)
    expect((await put(job.upload_url, `${server.userId('bob')}\n12\n`)).status).toBe(200)
    expect((await read(app, job.id)).status).toBe('in_progress')
    expect((await fetch(job.download_url)).status).toBe(404)
    await work()
    expect((await read(app, job.id)).status).toBe('complete')
    const answer = await fetch(job.download_url)
    expect(answer.headers.get('content-type')).toMatch('application/x-ndjson')
    expect(JSON.parse(await answer.text())).toEqual({
      id: '12',
      action: 'delete',
      created_at: TIME,
      redacted_at: TIME,
      reason: 'deleted',
    })
    expect(await rows(server, 'select 1 from compliance_upload where job_id = $1', [job.id])).toEqual([])
  })

  test('of posts names deleted ones and those of suspended or protected authors, with their times', async () => {
    for (const username of ['gone_quiet', 'thrown_out']) await server.command('user.create', { username })
    const { apps } = await server.command('app.list')
    const as = async (user: string) => {
      const pair = await server.command('user.token', { user, app: apps[0].id })
      return { keys: { ...server.keysOf('alice'), token: pair.access_token, tokenSecret: pair.access_token_secret } }
    }
    const kept = await makePost(server, 'bob', { text: 'kept' })
    const deleted = await makePost(server, 'bob', { text: 'deleted' })
    const shy = await makePost(server, await as('gone_quiet'), { text: 'shy' })
    const out = await makePost(server, await as('thrown_out'), { text: 'out' })
    await server.command('clock', { advance_ms: 5 * MINUTE_MS })
    await server.delete(`/2/posts/${deleted}`, { user: 'bob' })
    await server.command('user.update', { user: 'gone_quiet', protected: true })
    await server.command('user.update', { user: 'thrown_out', suspended: true })
    await server.command('clock', { advance_ms: 5 * MINUTE_MS })
    const found = await resultOf('posts', [kept, deleted, shy, out, '99'].join('\r\n'))
    expect(found.map(({ id, reason }) => [id, reason])).toEqual([
      [deleted, 'deleted'],
      [shy, 'protected'],
      [out, 'suspended'],
      ['99', 'deleted'],
    ])
    for (const line of found.slice(0, 3)) {
      const after = Date.parse(line.redacted_at!) - Date.parse(line.created_at!)
      expect(after).toBeGreaterThanOrEqual(4 * MINUTE_MS)
      expect(after).toBeLessThan(8 * MINUTE_MS)
    }
    await server.command('user.update', { user: 'gone_quiet', protected: false })
    await server.command('user.update', { user: 'thrown_out', suspended: false })
    expect(await resultOf('posts', `${shy}\n${out}`)).toEqual([])
    expect((await resultOf('users', `${server.userId('bob')}\n`)).length).toBe(0)
    await server.command('clock', { reset: true })
  })

  test('with 200,000 ids is processed in steps, and goes on after the last step when the process ends', async () => {
    const { app, job } = await newJob({ type: 'posts' })
    const kept = await makePost(server, 'bob', { text: 'one of many' })
    const lines = Array.from({ length: 200_000 }, (_, index) => String(index + 1))
    lines[120_000] = kept
    expect((await put(job.upload_url, `\ufeff${lines.join('\n')}`)).status).toBe(200)
    const segments = await rows(server, 'select length(bytes) as bytes from compliance_upload where job_id = $1', [
      job.id,
    ])
    expect(segments.length).toBeGreaterThan(3)
    expect(Math.max(...segments.map((row) => row.bytes))).toBeLessThan(400_000)
    // It stops after the first step.
    const stopping = new AbortController()
    const steps = processJobs(server.runtime, stopping.signal)
    stopping.abort()
    await steps
    expect((await read(app, job.id)).status).toBe('in_progress')
    await Promise.all([work(), work()])
    const text = await (await fetch(job.download_url)).text()
    const ids = text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line).id)
    expect(ids).toEqual(lines.filter((id) => id !== kept))
  })

  test.each(['12\nalice\n13', '12,13', '-5', '1'.repeat(20), 'a'.repeat(400_000)])(
    'fails when a line is not an id (case %#)',
    async (ids) => {
      const { app, job } = await newJob({ type: 'users' })
      expect((await put(job.upload_url, ids)).status).toBe(200)
      await work()
      expect((await read(app, job.id)).status).toBe('failed')
      expect((await fetch(job.download_url)).status).toBe(404)
    },
  )

  test('without ids is complete and has an empty result', async () => {
    expect(await resultOf('users', '\n\n')).toEqual([])
    expect(await resultOf('users', '')).toEqual([])
  })

  test('of the same type cannot be created while another waits or runs: 409 conflict', async () => {
    const { app, job } = await newJob({ type: 'posts' })
    const refuse = async () => {
      const refused = await server.post('/2/compliance/jobs', { type: 'posts' }, app)
      expect(refused.status).toBe(409)
      expect(refused.body).toMatchObject({ title: 'Conflict', type: expect.stringMatching(/\/conflict$/) })
    }
    await refuse()
    await newJob({ type: 'users' }, app)
    await newJob({ type: 'posts' })
    await put(job.upload_url, '1')
    await refuse()
    await work()
    await newJob({ type: 'posts' }, app)
  })

  test('is created once of many requests at the same time', async () => {
    const app = await newApp()
    const made = await Promise.all(
      Array.from({ length: 5 }, () => server.post('/2/compliance/jobs', { type: 'posts' }, app)),
    )
    expect(made.map((answer) => answer.status).sort()).toEqual([200, 409, 409, 409, 409])
  })

  test('expires when nothing is uploaded in a quarter of an hour', async () => {
    const { app, job } = await newJob({ type: 'posts' })
    await server.command('clock', { advance_ms: 16 * MINUTE_MS })
    expect((await read(app, job.id)).status).toBe('expired')
    const refused = await put(job.upload_url, '1')
    expect(refused.status).toBe(403)
    expect(await refused.json()).toMatchObject({ detail: 'This upload address has expired.' })
    await newJob({ type: 'posts' }, app)
    await server.command('clock', { reset: true })
  })

  test('has a result for seven days', async () => {
    const { app, job } = await newJob({ type: 'posts' })
    await put(job.upload_url, '1')
    await work()
    await server.command('clock', { advance_ms: 7 * DAY_MS - MINUTE_MS })
    expect((await fetch(job.download_url)).status).toBe(200)
    await server.command('clock', { advance_ms: 2 * MINUTE_MS })
    expect((await fetch(job.download_url)).status).toBe(403)
    await tidy(server.runtime)
    expect(await rows(server, 'select 1 from compliance_result where job_id = $1', [job.id])).toEqual([])
    expect((await read(app, job.id)).status).toBe('complete')
    await server.command('clock', { reset: true })
  })

  test.each([
    [{}, '$.type'],
    [{ type: 'likes' }, '$.type'],
    [{ type: 'posts', name: 'n'.repeat(65) }, '$.name'],
    [{ type: 'posts', resumable: 'yes' }, '$.resumable'],
    [{ type: 'posts', status: 'complete' }, '$.status'],
  ])('%j is refused', async (body, where) => {
    const refused = await server.post('/2/compliance/jobs', body)
    expect(refused.status).toBe(400)
    expect(Object.keys(refused.body.errors[0].parameters)).toEqual([where])
  })

  test('of another app is not found', async () => {
    const { job } = await newJob({ type: 'posts' })
    for (const id of [job.id, '9999999999999999999']) {
      const detail = `Could not find compliance job with id: [${id}].`
      const answer = await server.get(`/2/compliance/jobs/${id}`)
      expect(answer.status).toBe(200)
      expect(answer.body).toEqual({ errors: [{ title: 'Not Found Error', type: 'about:blank', status: 404, detail }] })
    }
  })
})

describe('the list of compliance jobs', () => {
  test('has the jobs of a type and status, newest first', async () => {
    const { app, job: first } = await newJob({ type: 'users' })
    await put(first.upload_url, '1')
    await work()
    const { job: second } = await newJob({ type: 'users' }, app)
    const list = async (query: string) => {
      const { data, meta } = (await server.get(`/2/compliance/jobs?${query}`, app)).body
      expect(meta.result_count).toBe(data?.length ?? 0)
      return data?.map((job: { id: string }) => job.id)
    }
    expect(await list('type=users')).toEqual([second.id, first.id])
    expect(await list('type=users&status=complete')).toEqual([first.id])
    expect(await list('type=users&status=created')).toEqual([second.id])
    expect(await list('type=posts')).toBeUndefined()
    await server.command('clock', { advance_ms: 16 * MINUTE_MS })
    expect(await list('type=users&status=created')).toBeUndefined()
    await server.command('clock', { reset: true })
  })

  test.each(['', '?type=likes', '?type=posts&status=expired', '?type=posts,users'])('%s is refused', async (query) => {
    expect((await server.get(`/2/compliance/jobs${query}`)).status).toBe(400)
  })
})

describe('an upload', () => {
  test('with a changed, foreign or missing signature is refused', async () => {
    const { job } = await newJob({ type: 'posts' })
    const { job: other } = await newJob({ type: 'posts' })
    const signed = new URL(job.upload_url)
    const query = new URL(other.upload_url).search
    for (const url of [
      job.upload_url.replace(/signature=./, 'signature=-'),
      `${signed.origin}${signed.pathname}${query}`,
      `${signed.origin}${signed.pathname}`,
      job.upload_url.replace(/expires=\d/, 'expires=9'),
      job.download_url.replace('/download', '/upload'),
      job.upload_url.replace(job.id, 'x'),
    ]) {
      const refused = await put(url, '1')
      expect(refused.status).toBe(403)
      expect(refused.headers.get('content-type')).toMatch('application/problem+json')
    }
    expect((await fetch(job.upload_url.replace('/upload', '/download'))).status).toBe(403)
  })

  test('after a complete one is refused', async () => {
    const { job } = await newJob({ type: 'posts' })
    expect((await put(job.upload_url, '1')).status).toBe(200)
    expect((await put(job.upload_url, '2')).status).toBe(409)
  })

  test('of a resumable job comes in parts, and continues where it ended', async () => {
    const { app, job } = await newJob({ type: 'users', resumable: true })
    const ids = '11\n12\n13\n'
    const start = await fetch(job.upload_url, { method: 'POST', headers: { 'x-goog-resumable': 'start' } })
    expect(start.status).toBe(201)
    const url = start.headers.get('location')!
    const part = (from: number, to: number) =>
      put(url, ids.slice(from, to), { 'content-range': `bytes ${from}-${to - 1}/${ids.length}` })
    expect((await put(url, '', { 'content-range': `bytes */${ids.length}` })).headers.get('range')).toBeNull()
    const first = await part(0, 4)
    expect([first.status, first.headers.get('range')]).toEqual([308, 'bytes=0-3'])
    expect((await part(6, 9)).headers.get('range')).toBe('bytes=0-3')
    expect((await part(0, 4)).headers.get('range')).toBe('bytes=0-3')
    expect((await put(url, '', { 'content-range': `bytes */${ids.length}` })).headers.get('range')).toBe('bytes=0-3')
    expect((await part(4, 9)).status).toBe(200)
    await work()
    expect((await read(app, job.id)).status).toBe('complete')
    const lines = (await (await fetch(job.download_url)).text()).split('\n').slice(0, -1)
    expect(lines.map((line) => JSON.parse(line).id)).toEqual(['11', '12', '13'])
  })

  test('in parts is refused for a job that is not resumable, and with a range that is not valid', async () => {
    const { job } = await newJob({ type: 'users' })
    expect((await put(job.upload_url, '1', { 'content-range': 'bytes 0-0/2' })).status).toBe(400)
    const { job: resumable } = await newJob({ type: 'users', resumable: true })
    for (const range of ['0-1/2', 'bytes 3-1/5', 'bytes 0-5/5', 'bytes 0-1/999999999999'])
      expect((await put(resumable.upload_url, '1', { 'content-range': range })).status).toBe(400)
  })
})
