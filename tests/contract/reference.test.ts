import { readFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { families } from '../../src/app.ts'
import { legacyNaming } from '../../src/legacy-words.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { compareInterfaces, type Difference, type Json, legacyReference, operationsOf } from './compare-interface.ts'
import { differences } from './differences.ts'
import { reportDifferences, unclearEntries } from './list-differences.ts'

const { operations } = families[0]

const reference: Json = JSON.parse(readFileSync(path.join(import.meta.dirname, '../reference/v2.openapi.json'), 'utf8'))
const legacy = legacyReference(reference)

let server: TestServer
let documents: { neutral: Json; legacy: Json }
beforeAll(async () => {
  server = await startTestServer()
  const [neutral, spelled] = await Promise.all([
    server.get('/2/openapi.json', 'nobody'),
    server.get('/2/openapi.json?naming=legacy', 'nobody'),
  ])
  documents = { neutral: neutral.body, legacy: spelled.body }
})
afterAll(() => server.close())

// Legacy words in the positions of differences, turned back: both namings share one list.
const neutralWords = (item: Difference): Difference => {
  const turnBack = (text: string) => text.replace(/tweet/g, 'post').replace(/Tweet/g, 'Post')
  return { at: turnBack(item.at), ours: turnBack(item.ours), reference: turnBack(item.reference) }
}

describe('the OpenAPI document against the reference', () => {
  test('differs in what tests/contract/differences.ts lists, in both namings, and in nothing else', () => {
    const found = compareInterfaces(documents.neutral, reference)
    const inLegacy = compareInterfaces(documents.legacy, legacy).map(neutralWords)
    const report = reportDifferences(found, differences, 'tests/contract/differences.ts')
    // What both namings have is reported once.
    const spelling = reportDifferences(
      inLegacy,
      found.map((item) => ({ ...item, reason: '' })),
      'the neutral naming',
    )
    if (report || spelling)
      expect.fail([report, spelling && `In the legacy naming:\n${spelling}`].filter(Boolean).join('\n'))
  })

  test('has no difference listed twice or without a reason', () => {
    expect(unclearEntries(differences)).toEqual([])
  })

  test('has every operation at its path in both namings', () => {
    const have = (document: Json) =>
      operationsOf(document).map((item) => `${item.operation.operationId} ${item.method.toUpperCase()} ${item.path}`)
    const expected = (spell: (path: string) => string) =>
      operations.map((item) => `${item.id} ${item.method} ${spell(item.path)}`)
    expect(have(documents.neutral).sort()).toEqual(expected((item) => item).sort())
    expect(have(documents.legacy).sort()).toEqual(expected(legacyNaming.rename).sort())
  })

  test('has the version of the reference', () => {
    expect(documents.neutral.info.version).toBe(reference.info.version)
    expect(documents.legacy.info.version).toBe(reference.info.version)
  })

  test('refers to no component that it does not hold', () => {
    for (const document of Object.values(documents)) {
      const named = [...JSON.stringify(document).matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map((hit) => hit[1]!)
      expect(named.length).toBeGreaterThan(10)
      expect(named.filter((name) => document.components.schemas[name] === undefined)).toEqual([])
    }
  })
})

describe('the legacy words against the table of the reference', () => {
  const table = Object.entries(reference['x-legacy-names'] as Record<string, string>)

  test('spell every name of the table as the table does', () => {
    expect(table.length).toBeGreaterThan(150)
    const spelled = table.map(([name]) => [name, legacyNaming.rename(name)])
    expect(spelled).toEqual(table)
  })

  test('lead back from every legacy name to the neutral one', () => {
    const restored = table.map(([, name]) => [name, legacyNaming.restore(name)])
    expect(restored).toEqual(table.map(([name, spelled]) => [spelled, name]))
  })

  test('do not change what the reference never spells otherwise', () => {
    const renamedSomewhere = new Set(table.map(([name]) => name))
    const always = (reference['x-fixed-names'] as { name: string }[])
      .map((item) => item.name)
      .filter((name) => !renamedSomewhere.has(name))
    expect(always.length).toBeGreaterThan(5)
    expect(always.filter((name) => legacyNaming.rename(name) !== name)).toEqual([])
  })
})
