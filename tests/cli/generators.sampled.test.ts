import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'

const ROOT = path.join(import.meta.dirname, '../..')
const PARTS = ['src', 'tests', 'scripts', 'COVERAGE.md', 'package.json', 'biome.json', 'vitest.config.ts']
const CONFIGURATIONS = ['tsconfig.json', 'tsconfig.tests.json']

let copy: string
beforeAll(() => {
  copy = mkdtempSync(path.join(os.tmpdir(), 'rostra-generators-'))
  for (const part of [...PARTS, ...CONFIGURATIONS])
    cpSync(path.join(ROOT, part), path.join(copy, part), { recursive: true })
  symlinkSync(path.join(ROOT, 'node_modules'), path.join(copy, 'node_modules'))
})
afterAll(() => rmSync(copy, { recursive: true, force: true }))

const run = (...words: string[]) => spawnSync(process.execPath, words, { cwd: copy, encoding: 'utf8' })
const read = (name: string) => readFileSync(path.join(copy, name), 'utf8')

function generate(script: string, ...words: string[]): string {
  const done = run(`scripts/${script}.js`, ...words)
  expect(done.status, done.stdout + done.stderr).toBe(0)
  return done.stdout
}

test('an operation is written with its example and its tests, and registered', () => {
  const told = generate('new-operation', 'getListsById')
  for (const name of ['src/social/lists/get-lists-by-id.ts', 'tests/social/get-lists-by-id.test.ts'])
    expect(told).toContain(`wrote ${name}`)
  const declared = read('src/social/lists/get-lists-by-id.ts')
  expect(declared).toContain("route: 'GET /2/lists/{id}'")
  expect(declared).toContain("oauth2: ['list.read', 'post.read', 'users.read']")
  expect(declared).toContain("limit: { app: '75/15m', user: '75/15m' }")
  expect(read('src/social/operations.ts')).toContain("import { getListsById } from './lists/get-lists-by-id.ts'")
  expect(read('tests/contract/examples/lists.examples.ts')).toContain('getListsById:')
  expect(read('tests/social/get-lists-by-id.test.ts')).toContain('TODO: write the handler')
})

test('further operations join the examples that are there, and use the objects that are there', () => {
  generate('new-operation', 'createLists')
  expect(read('tests/contract/examples/lists.examples.ts')).toContain("createLists: () => [{ as: 'user', body: {")
  generate('new-operation', 'getListsMembers', '--folder', 'lists')
  const declared = read('src/social/lists/get-lists-members.ts')
  expect(declared).toContain("listReply('Get2ListsIdMembersResponse', user, PageMeta)")
  expect(declared).toContain('...selects(() => user)')
  expect(read('tests/contract/examples/lists.examples.ts')).toContain('getListsMembers:')
})

test('an advertising entity is written with its migration, examples and tests, and registered', () => {
  const told = generate('new-entity', 'WebEventTag')
  const [, migration] = /wrote (src\/storage\/migrations\/\d{4}-ads-web-event-tags\.sql)/.exec(told) ?? []
  expect(read(migration!)).toContain('create table ads_web_event_tag (')
  const declared = read('src/ads/web-event-tags/web-event-tag.entity.ts')
  expect(declared).toContain('click_window: whole({ among: [1, 7, 14, 30], required: true })')
  expect(declared).toMatch(/list: .*'listWebEventTags'/)
  expect(read('src/ads/operations.ts')).toContain('...webEventTags.operations,')
  expect(read('tests/ads/examples/web-event-tags.examples.ts')).toContain('createWebEventTag:')
  expect(read('tests/ads/web-event-tags.test.ts')).toContain('view_through_window must not exceed click_window.')
})

test('an entity joins the examples of a folder that is there, and one that is built is refused', () => {
  generate('new-entity', 'AbTest', '--folder', 'campaigns')
  expect(read('src/ads/campaigns/ab-test.entity.ts')).toContain('export const abTests = defineAdsEntity({')
  expect(read('tests/ads/examples/campaigns.examples.ts')).toContain('createAbTest:')
  expect(run('scripts/new-entity.js', 'Campaign').stderr).toContain('listCampaigns is built already')
})

test('what is unknown, built, or there already is refused in words, and nothing is written', () => {
  const before = read('src/social/operations.ts')
  for (const [id, words] of [
    ['getNothing', 'The reference has no operation getNothing.'],
    ['likePost', 'likePost is built already'],
    ['getListsById', 'exists already'],
  ] as const) {
    const done = run('scripts/new-operation.js', id)
    expect(done.status).toBe(1)
    expect(done.stderr).toContain(words)
  }
  expect(read('src/social/operations.ts')).toBe(before)
})

// It compiles the whole project.
const isSampled = inject('sampling').cases === 'some'
test.skipIf(isSampled)(
  'what was generated is formatted and compiles at once',
  () => {
    const bin = (name: string) => path.join(ROOT, 'node_modules', name)
    const format = run(bin('@biomejs/biome/bin/biome'), 'ci', 'src', 'tests')
    expect(format.status, format.stdout + format.stderr).toBe(0)
    const types = run(bin('typescript/bin/tsc'), '--noEmit', '-p', 'tsconfig.tests.json')
    expect(types.status, types.stdout).toBe(0)
  },
  300_000,
)
