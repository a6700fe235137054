import Fastify, { type FastifyInstance } from 'fastify'
import { describe, expect, test } from 'vitest'
import { RouteTable } from '../../src/api-kit/serving/route-table.ts'

const ROUTES = [
  'GET /',
  'GET /{username}',
  'GET /{username}/status/{id}',
  'GET /2/posts',
  'POST /2/posts',
  'GET /2/posts/{id}',
  'GET /2/posts/search',
  'GET /2/posts/search/recent',
  'DELETE /2/posts/{post_id}',
  'GET /2/users/{id}/followed_lists/{list_id}',
  'GET /2/users/by/username/{username}',
  'GET /2/users/{id}/lists',
  'GET /1.1/statuses/show/{id}',
  'GET /1.1/statuses/show/{id}.json',
  'GET /pages/*',
  'GET /pages/{id}/edit',
  'GET /a/{one}/{two}/{three}/{four}/{five}/{six}',
] as const

const PATHS = [
  '/',
  '/?a=/2/posts',
  '/alice',
  '/alice/',
  '/alice?x=1#y',
  '/alice#/status/1',
  '/alice/status/1',
  '/alice/status/',
  '//status/1',
  '/2/posts',
  '/2/posts/',
  '/2/posts//',
  '/2//posts',
  '/2/posts/1',
  '/2/posts/1/',
  '/2/posts/search',
  '/2/posts/searches',
  '/2/posts/search/recent',
  '/2/posts/search/old',
  '/2/POSTS',
  '/2/p%6Fsts',
  '/2%2Fposts',
  '/2/posts/%73earch',
  '/2/posts/a%2Fb',
  '/2/posts/a%252Fb',
  '/2/posts/a%25',
  '/2/posts/100%25%20%C3%A4%23%3F',
  '/2/posts/a+b;c=d',
  '/2/posts/%',
  '/2/posts/%zz',
  '/2/posts/%C3',
  '/2/posts/ä',
  '/2/posts?id=%',
  '/2/users/by/username/alice',
  '/2/users/by/lists',
  '/2/users/7/followed_lists/8',
  '/2/users/7/followed_lists',
  '/1.1/statuses/show/7.json',
  '/1.1/statuses/show/7.JSON',
  '/1.1/statuses/show/7%2Ejson',
  '/1.1/statuses/show/.json',
  '/1.1/statuses/show/7.json.json',
  '/1.1/statuses/show/7',
  '/pages',
  '/pages/',
  '/pages/1',
  '/pages/1/edit',
  '/pages/1/edit/2',
  `/pages/${'x'.repeat(501)}/edit`,
  `/pages/${'x'.repeat(501)}`,
  '/a/1/2/3/4/5/6',
  '/a/1/2/3/4/5',
  `/2/posts/${'x'.repeat(500)}`,
  `/2/posts/${'x'.repeat(501)}`,
  `/2/posts/${'%20'.repeat(500)}`,
  `/${'x'.repeat(501)}`,
  `/nothing/${'x'.repeat(501)}/here`,
  'http://elsewhere.example/2/posts/1',
  'http://elsewhere.example',
  'HTTPS://elsewhere.example?x=1',
]

const split = (route: string) => route.split(' ') as ['GET', `/${string}`]

describe('the route of a path', () => {
  const table = new RouteTable<string>()
  for (const route of ROUTES) table.add(route, ...split(route), route)

  test.each(['GET', 'POST', 'DELETE', 'HEAD', 'PATCH'] as const)(
    'of a %s is the one of the framework',
    async (method) => {
      const framework = Fastify({
        routerOptions: { maxParamLength: 500 },
        exposeHeadRoutes: false,
        // A client would change some of the paths.
        rewriteUrl: ({ headers }) => decodeURIComponent(String(headers['x-path'])),
      })
      for (const route of ROUTES) {
        const [of, path] = split(route)
        const handler = async ({ params }: { params: unknown }) => {
          // Nobody reads what a * stands for.
          const { '*': _, ...values } = params as Record<string, string>
          return { route, values }
        }
        framework.route({ method: of, url: path.replace(/\{([^}]+)\}/g, ':$1'), handler })
      }
      await framework.ready()
      for (const path of PATHS) {
        const found = table.find(method, path)
        const answer = await answerOf(framework, method as 'GET', path)
        expect({ path, found }).toEqual({ path, found: answer })
      }
      await framework.close()
    },
  )

  test('is there whatever its values are named, and only then', () => {
    expect(table.has('GET', '/2/posts/{other}')).toBe(true)
    expect(table.has('GET', '/1.1/statuses/show/{other}.json')).toBe(true)
    expect(table.has('GET', '/2/posts/1')).toBe(false)
    expect(table.has('GET', '/1.1/statuses/show/{id}.xml')).toBe(false)
    expect(table.has('PUT', '/2/posts')).toBe(false)
  })

  test('is not there for what is neither a path nor an address of HTTP', () => {
    for (const url of ['*', '', '2/posts', 'ftp://elsewhere.example/2/posts'])
      expect(table.find('GET', url)).toBe(undefined)
  })

  test('can be added once', () => {
    expect(() => table.add('second', 'GET', '/2/posts/{other}', '')).toThrow(
      'second and GET /2/posts/{id} share the route GET /2/posts/{other}',
    )
    expect(() => table.add('broken', 'GET', '/2/a{id}', '')).toThrow('a{id} is not a part of a path that can be served')
  })
})

async function answerOf(framework: FastifyInstance, method: 'GET', path: string): Promise<unknown> {
  const answer = await framework.inject({ method, url: '/', headers: { 'x-path': encodeURIComponent(path) } })
  if (answer.statusCode === 200) return answer.json()
  expect([400, 404, 414]).toContain(answer.statusCode)
  return answer.statusCode === 414 ? 'too long' : undefined
}
