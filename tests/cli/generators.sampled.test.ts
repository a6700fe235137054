import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
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
  addKites()
})
afterAll(() => rmSync(copy, { recursive: true, force: true }))

/** Operations that the reference does not have, so they are never built: they look like those of lists, event tags and tests. */
function addKites(): void {
  const edit = (name: string, change: (value: never) => unknown) => {
    const file = path.join(copy, 'tests/reference', name)
    writeFileSync(file, JSON.stringify(change(JSON.parse(readFileSync(file, 'utf8')) as never)))
  }
  const KITES: Record<string, string> = {
    '/2/lists': '/2/kites',
    '/2/lists/{id}': '/2/kites/{id}',
    '/2/lists/{id}/members': '/2/kites/{id}/members',
  }
  edit('v2.openapi.json', (document: { paths: Record<string, unknown> }) => {
    const kites = Object.entries(KITES).map(([route, added]) => {
      const text = JSON.stringify(document.paths[route])
      const renamed = text.replace(/"operationId":"(\w*?)Lists/g, '"operationId":"$1Kites')
      return [added, JSON.parse(renamed.replaceAll('"tags":["Lists"', '"tags":["Kites"'))]
    })
    return { ...document, paths: { ...document.paths, ...Object.fromEntries(kites) } }
  })
  const KITE_WORDS: [RegExp, string][] = [
    [/WebEventTag/g, 'KiteTag'],
    [/web_event_tag/g, 'kite_tag'],
    [/AbTest/g, 'KiteTest'],
    [/ab_test/g, 'kite_test'],
  ]
  edit('ads.openapi.json', (document: { paths: object; components: { schemas: object } }) => {
    const withKites = (entries: object) => {
      const renamed = Object.entries(entries).map(([name, value]) => {
        const text = KITE_WORDS.reduce((all, [from, to]) => all.replace(from, to), JSON.stringify([name, value]))
        return JSON.parse(text) as [string, unknown]
      })
      return { ...Object.fromEntries(renamed), ...entries }
    }
    const { schemas } = document.components
    return {
      ...document,
      paths: withKites(document.paths),
      components: { ...document.components, schemas: withKites(schemas) },
    }
  })
  edit('v2-rate-limits.json', (rows: { path: string }[]) => [
    ...rows,
    ...rows.flatMap((row) => (KITES[row.path] === undefined ? [] : [{ ...row, path: KITES[row.path] }])),
  ])
}

const run = (...words: string[]) => spawnSync(process.execPath, words, { cwd: copy, encoding: 'utf8' })
const read = (name: string) => readFileSync(path.join(copy, name), 'utf8')

function generate(script: string, ...words: string[]): string {
  const done = run(`scripts/${script}.js`, ...words)
  expect(done.status, done.stdout + done.stderr).toBe(0)
  return done.stdout
}

test('an operation is written with its example and its tests, and registered', () => {
  const told = generate('new-operation', 'getKitesById')
  for (const name of ['src/social/kites/get-kites-by-id.ts', 'tests/social/get-kites-by-id.test.ts'])
    expect(told).toContain(`wrote ${name}`)
  const declared = read('src/social/kites/get-kites-by-id.ts')
  expect(declared).toContain("route: 'GET /2/kites/{id}'")
  expect(declared).toContain("oauth2: ['list.read', 'post.read', 'users.read']")
  expect(declared).toContain("limit: { app: '75/15m', user: '75/15m' }")
  expect(read('src/social/operations.ts')).toContain("import { getKitesById } from './kites/get-kites-by-id.ts'")
  expect(read('tests/contract/examples/kites.examples.ts')).toContain('getKitesById:')
  expect(read('tests/social/get-kites-by-id.test.ts')).toContain('TODO: write the handler')
})

test('further operations join the examples that are there, and use the objects that are there', () => {
  generate('new-operation', 'createKites')
  expect(read('tests/contract/examples/kites.examples.ts')).toContain("createKites: () => [{ as: 'user', body: {")
  generate('new-operation', 'getKitesMembers', '--folder', 'kites')
  const declared = read('src/social/kites/get-kites-members.ts')
  expect(declared).toContain("listReply('Get2ListsIdMembersResponse', user, PageMeta)")
  expect(declared).toContain('...selects(() => user)')
  expect(read('tests/contract/examples/kites.examples.ts')).toContain('getKitesMembers:')
})

test('an advertising entity is written with its migration, examples and tests, and registered', () => {
  const told = generate('new-entity', 'KiteTag')
  const [, migration] = /wrote (src\/storage\/migrations\/\d{4}-ads-kite-tags\.sql)/.exec(told) ?? []
  expect(read(migration!)).toContain('create table ads_kite_tag (')
  const declared = read('src/ads/kite-tags/kite-tag.entity.ts')
  expect(declared).toContain('click_window: whole({ among: [1, 7, 14, 30], required: true })')
  expect(declared).toMatch(/list: .*'listKiteTags'/)
  expect(read('src/ads/operations.ts')).toContain('...kiteTags.operations,')
  expect(read('tests/ads/examples/kite-tags.examples.ts')).toContain('createKiteTag:')
  expect(read('tests/ads/kite-tags.test.ts')).toContain('view_through_window must not exceed click_window.')
})

test('an entity joins the examples of a folder that is there, and one that is built is refused', () => {
  generate('new-entity', 'KiteTest', '--folder', 'campaigns')
  expect(read('src/ads/campaigns/kite-test.entity.ts')).toContain('export const kiteTests = defineAdsEntity({')
  expect(read('tests/ads/examples/campaigns.examples.ts')).toContain('createKiteTest:')
  expect(run('scripts/new-entity.js', 'Campaign').stderr).toContain('listCampaigns is built already')
})

test('operations that are not built are listed, or that there is none', () => {
  expect(generate('new-operation', '--list')).toContain('getKitesById  GET /2/kites/{id}\n')
  const page = read('COVERAGE.md')
  const ids = Object.values(JSON.parse(read('tests/reference/v2.openapi.json')).paths as Record<string, object>)
    .flatMap((methods) => Object.values(methods))
    .map(({ operationId }) => `| yes | ${operationId} |`)
  writeFileSync(path.join(copy, 'COVERAGE.md'), ids.join('\n'))
  expect(generate('new-operation', '--list')).toBe('Every operation of the reference is built.\n')
  writeFileSync(path.join(copy, 'COVERAGE.md'), page)
})

test('what is unknown, built, or there already is refused in words, and nothing is written', () => {
  const before = read('src/social/operations.ts')
  for (const [id, words] of [
    ['getNothing', 'The reference has no operation getNothing.'],
    ['likePost', 'likePost is built already'],
    ['getKitesById', 'exists already'],
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
