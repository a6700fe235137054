import { readFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { operations } from '../../src/app.ts'
import { legacyNaming } from '../../src/legacy-words.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { compareInterfaces, type Difference, type Json, legacyReference, operationsOf } from './compare-interface.ts'
import { differences } from './differences.ts'

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

const line = ({ at, ours, reference: theirs }: Difference) => `${at} | ours: ${ours} | reference: ${theirs}`
const lines = (list: Difference[]) => list.map(line).sort()
// Legacy words in the places of differences, turned back so that both namings share one list.
const neutralWords = (text: string) => text.replace(/tweet/g, 'post').replace(/Tweet/g, 'Post')

describe('the OpenAPI document against the reference', () => {
  test('differs in nothing that is not listed, and in all that is listed', () => {
    expect(lines(compareInterfaces(documents.neutral, reference))).toEqual(lines(differences))
  })

  test('differs in the same places when both are spelled in the legacy naming', () => {
    const found = compareInterfaces(documents.legacy, legacy)
    expect(found.map((item) => neutralWords(line(item))).sort()).toEqual(lines(differences))
  })

  test('has no difference listed twice or without a reason', () => {
    expect(new Set(differences.map(line)).size).toBe(differences.length)
    expect(differences.filter((item) => item.reason.trim().length < 10)).toEqual([])
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

describe('the comparison with the reference', () => {
  test.each<[change: string, edit: (document: Json) => void, places: string[]]>([
    [
      'a scope',
      (it) => it.paths['/2/posts'].get.security[1].OAuth2UserToken.pop(),
      ['getPostsByIds security OAuth2UserToken'],
    ],
    ['a kind of credential', (it) => it.paths['/2/users/me'].get.security.pop(), ['getUsersMe security UserToken']],
    [
      'an array bound',
      (it) => Object.assign(it.paths['/2/posts'].get.parameters[0].schema, { maxItems: 99 }),
      ['getPostsByIds query ids maxItems'],
    ],
    [
      'an enumeration value',
      (it) => it.components.parameters.PostFieldsParameter.schema.items.enum.pop(),
      ['PostFieldsParameter[] enum withheld'],
    ],
    ['a parameter', (it) => it.paths['/2/posts'].get.parameters.pop(), ['getPostsByIds query place.fields']],
    ['a pattern', (it) => Object.assign(it.components.schemas.PostId, { pattern: '^x$' }), ['PostId pattern']],
    [
      'a member of a body',
      (it) => Object.assign(it.components.schemas.PostCreateRequest.properties, { mood: {} }),
      ['PostCreateRequest.mood'],
    ],
    [
      'a required member',
      (it) => Object.assign(it.components.schemas.Poll, { required: ['id'] }),
      ['Poll.options required'],
    ],
    [
      'a type deep inside',
      (it) => Object.assign(it.components.schemas.PollOption.properties.votes, { type: 'string' }),
      ['PollOption.votes type'],
    ],
    [
      'a status',
      (it) =>
        Object.assign(it.paths['/2/posts'].post, { responses: { 200: it.paths['/2/posts'].post.responses['201'] } }),
      ['createPosts status', 'createPosts failure application/json', 'createPosts failure application/problem+json'],
    ],
  ])('sees a change of %s', (_change, edit, places) => {
    const changed = structuredClone(reference)
    edit(changed)
    const known = new Set(lines(differences))
    const found = compareInterfaces(documents.neutral, changed).filter((item) => !known.has(line(item)))
    expect(found.map((item) => item.at).sort()).toEqual(places.sort())
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

  test('leave alone what the reference never spells otherwise', () => {
    const renamedSomewhere = new Set(table.map(([name]) => name))
    const always = (reference['x-fixed-names'] as { name: string }[])
      .map((item) => item.name)
      .filter((name) => !renamedSomewhere.has(name))
    expect(always.length).toBeGreaterThan(5)
    expect(always.filter((name) => legacyNaming.rename(name) !== name)).toEqual([])
  })
})
