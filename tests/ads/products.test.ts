import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../support/server.ts'
import { ALICE } from './ads-scene.ts'
import { openShop, product, type Shop } from './catalog-shop.ts'

let server: TestServer
let shop: Shop
beforeAll(async () => {
  server = await startTestServer()
  shop = await openShop(server)
})
afterAll(() => server.close())

const errorOf = (code: string, parameter: string) => expect.objectContaining({ code, parameter })
const errorsOf = async (members: Record<string, unknown>) => {
  const [result] = await shop.put(product('invalid', members))
  expect(result).toMatchObject({ id: 'invalid', product_key: null, status: 'ERROR' })
  return result.errors
}

describe('PUT products', () => {
  test('creates a product whose id is new, with a key from the server', async () => {
    const answer = await shop.json('PUT', 'products', { products: [product('first')] })
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({
      request: { params: { product_catalog_id: shop.catalog } },
      data: {
        products_response: [
          {
            warnings: [],
            errors: [],
            product_key: expect.stringMatching(/^\d+$/),
            id: 'first',
            status: 'CREATE_SUCCESS',
          },
        ],
      },
    })
    const listed = await shop.call('GET', 'products')
    expect(listed.body.data).toEqual([
      {
        ...product('first'),
        product_key: answer.body.data.products_response[0].product_key,
        ...Object.fromEntries(
          [
            'gtin mpn mobile_link additional_image_link taxonomy_product_category product_type inventory sale_price',
            'sale_price_effective_date item_group_id item_group_key gender color size age_group',
            'custom_label_0 custom_label_1 custom_label_2 custom_label_3 custom_label_4',
          ]
            .join(' ')
            .split(' ')
            .map((name) => [name, null]),
        ),
      },
    ])
  })

  test('keeps every member as it was sent', async () => {
    const full = product('full', {
      gtin: '4006381333931',
      mpn: 'L-1',
      mobile_link: 'https://m.example.com/lamp',
      additional_image_link: 'https://shop.example.com/a.jpg,https://shop.example.com/b.webp',
      taxonomy_product_category: 'Home > Lighting',
      product_type: 'Home > Lamps > Floor',
      inventory: 3,
      sale_price: '19.99 USD',
      sale_price_effective_date: '2026-01-01T00:00:00.000Z/2026-02-01T12:00+0100',
      item_group_id: 'lamps',
      gender: 'unisex',
      color: 'Deep Red',
      size: 'XL',
      age_group: 'all ages',
      custom_label_0: 'zero',
      custom_label_4: 'four',
    })
    const key = await shop.made(full)
    const stored = (await shop.call('GET', 'products')).body.data.find((item: { id: string }) => item.id === 'full')
    expect(stored).toMatchObject({ ...full, product_key: key, item_group_key: expect.stringMatching(/^\d+$/) })
  })

  test('updates a known id, and says NO_CHANGE where the data equals what is stored', async () => {
    const key = await shop.made({ id: 'again' })
    const same = { ...product('again'), product_key: key }
    expect((await shop.put(same))[0]).toMatchObject({ status: 'NO_CHANGE', product_key: key })
    expect((await shop.put({ ...same, title: 'Other' }))[0]).toMatchObject({
      status: 'UPDATE_SUCCESS',
      product_key: key,
    })
    expect((await shop.put({ ...same, title: 'Other' }))[0].status).toBe('NO_CHANGE')
  })

  test('keeps what is left out, and clears what is sent empty', async () => {
    const key = await shop.made({
      id: 'partial',
      mpn: 'M',
      custom_label_0: 'a',
      custom_label_1: 'b',
      product_type: 'Home',
    })
    const cleared = { product_key: key, custom_label_0: '', mpn: null, product_type: '' }
    expect((await shop.put({ ...product('partial'), ...cleared }))[0].status).toBe('UPDATE_SUCCESS')
    const stored = (await shop.call('GET', 'products')).body.data.find((item: { id: string }) => item.id === 'partial')
    expect(stored).toMatchObject({ custom_label_0: null, mpn: null, custom_label_1: 'b', product_type: '' })
  })

  test('needs the product_key of an id that is known, and refuses another one', async () => {
    const key = await shop.made({ id: 'keyed' })
    const other = await shop.made({ id: 'other' })
    const [without, wrong, taken, stale] = await shop.put(
      product('keyed'),
      { ...product('other'), product_key: key },
      { ...product('newer'), product_key: other },
      { ...product('newest'), product_key: '17' },
    )
    expect(without).toMatchObject({
      status: 'ERROR',
      product_key: key,
      errors: [errorOf('MISSING_PARAMETER', 'product_key')],
    })
    expect(wrong).toMatchObject({ status: 'ERROR', errors: [errorOf('INVALID_PARAMETER', 'product_key')] })
    expect(taken).toMatchObject({ status: 'ERROR', errors: [errorOf('INVALID_PARAMETER', 'product_key')] })
    expect(stale).toMatchObject({ status: 'CREATE_SUCCESS', warnings: [errorOf('INVALID_PARAMETER', 'product_key')] })
    expect(stale.product_key).not.toBe('17')
  })

  test('answers for each product separately; the valid ones are stored', async () => {
    const results = await shop.put(product('right'), product('wrong', { price: '20' }), product('right too'))
    expect(results.map((item) => item.status)).toEqual(['CREATE_SUCCESS', 'ERROR', 'CREATE_SUCCESS'])
    expect(results[1].errors).toEqual([
      {
        code: 'INVALID_PARAMETER',
        message: 'Expected a valid value for the parameter',
        parameter: 'price',
        details: 'must be a number with . as its decimal point, a space and an ISO 4217 currency code',
        value: '20',
      },
    ])
    expect(await shop.ids()).not.toContain('wrong')
  })

  test('ignores all instances of an id that occurs more than once', async () => {
    const results = await shop.put(product('twice'), product('once'), product('twice', { title: 'Other' }))
    expect(results.map((item) => item.status)).toEqual(['ERROR', 'CREATE_SUCCESS', 'ERROR'])
    expect(results[2].errors).toEqual([errorOf('INVALID_PARAMETER', 'id')])
    expect(await shop.ids()).not.toContain('twice')
  })

  test.each(['id', 'title', 'description', 'availability', 'condition', 'price', 'link', 'image_link', 'brand'])(
    'needs %s, for new products and known ones',
    async (name) => {
      const key = await shop.made({ id: `needs ${name}` })
      for (const members of [{ id: 'invalid' }, { id: `needs ${name}`, product_key: key }]) {
        const [result] = await shop.put({ ...product('', members), [name]: undefined })
        expect(result).toMatchObject({ status: 'ERROR', errors: [errorOf('MISSING_PARAMETER', name)] })
      }
    },
  )

  test.each([
    ['title', 'x'.repeat(151)],
    ['title', 7],
    ['description', 'x'.repeat(5_001)],
    ['description', 'Now <b>new</b>'],
    ['availability', 'sold'],
    ['condition', 'old'],
    ['price', '20,00 USD'],
    ['price', '20.00 usd'],
    ['price', '20.00  USD'],
    ['price', 'USD 20.00'],
    ['price', '20.00 ABC'],
    ['price', '-1.00 USD'],
    ['link', 'http://shop.example.com/lamp'],
    ['link', 'shop.example.com/lamp'],
    ['mobile_link', 'http://m.example.com/lamp'],
    ['image_link', 'ftp://shop.example.com/lamp.png'],
    ['image_link', 'https://shop.example.com/lamp.bmp'],
    ['additional_image_link', Array.from({ length: 11 }, (_, at) => `https://shop.example.com/${at}.png`).join(',')],
    ['additional_image_link', 'https://shop.example.com/a.png,nowhere'],
    ['product_type', 'Home>Lamps'],
    ['inventory', -1],
    ['inventory', '5'],
    ['inventory', 0],
    ['sale_price', '20.00 USD'],
    ['sale_price', '21.00 USD'],
    ['sale_price', '19.00 EUR'],
    ['sale_price', 'cheap'],
    ['sale_price_effective_date', '2026-01-01T00:00Z'],
    ['sale_price_effective_date', '2026-01-01/2026-02-01'],
    ['sale_price_effective_date', '2026-03-01T00:00Z/2026-02-01T00:00Z'],
    ['gender', 'other'],
    ['color', '#ff0000'],
    ['color', 'FF0000'],
    ['size', '-'],
    ['age_group', 'old'],
  ])('refuses %s %s', async (name, value) => {
    expect(await errorsOf({ item_group_id: 'g', [name]: value })).toEqual([errorOf('INVALID_PARAMETER', name)])
  })

  test.each([
    { title: '𝕏'.repeat(150) },
    { price: '20 JPY' },
    { availability: 'out of stock', inventory: 0 },
    { brand: undefined, gtin: '4006381333931' },
    { brand: undefined, mpn: 'M' },
    { color: 'Red', item_group_id: 'g' },
    { image_link: 'http://shop.example.com/lamp' },
    { sale_price: '19.999999 USD' },
  ])('takes %o', async (members) => {
    await shop.made({ ...members, id: `takes ${JSON.stringify(members).slice(0, 50)}` })
  })

  test.each([
    ['size', 'M'],
    ['color', 'red'],
    ['age_group', 'kids'],
    ['gender', 'male'],
  ])('needs item_group_id for a variant by %s', async (name, value) => {
    expect(await errorsOf({ [name]: value })).toEqual([errorOf('MISSING_PARAMETER', 'item_group_id')])
  })

  test('warns of what it cannot use', async () => {
    const [result] = await shop.put(
      product('odd', { gtin: '12', shade: 'x', sale_price_effective_date: '2026-01-01T00:00Z/2026-02-01T00:00Z' }),
    )
    expect(result.status).toBe('CREATE_SUCCESS')
    expect(result.warnings).toEqual(
      ['shade', 'gtin', 'sale_price_effective_date'].map((name) => errorOf('INVALID_PARAMETER', name)),
    )
  })

  test.each([
    [{}, 'MISSING_PARAMETER', 'products'],
    [{ products: [] }, 'INVALID_PARAMETER', 'products'],
    [{ products: Array.from({ length: 26 }, (_, at) => product(`many ${at}`)) }, 'INVALID_PARAMETER', 'products'],
    [{ products: ['lamp'] }, 'INVALID_PARAMETER', 'products[0]'],
  ])('refuses a body that is not a list of 1 to 25 products', async (body, code, parameter) => {
    const answer = await shop.json('PUT', 'products', body)
    expect(answer.status).toBe(400)
    expect(answer.body.errors).toEqual([errorOf(code, parameter)])
    expect(await shop.ids()).not.toContain('many 0')
  })

  test('creates one product when several requests send the same id at the same time', async () => {
    const answers = await Promise.all(Array.from({ length: 6 }, () => shop.put(product('raced'))))
    expect(answers.filter(([result]) => result.status === 'CREATE_SUCCESS')).toHaveLength(1)
    expect(new Set(answers.map(([result]) => result.product_key)).size).toBe(1)
  })

  test('answers in the words of the request', async () => {
    const legacy = 'google_product_category'
    const [result] = await shop.put({ ...product('worded'), [legacy]: 7 })
    expect(result.errors).toEqual([errorOf('INVALID_PARAMETER', legacy)])
  })
})

describe('GET products', () => {
  test('pages by key, 100 at a time at most', async () => {
    const [first] = await shop.ids({ count: 1 })
    const page = await shop.call('GET', 'products', { count: 1 })
    expect(page.body.data[0].id).toBe(first)
    const next = await shop.call('GET', 'products', { count: 2, cursor: page.body.next_cursor })
    expect(next.body.data.map((item: { id: string }) => item.id)).toEqual((await shop.ids()).slice(1, 3))
    expect((await shop.call('GET', 'products')).body.next_cursor).toBeNull()
    for (const [name, value] of [
      ['count', 0],
      ['count', 101],
      ['cursor', 'x'],
      ['item_group_key', 'x'],
    ] as const) {
      const refused = await shop.call('GET', 'products', { [name]: value })
      expect([refused.status, refused.body.errors[0].parameter]).toEqual([400, name])
    }
  })

  test('shows the variant of a group that was submitted first, and the next one when that is deleted', async () => {
    const variants = ['red', 'green', 'blue'].map((color) =>
      product(`shirt ${color}`, { color, item_group_id: 'shirts' }),
    )
    const keys = (await shop.put(...variants)).map((item) => item.product_key)
    await shop.made({ id: 'shirt gold', color: 'gold', item_group_id: 'shirts' })
    const shirts = async () => (await shop.ids()).filter((id) => id.startsWith('shirt'))
    expect(await shirts()).toEqual(['shirt red'])
    const listed = await shop.call('GET', 'products')
    const { item_group_key: group } = listed.body.data.find((item: { id: string }) => item.id === 'shirt red')
    expect(await shop.ids({ item_group_key: group })).toEqual(['shirt red'])
    expect(await shop.ids({ item_group_key: '17' })).toEqual([])

    await shop.json('DELETE', 'products', { product_keys: [keys[0]] })
    expect(await shirts()).toEqual(['shirt green'])
    const moved = product('shirt green', { product_key: keys[1], color: 'green', item_group_id: 'blouses' })
    expect((await shop.put(moved))[0].status).toBe('UPDATE_SUCCESS')
    expect(await shirts()).toEqual(['shirt green', 'shirt blue'])

    const wrongGroup = product('shirt grey', { color: 'grey', item_group_id: 'shirts', item_group_key: '17' })
    const rightGroup = product('shirt pink', { color: 'pink', item_group_id: 'shirts', item_group_key: group })
    const results = await shop.put(wrongGroup, rightGroup)
    expect(results[0].errors).toEqual([errorOf('INVALID_PARAMETER', 'item_group_key')])
    expect(results[1].status).toBe('CREATE_SUCCESS')
  })
})

describe('DELETE products', () => {
  test('answers for each key separately, and echoes only the keys', async () => {
    const key = await shop.made({ id: 'deleted' })
    const keys = [key, '17', '99999999999999999999']
    const answer = await shop.json('DELETE', 'products', { product_keys: keys })
    const message = 'No product of the catalog has this key'
    expect(answer.body).toEqual({
      request: { params: { product_keys: keys } },
      data: {
        delete_products: [
          { product_key: key, failed_product_key: null, message: null },
          { product_key: null, failed_product_key: '17', message },
          { product_key: null, failed_product_key: '99999999999999999999', message },
        ],
      },
    })
    expect(await shop.ids()).not.toContain('deleted')
    const again = await shop.json('DELETE', 'products', { product_keys: [key] })
    expect(again.body.data.delete_products[0].failed_product_key).toBe(key)
  })

  test.each([{}, { product_keys: [] }, { product_keys: ['x'] }, { product_keys: 'x' }])('refuses %o', async (body) => {
    const answer = await shop.json('DELETE', 'products', body)
    expect(answer.status).toBe(400)
    expect(answer.body.errors[0].parameter).toMatch(/^product_keys/)
  })
})

describe('pictures', () => {
  const PNG = (width: number, height: number): Buffer => {
    const bytes = Buffer.alloc(64)
    Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex').copy(bytes)
    bytes.writeUInt32BE(width, 16)
    bytes.writeUInt32BE(height, 20)
    return bytes
  }
  const PICTURES: Record<string, Buffer> = {
    '/good.png': PNG(500, 500),
    '/small.png': PNG(600, 499),
    '/large.png': Buffer.concat([PNG(600, 600), Buffer.alloc(5 * 1024 * 1024)]),
    '/page.png': Buffer.from('<html></html>'),
  }
  let host: http.Server
  beforeAll(async () => {
    host = http.createServer((request, response) => {
      const bytes = PICTURES[request.url!]
      response.writeHead(bytes ? 200 : 404).end(bytes)
    })
    await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve))
  })
  afterAll(() => host.close())

  test('are checked after the PUT; their errors are warnings of the next PUT', async () => {
    const at = (name: string) => `http://127.0.0.1:${(host.address() as AddressInfo).port}/${name}.png`
    // The images of the other products in this file do not exist.
    await server.runtime.database.query({ text: 'update ads_product set images_checked = true' })
    const linked = {
      image_link: at('small'),
      additional_image_link: ['good', 'large', 'page', 'none'].map(at).join(','),
    }
    const key = await shop.made({ id: 'pictured', ...linked })
    expect((await server.command('ads.work'))['product images']).toBe(1)
    const same = product('pictured', { product_key: key, ...linked })
    const [warned] = await shop.put(same)
    expect(warned.status).toBe('NO_CHANGE')
    const warnings = warned.warnings.map(({ parameter, details }: Record<string, string>) => `${parameter}: ${details}`)
    expect(warnings.sort()).toEqual([
      'additional_image_link: the picture is larger than 5 MB',
      'additional_image_link: the picture must be a JPG, GIF, WEBP or PNG',
      'additional_image_link: the server answered with status 404 when the picture was fetched',
      'image_link: the picture is 600x499 pixels; it must be at least 500x500',
    ])
    const mended = { ...same, image_link: at('good'), additional_image_link: '' }
    expect((await shop.put(mended))[0]).toMatchObject({ status: 'UPDATE_SUCCESS', warnings: [] })
    await server.command('ads.work')
    expect((await shop.put(mended))[0]).toMatchObject({ status: 'NO_CHANGE', warnings: [] })
  })
})

test('products cannot be put into the catalog of another user', async () => {
  const answer = await shop.json('PUT', 'products', { products: [product('theirs')] }, { user: 'bob' })
  expect([answer.status, answer.body.errors[0].code]).toEqual([404, 'NOT_FOUND'])
  const production = await server.request('GET', `/ads/12/product_catalogs/${shop.catalog}/products`, { as: ALICE })
  expect(production.status).toBe(404)
})
