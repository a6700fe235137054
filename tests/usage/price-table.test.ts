import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readSettings, SettingError } from '../../src/settings.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

const folder = mkdtempSync(path.join(os.tmpdir(), 'prices-'))
const file = path.join(folder, 'prices.json')
const write = (table: unknown) => writeFileSync(file, typeof table === 'string' ? table : JSON.stringify(table))

let server: TestServer
beforeAll(async () => {
  write({ currency: 'EUR', objects: { user: 2 }, operations: { getUsersMe: 0.5 } })
  server = await startTestServer(['--price-table', file])
})
afterAll(async () => {
  await server.close()
  rmSync(folder, { recursive: true })
})

test('a price table of the operator replaces the default one', async () => {
  const project = await server.command('project.create', { name: 'Euro', owner: 'alice' })
  const app = await server.command('app.create', { name: 'Euro app', owner: 'alice', project: project.id })
  const as = { bearer: app.bearer_token }
  const { data } = (await server.get('/2/posts/search/recent?query=lang:en&max_results=10', as)).body
  await server.get(`/2/users/${server.userId('bob')}`, as)
  const shown = await server.command('usage', { project: project.id })
  expect(shown).toMatchObject({ currency: 'EUR', posts_this_month: data?.length ?? 0, cost_this_month: 2 })
})

test('nothing is counted when usage is off', async () => {
  const off = await startTestServer(['--usage', 'off'])
  const [{ id }] = (await off.command('project.list')).projects
  await off.command('usage.limits', { project: id, monthly_cap: 0, daily_budget: 0 })
  expect((await off.get(`/2/users/${off.userId('bob')}`)).status).toBe(200)
  expect(await off.command('usage', { project: id })).toMatchObject({ cost_today: 0, days: [] })
  await off.close()
})

test.each([
  ['{', 'the file is not JSON'],
  [[], 'the table must be an object'],
  [{ prices: {} }, 'the table cannot have the member prices; it can have currency, objects, owned_object, operations'],
  [{ objects: { media: 1 } }, 'objects cannot have the member media; it can have post, user, list'],
  [{ operations: { makeCoffee: 1 } }, 'operations cannot have the member makeCoffee'],
  [{ objects: { post: -1 } }, 'objects.post must be a number from 0 to 1000000'],
  [{ owned_object: '1' }, 'owned_object must be a number'],
  [{ currency: 'dollar' }, 'currency must have three letters, such as USD'],
])('the price table %j is refused at the start', (table, why) => {
  write(table)
  expect(() => readSettings(['--price-table', file], {})).toThrow(SettingError)
  expect(() => readSettings(['--price-table', file], {})).toThrow(why)
})

test('a price table that cannot be read is refused at the start', () => {
  const missing = path.join(folder, 'missing.json')
  expect(() => readSettings(['--price-table', missing], {})).toThrow('the file cannot be read (ENOENT)')
})
