import pg from 'pg'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../support/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())
afterEach(() => {
  server.runtime.diskIsFull = false
})

const write = (text: string) => server.post('/2/posts', { text }, { user: 'alice' })

test('while the disk is full reads go on, writes get 503, files 507, and writing resumes by itself', async () => {
  server.runtime.diskIsFull = true
  expect((await server.get('/2/users/me', { user: 'alice' })).status).toBe(200)
  expect((await server.get('/health', 'nobody')).status).toBe(200)
  const refused = await write('No room for this')
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '30'])
  expect(refused.body).toEqual({
    title: 'Service Unavailable',
    detail: 'Service Unavailable',
    type: 'about:blank',
    status: 503,
  })
  const upload = await server.post('/2/media/upload', { media: 'aGVsbG8=' }, { user: 'alice' })
  expect([upload.status, upload.body.title]).toEqual([507, 'Insufficient Storage'])
  const ads = await server.request('POST', '/12/accounts/18ce54d4x5t/campaigns', { as: { user: 'alice' } })
  expect([ads.status, ads.body.errors[0].code]).toEqual([503, 'SERVICE_UNAVAILABLE'])
  const token = await server.request('POST', '/2/oauth2/token', { as: 'nobody', form: { grant_type: 'refresh_token' } })
  expect(token.status).toBe(503)
  // The operator can make room.
  expect((await server.tryCommand('limits.clear', {})).status).toBe(200)
  server.runtime.diskIsFull = false
  expect((await write('Room again')).status).toBe(201)
})

test('a statement that fails because the disk is full is a 503 with the reason in the request log', async () => {
  const { pool } = server.runtime.database
  const query = pool.query
  pool.query = (async () => {
    const words = 'could not extend file: No space left on device'
    throw Object.assign(new pg.DatabaseError(words, 0, 'error'), { code: '53100' })
  }) as typeof pool.query
  const failed = await write('Cannot be stored').finally(() => {
    pool.query = query
  })
  expect([failed.status, failed.headers.get('retry-after')]).toEqual([503, '30'])
  const { body } = await server.get('/_rostra/requests?refused=true', { bearer: server.credentials.admin_key })
  expect(body.requests.at(-1).reason).toBe('the disk of the database is full')
})
