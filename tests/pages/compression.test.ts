import http from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makePost } from '../social/acting.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

/** An answer as it is on the wire. */
const read = (path: string, headers: Record<string, string>) =>
  new Promise<{ status: number; headers: http.IncomingHttpHeaders; bytes: Buffer }>((resolve, reject) => {
    http
      .request(server.baseUrl + path, { headers, agent: false }, (answer) => {
        const chunks: Buffer[] = []
        answer.on('data', (chunk: Buffer) => chunks.push(chunk))
        answer.on('end', () =>
          resolve({ status: answer.statusCode ?? 0, headers: answer.headers, bytes: Buffer.concat(chunks) }),
        )
      })
      .on('error', reject)
      .end()
  })
const HTML = { accept: 'text/html' }

test('pages are compressed as the browser takes them, and caches are told', async () => {
  await makePost(server, 'alice', { text: `a page long enough to be compressed ${Math.random()}` })
  const plain = await read('/alice', HTML)
  expect(plain.headers['content-encoding']).toBeUndefined()
  const ways = [
    ['gzip, deflate, br', 'br', brotliDecompressSync],
    ['gzip;q=0.5, br;q=0', 'gzip', gunzipSync],
  ] as const
  for (const [accepted, encoding, decompress] of ways) {
    const packed = await read('/alice', { ...HTML, 'accept-encoding': accepted })
    expect(packed.headers).toMatchObject({ 'content-encoding': encoding, vary: 'cookie, accept, accept-encoding' })
    expect(packed.headers['content-length']).toBe(String(packed.bytes.length))
    expect(packed.bytes.length).toBeLessThan(plain.bytes.length / 2)
    const text = (bytes: Buffer) => bytes.toString().replace(/value="[^"]*"|datetime="[^"]*"/g, '')
    expect(text(decompress(packed.bytes))).toBe(text(plain.bytes))
  }
  expect(plain.headers.vary).toBe('cookie, accept, accept-encoding')
  const missing = await read('/nobody/at/all', { ...HTML, 'accept-encoding': 'gzip' })
  expect([missing.status, missing.headers['content-encoding']]).toEqual([404, 'gzip'])
})

test('answers to the console are compressed, those of the interfaces and small ones are not', async () => {
  const accepted = { 'accept-encoding': 'gzip, br' }
  const admin = { authorization: `Bearer ${server.credentials.admin_key}` }
  for (let times = 0; times < 10; times++) await server.get('/2/users/by/username/alice')
  const requests = await read('/_rostra/requests', { ...accepted, ...admin })
  expect([requests.status, requests.headers['content-encoding']]).toEqual([200, 'br'])
  expect(JSON.parse(brotliDecompressSync(requests.bytes).toString())).toHaveProperty('requests')
  const small = await read('/_rostra/console-session', accepted)
  expect(small.headers['content-encoding']).toBeUndefined()
  const bearer = { authorization: `Bearer ${server.credentials.apps[0]!.bearer_token}` }
  const path = `/2/users/${server.userId('alice')}/posts?max_results=100&expansions=author_id&post.fields=entities,public_metrics,text,created_at`
  const answer = await read(path, { ...accepted, ...bearer })
  expect(answer.status).toBe(200)
  expect(answer.bytes.length).toBeGreaterThan(1_024)
  expect([answer.headers['content-encoding'], answer.headers.vary]).toEqual([undefined, undefined])
})
