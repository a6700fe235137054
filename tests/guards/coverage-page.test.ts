import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import type { AdsOperation } from '../../src/ads/kit/operation.ts'
import { adsOperations } from '../../src/ads/operations.ts'
import type { Endpoint } from '../../src/api-kit/declaring/endpoint.ts'
import type { Operation } from '../../src/api-kit/declaring/operation.ts'
import { openApiEndpoint } from '../../src/api-kit/describing/openapi.ts'
import { neutral } from '../../src/api-kit/naming/naming.ts'
import { operations } from '../../src/app.ts'
import { adsLegacyNaming, legacyNaming } from '../../src/legacy-words.ts'
import { ROOT } from './source-files.ts'

interface TestFile {
  name: string
  text: string
}
interface Generator {
  coveragePage(facts: {
    operations: readonly Operation[]
    endpoints: Endpoint[]
    rename(name: string): string
    reference: unknown
    testFiles: TestFile[]
    ads?: { operations: readonly AdsOperation[]; rename(name: string): string; reference: unknown }
  }): string
  readTestFiles(): TestFile[]
  readReference(): unknown
  readAdsReference(): unknown
}

const generator: Generator = await import(path.join(ROOT, 'scripts/coverage-page.js'))
const ads = () => ({
  operations: adsOperations,
  rename: adsLegacyNaming.rename,
  reference: generator.readAdsReference(),
})
const pageOf = (testFiles: TestFile[], more: Partial<Parameters<Generator['coveragePage']>[0]> = {}) =>
  generator.coveragePage({
    operations,
    endpoints: [openApiEndpoint([], { apiVersion: '', legacy: neutral, scopes: new Set(), legacyHosts: new Set() })],
    rename: legacyNaming.rename,
    reference: generator.readReference(),
    testFiles,
    ...more,
  })
const rowOf = (page: string, id: string) => page.split('\n').find((line) => line.includes(`| ${id} |`))

test('COVERAGE.md is what the generator writes; `npm run coverage-page` renews it', () => {
  expect(readFileSync(path.join(ROOT, 'COVERAGE.md'), 'utf8')).toBe(pageOf(generator.readTestFiles(), { ads: ads() }))
})

test('the coverage page has a row for each operation of the reference and says which are built', () => {
  const page = pageOf([])
  const rows = page.split('\n').filter((line) => /^\| (yes|no) \|/.test(line))
  expect(rows).toHaveLength(165)
  const { paths } = generator.readReference() as { paths: Record<string, object> }
  const known = operations.filter((item) => paths[item.path])
  expect(rows.filter((row) => row.startsWith('| yes')).length).toBe(known.length + 1)
  expect(rowOf(page, 'getUsersMe')).toBe(
    '| yes | getUsersMe | `GET /2/users/me` | the same | OAuth 2.0, OAuth 1.0a | contract only |',
  )
})

test('the coverage page has a row for each operation of the advertising interface', () => {
  const page = pageOf([{ name: 'tests/ads/x.test.ts', text: "await scene.get('campaigns', {})" }], { ads: ads() })
  const rows = page.slice(page.indexOf('# Advertising')).split('\n')
  expect(rows.filter((line) => /^\| (yes|no) \|/.test(line))).toHaveLength(208)
  expect(rows.find((line) => line.includes('| listCampaigns |'))).toMatch(/`tests\/ads\/x\.test\.ts` \|$/)
  expect(rows.find((line) => line.includes('| createCampaign |'))).toMatch(/contract only \|$/)
})

test('the coverage page lists operations of advertising beyond the reference', () => {
  const more = { ...adsOperations[0]!, id: 'listKites', path: '/12/kites' }
  const page = pageOf([], { ads: { ...ads(), operations: [...adsOperations, more] } })
  const rows = page.slice(page.indexOf('# Advertising')).split('\n')
  expect(rows.slice(rows.indexOf('## Beyond the reference')).at(4)).toBe('| listKites | `GET /12/kites` |')
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
