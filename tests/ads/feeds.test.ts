import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../support/server.ts'
import { ALICE } from './ads-scene.ts'
import { BASE, openShop, product, type Shop } from './catalog-shop.ts'

const HOUR = 3_600_000

let server: TestServer
let shop: Shop
let files: http.Server
let file: (response: http.ServerResponse, request: http.IncomingMessage) => void
let fetched: string[] = []
const addressOf = (path: string) => `http://127.0.0.1:${(files.address() as AddressInfo).port}${path}`
const serve = (text: string) => {
  file = (response) => response.end(text)
}

beforeAll(async () => {
  server = await startTestServer(['--private-webhooks', 'on'])
  shop = await openShop(server)
  files = http.createServer((request, response) => {
    fetched.push(request.url!)
    file(response, request)
  })
  await new Promise<void>((resolve) => files.listen(0, '127.0.0.1', resolve))
})
afterAll(async () => {
  files.close()
  await server.close()
})

const VALUES = { feed_format: 'CSV', frequency: 'HOURLY', repeat: '1', start_time: '00:00', time_zone: 'UTC' }
const create = (values: Record<string, string> = {}) =>
  shop.call('POST', 'scheduled_feeds', { feed_url: addressOf('/feed'), ...VALUES, ...values })
/** Makes the newest feed due without moving the clock, which would wait for its end. */
const isDueNow = () =>
  server.runtime.database.query({
    text: 'update ads_scheduled_feed set next_fetch_at = created_at where id = (select max(id) from ads_scheduled_feed)',
  })
const runsOf = (id: string) => server.command('ads.feed.runs', { feed: id })
/** Makes the feed due and has it fetched; returns the newest run. */
const runOf = async (id: string) => {
  await server.command('clock', { advance_ms: HOUR })
  await server.command('ads.work')
  return (await runsOf(id))[0]
}
const catalogNow = async () => {
  const text = `select id, title, price, availability, inventory, link, additional_image_link, taxonomy_product_category, color from ads_product order by id`
  return (await server.runtime.database.query({ text })).rows
}

beforeEach(async () => {
  for (const feed of (await shop.call('GET', 'scheduled_feeds')).body.data)
    await shop.call('DELETE', `scheduled_feeds/${feed.id}`)
  // These tests are not about images.
  await server.runtime.database.query({ text: 'delete from ads_product' })
  fetched = []
})

describe('scheduled feeds', () => {
  test('are created, listed, changed and deleted, with times to the millisecond and without a deleted member', async () => {
    const values = {
      feed_url: 'https://shop.example.com/a.xml',
      feed_format: 'XML',
      frequency: 'WEEKLY',
      repeat: 'SUNDAY',
    }
    const when = { start_time: '23:59', time_zone: 'Asia/Tokyo' }
    const made = (await create({ ...values, ...when })).body
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/)
    const data = {
      id: made.data.id,
      product_catalog_id: shop.catalog,
      ...values,
      ...when,
      created_at: time,
      updated_at: time,
    }
    expect(made).toEqual({ request: { params: { product_catalog_id: shop.catalog, ...values, ...when } }, data })
    expect((await shop.call('GET', 'scheduled_feeds')).body).toEqual({
      request: { params: { product_catalog_id: shop.catalog } },
      data: [data],
      next_cursor: null,
    })
    const path = `scheduled_feeds/${made.data.id}`
    const changed = await shop.call('PUT', path, { frequency: 'DAILY', repeat: '' })
    expect(changed.body).toEqual({
      request: { params: { product_catalog_id: shop.catalog, id: made.data.id, frequency: 'DAILY', repeat: null } },
      data: { ...data, frequency: 'DAILY', repeat: null },
    })
    expect((await shop.call('DELETE', path)).body).toEqual({
      request: { params: { product_catalog_id: shop.catalog, id: made.data.id } },
      data: changed.body.data,
    })
    for (const method of ['PUT', 'DELETE']) {
      const answer = await shop.call(method, path)
      expect([answer.status, answer.body.errors[0].code]).toEqual([404, 'NOT_FOUND'])
    }
  })

  test('are one for each user', async () => {
    await create()
    const second = await create()
    expect([second.status, second.body.errors[0].code]).toEqual([403, 'ACTION_NOT_ALLOWED'])
  })

  test.each([
    ['feed_url', undefined, 'MISSING_PARAMETER'],
    ['feed_format', undefined, 'MISSING_PARAMETER'],
    ['frequency', undefined, 'MISSING_PARAMETER'],
    ['start_time', undefined, 'MISSING_PARAMETER'],
    ['time_zone', undefined, 'MISSING_PARAMETER'],
    ['feed_url', 'ftp://shop.example.com/a.csv', 'INVALID_PARAMETER'],
    ['feed_url', 'nowhere', 'INVALID_PARAMETER'],
    ['feed_url', 'https://me:secret@shop.example.com/a.csv', 'INVALID_PARAMETER'],
    ['feed_format', 'JSON', 'INVALID_PARAMETER'],
    ['frequency', 'MONTHLY', 'INVALID_PARAMETER'],
    ['start_time', '24:00', 'INVALID_PARAMETER'],
    ['start_time', '7:00', 'INVALID_PARAMETER'],
    ['time_zone', 'Mars/Base', 'INVALID_PARAMETER'],
    ['time_zone', '+01:00', 'INVALID_PARAMETER'],
    ['repeat', undefined, 'MISSING_PARAMETER'],
    ['repeat', '5', 'INVALID_PARAMETER'],
    ['repeat', 'MONDAY', 'INVALID_PARAMETER'],
  ])('refuse %s %s', async (name, value, code) => {
    const answer = await create({ [name]: value } as Record<string, string>)
    expect([answer.status, answer.body.errors[0].code, answer.body.errors[0].parameter]).toEqual([400, code, name])
  })

  test('repeat by a weekday when WEEKLY, and never when DAILY', async () => {
    for (const [frequency, repeat, code] of [
      ['WEEKLY', '6', 'INVALID_PARAMETER'],
      ['DAILY', '6', 'INVALID_PARAMETER'],
      ['WEEKLY', undefined, 'MISSING_PARAMETER'],
    ]) {
      const { body } = await create({ frequency, repeat } as Record<string, string>)
      expect([body.errors[0].code, body.errors[0].parameter]).toEqual([code, 'repeat'])
    }
    const { id } = (await create()).body.data
    // The previous hours are not allowed with the new frequency.
    for (const frequency of ['DAILY', 'WEEKLY'])
      expect((await shop.call('PUT', `scheduled_feeds/${id}`, { frequency })).body.errors[0].parameter).toBe('repeat')
    expect((await shop.call('PUT', `scheduled_feeds/${id}`, { time_zone: '' })).status).toBe(400)
  })
})

describe('a fetch', () => {
  const CSV = [
    'id,title,description,availability,condition,price,link,image_link,brand,inventory,google_product_category,shipping',
    'one,"Lamp, tall","A ""tall"" lamp",in_stock,new,20.00 USD,https://s.example.com/1,https://s.example.com/1.png,Lampworks,5,594,free',
    'two,Lamp,Lamp,in stock,new,twenty,https://s.example.com/2,https://s.example.com/2.png,Lampworks,,,',
    'three,Lamp,Lamp,preorder,new,5.00 USD,https://s.example.com/3,https://s.example.com/3.png,Lampworks,,,',
  ].join('\r\n')

  test('adds and updates at its time, by the rules of a PUT, and removes nothing', async () => {
    serve(`\uFEFF${CSV}`)
    await shop.made({ id: 'old' })
    await shop.made({ id: 'one' })
    const { id } = (await create()).body.data
    await server.command('ads.work')
    expect(fetched).toEqual([])
    expect(await runOf(id)).toMatchObject({
      outcome: 'IMPORTED',
      problem: null,
      created: 1,
      updated: 1,
      unchanged: 0,
      failed: 1,
      faults: [
        { place: 2, id: 'two', errors: [expect.objectContaining({ code: 'INVALID_PARAMETER', parameter: 'price' })] },
      ],
    })
    const common = {
      price: '20.00 USD',
      availability: 'in stock',
      inventory: null,
      additional_image_link: null,
      color: null,
    }
    expect(await catalogNow()).toMatchObject([
      { id: 'old', ...common },
      { id: 'one', ...common, title: 'Lamp, tall', inventory: 5, taxonomy_product_category: '594' },
      { id: 'three', availability: 'preorder', price: '5.00 USD' },
    ])
    await server.command('ads.work')
    expect(fetched).toEqual(['/feed'])
    expect(await runOf(id)).toMatchObject({ created: 0, updated: 0, unchanged: 2, failed: 1 })
    await shop.call('DELETE', `scheduled_feeds/${id}`)
    expect(await catalogNow()).toHaveLength(3)
  })

  test('reads TSV, where the last product of an id counts', async () => {
    const row = (id: string, title: string) =>
      [
        id,
        title,
        'Lamp',
        'new',
        'in stock',
        '1 USD',
        'https://s.example.com/1',
        'https://s.example.com/1.png',
        'M',
      ].join('\t')
    const header = 'ID\tTitle\tDescription\tCondition\tAvailability\tPrice\tLink\tImage Link\tMPN'
    serve([header, row('t', '5" lamp'), row('t', 'Last'), row('u', 'Lamp'), ''].join('\n'))
    const { id } = (await create({ feed_format: 'TSV' })).body.data
    expect(await runOf(id)).toMatchObject({ outcome: 'IMPORTED', created: 2, failed: 0 })
    expect(await catalogNow()).toMatchObject([{ id: 't', title: 'Last' }, { id: 'u' }])
  })

  const item = (
    tag: string,
    id: string,
    more = '',
  ) => `<${tag}><g:id>${id}</g:id><title>Plain</title><g:title>Lamp &amp; co</g:title>
    <g:condition>new</g:condition><g:availability>in_stock</g:availability><g:price>20.00 USD</g:price><g:shipping><g:price>3.00 USD</g:price></g:shipping>
    <g:image_link>https://s.example.com/1.png</g:image_link><g:additional_image_link>https://s.example.com/a.png</g:additional_image_link>
    <g:additional_image_link>https://s.example.com/b.png</g:additional_image_link><g:brand>Lampworks</g:brand>${more}</${tag}>`

  test.each([
    [
      'RSS',
      `<rss xmlns:g="http://base.google.com/ns/1.0" version="2.0"><channel><title>Shop</title>${item('item', 'x', '<constructor>x</constructor><description><![CDATA[Tall]]> lamp</description><link>https://s.example.com/1</link>')}${item('item', 'y')}</channel></rss>`,
    ],
    [
      'Atom',
      `<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom" xmlns:g="http://base.google.com/ns/1.0"><title>Shop</title>${item('entry', 'x', '<summary>Tall lamp</summary><link href="https://s.example.com/1"/>')}${item('entry', 'y')}</feed>`,
    ],
  ])('reads XML as %s', async (_name, text) => {
    // In chunks that split elements and characters.
    file = async (response) => {
      const bytes = Buffer.from(text.replace('Plain', 'Plän'))
      for (let at = 0; at < bytes.length; at += 97) response.write(bytes.subarray(at, at + 97))
      response.end()
    }
    const { id } = (await create({ feed_format: 'XML' })).body.data
    expect(await runOf(id)).toMatchObject({
      outcome: 'IMPORTED',
      created: 1,
      failed: 1,
      faults: [{ place: 2, id: 'y', errors: [{ parameter: 'description' }, { parameter: 'link' }] }],
    })
    expect(await catalogNow()).toMatchObject([
      {
        id: 'x',
        title: 'Lamp & co',
        price: '20.00 USD',
        link: 'https://s.example.com/1',
        additional_image_link: 'https://s.example.com/a.png,https://s.example.com/b.png',
      },
    ])
  })

  test.each([
    ['CSV', 'name,price\nx,1', 'the first line does not name a column id'],
    ['CSV', '', 'the file is empty'],
    ['XML', '<rss><item></rss>', /^the file is not XML: Unexpected close tag/],
    ['XML', '', /^the file is/],
    ['XML', `<rss><item><id>${'x'.repeat(600_000)}</id></item></rss>`, 'a product is larger than 524288 bytes'],
    ['CSV', `id,title\n1,"${'x'.repeat(600_000)}"`, 'the file is not a table: CSV_MAX_RECORD_SIZE'],
  ])('of a %s file that cannot be read is FAILED, and is repeated at its time', async (feed_format, text, problem) => {
    serve(text)
    const { id } = (await create({ feed_format })).body.data
    const run = await runOf(id)
    expect(run).toMatchObject({ outcome: 'FAILED', created: 0 })
    expect(run.problem).toMatch(problem)
    serve(feed_format === 'XML' ? '<rss/>' : CSV)
    expect(await runOf(id)).toMatchObject({ outcome: 'IMPORTED' })
  })

  test('follows a few redirects, and reports other answers', async () => {
    file = (response, request) => {
      if (request.url === '/feed') response.writeHead(302, { location: '/moved' }).end()
      else response.end(CSV)
    }
    const { id } = (await create()).body.data
    expect(await runOf(id)).toMatchObject({ outcome: 'IMPORTED', created: 2 })
    file = (response) => response.writeHead(302, { location: '/feed' }).end()
    expect(await runOf(id)).toMatchObject({ outcome: 'FAILED', problem: 'network: too many redirects' })
    file = (response) => response.writeHead(503).end()
    expect(await runOf(id)).toMatchObject({ outcome: 'FAILED', problem: 'the server answered with status 503' })
    file = (response) => response.socket!.destroy()
    expect((await runOf(id)).problem).toMatch(/^network: /)
  })

  test('of many products is stored in parts, and starts again when its process died', async () => {
    // The work also looks for the pictures of the products. A name that does not exist would take its time for each of them.
    const [header, , , row] = CSV.replaceAll('https://s.example.com', 'https://127.0.0.1:9').split('\r\n')
    const many = [header, ...Array.from({ length: 450 }, (_, at) => row!.replace('three', `p${at}`))].join('\n')
    let finish = () => {}
    file = (response) => {
      const half = Math.floor(many.length * 0.7)
      response.write(many.slice(0, half))
      finish = () => response.end(many.slice(half))
    }
    const { id } = (await create()).body.data
    await isDueNow()
    const died = server.command('ads.work')
    while ((await catalogNow()).length < 200) await sleep(20)
    // No other run fetches a claimed feed; a claim that is not renewed ends after two minutes, and the feed then waits for ten.
    await server.command('ads.work')
    expect(fetched).toEqual(['/feed'])
    const finishFirst = finish
    serve(many)
    await server.command('clock', { advance_ms: 121_000 })
    await server.command('ads.work')
    expect(fetched, 'not again at once').toEqual(['/feed'])
    await server.command('clock', { advance_ms: 600_000 })
    await server.command('ads.work')
    // The work that was started first is still there in this process, and may be the one that claims the feed.
    while ((await runsOf(id))[0].outcome === null) await sleep(20)
    expect(fetched).toEqual(['/feed', '/feed'])
    const [second] = await runsOf(id)
    expect(second).toMatchObject({ outcome: 'IMPORTED', failed: 0 })
    expect(second.created + second.unchanged).toBe(450)
    expect(await catalogNow()).toHaveLength(450)
    // The run that lost its claim stores nothing more, and has no result.
    await server.runtime.database.query({ text: 'delete from ads_product' })
    finishFirst()
    await died
    expect(await catalogNow()).toEqual([])
    expect(await runsOf(id)).toMatchObject([
      { outcome: 'IMPORTED' },
      { outcome: 'FAILED', problem: 'the process that read the file ended early' },
    ])
  })

  test('ends when the feed is deleted meanwhile', async () => {
    let finish = () => {}
    file = (response) => {
      response.write(CSV)
      finish = () => response.end()
    }
    const { id } = (await create()).body.data
    await isDueNow()
    const work = server.command('ads.work')
    while (fetched.length === 0) await sleep(10)
    await shop.call('DELETE', `scheduled_feeds/${id}`)
    finish()
    await work
    expect(await catalogNow()).toEqual([])
  })

  test('never reaches a private address unless the setting allows it', async () => {
    const guarded = await startTestServer(['--private-webhooks', 'off'])
    const { catalog } = await openShop(guarded)
    const path = `${BASE}/${catalog}/scheduled_feeds`
    const at = (feed_url: string) =>
      guarded.request('POST', `${path}?${new URLSearchParams({ ...VALUES, feed_url })}`, { as: ALICE })
    for (const url of [addressOf('/feed'), 'http://[::1]/feed', 'http://localhost/feed', 'http://2130706433/feed'])
      expect((await at(url)).body.errors[0]).toMatchObject({ code: 'INVALID_PARAMETER', parameter: 'feed_url' })
    const { id } = (await at('http://8.8.8.8/feed')).body.data
    await guarded.runtime.database.query({ text: `update ads_scheduled_feed set feed_url = '${addressOf('/feed')}'` })
    await guarded.command('clock', { advance_ms: HOUR })
    await guarded.command('ads.work')
    const [run] = await guarded.command('ads.feed.runs', { feed: id })
    expect(run).toMatchObject({ outcome: 'FAILED', problem: 'forbidden-address: 127.0.0.1 is a private address' })
    expect(fetched).toEqual([])
    await guarded.close()
  })
})

test('products of a feed are products like others', async () => {
  serve(
    `id,title,description,availability,condition,price,link,image_link,mpn\n${Object.values({ ...product('shared'), brand: 'M' }).join(',')}`,
  )
  const { id } = (await create()).body.data
  await runOf(id)
  const [listed] = (await shop.call('GET', 'products')).body.data
  const again = product('shared', { brand: undefined, mpn: 'M', product_key: listed.product_key })
  expect((await shop.put(again))[0].status).toBe('NO_CHANGE')
})
