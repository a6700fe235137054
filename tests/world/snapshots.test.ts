import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { quoted, readTables } from '../../src/world/snapshots/world-tables.ts'
import { accessToken, HOUR, makePost, rows } from '../social/acting.ts'
import { uploadWhole } from '../social/uploading.ts'
import { makePng } from '../support/make-media.ts'
import { openStream } from '../support/read-stream.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { type LinkedWebhook, linkWebhook } from '../webhooks/linked-webhook.ts'

let server: TestServer
let hook: LinkedWebhook
beforeAll(async () => {
  server = await startTestServer(['--private-webhooks', 'on'], { events: true })
  const send = (method: string, path: string, json?: unknown) => server.request(method, path, { json })
  hook = await linkWebhook(send, server.credentials.apps[0]!.api_key_secret, 'mango')
  await save('start')
})
afterAll(async () => {
  await server.close()
  await hook.close()
})
afterEach(() => restore('start'))

const save = (name: string) => server.command('snapshot.save', { name })
const restore = (name: string) => server.command('snapshot.restore', { name })
const reset = () => server.request('POST', '/_rostra/reset', { as: { bearer: server.credentials.admin_key } })

/** Written by timers and readers of events, at moments that a test does not know. */
const IN_BACKGROUND =
  /^(?:usage_|search_|topic_|trend|news_|post_(?:day|hour|total)|media_(?:day|hour|total)|user_(?:day|hour|total))/

/** A digest of each table of the world that only requests write. */
async function world(): Promise<Record<string, string>> {
  const tables = (await readTables(server.runtime.database)).filter(
    (table) => !table.isMomentary && !IN_BACKGROUND.test(table.name),
  )
  const texts = tables.map(
    ({ name, columns }) =>
      `select '${name}' as name, md5(coalesce(string_agg(t::text, E'\\n' order by t::text), '')) as digest from (select ${columns.map(quoted).join(', ')} from ${quoted(name)}) t`,
  )
  const found = await rows(server, texts.join(' union all '))
  return Object.fromEntries(found.map((row) => [row.name, row.digest]))
}

let texts = 0
/** Adds, changes and deletes rows of many kinds. */
async function live(): Promise<string> {
  const [alice, bob] = [server.userId('alice'), server.userId('bob')]
  const id = await makePost(server, 'alice', { text: `Lived ${++texts}` })
  await server.post(`/2/users/${bob}/likes`, { post_id: id }, { user: 'bob' })
  await server.post(`/2/users/${alice}/following`, { target_user_id: server.userId('dario') }, { user: 'alice' })
  await server.post('/2/lists', { name: `List ${texts}` }, { user: 'alice' })
  await server.post(`/2/dm_conversations/with/${alice}/messages`, { text: 'Hi' }, { user: 'bob' })
  await uploadWhole(server, makePng())
  await server.command('user.create', { username: `lived_${texts}`, name: 'Lived' })
  await server.command('app.create', { name: `App ${texts}`, owner: 'alice', tier: 'self-serve' })
  const [oldest] = (await server.get(`/2/users/${alice}/posts?max_results=100`)).body.data.slice(-1)
  await server.delete(`/2/posts/${oldest.id}`, { user: 'alice' })
  return id
}

describe('a snapshot', () => {
  test('is listed with its size, replaced by one of the same name, and deleted', async () => {
    const saved = await save('a.b-C_1')
    expect(saved).toEqual({
      name: 'a.b-C_1',
      created_at: expect.any(String),
      bytes: expect.any(Number),
      rows: expect.any(Number),
      restorable: true,
    })
    await live()
    const again = await save('a.b-C_1')
    expect(again.rows).toBeGreaterThan(saved.rows)
    const { snapshots } = await server.command('snapshot.list')
    expect(snapshots.map((item: { name: string }) => item.name)).toEqual(['start', 'a.b-C_1'])
    expect(snapshots[1]).toEqual(again)
    expect(await server.command('snapshot.delete', { name: 'a.b-C_1' })).toEqual({ name: 'a.b-C_1', deleted: true })
    expect((await server.command('snapshot.list')).snapshots).toHaveLength(1)
    expect((await rows(server, `select from pg_namespace where nspname like 'snapshot\\_%'`)).length).toBe(2)
  })

  test.each(['', 'a b', 'a/b', 'é', ' first world', 'x'.repeat(101)])('cannot be named %j', async (name) => {
    for (const verb of ['save', 'restore', 'delete'])
      expect(await server.tryCommand(`snapshot.${verb}`, { name })).toMatchObject({ status: 400 })
  })

  test('that does not exist is not restored or deleted', async () => {
    for (const verb of ['restore', 'delete']) {
      const answer = await server.tryCommand(`snapshot.${verb}`, { name: 'nothing' })
      expect(answer.status).toBe(404)
      expect(answer.text).toContain('There is no snapshot [nothing].')
    }
  })

  test('of another version is refused with the reason, listed, and can be deleted', async () => {
    await save('old')
    await rows(server, `update world_snapshot set migration = '0001-foundation' where name = 'old'`)
    const before = await world()
    const answer = await server.tryCommand('snapshot.restore', { name: 'old' })
    expect(answer.status).toBe(409)
    expect(answer.body.detail).toMatch(
      /^The snapshot \[old\] was made by another version: its tables are those of \[0001-foundation\], this version has \[\d{4}-/,
    )
    expect(await world()).toEqual(before)
    expect((await server.command('snapshot.list')).snapshots).toContainEqual(
      expect.objectContaining({ name: 'old', restorable: false }),
    )
    await server.command('snapshot.delete', { name: 'old' })
  })
})

describe('restoring', () => {
  test('brings back every row, in any order of snapshots and resets', async () => {
    const digests: Record<string, Record<string, string>> = { start: await world() }
    await live()
    await save('one')
    digests.one = await world()
    await live()
    await save('two')
    digests.two = await world()
    await live()
    for (const name of ['one', 'two', 'start', 'two', 'one', 'one', 'start']) {
      await restore(name)
      expect(await world(), name).toEqual(digests[name])
      if (name !== 'two') await live()
    }
    await reset()
    const first = await world()
    await restore('two')
    expect(await world()).toEqual(digests.two)
    await reset()
    expect(await world()).toEqual(first)
    await restore('one')
    expect(await world()).toEqual(digests.one)
  })

  test('brings back who was in audiences', async () => {
    const { database } = server.runtime
    const members = async () => (await database.query({ text: 'select user_id, since from ads_audience_match' })).rows
    await database.query({
      text: `insert into ads_audience_match (audience_id, user_id, since) values (7, $1, '2026-11-01')`,
      values: [server.userId('alice')],
    })
    const then = await members()
    await save('members')
    await database.query({ text: 'delete from ads_audience_match' })
    await restore('members')
    expect(await members()).toEqual(then)
    await server.command('snapshot.delete', { name: 'members' })
  })

  test('undoes what a transaction wrote that had begun before the restore and ended after it', async () => {
    const locations = () => rows(server, `select from user_account where location = 'Late'`)
    await save('early')
    const client = await server.runtime.database.pool.connect()
    for (const name of ['early', undefined, 'early']) {
      await client.query('begin')
      await client.query('select pg_current_xact_id()')
      await (name ? restore(name) : reset())
      await client.query(`update user_account set location = 'Late' where id = $1`, [server.userId('alice')])
      await client.query('commit')
      expect(await locations()).toHaveLength(1)
      await (name ? restore(name) : reset())
      expect(await locations(), name ?? 'reset').toEqual([])
    }
    client.release()
  })

  test('is seen at once: posts, users and tokens are those of the snapshot', async () => {
    const token = await accessToken(server, 'alice', ['post.read', 'users.read'])
    const kept = await makePost(server, 'alice', { text: 'Kept' })
    await save('seen')
    const later = await live()
    await server.delete(`/2/posts/${kept}`, { user: 'alice' })
    await server.command('user.update', { user: 'alice', name: 'Changed' })
    const lateToken = await accessToken(server, 'bob', ['post.read', 'users.read'])
    expect((await server.get('/2/users/me', { bearer: lateToken })).status).toBe(200)
    await restore('seen')
    expect((await server.get(`/2/posts/${kept}`)).body.data.text).toBe('Kept')
    expect((await server.get(`/2/posts/${later}`)).body.errors).toHaveLength(1)
    expect((await server.get('/2/users/me', { bearer: token })).body.data.name).not.toBe('Changed')
    expect((await server.get('/2/users/me', { bearer: lateToken })).status).toBe(401)
  })

  test('brings back the clock', async () => {
    await server.command('clock', { set: '2031-01-01T00:00:00Z', freeze: true })
    await save('frozen')
    await server.command('clock', { resume: true, advance: '3d' })
    await restore('frozen')
    expect(await server.command('clock')).toMatchObject({ now: '2031-01-01T00:00:00.000Z', frozen: true })
    const id = await makePost(server, 'alice', { text: 'Then' })
    await restore('start')
    expect(await server.command('clock')).toMatchObject({ offset_ms: 0, frozen: false })
    await restore('frozen')
    expect(await makePost(server, 'alice', { text: 'Then' })).not.toBe(id)
  })

  test('ends the faults of now, and does not bring back those of then', async () => {
    const me = async () => (await server.get('/2/users/me', { user: 'alice' })).status
    const fail = () => server.command('fault.add', { match: '/2/users/me', status: 503 })
    await fail()
    await save('failing')
    await server.command('fault.clear')
    await restore('failing')
    expect([await me(), await server.command('fault.list')]).toEqual([200, { faults: [] }])
    await fail()
    expect(await me()).toBe(503)
    await restore('failing')
    expect([await me(), await server.command('fault.list')]).toEqual([200, { faults: [] }])
  })

  test('leaves streams open, with the rules of the snapshot', async () => {
    await server.post('/2/posts/search/stream/rules', { add: [{ value: 'lychee' }] })
    await save('rules')
    const stream = await openStream(server, '/2/posts/search/stream')
    await server.post('/2/posts/search/stream/rules', { add: [{ value: 'durian' }] })
    await makePost(server, 'bob', { text: 'A durian' })
    expect((await stream.next()).data.text).toBe('A durian')
    await restore('rules')
    await makePost(server, 'bob', { text: 'Another durian' })
    await makePost(server, 'bob', { text: 'A lychee' })
    expect((await stream.next()).data.text).toBe('A lychee')
    stream.close()
  })

  test('drops deliveries that wait, and keeps webhooks working', async () => {
    hook.answerDeliveriesWith((response) => response.writeHead(500).end())
    await makePost(server, 'bob', { text: 'A mango that fails' })
    await server.command('clock', { advance: '1s' })
    const failed = hook.deliveries.length
    expect(failed).toBeGreaterThan(0)
    await restore('start')
    hook.answerDeliveriesWith((response) => response.writeHead(200).end())
    await server.command('clock', { advance: '10m' })
    expect(hook.deliveries).toHaveLength(failed)
    await makePost(server, 'bob', { text: 'A mango that arrives' })
    await server.command('clock', { advance: '1s' })
    expect(hook.deliveries).toHaveLength(failed + 1)
  })

  test('keeps the request log and used signatures, and brings back the counts of usage', async () => {
    const cost = async () => (await rows(server, 'select coalesce(sum(used), 0)::int as used from usage_day'))[0].used
    await server.get(`/2/posts/${await makePost(server, 'bob', { text: 'Counted' })}`)
    await save('counted')
    const before = await cost()
    await server.get(`/2/users/${server.userId('alice')}/posts?max_results=5`)
    await save('more')
    expect(await cost()).toBeGreaterThan(before)
    const nonces = (await rows(server, 'select count(*)::int as n from oauth1_nonce'))[0].n
    await restore('counted')
    expect(await cost()).toBe(before)
    expect((await rows(server, 'select count(*)::int as n from oauth1_nonce'))[0].n).toBe(nonces)
    const log = await server.get('/_rostra/requests?limit=1000', { bearer: server.credentials.admin_key })
    expect(log.body.requests.map((item: { path: string }) => item.path)).toContain('/2/posts')
    // Read again after the restore, so it counts again.
    await server.get(`/2/users/${server.userId('alice')}/posts?max_results=5`)
    await save('more')
    expect(await cost()).toBeGreaterThan(before)
  })

  test('goes together with writers: no request fails, and every row is of the snapshot in the end', async () => {
    await save('busy')
    const expected = await world()
    let isOver = false
    const failures: string[] = []
    const write = async (user: string) => {
      for (let count = 0; !isOver; count++) {
        const made = await server.post('/2/posts', { text: `${user} writes ${count} ${Date.now()}` }, { user })
        if (made.status >= 500) failures.push(made.text)
        if (made.status !== 201) continue
        const like = { post_id: made.body.data.id }
        const liked = await server.post(`/2/users/${server.userId(user)}/likes`, like, { user })
        if (liked.status >= 500) failures.push(liked.text)
      }
    }
    const writers = ['alice', 'bob', 'chika', 'dario'].map(write)
    for (let round = 0; round < 4; round++) {
      await (round % 2 === 0 ? restore('busy') : save(`busy-${round}`))
      await restore(round % 2 === 0 ? 'busy' : `busy-${round}`)
    }
    isOver = true
    await Promise.all(writers)
    expect(failures).toEqual([])
    await restore('busy')
    expect(await world()).toEqual(expected)
  })
})

describe('a large table', () => {
  const LIKES = 40_000
  const likes = async () => (await rows(server, 'select count(*)::int as n from post_like'))[0].n
  /** Everything that belongs to the tables besides their rows. */
  const definitions = async () => [
    await rows(server, `select indexname, indexdef from pg_indexes where schemaname = 'public' order by 1`),
    await rows(
      server,
      `select conrelid::regclass::text as name, conname, pg_get_constraintdef(oid) as definition, convalidated from pg_constraint order by 1, 2`,
    ),
    await rows(
      server,
      `select relname, indisvalid, indisready from pg_index join pg_class c on c.oid = indexrelid where relnamespace = 'public'::regnamespace order by 1`,
    ),
  ]

  test('is filled with the same indexes and constraints, while readers wait and do not fail', async () => {
    await rows(
      server,
      `insert into post_like (id, user_id, post_id) select n, ${server.userId('bob')}, n from generate_series(1, ${LIKES}) n`,
    )
    const before = await definitions()
    await save('large')
    let isOver = false
    const statuses = new Set<number>()
    const read = async (path: string) => {
      while (!isOver) statuses.add((await server.get(path, { user: 'bob' })).status)
    }
    const alice = server.userId('alice')
    const paths = [`/2/users/${alice}/posts`, `/2/users/${server.userId('bob')}/liked_posts`, `/2/users/${alice}/posts`]
    const readers = paths.map(read)
    const all = await likes()
    try {
      // Into an empty table, then over one of another world.
      for (const name of ['start', 'large', 'start', 'large']) {
        await restore(name)
        expect(await likes()).toBe(name === 'large' ? all : all - LIKES)
        expect(await definitions(), name).toEqual(before)
      }
      await reset()
      await restore('large')
      await rows(server, `update post_like set id = id + 1 where post_id <= ${LIKES}`)
      await restore('large')
      expect((await rows(server, 'select from post_like where id = post_id')).length).toBe(LIKES)
      expect(await definitions()).toEqual(before)
    } finally {
      isOver = true
      await Promise.all(readers)
    }
    expect([...statuses]).toEqual([200])
  })
})

describe('a reset while a transaction is in progress', () => {
  /** Runs a reset that begins between two statements of a transaction, and must not end before it. */
  async function resetDuring(first: string, second: string): Promise<void> {
    const client = await server.runtime.database.pool.connect()
    try {
      await client.query('begin')
      await client.query(first)
      let isOver = false
      const answer = reset().finally(() => {
        isOver = true
      })
      await new Promise((resolve) => setTimeout(resolve, 300))
      expect(isOver).toBe(false)
      await client.query(second)
      await client.query('commit')
      expect((await answer).status).toBe(200)
    } finally {
      client.release()
    }
  }
  const note = () =>
    `insert into report (id, reporter_id, kind, subject_id, reason, created_at) values (${++texts}, ${server.userId('alice')}, 'user', '1', 'spam', '2026-11-01')`

  test('removes what it wrote to an empty table', async () => {
    await resetDuring(note(), 'select 1')
    expect(await rows(server, 'select from report')).toEqual([])
  })

  test('removes what a statement that began before writes to an empty table later', async () => {
    await resetDuring('lock table report in row exclusive mode', note())
    expect(await rows(server, 'select from report')).toEqual([])
  })
})

test('a reset has the clock of the first world and none of its changes, and keeps snapshots', async () => {
  await server.command('clock', { advance_ms: HOUR, freeze: true })
  const later = await live()
  await reset()
  expect(await server.command('clock')).toMatchObject({ offset_ms: 0, frozen: false })
  expect((await server.get(`/2/posts/${later}`)).body.errors).toHaveLength(1)
  expect((await server.command('snapshot.list')).snapshots.length).toBeGreaterThan(0)
})
