import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { allAdsEntities } from '../../src/ads/kit/define-entity.ts'
import { families } from '../../src/app.ts'
import type { TestAnswer } from '../support/server.ts'
import { type AdsScene, ALICE, startAdsScene } from './ads-scene.ts'

const { operations: adsOperations } = families[1]

let scene: AdsScene
beforeAll(async () => {
  scene = await startAdsScene()
})
afterAll(() => scene.close())
afterEach(() => {
  scene.server.runtime.strict = 'off'
})

const firstError = (answer: TestAnswer) => answer.body.errors[0]
/** A request below the account with a literal query, in which names can occur twice. */
const raw = (method: string, path: string, query: string, form?: Record<string, string>) =>
  scene.server.request(method, `/ads-sandbox/12/accounts/${scene.account}/${path}?${query}`, {
    as: ALICE,
    ...(form ? { form } : {}),
  })
const batch = (plural: string, json: unknown) =>
  scene.server.request('POST', `/ads-sandbox/12/batch/accounts/${scene.account}/${plural}`, { as: ALICE, json })
const lineItem = (values: Record<string, unknown>) => ({
  objective: 'ENGAGEMENTS',
  product_type: 'PROMOTED_POSTS',
  placements: 'PLATFORM_TIMELINE',
  ...values,
})

describe('a parameter given twice', () => {
  test.each([
    ['in the query', 'name=One&name=Two', undefined, 'name'],
    ['in the query and in the form', 'name=One', { name: 'One' }, 'name'],
    ['in both spellings', 'ios_app_store_identifier=1&platform_b_app_store_identifier=2', undefined, /app_store/],
  ] as const)('is refused %s', async (_, query, form, parameter) => {
    const id = await scene.lineItem({ name: 'Before' })
    const answer = await raw('PUT', `line_items/${id}`, query, form)
    expect(answer.status, answer.text).toBe(400)
    expect(firstError(answer)).toMatchObject({
      code: 'INVALID_PARAMETER',
      parameter: expect.stringMatching(parameter),
      details: 'is given more than once',
    })
    expect((await scene.get(`line_items/${id}`)).body.data.name).toBe('Before')
  })

  test('adds to the list where it is one', async () => {
    const [one, two, three] = [await scene.campaign(), await scene.campaign(), await scene.campaign()]
    const answer = await raw('GET', 'campaigns', `campaign_ids=${one},${two}&campaign_ids=${three}`)
    expect(answer.body.request.params.campaign_ids).toEqual([one, two, three])
    expect(answer.body.data).toHaveLength(3)
  })

  test('is refused as a member of a body in both spellings', async () => {
    const id = await scene.lineItem()
    const params = { line_item_id: id, ios_app_store_identifier: '1', platform_b_app_store_identifier: '2' }
    const answer = await batch('line_items', [{ operation_type: 'Update', params }])
    expect(answer.status).toBe(400)
    expect(firstError(answer)).toMatchObject({ details: 'is given in both spellings' })
  })
})

describe('a refused word is returned as it was sent', () => {
  test('whether a parameter or a rule refuses it', async () => {
    const campaign_id = await scene.campaign()
    const unknown = await scene.post('line_items', lineItem({ campaign_id, objective: 'PROMOTED_TWEETS' }) as never)
    expect(firstError(unknown)).toMatchObject({ parameter: 'objective', value: 'PROMOTED_TWEETS' })
    const unfit = await scene.post(
      'line_items',
      lineItem({ campaign_id, objective: 'FOLLOWERS', product_type: 'PROMOTED_TWEETS' }) as never,
    )
    expect(firstError(unfit)).toMatchObject({ parameter: 'product_type', value: 'PROMOTED_TWEETS' })
    const together = await scene.post(
      'line_items',
      lineItem({ campaign_id, placements: 'ALL_ON_TWITTER,TWITTER_SEARCH' }) as never,
    )
    expect(firstError(together)).toMatchObject({ parameter: 'placements', value: ['ALL_ON_TWITTER', 'TWITTER_SEARCH'] })
    const neutral = await scene.post('line_items', lineItem({ campaign_id, placements: 'PLATFORM_PROFILE' }) as never)
    expect(firstError(neutral)).toMatchObject({ parameter: 'placements', value: ['PLATFORM_PROFILE'] })
  })

  test('in batches too', async () => {
    const campaign_id = await scene.campaign()
    const answer = await batch('line_items', [
      { operation_type: 'Create', params: lineItem({ campaign_id, placements: ['TWITTER_PROFILE'] }) },
      { operation_type: 'Create', params: lineItem({ campaign_id, placements: ['PLATFORM_PROFILE'] }) },
    ])
    expect(answer.body.operation_errors.flat()).toMatchObject([
      { value: ['TWITTER_PROFILE'] },
      { value: ['PLATFORM_PROFILE'] },
    ])
  })
})

describe('a batch', () => {
  test('answers in one spelling: that of any legacy word in it, also in the echo of what came before the word', async () => {
    const campaign_id = await scene.campaign()
    const answer = await batch('line_items', [
      { operation_type: 'Create', params: lineItem({ campaign_id }) },
      { operation_type: 'Create', params: lineItem({ campaign_id, placements: 'TWITTER_SEARCH' }) },
    ])
    expect(answer.status, answer.text).toBe(200)
    expect(answer.body.data).toMatchObject([
      { product_type: 'PROMOTED_TWEETS', placements: ['TWITTER_TIMELINE'], ios_app_store_identifier: null },
      { product_type: 'PROMOTED_TWEETS', placements: ['TWITTER_SEARCH'], ios_app_store_identifier: null },
    ])
    expect(answer.body.request).toMatchObject([
      { params: { product_type: 'PROMOTED_TWEETS', placements: ['TWITTER_TIMELINE'] } },
      { params: { product_type: 'PROMOTED_TWEETS', placements: ['TWITTER_SEARCH'] } },
    ])
  })

  test('of a strict server refuses members that no operation has, at the index of the operation', async () => {
    scene.server.runtime.strict = 'on'
    const id = await scene.campaign({ name: 'Before' })
    const operation = { operation_type: 'Update', params: { campaign_id: id, name: 'After' } }
    const other = { funding_instrument_id: scene.funding, name: 'x', daily_budget_amount_local_micro: 1_000_000 }
    for (const name of ['surprise', 'constructor', '__proto__']) {
      const operations = [withMember(operation, name), { operation_type: 'Create', params: other }]
      const answer = await batch('campaigns', operations)
      expect(answer.status, answer.text).toBe(400)
      expect(answer.body.operation_errors).toEqual([
        [expect.objectContaining({ code: 'INVALID_PARAMETER', parameter: name })],
        [],
      ])
    }
    expect((await scene.get(`campaigns/${id}`)).body.data.name).toBe('Before')
  })

  test('refuses a record that occurs twice in it', async () => {
    const id = await scene.campaign({ name: 'Before' })
    const change = (name: string) => ({ operation_type: 'Update', params: { campaign_id: id, name } })
    const answer = await batch('campaigns', [change('First'), change('Second')])
    expect(answer.status, answer.text).toBe(400)
    expect(answer.body.operation_errors.flat()).toContainEqual(
      expect.objectContaining({ code: 'INVALID_PARAMETER', parameter: 'campaign_id' }),
    )
    expect((await scene.get(`campaigns/${id}`)).body.data.name).toBe('Before')
  })

  test('of a strict server refuses parameters with the names that every object has', async () => {
    scene.server.runtime.strict = 'on'
    for (const name of ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'surprise']) {
      const answer = await batch('campaigns', [
        { operation_type: 'Create', params: withMember({ funding_instrument_id: scene.funding, name: 'x' }, name) },
      ])
      expect(answer.status, answer.text).toBe(400)
      expect(answer.body.operation_errors[0][0]).toMatchObject({ code: 'INVALID_PARAMETER', parameter: name })
    }
  })
})

/** A copy with an own member of any name. */
const withMember = (object: object, name: string): object =>
  Object.defineProperty({ ...object }, name, { value: 1, enumerable: true })

test('a change waits for another change of the account, but no longer than five seconds', async () => {
  const id = await scene.campaign({ name: 'Before' })
  const other = await scene.server.runtime.database.pool.connect()
  try {
    await other.query('begin')
    await other.query('select from ads_account for update')
    const refused = await scene.put(`campaigns/${id}`, { name: 'After' })
    expect(refused.status, refused.text).toBe(423)
    expect(firstError(refused).code).toBe('LOCK_ACQUISITION_TIMEOUT')
    const waiting = scene.put(`campaigns/${id}`, { name: 'After' })
    await new Promise((resolve) => setTimeout(resolve, 300))
    await other.query('commit')
    expect((await waiting).body.data.name).toBe('After')
  } finally {
    other.release()
  }
})

describe('times', () => {
  test.each([
    '9999-12-31T23:59:59-14:00',
    '9999-12-31T23:59:59-01',
    '1970-01-01T00:00:00+01:00',
    '2026-05-01T00:00:00+99:99',
    '2026-05-01T00:00:00+15:00',
    '2026-05-01T00:00:00+0060',
    '0099-01-01',
  ])('outside of what four digits and a zone can say are refused: %s', async (end_time) => {
    const answer = await scene.put(`line_items/${await scene.lineItem()}`, { end_time })
    expect(answer.status, answer.text).toBe(400)
    expect(firstError(answer)).toMatchObject({ code: 'INVALID_PARAMETER', parameter: 'end_time' })
  })

  test.each([
    ['9999-12-31T23:59:59Z', '9999-12-31T23:59:59Z'],
    ['2030-05-01T00:00:00+14:00', '2030-04-30T10:00:00Z'],
    ['2030-05-01T00:00:00-0330', '2030-05-01T03:30:00Z'],
  ])('at the edges are taken: %s', async (end_time, shown) => {
    const answer = await scene.put(`line_items/${await scene.lineItem()}`, { end_time })
    expect(answer.body.data?.end_time, answer.text).toBe(shown)
  })
})

describe('an invented cursor is never a failure', () => {
  const HOSTILE = [
    '9223372036854775807',
    '9223372036854775808',
    '-9223372036854775809',
    '-999999999999999999',
    Number.MAX_SAFE_INTEGER,
    Number.MIN_SAFE_INTEGER,
    2_147_483_648,
    2,
    '',
    'x',
    '1.5',
    'true',
    '\ud800',
    "'; drop table x; --",
  ]
  // The records that some of the lists are below.
  let audience: string
  beforeAll(async () => {
    audience = (await scene.made('custom_audiences', { name: 'People' })).id
  })
  const lists = allAdsEntities().filter(({ declared }) => declared.operations.list && declared.sorts)

  test.each(lists.map(({ declared, operations }) => ({ declared, name: operations[0]!.id })))(
    'of $name',
    async ({ declared, name }) => {
      const operation = adsOperations.find((item) => item.id === name)!
      const path = operation.path.replace('{account_id}', scene.account).replace(/\{[a-z_]+\}/, audience)
      const needed = declared.filters && Object.entries(declared.filters).find(([, item]) => item.required)?.[0]
      for (const attribute of declared.sorts!)
        for (const value of HOSTILE) {
          const isAlone = attribute === 'created_at'
          const values = isAlone ? [`${attribute}+`, value] : [`${attribute}+id+`, value, '1']
          const cursor = Buffer.from(JSON.stringify(values)).toString('base64url')
          const query = `sort_by=${attribute}-asc&cursor=${cursor}${needed ? `&${needed}=1` : ''}`
          const answer = await scene.server.get(`/ads-sandbox${path}?${query}`, ALICE)
          expect([200, 400], `${attribute} ${value}: ${answer.text}`).toContain(answer.status)
        }
    },
  )

  test('of a truth value beyond one is refused', async () => {
    const cursor = Buffer.from(JSON.stringify(['deleted+id+', '9223372036854775807', '1'])).toString('base64url')
    const answer = await scene.get('campaigns', { sort_by: 'deleted-asc', cursor })
    expect(answer.status).toBe(400)
    expect(firstError(answer)).toMatchObject({ code: 'INVALID_PARAMETER', parameter: 'cursor' })
  })
})
