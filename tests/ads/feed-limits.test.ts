import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { PICTURE_LANES, PICTURE_TIMES } from '../../src/ads/catalogs/check-images.task.ts'
import { FEED_LANES } from '../../src/ads/catalogs/fetch-feeds.task.ts'
import { FEED_TIMES } from '../../src/ads/catalogs/import-feed.ts'
import { makePng } from '../support/make-media.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { openShop, product, type Shop } from './catalog-shop.ts'

const HOUR = 3_600_000
const LIMITS = [FEED_LANES, FEED_TIMES, PICTURE_LANES, PICTURE_TIMES]
const initial = LIMITS.map((limits) => ({ ...limits }))

let server: TestServer
/** Catalogs of two users. */
let shops: [Shop, Shop]
let files: http.Server
let answers: Record<string, (response: http.ServerResponse) => void> = {}
const addressOf = (path: string) => `http://127.0.0.1:${(files.address() as AddressInfo).port}${path}`

beforeAll(async () => {
  server = await startTestServer(['--private-webhooks', 'on'])
  shops = [await openShop(server), await openShop(server, { user: 'bob' })]
  files = http.createServer((request, response) => answers[request.url!]?.(response))
  await new Promise<void>((resolve) => files.listen(0, '127.0.0.1', resolve))
})
afterAll(async () => {
  files.closeAllConnections()
  files.close()
  await server.close()
})
beforeEach(async () => {
  answers = {}
  await server.runtime.database.query({ text: 'delete from ads_scheduled_feed' })
  await server.runtime.database.query({ text: 'delete from ads_product' })
})
afterEach(() => {
  for (const [at, limits] of LIMITS.entries()) Object.assign(limits, initial[at])
})

const createFeed = async (shop: Shop, path: string, feed_format: string): Promise<string> => {
  const schedule = { feed_format, frequency: 'HOURLY', repeat: '1', start_time: '00:00', time_zone: 'UTC' }
  const answer = await shop.call('POST', 'scheduled_feeds', { feed_url: addressOf(path), ...schedule })
  if (answer.status !== 200) throw new Error(answer.text)
  return answer.body.data.id
}
/** Moves time without the work that the clock command waits for. */
const makeDue = () => server.runtime.clock.setOffset(server.runtime.clock.offsetMs() + HOUR)
const newestRun = async (feed: string) => (await server.command('ads.feed.runs', { feed }))[0]
const CSV = 'id,title\n'

test.each([
  ['elements without end', '<a>', 'elements are nested more than 64 deep'],
  ['an element of attributes without end', ' x=""', 'an element has more than 256 attributes'],
])('%s are refused long before the file ends', async (_, piece, problem) => {
  let sent = 0
  answers['/deep'] = (response) => {
    const isElement = piece.startsWith('<')
    const chunk = (at: number) =>
      isElement ? piece.repeat(10_000) : Array.from({ length: 5_000 }, (_item, n) => ` x${at}_${n}=""`).join('')
    response.write(isElement ? '' : '<a')
    const more = () => {
      while (!response.destroyed && sent < 500 && response.write(chunk(sent))) sent += 1
      if (sent >= 500) response.end()
    }
    response.on('drain', more)
    more()
  }
  const feed = await createFeed(shops[0], '/deep', 'XML')
  makeDue()
  await server.command('ads.work')
  expect(await newestRun(feed)).toMatchObject({ outcome: 'FAILED', problem })
  expect(sent).toBeLessThan(500)
})

test.each([
  ['a first line of delimiters', 'CSV', 'id', ',', 'a product is larger than 524288 bytes'],
  ['a line of delimiters', 'CSV', CSV, ',', 'a product is larger than 524288 bytes'],
  ['a line of empty quotes', 'TSV', 'id\ttitle\n', '""\t', 'a product is larger than 524288 bytes'],
  [
    'a product of empty elements',
    'XML',
    '<rss><item><additional_image_link>a</additional_image_link>',
    '<additional_image_link/>',
    'a product is larger than 524288 bytes',
  ],
])('%s without end is refused after little of the file', async (_, format, head, piece, problem) => {
  const chunk = piece.repeat(Math.floor(65_536 / piece.length))
  let sent = 0
  answers['/empty'] = (response) => {
    response.write(head)
    const more = () => {
      while (!response.destroyed && sent < 200 && response.write(chunk)) sent += 1
      if (sent >= 200) response.end()
    }
    response.on('drain', more)
    more()
  }
  const feed = await createFeed(shops[0], '/empty', format)
  makeDue()
  await server.command('ads.work')
  expect(await newestRun(feed)).toMatchObject({ outcome: 'FAILED', problem })
  expect(sent).toBeLessThan(200)
})

test('a table with a thousand columns is read, one with more is refused', async () => {
  const columns = (count: number) => ['id', ...Array.from({ length: count - 1 }, (_, at) => `c${at}`)].join()
  answers['/wide'] = (response) => response.end(`${columns(1_000)}\n1\n`)
  answers['/wider'] = (response) => response.end(`${columns(1_001)}\n1\n`)
  const wide = await createFeed(shops[0], '/wide', 'CSV')
  const wider = await createFeed(shops[1], '/wider', 'CSV')
  makeDue()
  await server.command('ads.work')
  expect(await newestRun(wide)).toMatchObject({ outcome: 'IMPORTED', failed: 1 })
  expect(await newestRun(wider)).toMatchObject({ problem: 'the first line has more than 1000 columns' })
})

test('a feed that never ends is given up after the longest time of a run', async () => {
  answers['/endless'] = (response) => {
    response.write(CSV)
    const timer = setInterval(() => response.write('x,y\n'), 20)
    response.on('close', () => clearInterval(timer))
  }
  const feed = await createFeed(shops[0], '/endless', 'CSV')
  FEED_TIMES.totalMs = 300
  makeDue()
  await server.command('ads.work')
  const run = await newestRun(feed)
  expect(run).toMatchObject({ outcome: 'FAILED', problem: 'the file was not read within 0.3 seconds' })
})

test('a feed that brings no product for a long time is not fetched a second time meanwhile', async () => {
  let requests = 0
  let finish = () => {}
  answers['/late'] = (response) => {
    requests += 1
    response.write('<rss>')
    const timer = setInterval(() => response.write('<!-- no product yet -->'), 20)
    finish = () => {
      clearInterval(timer)
      response.end('</rss>')
    }
  }
  FEED_TIMES.renewMs = 20
  const feed = await createFeed(shops[0], '/late', 'XML')
  makeDue()
  const work = server.command('ads.work')
  while (requests === 0) await sleep(10)
  // A claim that is not renewed ends after two minutes, and the feed is due again ten minutes later.
  for (let minute = 0; minute < 15; minute++) {
    server.runtime.clock.setOffset(server.runtime.clock.offsetMs() + 60_000)
    await sleep(100)
  }
  const again = server.command('ads.work')
  await sleep(200)
  finish()
  await Promise.all([work, again])
  expect(requests).toBe(1)
  expect(await server.command('ads.feed.runs', { feed })).toMatchObject([{ outcome: 'IMPORTED', problem: null }])
})

test('slow feeds of some users leave room for the feeds of others', async () => {
  let finish = () => {}
  answers['/slow'] = (response) => {
    response.write(CSV)
    finish = () => response.end()
  }
  answers['/quick'] = (response) => response.end(CSV)
  Object.assign(FEED_LANES, { atOnce: 1, most: 3, slowMs: 50 })
  const slow = await createFeed(shops[0], '/slow', 'CSV')
  const quick = await createFeed(shops[1], '/quick', 'CSV')
  // The slow one is first.
  await server.runtime.database.query({
    text: `update ads_scheduled_feed set next_fetch_at = next_fetch_at - interval '1 second' where id = $1`,
    values: [slow],
  })
  makeDue()
  const work = server.command('ads.work')
  while ((await newestRun(quick))?.outcome !== 'IMPORTED') await sleep(10)
  expect((await newestRun(slow)).outcome).toBeNull()
  finish()
  await work
  expect((await newestRun(slow)).outcome).toBe('IMPORTED')
})

test('slow pictures of one catalog leave room for those of others, and are given up in the end', async () => {
  answers['/slow.png'] = (response) => {
    const timer = setInterval(() => response.write('x'), 20)
    response.on('close', () => clearInterval(timer))
  }
  answers['/good.png'] = (response) => response.end(makePng(500, 500))
  Object.assign(PICTURE_LANES, { atOnce: 1, most: 3, slowMs: 50 })
  PICTURE_TIMES.totalMs = 1_500
  const [first] = await shops[0].put(
    ...[1, 2, 3].map((at) => product(`s${at}`, { image_link: addressOf('/slow.png') })),
  )
  const quick = product('q', { image_link: addressOf('/good.png') })
  await shops[1].put(quick)
  const isChecked = async (id: string): Promise<boolean> => {
    const text = 'select images_checked from ads_product where id = $1'
    return (await server.runtime.database.query<{ images_checked: boolean }>({ text, values: [id] })).rows[0]!
      .images_checked
  }
  const work = server.command('ads.work')
  while (!(await isChecked('q'))) await sleep(10)
  expect(await isChecked('s1')).toBe(false)
  await work
  expect(await isChecked('s1')).toBe(true)
  const same = { image_link: addressOf('/slow.png'), product_key: first.product_key }
  const [again] = await shops[0].put(product('s1', same))
  expect(JSON.stringify(again.warnings)).toContain('the picture was not sent within 1.5 seconds')
})
