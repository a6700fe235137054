import { createHash } from 'node:crypto'
import vm from 'node:vm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseBase36 } from '../../src/ads/kit/values.ts'
import { clickId, readClickId, withClickId } from '../../src/ads/measurement/click-id.ts'
import { type AdsScene, ALICE, startAdsScene } from './ads-scene.ts'
import { countsOf, makeAd, makeViewer, type ShownAd, showAd } from './shown-ads.ts'

interface Tag {
  id: string
  website_tag_id: string
  embed_code: string
}

let scene: AdsScene
let ad: ShownAd
let tag: Tag
beforeAll(async () => {
  scene = await startAdsScene([], { environment: 'production' })
  ad = await makeAd(scene)
  tag = await makeTag('PURCHASE')
})
afterAll(() => scene.close())

const makeTag = (type: string): Promise<Tag> =>
  scene.made('web_event_tags', {
    name: 'Thanks',
    type,
    click_window: 7,
    view_through_window: 1,
    retargeting_enabled: false,
  })
const hit = (body: unknown, pixel = tag.website_tag_id) =>
  scene.server.request('POST', `/i/pixel/${pixel}/hit`, { as: 'nobody', raw: JSON.stringify(body) })
const image = (query: string, pixel = tag.website_tag_id) =>
  scene.server.request('GET', `/i/pixel/${pixel}/hit.gif${query}`, { as: 'nobody' })
const eventOf = (of: Tag) => `tw-${of.website_tag_id}-${of.id}`
const engagements = async (shown: ShownAd, metric: string) =>
  ((await countsOf(scene, [shown.lineItem], metric))[0]?.engagement ?? 0) as number
/** Somebody who clicked an ad: the click id of the link that they followed. */
async function clicked(shown = ad): Promise<string> {
  const viewer = await makeViewer(scene)
  const impressionId = await showAd(scene, shown, viewer, { minutesAgo: 3, did: ['url_clicks'] })
  return clickId(scene.server.runtime, { viewer, impressionId })
}
let visitors = 0
const newVisitor = () => createHash('md5').update(`visitor ${++visitors}`).digest('hex')

describe('a click id', () => {
  test('leads to the viewer and the impression, and cannot be made or read by others', async () => {
    const { runtime } = scene.server
    const impression = { viewer: 12345, impressionId: '2122338169406885888' }
    const id = clickId(runtime, impression)
    expect(id).toMatch(/^[\w-]{32}$/)
    expect(id).toBe(clickId(runtime, impression))
    expect(readClickId(runtime, id)).toEqual(impression)
    for (let at = 0; at < id.length; at++) {
      const other = id[at] === 'A' ? 'B' : 'A'
      expect(readClickId(runtime, id.slice(0, at) + other + id.slice(at + 1))).toBeUndefined()
    }
    expect(readClickId(runtime, '')).toBeUndefined()
    expect(withClickId('https://shop.example/a?b=c#d', id)).toBe(`https://shop.example/a?b=c&twclid=${id}#d`)
  })
})

describe('the pixel', () => {
  test('counts a conversion from a body or an image, and the tag is tracked', async () => {
    const shown = await makeAd(scene)
    const click = await clicked(shown)
    const answer = await hit({ event: eventOf(tag), twclid: click, value: 4.5, number_items: 2 })
    expect(answer.status, answer.text).toBe(204)
    const picture = await image(`?event=${tag.id}&twclid=${await clicked(shown)}`)
    expect(picture.status).toBe(200)
    expect(picture.headers.get('content-type')).toBe('image/gif')
    expect(picture.headers.get('cross-origin-resource-policy')).toBe('cross-origin')
    expect(await countsOf(scene, [shown.promoted, shown.campaign], 'conversion_purchases')).toEqual(
      Array(2).fill({ view: 0, engagement: 2, assisted: 0, items: 3, amount: 4_500_000 }),
    )
    expect((await scene.get(`web_event_tags/${tag.id}`)).body.data.status).toBe('TRACKING')
  })

  test('and the call that reports conversions count one conversion once', async () => {
    const shown = await makeAd(scene)
    const click = await clicked(shown)
    await hit({ event: eventOf(tag), twclid: click, conversion_id: 'order 7' })
    const conversion = {
      conversion_time: new Date(scene.server.runtime.clock.now()).toISOString(),
      event_id: tag.id,
      identifiers: [{ twclid: click }],
      conversion_id: 'order 7',
    }
    const path = `/ads/12/measurement/conversions/${tag.website_tag_id}`
    expect((await scene.server.request('POST', path, { as: ALICE, json: { conversions: [conversion] } })).status).toBe(
      200,
    )
    await hit({ event: eventOf(tag), twclid: click, conversion_id: 'order 7' })
    expect(await engagements(shown, 'conversion_purchases')).toBe(1)
  })

  test('knows a visitor again by the cookie of the website, and nobody by a cookie that it has not seen', async () => {
    const shown = await makeAd(scene)
    const signUp = await makeTag('SIGN_UP')
    const [known, unknown] = [newVisitor(), newVisitor()]
    await hit({ visitor: known, twclid: await clicked(shown) })
    await hit({ event: eventOf(signUp), visitor: known })
    await hit({ event: eventOf(signUp), visitor: unknown })
    await hit({ event: eventOf(signUp) })
    expect(await engagements(shown, 'conversion_sign_ups')).toBe(1)
  })

  test('counts the page that somebody lands on after a click once, and no page that an ad did not lead to', async () => {
    const shown = await makeAd(scene)
    const [visitor, click] = [newVisitor(), await clicked(shown)]
    await hit({ visitor, twclid: click })
    await hit({ visitor, twclid: click })
    await hit({ visitor })
    expect(await engagements(shown, 'conversion_landing_page_views')).toBe(1)
  })

  test.each([
    [{ value: -1 }, 'value'],
    [{ price_currency: '<b>' }, 'price_currency'],
    [{ number_items: 0 }, 'number_items'],
    [{ visitor: 'me' }, 'visitor'],
    [{ hashed_email: 'me@example.com' }, 'hashed_email'],
    [{ event: 'x'.repeat(60) }, 'event'],
  ])('refuses %j and says why', async (values, name) => {
    const answer = await hit({ event: eventOf(tag), ...values })
    expect(answer.status).toBe(400)
    expect(answer.body.detail).toContain(name)
  })

  test('refuses unknown websites and events, and whatever is not a hit', async () => {
    const other = await scene.server.command('ads.account.create', { owner: 'alice' })
    const values = { name: 'X', type: 'SEARCH', click_window: 1, view_through_window: 1, retargeting_enabled: false }
    const foreign = (await scene.call('POST', `accounts/${other.id}/web_event_tags`, values)).body.data
    expect((await hit({ event: foreign.id })).status).toBe(404)
    expect((await hit({ event: eventOf(foreign) })).status).toBe(404)
    expect((await hit({ event: tag.website_tag_id })).status).toBe(404)
    expect((await hit({}, 'zzzz')).status).toBe(404)
    expect((await hit({}, tag.id)).status).toBe(404)
    expect((await image(`?event=${tag.id}`, '%3Cscript%3E')).status).toBe(404)
    expect((await image(`?event=%00`)).status).toBe(400)
    expect((await image(`?a=${'b'.repeat(5_000)}`)).status).toBe(414)
    expect((await hit([1])).status).toBe(400)
    const large = await hit({ event: eventOf(tag), description: 'x'.repeat(20_000) })
    expect(large.status).toBe(413)
  })

  test('limits what an address may send', async () => {
    const limited = await startAdsScene(['--rate-limits', 'on'], { environment: 'production' })
    try {
      const answer = await limited.server.request('GET', '/i/pixel.js', { as: 'nobody' })
      expect(Number(answer.headers.get('x-rate-limit-limit'))).toBe(3000)
      expect(Number(answer.headers.get('x-rate-limit-remaining'))).toBe(2999)
      const { limiter } = limited.server.runtime
      const window = { limit: 3000, seconds: 900 }
      const { website_tag_id: pixel, id } = await limited.made('web_event_tags', {
        name: 'Thanks',
        type: 'PURCHASE',
        click_window: 7,
        view_through_window: 1,
        retargeting_enabled: false,
      })
      const event = `tw-${pixel}-${id}`
      const send = () =>
        limited.server.request('POST', `/i/pixel/${pixel}/hit`, { as: 'nobody', raw: JSON.stringify({ event }) })
      expect((await send()).status).toBe(204)
      // The events of an account, whoever sends them.
      const account = parseBase36(limited.account)
      await limiter.take(`ads:conversion events:${account}`, { limit: 60_000, seconds: 900 }, 59_999)
      expect((await send()).status).toBe(429)
      // The requests of an address.
      await limiter.take('pixelScript:address:127.0.0.1', window, 2_999)
      const refused = await limited.server.request('GET', '/i/pixel.js', { as: 'nobody' })
      expect(refused.status).toBe(429)
      expect(refused.headers.get('x-rate-limit-remaining')).toBe('0')
    } finally {
      await limited.close()
    }
  })
})

describe('the script of the pixel', () => {
  /** A browser, as far as the script uses it. */
  function browser(address: string, cookies: Map<string, string>, attributes: Record<string, string>) {
    const sent: Promise<unknown>[] = []
    const document = {
      currentScript: { src: `${scene.server.baseUrl}/i/pixel.js`, dataset: attributes },
      get cookie() {
        return [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
      },
      set cookie(text: string) {
        const [pair] = text.split(';')
        cookies.set(pair!.split('=')[0]!, pair!.split('=').slice(1).join('='))
      },
    }
    const window: Record<string, unknown> = {
      document,
      location: new URL(address),
      navigator: {
        sendBeacon: (url: string, body: string) => sent.push(fetch(url, { method: 'POST', body })) > 0,
      },
      URLSearchParams,
      TextEncoder,
      Uint8Array,
      crypto,
    }
    window.window = window
    return { window, sent }
  }

  test('keeps the click id in a cookie and reports what the snippet and the page say', async () => {
    const shown = await makeAd(scene)
    const download = await makeTag('DOWNLOAD')
    const snippet = /src="([^"]+)" data-pixel="([^"]+)" data-event="([^"]+)"/.exec(download.embed_code)!
    const source = await (await fetch(snippet[1]!)).text()
    const cookies = new Map<string, string>()
    const landing = browser(`https://shop.example/?twclid=${await clicked(shown)}`, cookies, { pixel: snippet[2]! })
    vm.runInNewContext(source, landing.window)
    await Promise.all(landing.sent)
    expect([...cookies.keys()].sort()).toEqual(['_twclid', '_visitor'])
    const thanks = browser('https://shop.example/thanks', cookies, { pixel: snippet[2]!, event: snippet[3]! })
    vm.runInNewContext(source, thanks.window)
    const call = thanks.window.twq as (...words: unknown[]) => void
    call('event', eventOf(tag), { value: 3, currency: 'USD', conversion_id: 'from the page' })
    await Promise.all(thanks.sent)
    expect(await engagements(shown, 'conversion_landing_page_views')).toBe(1)
    expect(await engagements(shown, 'conversion_downloads')).toBe(1)
    expect(await countsOf(scene, [shown.lineItem], 'conversion_purchases')).toMatchObject([{ amount: 3_000_000 }])
  })
})
