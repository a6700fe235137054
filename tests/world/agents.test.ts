import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../support/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

interface Agent {
  id: string
  username: string
  access_token: string
  access_token_secret: string
  oauth2_access_token: string
}
const keysOf = (agent: Agent) => ({
  consumerKey: server.credentials.apps[0]!.api_key,
  consumerSecret: server.credentials.apps[0]!.api_key_secret,
  token: agent.access_token,
  tokenSecret: agent.access_token_secret,
})

test('agents have names with numbers, tokens of both kinds, and exact counts of follows', async () => {
  const { agents, app } = await server.command('agents.create', {
    count: 60,
    prefix: 'walker',
    tokens: ['oauth1', 'oauth2'],
    follows: 'random:5',
  })
  expect(app).toBe('First app')
  expect(agents.map((agent: Agent) => agent.username)).toEqual(Array.from({ length: 60 }, (_, at) => `walker${at + 1}`))
  const one = agents[17] as Agent
  expect((await server.get('/2/users/me', { keys: keysOf(one) })).body.data.id).toBe(one.id)
  expect((await server.get('/2/users/me', { bearer: one.oauth2_access_token })).body.data.id).toBe(one.id)
  const ids = agents.map((agent: Agent) => agent.id)
  const users = await server.get(`/2/users?ids=${ids.join(',')}&user.fields=public_metrics`, 'app')
  const metrics = users.body.data.map((user: { public_metrics: Record<string, number> }) => user.public_metrics)
  expect(metrics.every((counts: Record<string, number>) => counts.following_count === 5)).toBe(true)
  const followers = metrics.reduce((sum: number, counts: Record<string, number>) => sum + counts.followers_count!, 0)
  expect(followers).toBe(300)
  const first = await server.get(`/2/users/${one.id}/following`, { keys: keysOf(one) })
  expect(new Set(first.body.data.map((user: Agent) => user.id)).size).toBe(5)
  expect(first.body.data.map((user: Agent) => user.id)).not.toContain(one.id)
})

test('agents are found by a search for users', async () => {
  const found = await server.get('/2/users/search?query=walker18', { user: 'alice' })
  expect(found.body.data).toMatchObject([{ username: 'walker18' }])
})

test('numbers go on after the last one, and two orders at once do not disturb each other', async () => {
  const orders = await Promise.all(
    [1, 2, 3].map(() => server.command('agents.create', { count: 5, prefix: 'Walker', tokens: [], passwords: true })),
  )
  const all = orders.flatMap((order) => order.agents)
  expect(all.map((agent) => Number(agent.username.slice(6))).sort((left, right) => left - right)).toEqual(
    Array.from({ length: 15 }, (_, at) => at + 61),
  )
  expect(all[0]).toEqual({ id: expect.any(String), username: expect.any(String), password: expect.any(String) })
})

test('an order beyond the bounds is refused and creates nobody', async () => {
  const cases: [object, RegExp][] = [
    [{ count: 0 }, /count: must have a minimum value of 1/],
    [{ count: 5, prefix: 'too long a prefix' }, /prefix: does not match/],
    [{ count: 20, prefix: 'fourteen_chars' }, /fourteen_chars20 would be longer than 15 characters/],
    [{ count: 5, tokens: ['oauth3'] }, /tokens\[0\]: does not have a value in the enumeration \[oauth1, oauth2\]/],
    [{ count: 5, follows: 'all' }, /follows: does not match/],
    [{ count: 5, app: 'No such app' }, /There is no app \[No such app\]/],
    [{ count: 5, tokens: ['oauth2'], scopes: ['no.such'] }, /no\.such/],
  ]
  for (const [args, words] of cases) {
    const refused = await server.tryCommand('agents.create', args)
    expect(refused.status).toBeGreaterThanOrEqual(400)
    expect(refused.text).toMatch(words)
  }
  expect((await server.get('/2/users/by/username/fourteen_chars1', 'app')).body.data).toBeUndefined()
})
