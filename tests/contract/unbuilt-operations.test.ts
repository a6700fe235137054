import { readFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Family } from '../../src/api-kit/family.ts'
import { unbuiltOperations } from '../../src/api-kit/serving/routes.ts'
import { families } from '../../src/app.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

const [v2, ads] = families as readonly [Family, Family]

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

describe.each([v2, ads])('the list of the operations of the reference of $id', (family) => {
  test('is the one that npm run reference-operations writes', () => {
    const file = path.join(import.meta.dirname, `../reference/${family.id}.openapi.json`)
    const paths: Record<string, Record<string, { operationId: string }>> = JSON.parse(readFileSync(file, 'utf8')).paths
    const listed = Object.entries(paths).flatMap(([route, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => `${operationId} ${method.toUpperCase()} ${route}`),
    )
    expect(family.reference).toEqual(listed)
  })

  test('has no built operation among those that are not built', () => {
    const ids = new Set(family.operations.map(({ id }) => id))
    expect(unbuiltOperations(family).filter(({ id }) => ids.has(id))).toEqual([])
  })
})

const ENDPOINTS = ['getOpenApiSpec']
const unbuilt = unbuiltOperations(v2).filter(({ id }) => !ENDPOINTS.includes(id))

test('an operation that is not built yet says so in both namings, and is never read as an id', async () => {
  expect(unbuilt.length).toBeGreaterThan(0)
  for (const { id, method, path: route } of unbuilt)
    for (const spelled of new Set([route, v2.legacy.rename(route)])) {
      const answer = await server.request(method, spelled.replace(/\{[^}]+\}/g, '1'), {})
      expect([answer.status, spelled, answer.body]).toEqual([
        501,
        spelled,
        {
          title: 'Not Implemented',
          type: 'about:blank',
          status: 501,
          detail: `The operation ${id} (${method} ${route}) is not built yet.`,
        },
      ])
    }
})

test('an operation of the advertising interface that is not built yet says so in its shape', () => {
  const problem = ads.notBuilt({ id: 'listKites', method: 'GET', path: '/12/kites' })
  const answer = ads.refuse(problem, ads.legacy, undefined, server.baseUrl)
  expect([answer.status, JSON.parse(answer.text).errors]).toEqual([
    501,
    [{ code: 'NOT_IMPLEMENTED', message: 'The operation listKites (GET /12/kites) is not built yet' }],
  ])
})

describe('a path that does not exist', () => {
  test.each([
    ['GET', '/2/userss/by', ' Did you mean GET /2/users/by?'],
    ['GET', '/2/tweets/serch/recent', ' Did you mean GET /2/tweets/search/recent?'],
    ['POST', '/2/users/12/like', ' Did you mean POST /2/users/{id}/likes?'],
    ['PUT', '/2/posts', ' This path takes GET and POST.'],
    ['GET', '/2/posts/search/recent/', ' Did you mean GET /2/posts/search/recent?'],
    ['GET', '/2/quite/another/thing', ''],
    ['GET', `/2/${'x'.repeat(5_000)}`, ''],
  ])('%s %s names the nearest one', async (method, wrong, hint) => {
    const answer = await server.request(method, wrong, {})
    expect([answer.status, answer.body.detail]).toEqual([404, `There is no ${method} ${wrong} here.${hint}`])
  })

  test('names the nearest one in the advertising interface too', async () => {
    const answer = await server.get('/ads/12/acounts', { user: 'alice' })
    expect([answer.status, answer.body.errors[0].details]).toEqual([404, 'Did you mean GET /12/accounts?'])
    const method = await server.request('PUT', '/ads/12/accounts', { as: { user: 'alice' } })
    expect(method.body.errors[0].details).toBe('This path takes GET and POST.')
  })
})
