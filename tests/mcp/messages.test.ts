import { Client as NextClient, StreamableHTTPClientTransport as NextTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../support/server.ts'
import { connect } from './mcp-client.ts'

let server: TestServer
let token: string
beforeAll(async () => {
  server = await startTestServer()
  const scopes = ['ads.read', 'ads.write']
  token = (await server.command('user.token', { user: 'alice', oauth2: true, scopes })).access_token
})
afterAll(() => server.close())

const BOTH = 'application/json, text/event-stream'
const send = (raw: string, headers: Record<string, string> = {}, path = '/mcp') =>
  server.request('POST', path, {
    as: { bearer: token },
    raw,
    headers: { accept: BOTH, 'content-type': 'application/json', ...headers },
  })
const message = (id: number, method: string, params: object = {}) => ({ jsonrpc: '2.0', id, method, params })
/** The messages of an answer that is framed as server-sent events. */
const framed = (text: string) =>
  text
    .split('\n\n')
    .flatMap((event) => event.split('\n').filter((line) => line.startsWith('data: ')))
    .map((line) => JSON.parse(line.slice(6)))

describe('a message', () => {
  test('is answered as a server-sent event', async () => {
    const answer = await send(JSON.stringify(message(7, 'tools/list')))
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
    expect(answer.text).toMatch(/^event: message\n/)
    expect(framed(answer.text)).toMatchObject([{ jsonrpc: '2.0', id: 7, result: { tools: expect.any(Array) } }])
  })

  test.each(['/mcp', '/ads/mcp', '/ads-sandbox/mcp'])('is taken at %s', async (path) => {
    expect((await send(JSON.stringify(message(1, 'ping')), {}, path)).status).toBe(200)
  })

  test('that is a notification is accepted without an answer', async () => {
    const answer = await send(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }))
    expect([answer.status, answer.text]).toEqual([202, ''])
  })

  test.each([
    ['GET', 405],
    ['DELETE', 405],
  ])('cannot be sent with %s, since there are no sessions', async (method, status) => {
    const answer = await server.request(method, '/mcp', { as: { bearer: token }, headers: { accept: BOTH } })
    expect([answer.status, answer.headers.get('allow')]).toEqual([status, 'POST'])
  })

  test.each(['application/json', 'text/event-stream', '*/*'])(
    'is not accepted where the client takes only %s',
    async (accept) => {
      const answer = await send(JSON.stringify(message(1, 'ping')), { accept })
      expect([answer.status, answer.body.error.message]).toEqual([
        406,
        'Not Acceptable: Client must accept both application/json and text/event-stream',
      ])
    },
  )

  test.each<[what: string, raw: string, status: number, code: number]>([
    ['is not JSON', '{"jsonrpc": "2.0",', 400, -32_700],
    ['has no body', '', 400, -32_700],
    ['is nested too deep', `${'['.repeat(200)}${']'.repeat(200)}`, 400, -32_700],
    ['is a number', '5', 400, -32_600],
    ['is null', 'null', 400, -32_600],
    ['has another version of JSON-RPC', JSON.stringify({ jsonrpc: '1.0', id: 1, method: 'ping' }), 400, -32_600],
    ['is an empty batch', '[]', 400, -32_600],
    ['is a batch of 21', JSON.stringify(Array.from({ length: 21 }, (_, at) => message(at, 'ping'))), 400, -32_600],
  ])('that %s is refused', async (_what, raw, status, code) => {
    const answer = await send(raw)
    expect([answer.status, answer.body?.error?.code], answer.text).toEqual([status, code])
  })

  test('of another content type is refused', async () => {
    expect((await send(JSON.stringify(message(1, 'ping')), { 'content-type': 'text/plain' })).status).toBe(415)
  })

  test('of more than a megabyte is refused before it is read', async () => {
    const answer = await send(JSON.stringify(message(1, 'ping', { text: 'x'.repeat(1024 * 1024) })))
    expect(answer.status).toBe(413)
  })

  test('with a method or a tool that does not exist gets an error of the protocol', async () => {
    const [unknown] = framed((await send(JSON.stringify(message(1, 'tools/fly')))).text)
    expect(unknown.error.code).toBe(-32_601)
    const call = message(2, 'tools/call', { name: 'fly', arguments: {} })
    const [noTool] = framed((await send(JSON.stringify(call))).text)
    expect(noTool.error).toMatchObject({ code: -32_602, message: expect.stringContaining('There is no tool fly') })
    const wrong = message(3, 'tools/call', { name: 'list_campaigns', arguments: 'all' })
    expect(framed((await send(JSON.stringify(wrong))).text)[0].error.code).toBe(-32_602)
  })

  test('of a batch is answered with the others', async () => {
    const answer = await send(
      JSON.stringify([
        message(1, 'ping'),
        message(2, 'tools/call', { name: 'list_ads_accounts', arguments: {} }),
        { jsonrpc: '2.0', method: 'notifications/initialized' },
      ]),
    )
    const answers = framed(answer.text).toSorted((left, right) => left.id - right.id)
    expect(answers).toMatchObject([
      { id: 1, result: {} },
      { id: 2, result: { structuredContent: { data: [{}] } } },
    ])
  })
})

describe('a page of a browser', () => {
  const MOUNTS = ['/mcp', '/ads/mcp', '/ads-sandbox/mcp', '/_rostra/mcp']
  const sendFrom = (origin: string, method: string, path: string, headers: Record<string, string> = {}) =>
    server.request(method, path, {
      as: { bearer: path.startsWith('/_rostra') ? server.credentials.admin_key : token },
      ...(method === 'POST' ? { raw: JSON.stringify(message(1, 'ping')) } : {}),
      headers: { accept: BOTH, 'content-type': 'application/json', origin, ...headers },
    })

  test.each(MOUNTS)('of another site is refused at %s, whatever the token', async (path) => {
    for (const origin of ['https://evil.example', 'http://localhost.evil.example:8080', 'null', 'nonsense', 'http://'])
      for (const method of ['POST', 'GET', 'DELETE']) {
        const answer = await sendFrom(origin, method, path)
        expect([answer.status, answer.body.jsonrpc], `${method} from ${origin}`).toEqual([403, '2.0'])
        expect(answer.body.error.message).toMatch(/^Invalid Origin/)
      }
  })

  test('whose name was made to lead here is refused, though it names itself as the host', async () => {
    const { port } = new URL(server.baseUrl)
    const host = `rebound.example:${port}`
    expect((await sendFrom(`http://${host}`, 'POST', '/mcp', { host })).status).toBe(403)
  })

  test.each(MOUNTS)('of this machine is answered at %s', async (path) => {
    for (const origin of ['http://localhost:6274', 'http://127.0.0.1:3000', 'http://[::1]:3000', server.baseUrl])
      expect((await sendFrom(origin, 'POST', path)).status, origin).toBe(200)
  })

  test('of another site is refused before its token is looked at', async () => {
    const answer = await server.request('POST', '/mcp', {
      as: { bearer: 'nonsense' },
      raw: '{}',
      headers: { accept: BOTH, 'content-type': 'application/json', origin: 'https://evil.example' },
    })
    expect(answer.status).toBe(403)
  })
})

describe('clients of the next revision of the protocol', () => {
  test('list and call tools without a handshake', async () => {
    const client = new NextClient({ name: 'tests', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } })
    const requestInit = { headers: { authorization: `Bearer ${token}` } }
    await client.connect(new NextTransport(new URL(`${server.baseUrl}/mcp`), { requestInit }))
    expect((await client.listTools()).tools.length).toBeGreaterThanOrEqual(20)
    const result = await client.callTool({ name: 'list_ads_accounts', arguments: {} })
    expect(result.structuredContent).toMatchObject({ data: [{ name: 'First account' }] })
    await client.close()
  })
})

describe('tools for builders', () => {
  const builder = () => connect(`${server.baseUrl}/_rostra/mcp`, server.credentials.admin_key)

  test('need the admin key', async () => {
    for (const bearer of [token, 'nonsense', server.credentials.apps[0]!.bearer_token ?? '']) {
      const answer = await server.request('POST', '/_rostra/mcp', {
        as: { bearer },
        json: message(1, 'tools/list'),
        headers: { accept: BOTH },
      })
      expect(answer.status).toBe(401)
    }
  })

  test('cause an event, make requests fail, show what was sent, and move the clock', async () => {
    const { client, call } = await builder()
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual([
      'list_event_types',
      'trigger_event',
      'add_fault',
      'list_faults',
      'clear_faults',
      'fail_next_deliveries',
      'move_clock',
      'list_users',
      'create_token',
      'show_state',
      'read_requests',
      'reset_world',
    ])
    const types = (await call('list_event_types')).body.event_types.map(
      (item: { event_type: string }) => item.event_type,
    )
    expect(types).toContain('post.create')
    const made = await call('trigger_event', { event_type: 'post.create', user: 'alice', text: 'From a tool' })
    expect(made.isError, JSON.stringify(made.body)).toBe(false)
    const found = await server.get(`/2/users/${server.userId('alice')}/posts?max_results=5`)
    expect(JSON.stringify(found.body)).toContain('From a tool')

    const fault = await call('add_fault', { match: 'GET /2/users/me', status: 503, times: 1 })
    expect((await call('list_faults')).body.faults).toMatchObject([{ id: fault.body.id, status: 503 }])
    expect((await server.get('/2/users/me', { user: 'alice' })).status).toBe(503)
    expect((await call('clear_faults')).body).toEqual({ cleared: 1 })
    const { requests } = (await call('read_requests', { refused: true, limit: 1 })).body
    expect(requests).toMatchObject([{ method: 'GET', path: '/2/users/me', status: 503 }])

    const before = Date.parse((await call('move_clock')).body.now)
    expect(Date.parse((await call('move_clock', { advance: '2h' })).body.now) - before).toBeGreaterThan(7_000_000)
    await call('move_clock', { reset: true })
  })

  test('refuse like the control commands do', async () => {
    const { call } = await builder()
    const wrong = await call('add_fault', { match: 'GET /2/users/me', status: 200 })
    expect([wrong.isError, JSON.stringify(wrong.body)]).toEqual([true, expect.stringContaining('status')])
    expect((await call('read_requests', { limit: 0 })).isError).toBe(true)
    expect((await call('trigger_event', { event_type: 'fly' })).body.errors[0].message).toContain('no event type fly')
  })

  test('put the first world back', async () => {
    const { call } = await builder()
    await server.command('user.create', { username: 'gone_soon' })
    expect((await call('reset_world')).body).toEqual({ reset: true })
    expect((await server.get('/2/users/by/username/gone_soon')).body.errors).toHaveLength(1)
    const { entries } = await server.command('audit.list')
    expect(entries[0]).toMatchObject({ actor: 'admin key' })
  })
})
