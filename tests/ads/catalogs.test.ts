import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type As, startTestServer, type TestServer } from '../support/server.ts'
import { ALICE, queryOf } from './ads-scene.ts'
import { BASE, openShop, product, type Shop } from './catalog-shop.ts'

let server: TestServer
let shop: Shop
beforeAll(async () => {
  server = await startTestServer()
  shop = await openShop(server)
})
afterAll(() => server.close())

type Values = Record<string, string | number>
const BOB: As = { user: 'bob' }
const call = (method: string, path: string, values: Values = {}, as: As = ALICE, base = BASE) =>
  server.request(method, `${base}${path}?${queryOf(values)}`, { as })
const refusalOf = async (
  answer: Promise<{ status: number; body: { errors: { code: string; parameter?: string }[] } }>,
) => {
  const { status, body } = await answer
  return [status, body.errors[0]!.code, body.errors[0]!.parameter]
}

describe('catalogs', () => {
  test('belong to the authenticated user unless user_id names another', async () => {
    expect((await call('GET', '')).body).toEqual({
      request: { params: {} },
      data: [{ id: shop.catalog, name: 'Everything' }],
      next_cursor: null,
    })
    const alice = server.userId('alice')
    const named = await call('GET', '', { user_id: alice })
    expect(named.body.data).toHaveLength(1)
    expect(named.text).toContain(`"user_id":${alice}`)
    expect((await call('GET', '', {}, { user: 'chika' })).body.data).toEqual([])
  })

  test('are one for each user and environment', async () => {
    expect(await refusalOf(call('POST', '', { name: 'Second' }))).toEqual([403, 'ACTION_NOT_ALLOWED', undefined])
    const production = await call('POST', '', { name: 'Real' }, ALICE, '/ads/12/product_catalogs')
    expect(production.body.data.name).toBe('Real')
    expect((await call('GET', '')).body.data).toEqual([{ id: shop.catalog, name: 'Everything' }])
  })

  test('are one even when several are created at the same time', async () => {
    const answers = await Promise.all(
      [1, 2, 3, 4].map((at) => call('POST', '', { name: `Try ${at}` }, { user: 'dario' })),
    )
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 403, 403, 403])
  })

  test.each([
    ['POST', {}, 'MISSING_PARAMETER'],
    ['POST', { name: '' }, 'MISSING_PARAMETER'],
    ['POST', { name: '  ' }, 'INVALID_PARAMETER'],
    ['POST', { name: 'x'.repeat(256) }, 'INVALID_PARAMETER'],
    ['PUT', {}, 'MISSING_PARAMETER'],
    ['PUT', { name: '' }, 'MISSING_PARAMETER'],
  ])('need a name: %s %o', async (method, values: Values, code) => {
    const path = method === 'PUT' ? `/${shop.catalog}` : ''
    expect(await refusalOf(call(method, path, values))).toEqual([400, code, 'name'])
  })

  test('are renamed, and echo their id as id', async () => {
    const answer = await call('PUT', `/${shop.catalog}`, { name: 'All' })
    expect(answer.body).toEqual({
      request: { params: { id: shop.catalog, name: 'All' } },
      data: { id: shop.catalog, name: 'All' },
    })
  })

  test('are deleted permanently with everything below them, and the reply says so', async () => {
    const made = (await call('POST', '', { name: 'Short' }, BOB)).body.data
    const below = (method: string, path: string, json?: unknown) =>
      server.request(method, `${BASE}/${made.id}${path}`, { as: BOB, json })
    const put = await below('PUT', '/products', { products: [product('lamp', { color: 'red', item_group_id: 'g' })] })
    const keys = [put.body.data.products_response[0].product_key]
    await below('POST', '/product_sets', { name: 'Set', type: 'MANUAL', product_keys: keys })
    expect((await below('DELETE', '')).body).toEqual({
      request: { params: { id: made.id } },
      data: { ...made, deleted: true },
    })
    expect(await refusalOf(below('DELETE', ''))).toEqual([404, 'NOT_FOUND', 'product_catalog_id'])
    expect(await refusalOf(below('GET', '/products'))).toEqual([404, 'NOT_FOUND', 'product_catalog_id'])
    const text = `select (select count(*) from ads_product where product_key = ${keys[0]}) + (select count(*) from ads_product_set where catalog_id = ${made.id})
      + (select count(*) from ads_product_group where catalog_id = ${made.id}) as left_over`
    expect((await server.runtime.database.query({ text })).rows).toEqual([{ left_over: '0' }])
    expect((await call('POST', '', { name: 'New' }, BOB)).status).toBe(200)
  })

  test('of another user are open to administrators of an account of that user, in its environment', async () => {
    const alice = server.userId('alice')
    expect(await refusalOf(call('GET', '', { user_id: alice }, BOB))).toEqual([403, 'ACTION_NOT_ALLOWED', 'user_id'])
    expect(await refusalOf(call('GET', '', { user_id: '17' }))).toEqual([403, 'USER_NOT_FOUND', 'user_id'])
    const { id } = await server.command('ads.account.create', { owner: 'alice', sandbox: true })
    await server.command('ads.account.grant', { account: id, user: 'bob', permissions: ['AD_MANAGER'] })
    expect((await call('GET', '', { user_id: alice }, BOB)).status).toBe(403)
    await server.command('ads.account.grant', { account: id, user: 'bob', permissions: ['ACCOUNT_ADMIN'] })
    expect((await call('GET', '', { user_id: alice }, BOB)).body.data[0].id).toBe(shop.catalog)
    expect((await call('PUT', `/${shop.catalog}`, { name: 'By bob' }, BOB)).status).toBe(200)
    const production = call('GET', '', { user_id: alice }, BOB, '/ads/12/product_catalogs')
    expect(await refusalOf(production)).toEqual([403, 'ACTION_NOT_ALLOWED', 'user_id'])
    // An administrator can create it.
    const chika = server.userId('chika')
    const account = await server.command('ads.account.create', { owner: 'chika', sandbox: true })
    await server.command('ads.account.grant', { account: account.id, user: 'bob', permissions: ['ACCOUNT_ADMIN'] })
    expect((await call('POST', '', { name: 'For chika', user_id: chika }, BOB)).status).toBe(200)
    expect((await call('GET', '', {}, { user: 'chika' })).body.data[0].name).toBe('For chika')
  })

  test('need early access', async () => {
    const { apps } = await server.command('app.list')
    const app = apps[0].id
    const all = [
      'account_history',
      'catalogs',
      'audience_users',
      'batch_audiences',
      'advertiser_user',
      'partner_funding',
    ]
    await server.command('ads.enrol', { app, allowlists: all.filter((name) => name !== 'catalogs') })
    for (const path of [
      '',
      `/${shop.catalog}/products`,
      `/${shop.catalog}/product_sets/1`,
      `/${shop.catalog}/scheduled_feeds`,
    ])
      expect(await refusalOf(call('GET', path))).toEqual([403, 'UNAUTHORIZED_CLIENT_APPLICATION', undefined])
    await server.command('ads.enrol', { app, allowlists: all })
  })

  test('need a merchant who accepted the shopping terms', async () => {
    await server.command('ads.merchant.set', { user: 'alice', shopping_terms: 'withdrawn' })
    for (const path of ['', `/${shop.catalog}/products`])
      expect(await refusalOf(call('GET', path))).toEqual([403, 'ACTION_NOT_ALLOWED', undefined])
    await server.command('ads.merchant.set', { user: 'alice', shopping_terms: 'accepted' })
    expect((await call('GET', '')).status).toBe(200)
  })
})

const sets = (method: string, path: string, body?: unknown) => shop.json(method, `product_sets${path}`, body)
const madeSet = async (body: Record<string, unknown>) => {
  const answer = await sets('POST', '', { name: 'Set', ...body })
  expect(answer.status, answer.text).toBe(200)
  return answer.body.data
}
const filter = (attribute: string, operator: string, value: string) => ({ attribute, operator, value })

describe('product sets of type MANUAL', () => {
  test('contain products by key and show their ids in the order given', async () => {
    const [one, two] = [await shop.made({ id: 'one' }), await shop.made({ id: 'two' })]
    const body = { name: 'Two', type: 'MANUAL', product_keys: [two, one, two] }
    const answer = await sets('POST', '', body)
    const data = {
      id: expect.stringMatching(/^\d+$/),
      name: 'Two',
      description: null,
      type: 'MANUAL',
      filters: [],
      product_ids: ['two', 'one'],
      processing_status: 'DONE',
    }
    expect(answer.body).toEqual({ request: { params: { product_catalog_id: shop.catalog, ...body } }, data })
    const { id } = answer.body.data
    expect((await shop.call('GET', `product_sets/${id}`)).body).toEqual({
      request: { params: { product_catalog_id: shop.catalog, id } },
      data: { ...data, id },
    })
    const changes = { description: 'Just one', product_keys: [one] }
    expect((await sets('PUT', `/${id}`, changes)).body).toEqual({
      request: { params: { product_catalog_id: shop.catalog, id, ...changes } },
      data: { ...data, id, description: 'Just one', product_ids: ['one'] },
    })
    expect((await sets('PUT', `/${id}`, { name: 'Uno', description: '' })).body.data).toMatchObject({
      name: 'Uno',
      description: null,
      product_ids: ['one'],
    })
    await shop.json('DELETE', 'products', { product_keys: [one] })
    expect((await shop.call('GET', `product_sets/${id}`)).body.data.product_ids).toEqual([])
    expect((await shop.call('DELETE', `product_sets/${id}`)).body.data).toMatchObject({ id, name: 'Uno' })
    expect(await refusalOf(shop.call('DELETE', `product_sets/${id}`))).toEqual([404, 'NOT_FOUND', 'product_set_id'])
    expect(await refusalOf(sets('PUT', `/${id}`, { name: 'x' }))).toEqual([404, 'NOT_FOUND', 'product_set_id'])
  })

  const PRICE = filter('price', 'LESS_THAN', '5.00 USD')
  test.each([
    [{ type: 'MANUAL', name: undefined, product_keys: ['1'] }, 'MISSING_PARAMETER', 'name'],
    [{ type: 'MANUAL', name: '', product_keys: ['1'] }, 'INVALID_PARAMETER', 'name'],
    [{ product_keys: ['1'] }, 'MISSING_PARAMETER', 'type'],
    [{ type: 'RANDOM' }, 'INVALID_PARAMETER', 'type'],
    [{ type: 'MANUAL' }, 'MISSING_PARAMETER', 'product_keys'],
    [{ type: 'FILTERED' }, 'MISSING_PARAMETER', 'filters'],
    [{ type: 'MANUAL', product_keys: ['1'], filters: [PRICE] }, 'EXCLUSIVE_PARAMETERS', 'filters'],
    [{ type: 'FILTERED', product_keys: ['1'], filters: [PRICE] }, 'EXCLUSIVE_PARAMETERS', 'product_keys'],
    [{ type: 'MANUAL', product_keys: ['1'] }, 'INVALID_PARAMETER', 'product_keys'],
    [{ type: 'MANUAL', product_keys: [] }, 'INVALID_PARAMETER', 'product_keys'],
    [{ type: 'MANUAL', product_keys: Array(51).fill('1') }, 'INVALID_PARAMETER', 'product_keys'],
    [{ type: 'FILTERED', filters: [] }, 'INVALID_PARAMETER', 'filters'],
    [{ type: 'FILTERED', filters: Array(31).fill(PRICE) }, 'INVALID_PARAMETER', 'filters'],
    [{ type: 'FILTERED', filters: [filter('title', 'MATCH', 'x')] }, 'INVALID_PARAMETER', 'filters[0].attribute'],
    [{ type: 'FILTERED', filters: [PRICE, filter('price', 'LIKE', '1')] }, 'INVALID_PARAMETER', 'filters[1].operator'],
    [{ type: 'FILTERED', filters: [filter('price', 'MATCH', '5 USD')] }, 'INVALID_PARAMETER', 'filters[0].operator'],
    [{ type: 'FILTERED', filters: [filter('inventory', 'CONTAINS', '5')] }, 'INVALID_PARAMETER', 'filters[0].operator'],
    [
      { type: 'FILTERED', filters: [filter('product_type', 'EQUAL_TO', 'x')] },
      'INVALID_PARAMETER',
      'filters[0].operator',
    ],
    [{ type: 'FILTERED', filters: [filter('price', 'LESS_THAN', '5.00')] }, 'INVALID_PARAMETER', 'filters[0].value'],
    [{ type: 'FILTERED', filters: [filter('inventory', 'EQUAL_TO', 'ten')] }, 'INVALID_PARAMETER', 'filters[0].value'],
    [{ type: 'FILTERED', filters: [filter('product_type', 'MATCH', '')] }, 'INVALID_PARAMETER', 'filters[0].value'],
    [{ type: 'FILTERED', filters: [{ attribute: 'price' }] }, 'MISSING_PARAMETER', 'filters[0].operator'],
  ])('refuse %o', async (body, code, parameter) => {
    expect(await refusalOf(sets('POST', '', { name: 'Set', ...body }))).toEqual([400, code, parameter])
  })

  test('refuse an update of nothing, or to products that are not there', async () => {
    const { id } = await madeSet({ type: 'MANUAL', product_keys: [await shop.made({ id: 'kept' })] })
    expect(await refusalOf(sets('PUT', `/${id}`, {}))).toEqual([400, 'MISSING_PARAMETER', 'name'])
    expect(await refusalOf(sets('PUT', `/${id}`, { product_keys: ['1'] }))).toEqual([
      400,
      'INVALID_PARAMETER',
      'product_keys',
    ])
    expect((await shop.call('GET', `product_sets/${id}`)).body.data.product_ids).toEqual(['kept'])
  })
})

describe('product sets of type FILTERED', () => {
  const idsOf = async (id: string) => {
    const { data } = (await shop.call('GET', `product_sets/${id}`)).body
    expect(data.processing_status).toBe('DONE')
    return data.product_ids
  }

  beforeAll(async () => {
    const products = (await shop.call('GET', 'products')).body.data
    const product_keys = products.map((item: { product_key: string }) => item.product_key)
    if (product_keys.length > 0) await shop.json('DELETE', 'products', { product_keys })
    await shop.put(
      product('a', { price: '9.50 USD', product_type: 'Home > Lamps', inventory: 10, custom_label_0: 'Summer 50%' }),
      product('b', { price: '10 USD', sale_price: '9 USD', product_type: 'Home', inventory: 9 }),
      product('c', { price: '10.00 EUR', taxonomy_product_category: '594', custom_label_0: 'summer' }),
      product('d', { price: '100.00 USD', custom_label_4: 'x' }),
    )
  })

  test('are PROCESSING until they were evaluated', async () => {
    const filters = [filter('price', 'LESS_THAN', '10.00 USD')]
    const made = await madeSet({ type: 'FILTERED', filters })
    expect(made).toMatchObject({ type: 'FILTERED', filters, product_ids: [], processing_status: 'PROCESSING' })
    expect((await server.command('ads.work'))['product sets']).toBe(1)
    expect(await idsOf(made.id)).toEqual(['a'])
  })

  test.each([
    [[filter('price', 'GREATER_THAN', '9.5 USD')], ['b', 'd']],
    [[filter('price', 'EQUAL_TO', '10.0 USD')], ['b']],
    [[filter('price', 'EQUAL_TO', '10.0 EUR')], ['c']],
    [[filter('sale_price', 'LESS_THAN', '10 USD')], ['b']],
    [[filter('inventory', 'LESS_THAN', '10')], ['b']],
    [[filter('inventory', 'GREATER_THAN', '9')], ['a']],
    [[filter('product_type', 'MATCH', 'home')], ['b']],
    [[filter('product_type', 'CONTAINS', 'home')], ['a', 'b']],
    [[filter('product_type', 'NOT_CONTAINS', 'LAMPS')], ['b', 'c', 'd']],
    [[filter('taxonomy_product_category', 'MATCH', '594')], ['c']],
    [[filter('google_product_category', 'MATCH', '594')], ['c']],
    [[filter('custom_label_0', 'CONTAINS', '0%')], ['a']],
    [[filter('custom_label_0', 'CONTAINS', 'summer'), filter('price', 'LESS_THAN', '50 USD')], ['a']],
    [[filter('custom_label_4', 'MATCH', 'X')], ['d']],
  ])('%j contain %j', async (filters, ids) => {
    const { id } = await madeSet({ type: 'FILTERED', filters })
    await server.command('ads.work')
    expect(await idsOf(id)).toEqual(ids)
  })

  test('follow their products', async () => {
    const { id } = await madeSet({ type: 'FILTERED', filters: [filter('custom_label_1', 'MATCH', 'yes')] })
    await server.command('ads.work')
    const key = await shop.made({ id: 'follows', custom_label_1: 'yes' })
    expect(await idsOf(id)).toEqual(['follows'])
    await shop.put(product('follows', { product_key: key, custom_label_1: 'no' }))
    expect(await idsOf(id)).toEqual([])
    await shop.put(product('follows', { product_key: key, custom_label_1: 'Yes' }))
    expect(await idsOf(id)).toEqual(['follows'])
    await shop.json('DELETE', 'products', { product_keys: [key] })
    expect(await idsOf(id)).toEqual([])
  })

  test('cannot be changed, but deleted', async () => {
    const { id } = await madeSet({ type: 'FILTERED', filters: [filter('inventory', 'EQUAL_TO', '0')] })
    expect(await refusalOf(sets('PUT', `/${id}`, { name: 'x' }))).toEqual([403, 'ACTION_NOT_ALLOWED', 'product_set_id'])
    expect((await shop.call('DELETE', `product_sets/${id}`)).status).toBe(200)
  })

  test('are FAILED when their filters cannot be evaluated, and do not delay others', async () => {
    const { id } = await madeSet({ type: 'FILTERED', filters: [filter('price', 'LESS_THAN', '10 USD')] })
    const text = `update ads_product_set set filters = replace(filters::text, '10 USD', 'ten USD')::jsonb where id = ${id}`
    await server.runtime.database.query({ text })
    const later = await madeSet({ type: 'FILTERED', filters: [filter('inventory', 'EQUAL_TO', '9')] })
    await server.command('ads.work')
    expect((await shop.call('GET', `product_sets/${id}`)).body.data.processing_status).toBe('FAILED')
    expect(await idsOf(later.id)).toEqual(['b'])
    await shop.made({ id: 'after' })
  })
})

test('limits are counted for each call', async () => {
  const limited = await startTestServer(['--rate-limits', 'on'])
  const limitOf = async (method: string, path: string) =>
    (await limited.request(method, BASE + path, { as: ALICE })).headers.get('x-rate-limit-limit')
  const [products, set, feeds] = ['/1/products', '/1/product_sets/1', '/1/scheduled_feeds']
  const chart = [
    ['GET', '', '1000'],
    ['POST', '', '20'],
    ['PUT', '/1', '20'],
    ['DELETE', '/1', '20'],
    ['GET', products, '1000'],
    ['PUT', products, '600'],
    ['DELETE', products, '150'],
    ['GET', set, '2000'],
    ['POST', '/1/product_sets', '100'],
    ['PUT', set, '500'],
    ['DELETE', set, '100'],
    ['GET', feeds, '1000'],
    ['POST', feeds, '20'],
    ['PUT', `${feeds}/1`, '20'],
    ['DELETE', `${feeds}/1`, '20'],
  ] as const
  for (const [method, path, limit] of chart)
    expect([method, path, await limitOf(method, path)]).toEqual([method, path, limit])
  await limited.close()
})

test('changes of products, groups and sets at the same moment wait for each other and never end in a deadlock', async () => {
  const deadlocks = async () => {
    const text = 'select deadlocks from pg_stat_database where datname = current_database()'
    return (await server.runtime.database.query<{ deadlocks: string }>({ text })).rows[0]!.deadlocks
  }
  const before = await deadlocks()
  const ids = Array.from({ length: 12 }, (_, at) => `moving ${at}`)
  const groups = ['north', 'south', 'west']
  const keys = new Map<string, string>()
  const put = async (round: number, from: number) => {
    // Neighbours in opposite orders, from group to group.
    const chosen = ids.map((_, at) => ids[(from % 2 === 0 ? from + at : from - at + ids.length) % ids.length]!)
    const products = chosen.slice(0, 6).map((id, at) => ({
      ...product(id, { color: 'red', item_group_id: groups[(round + from + at) % 3], price: `${round + 1}.00 USD` }),
      ...(keys.has(id) ? { product_key: keys.get(id) } : {}),
    }))
    const answer = await shop.json('PUT', 'products', { products })
    for (const { id, product_key: key } of answer.body.data?.products_response ?? []) if (key) keys.set(id, key)
    return answer.status
  }
  const remove = async (round: number) => {
    const some = [...keys.values()].filter((_, at) => at % 3 === round % 3).reverse()
    if (some.length === 0) return 200
    return (await shop.json('DELETE', 'products', { product_keys: some })).status
  }
  const filters = [{ attribute: 'price', operator: 'GREATER_THAN', value: '10.00 USD' }]
  const setMade = async () => {
    const made = await shop.json('POST', 'product_sets', { name: 'Dear', type: 'FILTERED', filters })
    await server.command('ads.work')
    return (await shop.json('DELETE', `product_sets/${made.body.data.id}`, undefined)).status
  }
  for (let round = 0; round < 15; round++) {
    const statuses = await Promise.all([
      ...[0, 1, 2, 3, 4, 5, 6, 7].map((from) => put(round, from)),
      remove(round),
      remove(round + 1),
      ...(round % 5 === 0 ? [setMade()] : []),
    ])
    expect(new Set(statuses)).toEqual(new Set([200]))
  }
  expect(await deadlocks()).toBe(before)
})
