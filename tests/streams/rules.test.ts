import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type As, startTestServer, type TestServer } from '../support/server.ts'

let server: TestServer
/** Apps of other developers on the two tiers. */
let small: As
let large: As
let base: string
beforeAll(async () => {
  server = await startTestServer()
  base = server.runtime.problemBase
  const make = async (name: string, owner: string, tier: string): Promise<As> => {
    const app = await server.command('app.create', { name, owner, tier })
    return { bearer: app.bearer_token }
  }
  small = await make('Small app', 'bob', 'self-serve')
  large = await make('Large app', 'chika', 'enterprise')
})
afterAll(() => server.close())
afterEach(async () => {
  await server.runtime.database.pool.query('delete from stream_rule')
  await server.runtime.database.pool.query('delete from event_outbox')
})

const RULES = '/2/posts/search/stream/rules'
const SENT = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const ID = expect.stringMatching(/^[0-9]{15,19}$/)

interface Draft {
  value: string
  tag?: string
}
const post = (body: unknown, as: As = 'app', query = '') => server.post(`${RULES}${query}`, body, as)
const add = (rules: Draft[], as?: As, query?: string) => post({ add: rules }, as, query)
const list = async (as?: As, query = '') => (await server.get(`${RULES}${query}`, as)).body
const values = async (as?: As): Promise<string[]> => ((await list(as)).data ?? []).map((rule: Draft) => rule.value)
const many = (count: number, word: string): Draft[] =>
  Array.from({ length: count }, (_, at) => ({ value: `${word}${at}` }))
const added = (created: number, refused = 0) => ({
  sent: SENT,
  summary: { created, not_created: refused, valid: created, invalid: refused },
})
const removed = (deleted: number, missing = 0) => ({ sent: SENT, summary: { deleted, not_deleted: missing } })
const missing = (name: 'ids' | 'values', value: string) => ({
  errors: [{ parameters: { [name]: [value] }, message: 'Rule does not exist' }],
  title: 'Invalid Request',
  detail: 'One or more parameters to your request was invalid.',
  type: `${base}/invalid-request`,
})
const changes = async (): Promise<unknown[]> =>
  (await server.runtime.database.pool.query('select type, actor_id, payload from event_outbox order by id')).rows
const appId = async (name: string): Promise<string> =>
  (await server.command('app.list')).apps.find((app: { name: string }) => app.name === name).id

describe('adding rules', () => {
  test('answers 201 with the new rules in order, counts and time', async () => {
    const answer = await add([{ value: 'cat has:images', tag: 'cats' }, { value: 'meme' }])
    expect(answer.status).toBe(201)
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(answer.body).toEqual({
      data: [
        { id: ID, value: 'cat has:images', tag: 'cats' },
        { id: ID, value: 'meme' },
      ],
      meta: added(2),
    })
    expect(await list()).toEqual({ data: answer.body.data, meta: { sent: SENT, result_count: 2 } })
  })

  test('answers with the time of the product clock', async () => {
    await server.command('clock', { advance_ms: 86_400_000 })
    const { sent } = (await add([{ value: 'meme' }])).body.meta
    await server.command('clock', { reset: true })
    expect(Date.parse(sent)).toBeGreaterThan(Date.now() + 86_000_000)
  })

  test('emits one event for open streams, and only if rules were added', async () => {
    await add([{ value: 'one' }, { value: 'two' }])
    expect(await changes()).toEqual([
      {
        type: 'stream_rules.change',
        actor_id: null,
        payload: { app_id: await appId('First app'), product: 'filtered' },
      },
    ])
    await add([{ value: 'one' }, { value: '(' }])
    await add([])
    expect(await changes()).toHaveLength(1)
  })

  test('accepts operators in both spellings and returns each value unchanged', async () => {
    const spelled = [
      'cat is:repost',
      'cat is:retweet',
      'retweets_of:alice',
      'reposts_of:alice',
      'in_reply_to_tweet_id:1',
    ]
    const answer = await add(spelled.map((value) => ({ value })))
    expect(answer.status).toBe(201)
    expect(await values()).toEqual(spelled)
  })

  test('works on the legacy path with the same sentences', async () => {
    const answer = await server.post('/2/tweets/search/stream/rules', { add: [{ value: 'cat is:repost' }] })
    expect(answer.status).toBe(201)
    const read = await server.get('/2/tweets/search/stream/rules')
    expect(read.body.data).toEqual([{ id: ID, value: 'cat is:repost' }])
  })

  test('with an existing value answers 200 with the id of the first rule, even with another tag', async () => {
    const [first] = (await add([{ value: 'meme', tag: 'one' }])).body.data
    const answer = await add([{ value: 'meme', tag: 'two' }])
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({
      meta: added(0, 1),
      errors: [{ value: 'meme', id: first.id, title: 'DuplicateRule', type: `${base}/duplicate-rules` }],
    })
    expect((await list()).data).toEqual([first])
  })

  test('finds a duplicate within one request', async () => {
    const answer = await add([{ value: 'meme' }, { value: 'cat' }, { value: 'meme', tag: 'again' }])
    expect(answer.status).toBe(201)
    expect(answer.body.meta).toEqual(added(2, 1))
    expect(answer.body.errors).toEqual([
      { value: 'meme', id: answer.body.data[0].id, title: 'DuplicateRule', type: `${base}/duplicate-rules` },
    ])
    expect(await values()).toEqual(['meme', 'cat'])
  })

  test('adds the valid rules of a request and reports what is wrong with each other rule, and where', async () => {
    const answer = await add([{ value: 'cat (dog' }, { value: 'meme' }, { value: 'cat nosuch:thing' }, { value: '' }])
    expect(answer.status).toBe(201)
    expect(answer.body.data).toEqual([{ id: ID, value: 'meme' }])
    expect(answer.body.meta).toEqual(added(1, 3))
    expect(answer.body.errors).toEqual([
      {
        value: 'cat (dog',
        details: ['A parenthesis is not closed (at position 5)'],
        title: 'UnprocessableEntity',
        type: `${base}/invalid-rules`,
      },
      {
        value: 'cat nosuch:thing',
        details: [expect.stringMatching(/^Reference to invalid operator 'nosuch'\..* \(at position 5\)$/)],
        title: 'UnprocessableEntity',
        type: `${base}/invalid-rules`,
      },
      {
        value: '',
        details: ['The query is empty (at position 1)'],
        title: 'UnprocessableEntity',
        type: `${base}/invalid-rules`,
      },
    ])
  })

  test.each(['-cat', 'lang:en', 'quotes_of_post_id:5'])('refuses %j, which streams do not support', async (value) => {
    const answer = await add([{ value }])
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({
      meta: added(0, 1),
      errors: [{ value, details: [expect.any(String)], title: 'UnprocessableEntity', type: `${base}/invalid-rules` }],
    })
    expect(await list()).toEqual({ meta: { sent: SENT, result_count: 0 } })
  })

  test('with an empty list answers 200 without data', async () => {
    const answer = await add([])
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({ meta: added(0) })
  })

  test.each<[string, () => As, number]>([
    ['self-serve', () => small, 1_024],
    ['enterprise', () => large, 2_048],
  ])('accepts rules up to the length of the tier %s', async (_tier, as, longest) => {
    // A character outside the basic plane counts once.
    const fits = '😀'.repeat(longest)
    const answer = await add([{ value: fits }, { value: `${fits}a` }], as())
    expect(answer.status).toBe(201)
    expect(answer.body.data).toEqual([{ id: ID, value: fits }])
    expect(answer.body.errors).toEqual([
      {
        value: `${fits}a`,
        details: [
          `The rule has ${longest + 1} characters, but this tier allows ${longest} (at position ${longest + 1})`,
        ],
        title: 'UnprocessableEntity',
        type: `${base}/invalid-rules`,
      },
    ])
  })
})

describe('the cap', () => {
  const refusal = (count: number, more: number, most = 1_000) => ({
    title: 'RulesCapExceeded',
    detail: `The project has ${count} rules and can have ${most} on this tier; the request would add ${more}.`,
    type: `${base}/rule-cap`,
  })

  test('refuses the whole request that would exceed it, also as a dry run', async () => {
    expect((await add(many(998, 'full'), small)).status).toBe(201)
    for (const query of ['', '?dry_run=true']) {
      const answer = await add(many(3, 'more'), small, query)
      expect(answer.status).toBe(422)
      expect(answer.headers.get('content-type')).toBe('application/problem+json; charset=utf-8')
      expect(answer.body).toEqual(refusal(998, 3))
    }
    expect((await list(small)).meta.result_count).toBe(998)
    // Duplicates and invalid rules do not count.
    const answer = await add([...many(2, 'more'), { value: 'full1' }, { value: '(' }], small)
    expect(answer.body.meta).toEqual(added(2, 2))
    expect((await add(many(1, 'last'), small)).body).toEqual(refusal(1_000, 1))
    expect((await add([{ value: 'full1' }], small)).status).toBe(200)
    await post({ delete: { values: ['full1'] } }, small)
    expect((await add(many(1, 'last'), small)).status).toBe(201)
  })

  test('is exact for concurrent requests, and counts all apps of the project', async () => {
    const second: As = {
      bearer: (await server.command('app.create', { name: 'Sibling', owner: 'bob', tier: 'self-serve' })).bearer_token,
    }
    await add(many(990, 'full'), small)
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, at) => add(many(2, `word${at}x`), at % 2 === 0 ? small : second)),
    )
    expect(answers.map((answer) => answer.status).sort()).toEqual([...Array(5).fill(201), ...Array(7).fill(422)])
    const [one, two] = await Promise.all([list(small), list(second)])
    expect(one.meta.result_count + two.meta.result_count).toBe(1_000)
    const counts = (await server.get(`${RULES}/counts`, second)).body.data
    expect(counts.project_rules_count).toBe(1_000)
    expect(counts.client_app_rules_count.rule_count).toBe(two.meta.result_count)
  })

  test('lets one of many equal concurrent requests add the rule', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => add([{ value: 'meme' }])))
    expect(answers.map((answer) => answer.status).sort()).toEqual([...Array(7).fill(200), 201])
    const [rule] = (await list()).data
    const duplicates = answers.filter((answer) => answer.status === 200)
    expect(duplicates.map((answer) => answer.body.errors[0].id)).toEqual(Array(7).fill(rule.id))
  })
})

describe('deleting rules', () => {
  test('works by id and by value, and emits an event for open streams', async () => {
    const [cat, , bird] = (await add([{ value: 'cat' }, { value: 'dog' }, { value: 'bird' }])).body.data
    const byId = await post({ delete: { ids: [cat.id] } })
    expect(byId.status).toBe(200)
    expect(byId.body).toEqual({ meta: removed(1) })
    expect((await post({ delete: { values: ['dog'] } })).body).toEqual({ meta: removed(1) })
    expect((await list()).data).toEqual([bird])
    expect(await changes()).toHaveLength(3)
  })

  test('counts a rule once if it is named by id and by value', async () => {
    const [cat] = (await add([{ value: 'cat' }, { value: 'dog' }])).body.data
    const answer = await post({ delete: { ids: [cat.id, cat.id], values: ['cat', 'dog', 'dog'] } })
    expect(answer.body).toEqual({ meta: removed(2) })
    expect(await values()).toEqual([])
  })

  test('reports what does not exist and removes the rest', async () => {
    const [cat] = (await add([{ value: 'cat' }])).body.data
    await server.runtime.database.pool.query('delete from event_outbox')
    const answer = await post({ delete: { ids: ['42', cat.id, '9999999999999999999'], values: ['dog'] } })
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({
      meta: removed(1, 3),
      errors: [missing('ids', '42'), missing('ids', '9999999999999999999'), missing('values', 'dog')],
    })
    expect(await changes()).toHaveLength(1)
    expect((await post({ delete: { ids: [cat.id] } })).body).toEqual({
      meta: removed(0, 1),
      errors: [missing('ids', cat.id)],
    })
    expect(await changes()).toHaveLength(1)
  })

  test('of one rule by many concurrent requests succeeds once', async () => {
    const [cat] = (await add([{ value: 'cat' }])).body.data
    const answers = await Promise.all(Array.from({ length: 6 }, () => post({ delete: { ids: [cat.id] } })))
    const counts = answers.map((answer) => answer.body.meta.summary.deleted)
    expect(counts.sort()).toEqual([0, 0, 0, 0, 0, 1])
  })

  test('or adding of more than 1,000 at once is refused as a whole, before any is looked at', async () => {
    const ids = Array.from({ length: 1_001 }, (_, at) => String(at))
    for (const [body, where] of [
      [{ delete: { ids } }, '$.delete.ids'],
      [{ delete: { ids: Array(50_000).fill('1') } }, '$.delete.ids'],
      [{ delete: { values: ids } }, '$.delete.values'],
      [{ add: many(1_001, 'word') }, '$.add'],
    ] as const) {
      const answer = await post(body)
      expect(answer.status).toBe(400)
      expect(answer.body.errors).toHaveLength(1)
      expect(answer.body.errors[0].message).toBe(`${where}: there must be a maximum of 1000 items in the array`)
    }
    expect(await changes()).toEqual([])
  })

  test('of all rules requires no body and does not affect other apps', async () => {
    await add([{ value: 'cat' }, { value: 'dog' }])
    await add([{ value: 'cat' }], large)
    const answer = await server.request('POST', `${RULES}?delete_all=true`, {})
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({ meta: removed(2) })
    expect(await list()).toEqual({ meta: { sent: SENT, result_count: 0 } })
    expect(await values(large)).toEqual(['cat'])
    expect(await changes()).toHaveLength(3)
    expect((await post({ delete: {} }, 'app', '?delete_all=true')).body).toEqual({ meta: removed(0) })
    expect(await changes()).toHaveLength(3)
  })

  test.each<[string, string, unknown]>([
    ['rules to add', '?delete_all=true', { add: [{ value: 'dog' }] }],
    ['no rules to add', '?delete_all=true', { add: [] }],
    ['ids', '?delete_all=true', { delete: { ids: ['1'] } }],
    ['a dry run', '?delete_all=true&dry_run=true', undefined],
  ])('of all rules is refused together with %s', async (_name, query, body) => {
    await add([{ value: 'cat' }])
    const answer = await post(body, 'app', query)
    expect(answer.status).toBe(400)
    expect(answer.body.errors).toEqual([
      {
        parameters: { delete_all: ['true'] },
        message: 'The `delete_all` query parameter cannot be combined with others or with rules in the body',
      },
    ])
    expect(await values()).toEqual(['cat'])
  })
})

describe('a dry run', () => {
  test.each(['true', 'True'])('with dry_run=%s answers as if it added rules, but adds none', async (word) => {
    const [dog] = (await add([{ value: 'dog' }])).body.data
    await server.runtime.database.pool.query('delete from event_outbox')
    const answer = await add([{ value: 'cat', tag: 'c' }, { value: 'dog' }, { value: '(' }], 'app', `?dry_run=${word}`)
    expect(answer.status).toBe(201)
    expect(answer.body.data).toEqual([{ id: ID, value: 'cat', tag: 'c' }])
    expect(answer.body.meta).toEqual(added(1, 2))
    expect(answer.body.errors.map((error: { title: string }) => error.title)).toEqual([
      'DuplicateRule',
      'UnprocessableEntity',
    ])
    expect((await list()).data).toEqual([dog])
    expect(await changes()).toEqual([])
  })

  test('answers as if it deleted rules, but deletes none', async () => {
    const [cat] = (await add([{ value: 'cat' }])).body.data
    await server.runtime.database.pool.query('delete from event_outbox')
    const answer = await post({ delete: { ids: [cat.id, '42'] } }, 'app', '?dry_run=true')
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({ meta: removed(1, 1), errors: [missing('ids', '42')] })
    expect((await list()).data).toEqual([cat])
    expect(await changes()).toEqual([])
  })

  test('with dry_run=false adds the rules', async () => {
    await add([{ value: 'cat' }], 'app', '?dry_run=false&delete_all=false')
    expect(await values()).toEqual(['cat'])
  })

  test('is refused with another word', async () => {
    const answer = await add([{ value: 'cat' }], 'app', '?dry_run=maybe')
    expect(answer.status).toBe(400)
    expect(answer.body.errors).toEqual([
      {
        parameters: { dry_run: ['maybe'] },
        message: 'The `dry_run` query parameter value [maybe] is not one of [true,false]',
      },
    ])
  })
})

describe('a body', () => {
  test.each<[string, unknown, string]>([
    ['that adds and deletes', { add: [{ value: 'dog' }], delete: { values: ['cat'] } }, '$.delete'],
    ['without rules in a list', { add: { value: 'dog' } }, '$.add'],
    ['with a rule without value', { add: [{ tag: 'dog' }] }, '$.add[0].value'],
    ['with an unknown member of a rule', { add: [{ value: 'dog', id: '1' }] }, '$.add[0].id'],
    ['with an id that is none', { delete: { ids: ['x'] } }, '$.delete.ids[0]'],
    ['that deletes without a name', { delete: {} }, '$.delete'],
  ])('%s is refused and changes nothing', async (_name, body, where) => {
    await add([{ value: 'cat' }])
    const answer = await post(body)
    expect(answer.status).toBe(400)
    expect(answer.body.type).toBe(`${base}/invalid-request`)
    const parameters = answer.body.errors.flatMap((error: { parameters: object }) => Object.keys(error.parameters))
    expect(parameters).toContain(where)
    expect(await values()).toEqual(['cat'])
  })

  test('is required', async () => {
    const answer = await server.request('POST', RULES, {})
    expect(answer.status).toBe(400)
    expect(answer.body.errors).toEqual([{ parameters: {}, message: 'The request needs a JSON body.' }])
  })

  test('that is empty is refused with the missing members', async () => {
    const answer = await post({})
    expect(answer.status).toBe(400)
    expect(answer.body.errors).toEqual([{ parameters: { $: [] }, message: '$: must contain add or delete' }])
  })
})
