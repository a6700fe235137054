import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import type { Family } from '../../src/api-kit/family.ts'
import { families } from '../../src/app.ts'
import { ROOT } from './source-files.ts'

const { operations } = families[0]

interface TestFile {
  name: string
  text: string
}
type Reference = { paths: Record<string, Record<string, object>> }
interface Generator {
  coveragePage(facts: {
    families: readonly Family[]
    references: Record<string, Reference>
    testFiles: TestFile[]
  }): string
  readTestFiles(): TestFile[]
  readReferences(families: readonly Family[]): Record<string, Reference>
}

const generator: Generator = await import(path.join(ROOT, 'scripts/coverage-page.js'))
const references = generator.readReferences(families)
const pageOf = (testFiles: TestFile[]) => generator.coveragePage({ families, references, testFiles })
const rowsOf = (page: string) => page.split('\n').filter((line) => /^\| (yes|no) \|/.test(line))
const rowOf = (page: string, id: string) => page.split('\n').find((line) => line.includes(`| ${id} |`))

test('COVERAGE.md is what the generator writes; `npm run coverage-page` renews it', () => {
  expect(readFileSync(path.join(ROOT, 'COVERAGE.md'), 'utf8')).toBe(pageOf(generator.readTestFiles()))
})

test('the coverage page has a row for each operation of the reference and says which are built', () => {
  const page = pageOf([])
  const rows = rowsOf(page.slice(0, page.indexOf('\n# Advertising')))
  expect(rows).toHaveLength(165)
  const known = operations.filter((item) => references.v2!.paths[item.path]?.[item.method.toLowerCase()])
  expect(rows.filter((row) => row.startsWith('| yes')).length).toBe(known.length + 1)
  expect(rowOf(page, 'getUsersMe')).toBe(
    '| yes | getUsersMe | `GET /2/users/me` | the same | OAuth 2.0, OAuth 1.0a | contract only |',
  )
})

test('the coverage page has a row for each operation of the advertising interface', () => {
  const page = pageOf([{ name: 'tests/ads/x.test.ts', text: "await scene.get('campaigns', {})" }])
  const rows = rowsOf(page.slice(page.indexOf('\n# Advertising')))
  expect(rows).toHaveLength(208)
  expect(rows.find((line) => line.includes('| listCampaigns |'))).toMatch(/`tests\/ads\/x\.test\.ts` \|$/)
  expect(rows.find((line) => line.includes('| createCampaign |'))).toMatch(/contract only \|$/)
})

test('the coverage page lists operations beyond the reference', () => {
  const [v2, ads] = families as readonly [Family, Family, ...Family[]]
  const more = { ...ads.operations[0]!, id: 'listKites', path: '/12/kites' }
  const later = { ...more, id: 'flyKite', path: '/12/kites/fly', since: '13' }
  const grown = { ...ads, operations: [...ads.operations, more, later] }
  const page = generator.coveragePage({ families: [v2, grown], references, testFiles: [] })
  const rows = page.slice(page.indexOf('\n# Advertising')).split('\n')
  expect(rows.slice(rows.indexOf('## Beyond the reference'))).toEqual(
    expect.arrayContaining(['| listKites | `GET /12/kites` |', '| flyKite | `GET /12/kites/fly` (since 13) |']),
  )
})

// A value put into a template, as it stands in a source.
const put = (value: string) => `\${${value}}`

test('the coverage page finds calls by id, by route with method, and not by a longer or other route', () => {
  const page = pageOf([
    { name: 'a.test.ts', text: `server.get(\`/2/tweets/${put('made.id')}?expansions=author_id\`, { user: 'bob' })` },
    { name: 'b.test.ts', text: `request('DELETE', \`/2/posts/${put("of('x')")}\`, {}); server.get('/2/users/me')` },
    { name: 'c.test.ts', text: 'for (const id of [getUsersByIds]) {}' },
    { name: 'd.test.ts', text: "const where = '/2/posts'" },
  ])
  expect(rowOf(page, 'getPostsById')).toMatch(/\| `a\.test\.ts` \|$/)
  expect(rowOf(page, 'deletePosts')).toMatch(/\| `b\.test\.ts` \|$/)
  expect(rowOf(page, 'getUsersMe')).toMatch(/\| `b\.test\.ts` \|$/)
  expect(rowOf(page, 'getUsersByIds')).toMatch(/\| `c\.test\.ts` \|$/)
  for (const id of ['getUsersById', 'getPostsByIds', 'createPosts'])
    expect(rowOf(page, id)).toMatch(/\| contract only \|$/)
})
