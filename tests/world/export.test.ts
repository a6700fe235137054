import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { exportWorld } from '../../src/world/exchange/export-world.ts'
import { ALL, kindOf } from '../../src/world/exchange/kinds.ts'
import { ExchangeError, FORMATS, type Format, type Manifest } from '../../src/world/exchange/manifest.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

let server: TestServer
let root: string

beforeAll(async () => {
  server = await startTestServer()
  root = mkdtempSync(path.join(tmpdir(), 'rostra-export-'))
})
afterAll(async () => {
  await server.close()
  rmSync(root, { recursive: true })
})

const watch = (signal = new AbortController().signal) => ({ progress: () => {}, signal })

function write(name: string, format: Format, what: readonly string[] = ALL, options = { replace: false }) {
  const folder = path.join(root, name)
  const kinds = what.map((item) => kindOf(item)!)
  return exportWorld(
    server.runtime.database,
    { kinds, format, folder, replace: options.replace, now: new Date() },
    watch(),
  )
}
const lines = (file: string) =>
  readFileSync(path.join(root, file), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

test('posts and users are exported as they are shown, in the order of their ids', async () => {
  const posted = await server.post(
    '/2/posts',
    { text: 'An "export", with\na new line & <signs> 🙂' },
    { user: 'alice' },
  )
  const manifest = await write('shown', 'jsonl', ['users', 'posts'])
  const posts = lines('shown/posts.jsonl')
  expect(posts.at(-1)).toMatchObject({
    id: posted.body.data.id,
    author_id: server.userId('alice'),
    text: 'An "export", with\na new line &amp; &lt;signs&gt; 🙂',
    lang: 'en',
    like_count: 0,
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
  })
  const ids = posts.map((post) => BigInt(post.id))
  expect(ids).toEqual(ids.toSorted((left, right) => (left < right ? -1 : 1)))
  expect(lines('shown/users.jsonl').map((user) => user.username)).toContain('alice')
  expect(manifest.files.map(({ what, rows }) => [what, rows])).toEqual([
    ['users', lines('shown/users.jsonl').length],
    ['posts', posts.length],
  ])
})

test('the manifest has the size and the hash of each file', async () => {
  await write('hashed', 'csv')
  const manifest = JSON.parse(readFileSync(path.join(root, 'hashed/manifest.json'), 'utf8')) as Manifest
  expect(manifest).toMatchObject({ rostra_export: 1, format: 'csv', options: { what: ALL } })
  expect(readdirSync(path.join(root, 'hashed')).toSorted()).toEqual(
    [...ALL.map((what) => `${what}.csv`), 'manifest.json'].toSorted(),
  )
  for (const { file, bytes, sha256 } of manifest.files) {
    const content = readFileSync(path.join(root, 'hashed', file))
    expect([file, content.length]).toEqual([file, bytes])
    expect(createHash('sha256').update(content).digest('hex')).toBe(sha256)
  }
})

test('an export has no password, no token and no key', async () => {
  await write('secrets', 'jsonl')
  const all = readdirSync(path.join(root, 'secrets'))
    .map((file) => readFileSync(path.join(root, 'secrets', file), 'utf8'))
    .join('')
  expect(all).not.toContain('scrypt')
  for (const user of server.credentials.users) expect(all).not.toContain(user.access_token_secret)
})

test('a folder with an export is left as it is unless it is to be replaced', async () => {
  await write('twice', 'jsonl', ['users', 'likes'])
  await expect(write('twice', 'csv', ['users'])).rejects.toThrow(ExchangeError)
  expect(readdirSync(path.join(root, 'twice')).toSorted()).toEqual(['likes.jsonl', 'manifest.json', 'users.jsonl'])
  await write('twice', 'csv', ['users'], { replace: true })
  expect(readdirSync(path.join(root, 'twice')).toSorted()).toEqual(['manifest.json', 'users.csv'])
})

test('an export that is stopped leaves no file', async () => {
  const stopping = new AbortController()
  const folder = path.join(root, 'stopped')
  const order = { kinds: ALL.map((item) => kindOf(item)!), format: 'jsonl' as const, folder, replace: false }
  const progress = (what: string) => what === 'posts' && stopping.abort()
  const done = exportWorld(
    server.runtime.database,
    { ...order, now: new Date() },
    { progress, signal: stopping.signal },
  )
  await expect(done).rejects.toThrow('aborted')
  expect(readdirSync(folder)).toEqual([])
  expect((await server.get('/health')).status).toBe(200)
})

test('the control interface streams the same bytes', async () => {
  const as = { bearer: server.credentials.admin_key }
  for (const format of FORMATS) {
    const manifest = await write(`same-${format}`, format, ['posts'])
    const answer = await fetch(`${server.baseUrl}/_rostra/export/posts?format=${format}`, {
      headers: { authorization: `Bearer ${server.credentials.admin_key}` },
    })
    const bytes = Buffer.from(await answer.arrayBuffer())
    expect([answer.status, createHash('sha256').update(bytes).digest('hex')]).toEqual([200, manifest.files[0]!.sha256])
  }
  expect((await server.get('/_rostra/export/posts', 'app')).status).toBe(401)
  expect((await server.get('/_rostra/export/passwords', as)).body.detail).toContain('The kinds are: places, users')
  expect((await server.get('/_rostra/export/posts?format=xml', as)).status).toBe(400)
})
