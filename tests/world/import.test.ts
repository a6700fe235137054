import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { exportWorld } from '../../src/world/exchange/export-world.ts'
import { importWorld } from '../../src/world/exchange/import-world.ts'
import { KINDS, kindOf } from '../../src/world/exchange/kinds.ts'
import { FORMATS, type Format } from '../../src/world/exchange/manifest.ts'
import { uploadWhole } from '../social/uploading.ts'
import { makePng } from '../support/make-media.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'

let source: TestServer
let target: TestServer
let root: string

const watch = { progress: () => {}, signal: new AbortController().signal }
const EVERYTHING = KINDS.map((kind) => kind.name)
const orders = { dryRun: false, skipExisting: false }

const write = (server: TestServer, name: string, format: Format, what: readonly string[] = EVERYTHING) =>
  exportWorld(
    server.runtime.database,
    {
      kinds: what.map((item) => kindOf(item)!),
      format,
      folder: path.join(root, name),
      replace: true,
      now: new Date(),
    },
    watch,
  )
async function read(name: string, options: Partial<typeof orders> = {}) {
  const result = await importWorld(
    target.runtime.database,
    { folder: path.join(root, name), ...orders, ...options },
    watch,
  )
  await target.command('cache.forget')
  return result
}

/** Makes the world of a target like that of `--world empty`. */
async function emptyTarget(): Promise<void> {
  const { database } = target.runtime
  const { rowCount } = await database.query({
    text: `update instance_fact set value = 'empty' where name = 'first_world' and value <> 'empty'`,
  })
  // Without the copy of its first world a server makes it again, and keeps a copy for the next time.
  if (rowCount) await database.query({ text: 'delete from world_snapshot' })
  await target.request('POST', '/_rostra/reset', { as: { bearer: target.credentials.admin_key }, json: {} })
}

function filesOf(name: string): Record<string, string> {
  const folder = path.join(root, name)
  const files = readdirSync(folder).filter((file) => file !== 'manifest.json')
  return Object.fromEntries(files.map((file) => [file, readFileSync(path.join(folder, file), 'latin1')]))
}

async function post(user: string, body: Record<string, unknown>): Promise<string> {
  const answer = await source.post('/2/posts', body, { user })
  expect(answer.status, answer.text).toBe(201)
  return answer.body.data.id
}

let edited: string

beforeAll(async () => {
  root = mkdtempSync(path.join(tmpdir(), 'rostra-import-'))
  ;[source, target] = await Promise.all([startTestServer([], { events: true }), startTestServer()])
  const id = (name: string) => source.userId(name)
  const first = await post('alice', {
    text: 'Lisbon "quoted", a\nnew line & <signs> 🙂 https://example.com/a?b=1 #tag $CASH',
  })
  const reply = await post('bob', { text: 'an answer', reply: { in_reply_to_post_id: first } })
  const quote = await post('chika', { text: 'a quote', quote_post_id: first })
  await post('alice', { text: 'which?', poll: { options: ['one', 'two'], duration_minutes: 60 } })
  const draft = await post('alice', { text: 'befroe' })
  edited = await post('alice', { text: 'before', edit_options: { previous_post_id: draft } })
  const gone = await post('bob', { text: 'to be deleted' })
  await source.delete(`/2/posts/${gone}`, { user: 'bob' })
  for (const user of ['bob', 'chika']) {
    await source.post(`/2/users/${id(user)}/likes`, { post_id: first }, { user })
    await source.post(`/2/users/${id(user)}/bookmarks`, { post_id: reply }, { user })
  }
  await source.post(`/2/users/${id('bob')}/likes`, { post_id: edited }, { user: 'bob' })
  await source.post(`/2/users/${id('bob')}/reposts`, { post_id: first }, { user: 'bob' })
  await source.delete(`/2/users/${id('alice')}/following/${id('bob')}`, { user: 'alice' })
  await source.post(`/2/users/${id('alice')}/muting`, { target_user_id: id('chika') }, { user: 'alice' })
  await source.command('relation.add', { kind: 'block', source: 'chika', target: 'dario' })
  const list = (await source.post('/2/lists', { name: 'A list', private: true }, { user: 'alice' })).body.data.id
  for (const user of ['bob', 'chika'])
    await source.post(`/2/lists/${list}/members`, { user_id: id(user) }, { user: 'alice' })
  const open = (await source.post('/2/lists', { name: 'Open' }, { user: 'alice' })).body.data.id
  await source.post(`/2/lists/${open}/members`, { user_id: id('bob') }, { user: 'alice' })
  await source.post(`/2/users/${id('chika')}/followed_lists`, { list_id: open }, { user: 'chika' })
  await source.post(`/2/dm_conversations/with/${id('bob')}/messages`, { text: 'a secret' }, { user: 'alice' })
  await source.command('user.create', { username: 'frida', name: 'Frida', protected: true })
  const { id: picture } = await uploadWhole(source, makePng())
  await post('alice', { text: 'a picture', media: { media_ids: [picture], tagged_user_ids: [id('bob')] } })
  await source.command('views.add', { views: [{ post: first, count: 5 }] })
  await post('alice', { text: 'last', quote_post_id: quote })
  await until(async () => {
    const { rows } = await source.runtime.database.query({ text: 'select from event_outbox' })
    return rows.length === 0
  })
})
afterAll(async () => {
  await Promise.all([source.close(), target.close()])
  rmSync(root, { recursive: true })
})

describe.each(FORMATS)('as %s', (format) => {
  test('export, import into an empty server and export again is equal', async () => {
    const first = await write(source, `${format}-1`, format)
    await emptyTarget()
    const { imported } = await read(`${format}-1`)
    expect(imported).toEqual(Object.fromEntries(first.files.map((item) => [item.what, item.rows])))
    const second = await write(target, `${format}-2`, format)
    expect(filesOf(`${format}-2`)).toEqual(filesOf(`${format}-1`))
    expect(second.files).toEqual(first.files)
    expect(second.last_sequence).toBe(first.last_sequence)
  })
})
