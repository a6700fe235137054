import { readFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { allStatements } from '../../src/storage/statement.ts'
import { worldJsonSchema } from '../../src/world/files/json-schema.ts'
import { readWorldFile } from '../../src/world/files/read-world-file.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

const ROOT = path.resolve(import.meta.dirname, '../..')

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(async () => {
  // The next server on this database gets the first world again.
  await remake("delete from instance_fact where name = 'world_file'")
  await server.close()
})

const query = (text: string, values: unknown[] = []) => server.runtime.database.query({ text, values })
const exported = async () => (await server.command('world.export')).world

/** Makes the first world again, as a reset does after an upgrade. */
async function remake(statement: string, values: unknown[] = []): Promise<void> {
  await query(statement, values)
  await query("update world_snapshot set migration = '0000'")
  const answer = await server.request('POST', '/_rostra/reset', {
    as: { bearer: server.credentials.admin_key },
  })
  expect(answer.body).toEqual({ reset: true })
}

test('the example can be applied, and applied again', async () => {
  const { world } = readWorldFile(path.join(ROOT, 'examples/world.yaml'))
  const applied = await server.command('world.apply', { world })
  expect(applied.created).toMatchObject({ user: 3, app: 1, post: 5, message: 2 })
  expect(await server.command('world.apply', { world })).toEqual(expect.objectContaining({ created: {}, changed: {} }))
})

test('an export that is applied where it was made changes nothing', async () => {
  const world = await exported()
  const bob = world.users.find((user: { username: string }) => user.username === 'bob')
  expect(bob.password).toEqual(expect.any(String))
  expect(await server.command('world.apply', { world })).toEqual(expect.objectContaining({ created: {}, changed: {} }))
  bob.password = 'a new password'
  expect(await server.command('world.apply', { world })).toEqual(
    expect.objectContaining({ created: {}, changed: { user: 1 } }),
  )
  expect(await server.command('world.apply', { world })).toEqual(expect.objectContaining({ created: {}, changed: {} }))
})

test('an export that is applied to an empty server gives the same export', async () => {
  const first = await exported()
  expect(first.users.length).toBe(8)
  expect(first.users[0]).toMatchObject({ username: 'mara', id: '1001', password: 'correct horse' })
  const alice = first.users.find((user: { username: string }) => user.username === 'alice')
  expect(alice).toMatchObject({ url: 'https://example.com/alice', password: expect.any(String) })
  const texts = first.posts.map((post: { text: string }) => post.text)
  expect(texts).toContain('The gauge is at 4.20 m, see https://example.org/gauge #floodwatch')
  expect(texts).toContain('@bob about as long as it takes to read https://example.com/how-it-works')

  const sealed = server.runtime.secretBox.seal(JSON.stringify(first)).toString('base64')
  await remake(
    "insert into instance_fact (name, value) values ('world_file', $1) on conflict (name) do update set value = excluded.value",
    [sealed],
  )
  expect(await exported()).toEqual(first)
  expect(await server.command('world.apply', { world: first })).toEqual(
    expect.objectContaining({ created: {}, changed: {} }),
  )
  const me = await server.get('/2/users/me', { user: 'alice' })
  expect(me.body.data).toMatchObject({ username: 'alice' })
})

test('the JSON Schema of the package is that of the declaration', () => {
  const file = JSON.parse(readFileSync(path.join(ROOT, 'schemas/world.schema.json'), 'utf8'))
  expect(file, '`npm run world-schema` writes it').toEqual(JSON.parse(JSON.stringify(worldJsonSchema())))
})

test('a reply and a quote of a post that was edited since refer to its newest version', async () => {
  const alice = { user: 'alice' }
  const post = async (body: object) => (await server.post('/2/posts', body, alice)).body.data.id as string
  const first = await post({ text: 'The first version of it' })
  const reply = await post({ text: 'An answer', reply: { in_reply_to_post_id: first } })
  const quote = await post({ text: 'Look at this', quote_post_id: first })
  const second = await post({ text: 'The second version of it', edit_options: { previous_post_id: first } })
  const third = await post({ text: 'The third version of it', edit_options: { previous_post_id: second } })
  const { posts } = await exported()
  const written = (id: string) => posts.find((item: { id: string }) => item.id === id)
  expect(written(reply)).toMatchObject({ reply_to: third })
  expect(written(quote)).toMatchObject({ quotes: third })
  expect([written(first), written(second)]).toEqual([undefined, undefined])
})

test('an export looks each post up a few times, however many there are', async () => {
  const posts = Array.from({ length: 1_000 }, (_, at) => ({
    key: `chain ${at}`,
    author: 'alice',
    text: `Number ${at}`,
    at: `-${2_000 - at}m`,
    ...(at === 0 ? {} : { reply_to: `chain ${at - 1}` }),
  }))
  await server.command('world.apply', { world: { posts } })
  const { sql } = allStatements().find(({ name }) => name === 'export_posts')!
  const { rows } = await query(`explain (analyze, buffers, timing off, format json) ${sql}`, [100_001])
  const { Plan } = rows[0]!['QUERY PLAN'][0]
  expect(Plan['Actual Rows']).toBeGreaterThan(1_000)
  expect((Plan['Shared Hit Blocks'] + Plan['Shared Read Blocks']) / Plan['Actual Rows']).toBeLessThan(15)
})
