import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { idAt } from '../../src/process/ids.ts'
import { moveMediaAddresses } from '../../src/social/media/move-addresses.ts'
import { exportWorld } from '../../src/world/exchange/export-world.ts'
import { importWorld } from '../../src/world/exchange/import-world.ts'
import { KINDS, kindOf } from '../../src/world/exchange/kinds.ts'
import { ExchangeError, FORMATS, type Format, type Manifest } from '../../src/world/exchange/manifest.ts'
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
let asked: string
let isImported = false

beforeAll(async () => {
  root = mkdtempSync(path.join(tmpdir(), 'rostra-import-'))
  ;[source, target] = await Promise.all([startTestServer([], { events: true }), startTestServer()])
  // As the start of a server does.
  for (const { runtime, baseUrl } of [source, target]) await moveMediaAddresses(runtime.database, baseUrl)
  const id = (name: string) => source.userId(name)
  const first = await post('alice', {
    text: 'Lisbon "quoted", a\nnew line & <signs> 🙂 https://example.com/a?b=1 #tag $CASH',
  })
  const reply = await post('bob', { text: 'an answer', reply: { in_reply_to_post_id: first } })
  const quote = await post('chika', { text: 'a quote', quote_post_id: first })
  asked = await post('alice', { text: 'which?', poll: { options: ['one', 'two'], duration_minutes: 60 } })
  for (const [user, option] of [
    ['bob', 2],
    ['chika', 2],
    ['alice', 1],
  ] as const)
    await source.command('poll.vote', { user, post: asked, option })
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
    isImported = true
  })
})

describe('an imported world', () => {
  beforeAll(async () => {
    if (isImported) return
    await write(source, 'whole', 'jsonl')
    await emptyTarget()
    await read('whole')
  })

  const shown = async (server: TestServer, path: string, user?: string) => {
    const answer = await server.get(path, user ? { user } : 'app')
    expect(answer.status, answer.text).toBe(200)
    // Counts end with the second in which they are asked for, and the servers are asked one after the other.
    const text = answer.text.replace(/("(?:start|end)":"[\d-]{10})T[^"]*"/g, '$1"')
    // Posts keep the links that they were written with.
    return text.replaceAll(source.baseUrl, 'http://base').replaceAll(target.baseUrl, 'http://base')
  }
  const fields =
    'post.fields=attachments,context_annotations,conversation_id,edit_history_post_ids,entities,geo,lang,public_metrics,referenced_posts,source&expansions=attachments.media_keys,attachments.poll_ids,author_id&media.fields=url,public_metrics&poll.fields=options&user.fields=public_metrics,pinned_post_id'
  const query = (text: string) => `/2/posts/search/recent?query=${encodeURIComponent(text)}&max_results=100&${fields}`

  test.each([
    ['a post found by its words', () => query('lisbon quoted')],
    ['posts found by a link', () => query('url:example.com')],
    ['posts found by hashtag, by place and by media', () => query('#tag OR place_country:PT OR (picture has:media)')],
    ['a post found in its last version', () => query('before')],
    ['counts', () => '/2/posts/counts/recent?query=from%3Aalice&granularity=day'],
    ['the posts of a user', () => `/2/users/${source.userId('alice')}/posts?max_results=100&${fields}`],
    ['mentions', () => `/2/users/${source.userId('alice')}/mentions?max_results=100&${fields}`],
    ['followers', () => `/2/users/${source.userId('bob')}/followers?user.fields=public_metrics`],
    [
      'the private lists of their owner',
      () => `/2/users/${source.userId('alice')}/owned_lists?list.fields=member_count,follower_count,private`,
      'alice',
    ],
    ['likes', () => `/2/users/${source.userId('bob')}/liked_posts?${fields}`, 'bob'],
    ['direct messages', () => '/2/dm_events?dm_event.fields=id,text,sender_id,created_at', 'bob'],
    ['a home timeline', () => `/2/users/${source.userId('chika')}/timelines/reverse_chronological?${fields}`, 'chika'],
    ['a user found by name', () => '/2/users/search?query=frida&user.fields=protected', 'alice'],
  ] as [string, () => string, string?][])('shows %s as the first one does', async (_name, path, user) => {
    const expected = await shown(source, path(), user)
    expect(JSON.parse(expected).data?.length).toBeGreaterThan(0)
    expect(JSON.parse(await shown(target, path(), user))).toEqual(JSON.parse(expected))
  })

  test('serves the bytes of its media at its own address', async () => {
    const answer = await target.get(query('picture has:media'))
    const { url } = answer.body.includes.media[0]
    expect(url.startsWith(`${target.baseUrl}/media/`)).toBe(true)
    const bytes = Buffer.from(await (await fetch(url)).arrayBuffer())
    expect(bytes.equals(makePng())).toBe(true)
  })

  test('follows short links', async () => {
    const answer = await target.get(query('url:example.com'))
    const [link] = answer.body.data[0].entities.urls
    const opened = await target.get(`/i/links/${link.url.split('/').at(-1)}`, 'nobody')
    expect(opened.headers.get('location')).toBe('https://example.com/a?b=1')
  })

  test('goes on counting where the export ended', async () => {
    const before = (await target.get(`/2/posts/${edited}?post.fields=public_metrics`)).body.data.public_metrics
    await target.post(`/2/users/${target.userId('chika')}/likes`, { post_id: edited }, { user: 'chika' })
    const after = (await target.get(`/2/posts/${edited}?post.fields=public_metrics`)).body.data.public_metrics
    expect(after.like_count).toBe(before.like_count + 1)
  })
})

describe('an import is refused, and changes nothing,', () => {
  const ids = ['users', 'posts', 'likes', 'poll_votes', 'follows']
  let manifest: Manifest
  const folder = () => path.join(root, 'refused')

  /** Writes a file of the export anew, and its hash into the manifest. */
  function rewrite(what: string, change: (rows: Record<string, unknown>[]) => unknown[]): void {
    const files = manifest.files.map((item) => {
      if (item.what !== what) return item
      const file = path.join(folder(), item.file)
      const rows = readFileSync(file, 'utf8').trimEnd().split('\n')
      const changed = change(rows.map((row) => JSON.parse(row)))
      const text = changed.map((row) => `${JSON.stringify(row)}\n`).join('')
      writeFileSync(file, text)
      const sha256 = createHash('sha256').update(text).digest('hex')
      return { ...item, rows: changed.length, bytes: Buffer.byteLength(text), sha256 }
    })
    writeFileSync(path.join(folder(), 'manifest.json'), JSON.stringify({ ...manifest, files }))
  }
  const refusal = async (options: Partial<typeof orders> = {}): Promise<string> => {
    const before = await checksum()
    const error = await read('refused', options).then(
      () => undefined,
      (reason: unknown) => reason,
    )
    expect(error).toBeInstanceOf(ExchangeError)
    expect(await checksum()).toBe(before)
    return (error as Error).message
  }
  const checksum = async () => {
    const { rows } = await target.runtime.database.query<{ sum: string }>({
      text: `select md5((select string_agg(t::text, '' order by id) from user_account t) || (select count(*) from post) || (select count(*) from follow)) as sum`,
    })
    return rows[0]!.sum
  }

  beforeAll(emptyTarget)
  beforeEach(async () => {
    manifest = await write(source, 'refused', 'jsonl', ids)
  })

  test('where a file was changed', async () => {
    writeFileSync(
      path.join(folder(), 'likes.jsonl'),
      readFileSync(path.join(folder(), 'likes.jsonl'), 'utf8').replace('1', '2'),
    )
    expect(await refusal()).toBe('likes.jsonl was changed after the export: its SHA-256 differs from the manifest.')
  })

  test.each([
    ['Settings', 'The username Settings is reserved.'],
    ['a b', 'A username has 1 to 15 letters'],
  ])('where nobody can have the username %s', async (username, sentence) => {
    rewrite('users', (rows) => [...rows, { ...rows[0], id: '77', username }])
    expect(await refusal()).toContain(sentence)
  })

  test('where a file is missing', async () => {
    rmSync(path.join(folder(), 'likes.jsonl'))
    expect(await refusal()).toBe('likes.jsonl cannot be read (ENOENT).')
  })

  test('where a manifest is of another version', async () => {
    writeFileSync(path.join(folder(), 'manifest.json'), JSON.stringify({ ...manifest, rostra_export: 99 }))
    expect(await refusal()).toContain('rostra_export is 99, but this version of Rostra reads 1.')
  })

  test('where the manifest leads out of its folder', async () => {
    const files = manifest.files.map((item) => ({ ...item, file: `../${item.file}` }))
    writeFileSync(path.join(folder(), 'manifest.json'), JSON.stringify({ ...manifest, files }))
    expect(await refusal()).toContain('must name a file in the folder itself')
  })

  test('where a value does not fit, with its row', async () => {
    rewrite('likes', (rows) => [...rows, { ...rows[0], user_id: 12 }])
    expect(await refusal()).toMatch(/^likes\.jsonl, row \d+: user_id is 12, but must be an id as text\.$/)
  })

  test('where a required value is missing', async () => {
    rewrite('posts', ([first, ...rows]) => [{ ...first, text: undefined }, ...rows])
    expect(await refusal()).toBe('posts.jsonl, row 1: text is missing.')
  })

  test('where two rows are one', async () => {
    rewrite('likes', (rows) => [...rows, rows[0]])
    expect(await refusal()).toContain('already exists')
  })

  /** Writes the bytes of a file, and what the manifest says of them. */
  function replaceFile(what: string, bytes: Buffer, says: Partial<Manifest> = {}): void {
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    const files = manifest.files.map((item) => {
      if (item.what !== what) return item
      writeFileSync(path.join(folder(), item.file), bytes)
      return { ...item, bytes: bytes.length, sha256 }
    })
    writeFileSync(path.join(folder(), 'manifest.json'), JSON.stringify({ ...manifest, ...says, files }))
  }

  test('where a line has no end', async () => {
    replaceFile('likes', Buffer.alloc(65 * 1024 * 1024, 'a'))
    expect(await refusal()).toBe('likes.jsonl: a line has more than 67108864 bytes.')
  })

  test.each(['json', 'text'])('where a value is nested more deeply than PostgreSQL reads, as %s', async (as) => {
    const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`
    const [first, ...rows] = readFileSync(path.join(folder(), 'users.jsonl'), 'utf8').split('\n')
    const marked = JSON.stringify({ ...JSON.parse(first!), description_entities: 'deep' })
    const value = as === 'json' ? deep : JSON.stringify(deep)
    replaceFile('users', Buffer.from([marked.replace('"deep"', value), ...rows].join('\n')))
    expect(await refusal()).toMatch(
      /^users.jsonl, row 1: description_entities is nested too deeply.$|^The rows cannot be stored: /,
    )
  })

  test('where a file is endless', async () => {
    rmSync(path.join(folder(), 'likes.jsonl'))
    symlinkSync('/dev/zero', path.join(folder(), 'likes.jsonl'))
    expect(await refusal()).toMatch(/^likes\.jsonl has more than the \d+ bytes of the manifest\.$/)
  })

  test('where a Parquet file is damaged', async () => {
    manifest = await write(source, 'refused', 'parquet', ids)
    const bytes = readFileSync(path.join(folder(), 'posts.parquet'))
    for (const [from, to] of [
      [4, 200],
      [4, Math.floor(bytes.length / 2)],
    ] as const) {
      replaceFile('posts', Buffer.from(bytes).fill(0xff, from, to))
      expect(await refusal()).toMatch(/^posts\.parquet/)
    }
  })

  test('where a reference leads nowhere', async () => {
    rewrite('likes', (rows) => [...rows, { ...rows[0], post_id: '77' }])
    expect(await refusal()).toContain('likes.post_id: no posts 77')
  })

  test('where a username belongs to somebody else', async () => {
    rewrite('users', (rows) => [...rows, { ...rows[0], id: '77', email: null }])
    expect(await refusal()).toContain('alice')
  })

  test('where rows exist, unless these are to be skipped', async () => {
    const { imported } = await read('refused', { dryRun: true })
    expect(imported.posts).toBeGreaterThan(0)
    expect((await target.get('/2/posts/search/recent?query=lisbon')).body.meta.result_count).toBe(0)
    await read('refused')
    const again = await refusal()
    expect(again).toContain(`users: ${source.userId('alice')}`)
    expect(again).toContain('--skip-existing')
    const newer = await post('bob', { text: 'newer than the first export' })
    await source.command('poll.vote', { user: 'dario', post: asked, option: 1 })
    await source.post(`/2/users/${source.userId('chika')}/likes`, { post_id: newer }, { user: 'chika' })
    await source.post(
      `/2/users/${source.userId('erin')}/following`,
      { target_user_id: source.userId('alice') },
      { user: 'erin' },
    )
    await write(source, 'refused', 'jsonl', ids)
    const { imported: added, skipped } = await read('refused', { skipExisting: true })
    expect(added).toEqual({ users: 0, posts: 1, likes: 1, poll_votes: 1, follows: expect.any(Number) })
    expect(skipped.posts).toBe(imported.posts)
    const path = `/2/users?ids=${['alice', 'bob', 'chika', 'erin'].map(source.userId).join()}&user.fields=public_metrics`
    expect((await target.get(path)).body).toEqual((await source.get(path)).body)
    const poll = `/2/posts/${asked}?expansions=attachments.poll_ids`
    expect((await target.get(poll)).body.includes.polls[0].options).toMatchObject([{ votes: 2 }, { votes: 2 }])
  })

  test('where events would be mixed with those that exist', async () => {
    await write(source, 'refused', 'jsonl', ['events'])
    expect(await refusal()).toContain('Events can be imported only into an empty world')
    const { skipped } = await read('refused', { skipExisting: true })
    expect(skipped.events).toBeGreaterThan(0)
  })
})

test('files of one’s own need only what identifies a post, its author and its text', async () => {
  const folder = path.join(root, 'own')
  mkdirSync(folder)
  const row = { id: idAt(Date.now() - 60_000), author_id: target.userId('dario'), text: 'handmade words' }
  const text = `${JSON.stringify(row)}\n`
  writeFileSync(path.join(folder, 'mine.jsonl'), text)
  const columns = [
    { name: 'id', type: 'id' },
    { name: 'author_id', type: 'id' },
    { name: 'text', type: 'text' },
  ]
  const sha256 = createHash('sha256').update(text).digest('hex')
  const file = { what: 'posts', file: 'mine.jsonl', rows: 1, bytes: Buffer.byteLength(text), sha256, columns }
  writeFileSync(
    path.join(folder, 'manifest.json'),
    JSON.stringify({ rostra_export: 1, format: 'jsonl', files: [file] }),
  )
  const users = `/2/users/${row.author_id}?user.fields=public_metrics`
  const before = (await target.get(users)).body.data.public_metrics.post_count
  expect((await read('own')).imported).toEqual({ posts: 1 })
  const found = await target.get('/2/posts/search/recent?query=handmade&post.fields=conversation_id,lang')
  expect(found.body.data).toEqual([expect.objectContaining({ id: row.id, text: row.text, conversation_id: row.id })])
  expect((await target.get(users)).body.data.public_metrics.post_count).toBe(before + 1)
})
