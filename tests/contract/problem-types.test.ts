import { readFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { checkingAnswers } from '../support/check-answer.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

// biome-ignore lint/suspicious/noExplicitAny: OpenAPI documents.
type Json = any

const REFERENCE: Json = JSON.parse(readFileSync(path.join(import.meta.dirname, '../reference/v2.openapi.json'), 'utf8'))
const { mapping } = REFERENCE.components.schemas.Problem.discriminator
const TYPES = Object.entries<string>(mapping).map(([type, reference]) => [type, reference.split('/').at(-1)!] as const)

let server: TestServer
let document: Json
beforeAll(async () => {
  server = await startTestServer()
  document = (await server.get('/2/openapi.json', 'nobody')).body
})
afterAll(() => server.close())

/** The members that a type of problem adds. */
const added = (schemas: Json, name: string): Json => schemas[name].allOf[1] ?? { properties: {} }

describe('our document describes the problem', () => {
  test.each(TYPES)('%s with the members that the reference requires', (type, name) => {
    const address = type.replace('{problem_base}', `${server.baseUrl}/2/problems`)
    const ours = document.components.schemas
    expect(ours.Problem.discriminator.mapping[address]).toBe(`#/components/schemas/${name}`)
    const [own, theirs] = [added(ours, name), added(REFERENCE.components.schemas, name)]
    expect([...(own.required ?? [])].sort()).toEqual([...(theirs.required ?? [])].sort())
    expect(own.properties).toMatchObject(theirs.properties)
  })
})

test('an answer with a problem that its type does not describe is noticed', async () => {
  const answer = { ok: true, errors: [{ type: `${server.baseUrl}/2/problems/resource-not-found`, title: 'x' }] }
  const wrong = {
    ...server,
    request: async () => ({
      status: 200,
      headers: new Headers({ 'content-type': 'application/json' }),
      text: JSON.stringify({ errors: answer.errors }),
    }),
  } as unknown as TestServer
  await expect(checkingAnswers(wrong).get('/2/posts/1')).rejects.toThrow('ResourceNotFoundProblem')
})
