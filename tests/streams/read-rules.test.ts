import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type As, startTestServer, type TestServer } from '../support/server.ts'

let server: TestServer
let other: As
let base: string
beforeAll(async () => {
  server = await startTestServer()
  base = server.runtime.problemBase
  const app = await server.command('app.create', { name: 'Other app', owner: 'bob', tier: 'enterprise' })
  other = { bearer: app.bearer_token }
})
afterAll(() => server.close())
afterEach(async () => {
  await server.runtime.database.pool.query('delete from stream_rule')
  await server.runtime.database.pool.query('delete from event_outbox')
})

const RULES = '/2/posts/search/stream/rules'
const POWER = '/2/powerstream/rules'
const SENT = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const ID = expect.stringMatching(/^[0-9]{15,19}$/)

interface Rule {
  id: string
  value: string
  tag?: string
}
const numbered = (count: number, word = 'word') =>
  Array.from({ length: count }, (_, at) => ({ value: `${word}${at}`, tag: `tag ${at}` }))
async function add(rules: { value: string; tag?: string }[], as?: As): Promise<Rule[]> {
  const answer = await server.post(RULES, { add: rules }, as)
  expect(answer.status).toBe(201)
  return answer.body.data
}
const read = (query = '', as?: As) => server.get(`${RULES}${query}`, as)
const appId = async (name: string): Promise<string> =>
  (await server.command('app.list')).apps.find((app: { name: string }) => app.name === name).id

describe('the list of rules', () => {
  test('has no data without rules', async () => {
    const answer = await read()
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({ meta: { sent: SENT, result_count: 0 } })
  })

  test('has pages in the order of creation, which added or deleted rules do not shift', async () => {
    const made = await add(numbered(5))
    const first = (await read('?max_results=2')).body
    expect(first).toEqual({
      data: made.slice(0, 2),
      meta: { sent: SENT, result_count: 2, next_token: expect.stringMatching(/^[A-Z2-7]{16}$/) },
    })
    await server.post(RULES, { delete: { ids: [made[0]!.id] } })
    const [late] = await add([{ value: 'late' }])
    const second = (await read(`?max_results=2&pagination_token=${first.meta.next_token}`)).body
    expect(second.data).toEqual(made.slice(2, 4))
    const third = (await read(`?max_results=2&pagination_token=${second.meta.next_token}`)).body
    expect(third).toEqual({ data: [made[4], late], meta: { sent: SENT, result_count: 2 } })
  })

  test('shows a thousand rules at once and has a token for more', async () => {
    const made = [...(await add(numbered(1_000))), ...(await add([{ value: 'one more', tag: 'last' }]))]
    const { data, meta } = (await read()).body
    expect(data).toEqual(made.slice(0, 1_000))
    expect(meta.result_count).toBe(1_000)
    const rest = (await read(`?pagination_token=${meta.next_token}`)).body
    expect(rest).toEqual({ data: [made[1_000]], meta: { sent: SENT, result_count: 1 } })
  })

  test('can be limited to some ids, also in pages; unknown ids are left out', async () => {
    const made = await add(numbered(4))
    const ids = `ids=${made[3]!.id},42,9999999999999999999,${made[0]!.id},${made[2]!.id}`
    const all = (await read(`?${ids}`)).body
    expect(all).toEqual({ data: [made[0], made[2], made[3]], meta: { sent: SENT, result_count: 3 } })
    const first = (await read(`?${ids}&max_results=2`)).body
    expect(first.data).toEqual([made[0], made[2]])
    const second = (await read(`?${ids}&max_results=2&pagination_token=${first.meta.next_token}`)).body
    expect(second).toEqual({ data: [made[3]], meta: { sent: SENT, result_count: 1 } })
    expect((await read('?ids=42')).body).toEqual({ meta: { sent: SENT, result_count: 0 } })
  })

  test.each([
    ['?max_results=0', 'max_results'],
    ['?max_results=1001', 'max_results'],
    ['?pagination_token=short', 'pagination_token'],
    ['?pagination_token=AAAAAAAAAAAAAAAA', 'pagination_token'],
    // A well-formed token that leads to older rules, which no answer has.
    ['?pagination_token=AAAAAAAAAAAACZZZ', 'pagination_token'],
    ['?ids=x', 'ids'],
    ['?ids=', 'ids'],
  ])('is refused for %s', async (query, name) => {
    const answer = await read(query)
    expect(answer.status).toBe(400)
    expect(answer.body.type).toBe(`${base}/invalid-request`)
    expect(Object.keys(answer.body.errors[0].parameters)).toEqual([name])
  })
})

describe('rules belong to their app', () => {
  test('another app cannot see or delete them, and can have the same values', async () => {
    const [own] = await add([{ value: 'cat' }])
    const [theirs] = await add([{ value: 'cat' }], other)
    expect(theirs!.id).not.toBe(own!.id)
    expect((await read(`?ids=${own!.id}`, other)).body.meta.result_count).toBe(0)
    const answer = await server.post(RULES, { delete: { ids: [own!.id] } }, other)
    expect(answer.body.meta.summary).toEqual({ deleted: 0, not_deleted: 1 })
    await server.post(RULES, { delete: { values: ['cat'] } }, other)
    expect((await read()).body.data).toEqual([own])
  })

  test('another app of the same project has its own rules', async () => {
    const [own] = await add([{ value: 'cat' }])
    expect((await read('', 'second-app')).body.meta.result_count).toBe(0)
    await add([{ value: 'cat' }], 'second-app')
    expect((await read()).body.data).toEqual([own])
  })

  test.each(['GET', 'POST'])('%s refuses user credentials', async (method) => {
    const answer = await server.request(method, RULES, { as: { user: 'alice' } })
    expect(answer.status).toBe(403)
    expect(answer.body.title).toBe('Unsupported Authentication')
  })
})

describe('the counts', () => {
  test('have the app, every app of its project, and the caps', async () => {
    await add(numbered(3))
    await add(numbered(2), 'second-app')
    await add(numbered(4), other)
    const [first, second] = [await appId('First app'), await appId('Second app')]
    const answer = await server.get(`${RULES}/counts`)
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({
      data: {
        all_project_client_apps: expect.arrayContaining([
          { client_app_id: first, rule_count: 3 },
          { client_app_id: second, rule_count: 2 },
        ]),
        cap_per_client_app: 25_000,
        cap_per_project: 25_000,
        client_app_rules_count: { client_app_id: first, rule_count: 3 },
        project_rules_count: 5,
      },
    })
    expect(answer.body.data.all_project_client_apps).toHaveLength(2)
    const small = (await server.get('/2/tweets/search/stream/rules/counts', 'second-app')).body.data
    expect(small).toMatchObject({ cap_per_project: 1_000, client_app_rules_count: { rule_count: 2 } })
  })

  test('have only the requested fields', async () => {
    const answer = await server.get(`${RULES}/counts?rules_count.fields=project_rules_count,cap_per_project`)
    expect(answer.body).toEqual({ data: { cap_per_project: 25_000, project_rules_count: 0 } })
    const unknown = await server.get(`${RULES}/counts?rules_count.fields=rules`)
    expect(unknown.status).toBe(400)
  })

  test('do not include the rules of the power stream', async () => {
    await server.post(POWER, { rules: [{ value: 'cat' }] })
    const answer = await server.get(`${RULES}/counts?rules_count.fields=project_rules_count`)
    expect(answer.body.data).toEqual({ project_rules_count: 0 })
  })
})

describe('the rules of the power stream', () => {
  const remove = (rules: unknown[], as?: As) => server.request('DELETE', POWER, { as, json: { rules } })
  const list = async (as?: As): Promise<Rule[]> => (await server.get(POWER, as)).body.data.rules

  test('are added, listed and deleted by value, separately from those of the filtered stream', async () => {
    expect((await server.get(POWER)).body).toEqual({ data: { rules: [] } })
    await add([{ value: 'cat' }])
    const made = await server.post(POWER, { rules: [{ value: 'cat', tag: 'cats' }, { value: 'contains:meme' }] })
    expect(made.status).toBe(201)
    expect(made.body).toEqual({
      data: {
        rules: [
          { id: ID, value: 'cat', tag: 'cats' },
          { id: ID, value: 'contains:meme' },
        ],
      },
    })
    expect(await list()).toEqual(made.body.data.rules)
    const gone = await remove([{ value: 'cat', tag: 'cats' }, { value: 'dog' }])
    expect(gone.status).toBe(200)
    expect(gone.body).toEqual({ data: { deleted: 1, not_deleted: 1 } })
    expect(await list()).toEqual([made.body.data.rules[1]])
    expect((await read()).body.data).toEqual([{ id: ID, value: 'cat' }])
    const { rows } = await server.runtime.database.pool.query('select payload from event_outbox order by id')
    expect(rows.map((row) => row.payload.product)).toEqual(['filtered', 'power', 'power'])
  })

  test('have their own operators and are separate from those of the filtered stream', async () => {
    const answer = await server.post(POWER, { rules: [{ value: 'bio:cook' }, { value: 'conversation_id:1' }] })
    expect(answer.status).toBe(201)
    expect(answer.body.errors).toEqual([
      {
        value: 'conversation_id:1',
        details: [expect.stringMatching(/^Reference to invalid operator 'conversation_id'/)],
        title: 'UnprocessableEntity',
        type: `${base}/invalid-rules`,
      },
    ])
    const wrong = await server.post(RULES, { add: [{ value: 'contains:cook' }] })
    expect(wrong.body.meta.summary.invalid).toBe(1)
  })

  test('that exist already are answered with 200 and the id', async () => {
    const made = await server.post(POWER, { rules: [{ value: 'cat' }] })
    const again = await server.post(POWER, { rules: [{ value: 'cat' }] })
    expect(again.status).toBe(200)
    expect(again.body).toEqual({
      data: { rules: [] },
      errors: [
        { value: 'cat', id: made.body.data.rules[0].id, title: 'DuplicateRule', type: `${base}/duplicate-rules` },
      ],
    })
  })

  test('are limited to 100 in a request, 2048 characters each, and 1000 in total', async () => {
    const longest = 'a'.repeat(2_048)
    const answer = await server.post(POWER, { rules: [{ value: longest }, { value: `${longest}a` }] })
    expect(answer.body.data.rules).toHaveLength(1)
    expect(answer.body.errors).toHaveLength(1)
    expect((await server.post(POWER, { rules: numbered(101) })).status).toBe(400)
    expect((await server.post(POWER, { rules: [] })).status).toBe(400)
    for (let batch = 0; batch < 9; batch++)
      expect((await server.post(POWER, { rules: numbered(100, `batch${batch}x`) })).status).toBe(201)
    const answers = await Promise.all(
      Array.from({ length: 4 }, (_, at) => server.post(POWER, { rules: numbered(33, `last${at}x`) })),
    )
    expect(answers.map((item) => item.status).sort()).toEqual([201, 201, 201, 422])
    expect(answers.find((item) => item.status === 422)!.body).toMatchObject({
      title: 'RulesCapExceeded',
      type: `${base}/rule-cap`,
    })
    expect(await list()).toHaveLength(1_000)
  })

  test('belong to their app, and require the enterprise tier', async () => {
    await server.post(POWER, { rules: [{ value: 'cat' }] })
    expect(await list(other)).toEqual([])
    expect((await remove([{ value: 'cat' }], other)).body).toEqual({ data: { deleted: 0, not_deleted: 1 } })
    expect(await list()).toHaveLength(1)
    for (const method of ['GET', 'POST', 'DELETE']) {
      const answer = await server.request(method, POWER, { as: 'second-app' })
      expect(answer.status).toBe(403)
      expect(answer.body).toMatchObject({ title: 'Client Forbidden', reason: 'client-not-enrolled' })
    }
  })
})
