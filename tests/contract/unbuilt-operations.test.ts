import { readFileSync } from 'node:fs'
import path from 'node:path'
import Fastify from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Family } from '../../src/api-kit/family.ts'
import { addRoutes, addUnbuiltRoutes, unbuiltOperations } from '../../src/api-kit/serving/routes.ts'
import type { ServeOptions } from '../../src/api-kit/serving/serve-request.ts'
import { Routes } from '../../src/api-kit/serving/serve-routes.ts'
import { families } from '../../src/app.ts'
import { LEGACY_PLATFORM } from '../../src/legacy-words.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

const [v2, ads] = families as readonly [Family, Family, ...Family[]]

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

/** Answers of a server whose reference has more operations than are built. */
async function askAhead(family: Family, added: string[], calls: readonly (readonly [string, string])[]) {
  const ahead = { ...family, reference: [...family.reference, ...added] }
  const options: ServeOptions = {
    runtime: server.runtime,
    platform: LEGACY_PLATFORM,
    defaultNaming: 'neutral',
    authenticate: async () => {
      throw new Error('Nobody is asked who they are.')
    },
    meter: undefined,
    apiVersion: '2.0',
    trustProxy: false,
    hasPublicUrl: true,
  }
  const host = Fastify()
  const routes = new Routes()
  addRoutes(routes, [ahead], options)
  addUnbuiltRoutes(routes, [ahead], options)
  routes.serve(host, () => expect.unreachable())
  const answers = []
  for (const [method, url] of calls) {
    const answer = await host.inject({ method: method as 'GET', url })
    answers.push({ status: answer.statusCode, body: answer.json() })
  }
  await host.close()
  return answers
}

const notBuilt = (id: string, route: string) => ({
  status: 501,
  body: {
    title: 'Not Implemented',
    type: 'about:blank',
    status: 501,
    detail: `The operation ${id} (${route}) is not built yet.`,
  },
})

test('an operation that is not built yet says so in both namings, and is never read as an id', async () => {
  const added = ['getPostsKites GET /2/posts/kites', 'createPostsKite POST /2/posts/{id}/kites']
  const answers = await askAhead(v2, added, [
    ['GET', '/2/posts/kites'],
    ['GET', '/2/tweets/kites'],
    ['POST', '/2/posts/1/kites'],
    ['POST', '/2/tweets/1/kites'],
  ])
  const [read, write] = [
    notBuilt('getPostsKites', 'GET /2/posts/kites'),
    notBuilt('createPostsKite', 'POST /2/posts/{id}/kites'),
  ]
  expect(answers).toEqual([read, read, write, write])
})

const ENDPOINTS = ['getOpenApiSpec']

test('every operation of version 2 is built', () => {
  expect(unbuiltOperations({ ...v2, later: [] }).map(({ id }) => id)).toEqual(ENDPOINTS)
})

test.each([
  ['GET', '/2/broadcasts/1', 'getBroadcast', 'GET /2/broadcasts/{id}'],
  ['GET', '/2/broadcasts/scheduled', 'listScheduledBroadcasts', 'GET /2/broadcasts/scheduled'],
  ['POST', '/2/broadcasts/1/chat', 'sendBroadcastChat', 'POST /2/broadcasts/{id}/chat'],
  ['GET', '/2/powerstream', 'powerstream', 'GET /2/powerstream'],
])('%s %s, which a later version or another source has, says that it is not built', async (method, url, id, route) => {
  const { status, body } = await server.request(method, url, {})
  expect({ status, body }).toEqual(notBuilt(id, route))
})

test('every operation of a reference that is not built answers 501', async () => {
  const calls = [v2, ads].flatMap((family) =>
    unbuiltOperations(family)
      .filter(({ id }) => !ENDPOINTS.includes(id))
      .map(({ method, path: route }) => ({ method, url: route.replace(/\{[^}]+\}/g, '1') })),
  )
  const answers = await Promise.all(calls.map(({ method, url }) => server.request(method, url, {})))
  expect(answers.map(({ status }, index) => [calls[index]!.url, status])).toEqual(calls.map(({ url }) => [url, 501]))
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
    ['DELETE', '/2/posts/analytics', ' This path takes GET.'],
    ['DELETE', '/2/webhooks/replay', ' This path takes POST.'],
    ['GET', '/2/posts/search', ' Did you mean GET /2/posts/search/recent?'],
    ['GET', '/2/tweets/search', ' Did you mean GET /2/tweets/search/recent?'],
    ['GET', '/2/spaces/by', ' Did you mean GET /2/spaces/by/creator_ids?'],
    ['GET', '/2/users/me/posts', ' Did you mean GET /2/users/{id}/posts?'],
    ['GET', '/2/quite/another/thing', ''],
    ['GET', `/2/${'x'.repeat(5_000)}`, ''],
  ])('%s %s names the nearest one', async (method, wrong, hint) => {
    const answer = await server.request(method, wrong, {})
    expect([answer.status, answer.body.detail]).toEqual([404, `There is no ${method} ${wrong} here.${hint}`])
  })

  test.each([
    ['GET', '/2/users/public_key', ' Did you mean GET /2/users/public_keys?'],
    ['GET', '/2/tweets/analitics', ' Did you mean GET /2/tweets/analytics?'],
    ['GET', '/2/users/reposts_of_mee', ' Did you mean GET /2/users/reposts_of_me?'],
    ['DELETE', '/2/posts/analitics', ''],
    ['GET', '/2/users/abc', ''],
  ])('%s %s could be meant as an id, and names the nearest one if there is one', async (method, wrong, hint) => {
    const answer = await server.request(method, wrong, { as: { user: 'alice' } })
    const value = wrong.split('/').at(-1)
    expect([answer.status, answer.body.errors?.[0].message]).toEqual([
      400,
      `The \`id\` query parameter value [${value}] is not valid${hint === '' ? '' : `.${hint}`}`,
    ])
  })

  test('names the nearest one in the advertising interface too', async () => {
    const answer = await server.get('/ads/12/acounts', { user: 'alice' })
    expect([answer.status, answer.body.errors[0].details]).toEqual([404, 'Did you mean GET /12/accounts?'])
    const method = await server.request('PUT', '/ads/12/accounts', { as: { user: 'alice' } })
    expect(method.body.errors[0].details).toBe('This path takes GET and POST.')
  })
})
