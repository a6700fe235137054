import Fastify, { type FastifyInstance } from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { defineOperation } from '../../src/api-kit/declaring/operation.ts'
import { Type } from '../../src/api-kit/declaring/schema.ts'
import { neutral } from '../../src/api-kit/naming/naming.ts'
import { PageMeta, pages, readPage, readToken, type TokenKind, writeToken } from '../../src/api-kit/reading/paging.ts'
import { addRoutes } from '../../src/api-kit/serving/routes.ts'
import { Routes } from '../../src/api-kit/serving/serve-routes.ts'
import { v2Family } from '../../src/api-kit/serving/v2-family.ts'
import { API_VERSION } from '../../src/app.ts'
import { LEGACY_PLATFORM, legacyNaming } from '../../src/legacy-words.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

// A list of items in the test, served as any operation is: it has the tokens of all kinds.
let items: bigint[] = []
const listOf = (kind: TokenKind) =>
  defineOperation({
    id: `list_${kind}`,
    route: `GET /2/items/${kind}`,
    tag: 'Test',
    summary: 'A paged list',
    auth: 'none',
    query: pages({ min: 1, max: 100, initial: 10, token: kind }),
    reply: Type.Object({ data: Type.Array(Type.String()), meta: PageMeta }),
    handle: async ({ query }) => {
      const page = await readPage(
        query.page,
        async ({ direction, key, limit }) => {
          const beyond = items.filter((item) => (direction === 'older' ? item < BigInt(key) : item > BigInt(key)))
          const sorted = beyond.sort((left, right) => (left < right ? -1 : 1))
          return (direction === 'older' ? sorted.reverse() : sorted).slice(0, limit)
        },
        String,
      )
      return { data: page.items.map(String), meta: page.meta }
    },
  })

let server: TestServer
let router: FastifyInstance
let base: string
beforeAll(async () => {
  server = await startTestServer()
  router = Fastify()
  const options = {
    runtime: server.runtime,
    platform: LEGACY_PLATFORM,
    defaultNaming: 'auto' as const,
    authenticate: async () => {
      throw new Error('not asked')
    },
    apiVersion: API_VERSION,
    trustProxy: false,
    hasPublicUrl: false,
  }
  const lists = (['base36', 'base32', 'decimal'] as const).map(listOf)
  const family = v2Family({
    version: API_VERSION,
    reference: [],
    operations: lists,
    legacy: legacyNaming,
    scopes: new Set(),
  })
  const routes = new Routes()
  addRoutes(routes, [family], options)
  routes.serve(router, () => expect.unreachable())
  base = await router.listen({ port: 0, host: '127.0.0.1' })
})
afterAll(async () => {
  await router.close()
  await server.close()
})

interface Answer {
  data: string[]
  meta: { next_token?: string; previous_token?: string; result_count: number }
}
const get = async (path: string): Promise<Answer> => (await fetch(`${base}/2/items/${path}`)).json() as Promise<Answer>
const START = 2_121_831_738_505_175_040n

test.each(['base36', 'base32', 'decimal'] as const)(
  'a list is walked to its end and back by %s tokens',
  async (kind) => {
    items = Array.from({ length: 25 }, (_, index) => START + BigInt(index) * 4_194_304n)
    const newestFirst = [...items].reverse().map(String)
    const first = await get(`${kind}?max_results=10`)
    expect(first.meta.previous_token).toBeUndefined()
    expect(first.meta.result_count).toBe(10)
    const second = await get(`${kind}?max_results=10&pagination_token=${first.meta.next_token}`)
    const third = await get(`${kind}?max_results=10&pagination_token=${second.meta.next_token}`)
    expect([...first.data, ...second.data, ...third.data]).toEqual(newestFirst)
    expect(third.meta.next_token).toBeUndefined()
    expect(third.meta.result_count).toBe(5)
    const back = await get(`${kind}?max_results=10&pagination_token=${third.meta.previous_token}`)
    expect(back.data).toEqual(second.data)
    const atStart = await get(`${kind}?max_results=10&pagination_token=${back.meta.previous_token}`)
    expect(atStart.data).toEqual(first.data)
    expect(atStart.meta.previous_token).toBeUndefined()
  },
)

test('items that arrive between two pages neither shift nor repeat others', async () => {
  items = Array.from({ length: 12 }, (_, index) => START + BigInt(index))
  const first = await get('base36?max_results=5')
  items.push(START + 100n, START + 101n)
  const second = await get(`base36?max_results=5&pagination_token=${first.meta.next_token}`)
  expect([...first.data, ...second.data]).toEqual(
    Array.from({ length: 10 }, (_, index) => String(START + 11n - BigInt(index))),
  )
  const newer = await get(`base36?max_results=5&pagination_token=${second.meta.previous_token}`)
  expect(newer.data).toEqual(first.data)
  expect((await get(`base36?max_results=5&pagination_token=${newer.meta.previous_token}`)).data).toEqual([
    String(START + 101n),
    String(START + 100n),
  ])
})

test('a text that is not a token is refused, and the error names the parameter', async () => {
  for (const text of ['abc', '7140dibdnow9c7btw', 'zzzzzzzzzzzzzzzz', '-1', '%00']) {
    const answer = await fetch(`${base}/2/items/base36?pagination_token=${text}`)
    expect(answer.status).toBe(400)
    if (text !== '%00')
      expect(((await answer.json()) as { errors: { parameters: object }[] }).errors[0]!.parameters).toHaveProperty(
        'pagination_token',
      )
  }
  expect((await fetch(`${base}/2/items/base36?max_results=101`)).status).toBe(400)
  expect((await fetch(`${base}/2/items/base36?max_results=0`)).status).toBe(400)
})

test('tokens have the form that clients expect', () => {
  const start = { direction: 'older' as const, key: String(START) }
  expect(writeToken(start, 'base36')).toMatch(/^[0-9a-z]+$/)
  expect(writeToken(start, 'base32')).toMatch(/^[A-Z2-7]{13}ZZZ$/)
  expect(writeToken(start, 'decimal')).toMatch(/^[0-9]{1,19}$/)
  for (const kind of ['base36', 'base32', 'decimal'] as const) {
    for (const key of ['0', '1', '20', String(START)]) {
      for (const direction of ['older', 'newer'] as const)
        expect(readToken(writeToken({ direction, key }, kind), kind)).toEqual({ direction, key })
    }
  }
  expect(neutral.rename('pagination_token')).toBe('pagination_token')
})
