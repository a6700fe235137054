import type { BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import { type AdsScene, createAdsScene } from '../ads/ads-scene.ts'
import { makePromotion, serve } from '../ads/served-ads.ts'
import { makePost } from '../social/acting.ts'
import { buildProgram } from '../support/child-server.ts'
import { browserTest, type Chromium, findChromium, startChromium, type Tab } from '../support/chromium.ts'
import { openStream } from '../support/read-stream.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { wrongWith } from '../support/sound-page.ts'
import { answersCorrectly, type Receiver, repliesWith, startReceiver } from '../webhooks/receiver.ts'

const program = findChromium()
const test = browserTest(program)

const DISCONNECT_TYPES = [
  'OperationalDisconnect',
  'UpstreamOperationalDisconnect',
  'ForceDisconnect',
  'UpstreamUncleanDisconnect',
  'SlowReader',
  'InternalError',
  'ClientApplicationStateDegraded',
  'InvalidRules',
]

let server: TestServer
let receiver: Receiver
let scene: AdsScene
let chromium: Chromium
let signedIn: NonNullable<BrowserContextOptions['storageState']>
beforeAll(async () => {
  if (!program) return
  buildProgram()
  server = await startTestServer(['--private-webhooks', 'on'], { events: true })
  receiver = await startReceiver(repliesWith(404, 'nothing here'))
  await server.post('/2/webhooks', { url: receiver.url() })
  receiver.answerChallengesWith(answersCorrectly(server.credentials.apps[0]!.api_key_secret))
  const { id } = (await server.post('/2/webhooks', { url: receiver.url() })).body
  await server.post(`/2/posts/search/webhooks/${id}`, {})
  await server.post('/2/posts/search/stream/rules', { add: [{ value: 'papaya', tag: 'fruit' }] })
  scene = await createAdsScene(server)
  chromium = await startChromium(program)
  const tab = await chromium.tab()
  await tab.page.goto(server.credentials.console_url!)
  await tab.page.getByRole('heading', { level: 1 }).waitFor()
  signedIn = await tab.page.context().storageState()
  await tab.close()
})
afterAll(async () => {
  await chromium?.close()
  await receiver?.close()
  await server?.close()
})

/** Runs on a page of the console, and fails when the browser complained or asked another host for something. */
async function on(address: string, run: (page: Page, tab: Tab) => Promise<void>): Promise<void> {
  const tab = await chromium.tab({ storageState: signedIn })
  const foreign: string[] = []
  tab.page.on('request', (request) => {
    if (!request.url().startsWith(server.baseUrl)) foreign.push(request.url())
  })
  try {
    await tab.page.goto(`${server.baseUrl}/_rostra/console/${address}`)
    await tab.page.getByRole('heading', { level: 1 }).waitFor()
    await run(tab.page, tab)
    expect({ foreign, complaints: tab.complaints }).toEqual({ foreign: [], complaints: [] })
  } finally {
    await tab.close()
  }
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const said = (page: Page, words: string) => page.locator('.toasts').getByText(words).first().waitFor()
const row = (page: Page, table: string, words: string) =>
  page.getByRole('table', { name: table }).getByRole('row').filter({ hasText: words })

test('a refused registration is shown with its transcript, a webhook with its challenges', async () => {
  const secret = server.credentials.apps[0]!.api_key_secret
  await on('deliveries/webhooks', async (page, tab) => {
    const refused = page.locator('.refused')
    await refused.getByText('the challenge was answered with HTTP 404').waitFor()
    await refused.getByText('nothing here').waitFor()
    await row(page, 'Webhooks', receiver.url()).click()
    const detail = page.getByRole('complementary', { name: 'Details' })
    await detail.getByText('> GET').first().waitFor()
    receiver.answerChallengesWith(repliesWith(200, '{"response_token":"sha256=wrong"}'))
    await button(page, 'Challenge now').click()
    await said(page, 'The webhook failed the challenge.')
    await detail.getByText('expected {"response_token":"sha256=').waitFor()
    await tab.shot('console-webhooks-desktop')
    receiver.answerChallengesWith(answersCorrectly(secret))
    await button(page, 'Challenge now').click()
    await said(page, 'The webhook passed the challenge.')
    await row(page, 'Webhooks', 'valid').getByText('valid', { exact: true }).waitFor()
  })
})

test('an event is triggered with the keyboard, and its delivery is read, repeated and failed on purpose', async () => {
  receiver.answerDeliveriesWith((response) => response.writeHead(200).end('thanks'))
  await on('deliveries', async (page, tab) => {
    await page.getByText('Nothing was sent to a webhook').waitFor()
    await page.getByRole('link', { name: 'Trigger an event' }).last().focus()
    await page.keyboard.press('Enter')
    const event = page.getByLabel('Event')
    await event.focus()
    const options = await event.locator('option').allTextContents()
    expect(options).toContain('post.create')
    expect(options.length).toBeGreaterThan(20)
    await event.selectOption('post.create')
    await page.getByLabel('Text').focus()
    await page.keyboard.type('A papaya for the hook')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByText(/wrote post \d+\./).waitFor()
    // The page of deliveries, by its shortcut; the row arrives by the live channel or is there already.
    await page.getByRole('heading', { level: 1 }).click()
    await page.keyboard.press('g')
    await page.keyboard.press('d')
    await row(page, 'Deliveries', 'delivered').waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    const detail = page.getByRole('complementary', { name: 'Details' })
    await detail.getByText('A papaya for the hook').waitFor()
    const signature = receiver.deliveries[0]!.headers['x-rostra-webhooks-signature'] as string
    await detail.getByText(`x-rostra-webhooks-signature: ${signature}`).waitFor()
    await detail.getByText('thanks').waitFor()
    await tab.shot('console-deliveries-desktop')

    await button(page, 'Fail the next attempt').click()
    await said(page, 'The next attempt to this webhook fails with 503.')
    await button(page, 'Send again').click()
    await said(page, 'The delivery was planned again.')
    await row(page, 'Deliveries', '503').waitFor()
    await page.keyboard.press('Escape')
    await detail.waitFor({ state: 'detached' })
    await page.getByLabel('State').selectOption('pending')
    await expect.poll(() => row(page, 'Deliveries', 'delivered').count()).toBe(0)
    expect(page.url()).toContain('state=pending')
  })
  await server.command('fault.clear')
})

test('streams are listed, tailed, stalled, resumed, dropped and ended with each type', async () => {
  await on('streams', async (page, tab) => {
    await page.getByText('No stream is open.').waitFor()
    const stream = await openStream(server, '/2/posts/search/stream')
    await makePost(server, 'bob', { text: 'A papaya on the tail' })
    await stream.next()
    await page.getByRole('list', { name: 'Matching posts' }).getByText('A papaya on the tail').waitFor()
    await row(page, 'Open streams', 'filtered_stream').waitFor()
    await expect.poll(() => row(page, 'Rules', 'papaya').getByRole('cell').nth(4).textContent()).toMatch(/^[1-9]/)
    await button(page, 'Stall').click()
    await said(page, 'Stalled: 1 stream.')
    await row(page, 'Open streams', 'stalled').waitFor()
    await tab.shot('console-streams-desktop')
    await button(page, 'Resume').click()
    await said(page, 'Resumed: 1 stream.')
    await row(page, 'Open streams', 'open').waitFor()
    await button(page, 'Drop').click()
    await said(page, 'Cut: 1 stream.')
    await page.getByText('No stream is open.').waitFor()
    for (const type of DISCONNECT_TYPES) {
      const next = await openStream(server, '/2/posts/search/stream')
      await page.getByLabel('Type of the disconnect').selectOption(type)
      await button(page, 'Disconnect').click()
      expect((await next.next()).errors[0].disconnect_type).toBe(type)
    }
  })
})

test('time is moved, stopped and set', async () => {
  const now = async () => Date.parse((await server.command('clock')).now)
  await on('time', async (page, tab) => {
    for (const [name, ms] of [
      ['+1 min', 60_000],
      ['+1 h', 3_600_000],
      ['+1 day', 86_400_000],
    ] as const) {
      const before = await now()
      await button(page, name).click()
      await said(page, `Time moved: ${name}.`)
      expect((await now()) - before).toBeGreaterThanOrEqual(ms)
    }
    await button(page, 'Freeze').click()
    await page.getByText('frozen', { exact: true }).waitFor()
    await page.getByLabel('Advance by').fill('a while')
    await button(page, 'Advance').click()
    await page.getByRole('alert').getByText('is not a duration').waitFor()
    // The browser notes the refusal that the page shows.
    expect(tab.complaints.splice(0)).toEqual([expect.stringContaining('400')])
    await page.getByLabel('Advance by').fill('1d12h')
    await page.getByLabel('Advance by').press('Enter')
    await page.getByText(/2 d 13 h .* ahead of real time/).waitFor()
    await page.getByLabel('Set to (UTC)').fill('2030-01-02T03:04')
    await button(page, 'Set').click()
    await page.getByText('2030-01-02 03:04:00').waitFor()
    await button(page, 'Resume').click()
    await page.getByText('running', { exact: true }).waitFor()
    await button(page, 'Reset the clock').click()
    await page.getByText('real time', { exact: true }).waitFor()
  })
})

test('snapshots are saved, restored and deleted, and both are asked for', async () => {
  await on('time', async (page) => {
    await page.getByLabel('New snapshot').fill('before')
    await button(page, 'Save').click()
    await said(page, 'The world is saved as before.')
    const { id } = (await server.post('/2/posts', { text: 'After the snapshot' }, { user: 'alice' })).body.data
    await button(page, 'Restore before').click()
    await page.getByRole('dialog').getByRole('button', { name: 'Restore', exact: true }).click()
    await said(page, 'The world is as in before.')
    expect((await server.get(`/2/posts/${id}`)).body.errors).toBeDefined()
    await button(page, 'Delete before').click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
    await said(page, 'before is deleted.')
    await page.getByText('A snapshot is a copy').waitFor()
  })
})

test('faults are added, used and cleared, and usage is plotted', async () => {
  await on('time', async (page, tab) => {
    await page.getByText('Make requests fail').click()
    await page.getByLabel('Requests', { exact: true }).fill('GET /2/users/me')
    await page.getByLabel('What happens').selectOption('named')
    await page.getByLabel('Refusal').selectOption('over-capacity')
    await page.getByLabel('Times').fill('2')
    await button(page, 'Add the fault').click()
    await said(page, 'The fault is set.')
    expect((await server.get('/2/users/me', { user: 'alice' })).status).toBe(503)
    await server.get(`/2/users/${server.userId('bob')}`)
    await page.reload()
    await row(page, 'Faults', 'GET /2/users/me').getByText('1 of 2').waitFor()
    await page.getByLabel('Show').selectOption('used')
    await page
      .getByRole('img', { name: /Objects of each day/ })
      .locator('rect')
      .first()
      .waitFor()
    await row(page, 'Sums', server.credentials.apps[0]!.name).waitFor()
    await tab.shot('console-time-desktop')
    await page.getByRole('button', { name: /^Clear fault/ }).click()
    await page.getByText('Nothing fails on purpose.').waitFor()
  })
})

test('the tree of advertising has reasons and targeting, and is narrowed', async () => {
  // The world was restored, but the account was made before the snapshot.
  const campaign = await scene.campaign({ name: 'Autumn' })
  const lineItem = await scene.lineItem({ campaign_id: campaign, name: 'Leaves' })
  await scene.made('targeting_criteria', {
    line_item_id: lineItem,
    targeting_type: 'BROAD_KEYWORD',
    targeting_value: 'rain',
  })
  const { id: post } = (await server.post('/2/posts', { text: 'To promote' }, { user: 'alice' })).body.data
  await scene.made('promoted_posts', { line_item_id: lineItem, post_ids: post })
  await scene.campaign({ name: 'Winter', entity_status: 'PAUSED' })
  await scene.made('custom_audiences', { name: 'Friends' })
  await on('advertising', async (page, tab) => {
    await page.getByLabel('Account').selectOption(scene.account)
    const tree = page.getByRole('list', { name: 'Campaigns' })
    await tree.getByText(`Post ${post}`).waitFor()
    await tree.getByText('paused by advertiser').waitFor()
    await page.getByLabel('Status').selectOption('RUNNING')
    await expect.poll(() => tree.getByText('Winter').count()).toBe(0)
    await tree.getByRole('button', { name: /Leaves/ }).click()
    await page.getByRole('table', { name: 'Targeting' }).getByText('rain').waitFor()
    await tab.shot('console-advertising-desktop')
    await page.keyboard.press('Escape')
    await page.getByLabel('Status').selectOption('')
    await page.getByLabel('Name').fill('wint')
    await tree.getByText('Winter').waitFor()
    await expect.poll(() => tree.getByText('Autumn').count()).toBe(0)
    await page.getByRole('link', { name: 'Audiences' }).click()
    await row(page, 'Audiences', 'Friends').getByText('too small').waitFor()
    await page.getByRole('link', { name: 'Catalogs and feeds' }).click()
    await page.getByText('have no catalog').waitFor()
  })
})

test('a campaign that served is plotted by the hour and by the day, and as a table', async () => {
  const own = await createAdsScene(server, 'production')
  const promotion = await makePromotion(own)
  const at = (seconds: number) => new Date(server.runtime.clock.now() - seconds * 1_000).toISOString()
  await serve(own, [
    { promotion, viewer: 1, at: at(3), outcomes: ['impressions'] },
    { promotion, viewer: 1, at: at(2), outcomes: ['impressions'] },
    {
      promotion,
      viewer: 2,
      at: at(1),
      outcomes: ['impressions', 'engagements', 'clicks', 'billed_engagements'],
      charge: 1_500_000,
    },
  ])
  await on(`advertising/statistics?account=${own.account}`, async (page, tab) => {
    await page.getByLabel('Of', { exact: true }).selectOption(`campaign ${promotion.campaign}`)
    const totals = page.locator('.totals')
    await totals.getByText('2 people').waitFor()
    await totals.getByText('1 (33.33 %)').waitFor()
    for (const label of ['Impressions of each hour', 'Engagements of each hour', 'Spend in USD of each hour'])
      await page
        .getByRole('img', { name: new RegExp(`^${label}`) })
        .locator('rect')
        .first()
        .waitFor()
    expect(await wrongWith(page, 'console-statistics', tab.shot)).toEqual([])
    await page.getByLabel('By', { exact: true }).selectOption('day')
    await page.getByRole('img', { name: /^Impressions of each day/ }).waitFor()
    expect(page.url()).toContain('by=day')
    await page.reload()
    await expect
      .poll(async () => (await page.getByRole('table', { name: 'Sums' }).locator('tbody').innerText()).split(/\s+/))
      .toEqual(expect.arrayContaining(['3', '1']))
    await page.getByLabel('Of', { exact: true }).selectOption('')
    await totals.getByText('2 people').waitFor({ state: 'detached' })
  })
})

test('a population is started, watched and stopped', async () => {
  await on('time', async (page) => {
    const card = page.locator('.card', { has: page.getByRole('heading', { name: 'Population' }) })
    await card.getByText('Personas look at their home timelines').waitFor()
    await card.getByLabel('Personas').fill('20')
    await card.getByLabel('For', { exact: true }).fill('1d')
    await card.getByLabel('Speed').selectOption('600')
    await card.getByRole('button', { name: 'Start' }).click()
    await said(page, 'The population lives.')
    await card.getByText('running', { exact: true }).waitFor()
    const before = await card.getByText(/, until /).innerText()
    await expect.poll(() => card.getByText(/, until /).innerText()).not.toBe(before)
    await card.getByRole('button', { name: 'Stop' }).click()
    await said(page, 'The population has stopped.')
    await card.getByText('stopped', { exact: true }).waitFor()
    await card.getByRole('button', { name: 'Start' }).waitFor()
    expect((await server.command('live.show')).state).toBe('stopped')
  })
  await server.command('clock', { reset: true })
})

test('every page is sound on phones and desktops, in light and dark colours', async () => {
  const stream = await openStream(server, '/2/posts/search/stream')
  await server.command('fault.add', { match: 'GET /2/users/me', status: 503 })
  await server.command('snapshot.save', { name: 'phone' })
  const pages = {
    deliveries: 'deliveries',
    webhooks: 'deliveries/webhooks',
    trigger: 'deliveries/trigger',
    streams: 'streams',
    time: 'time',
    advertising: `advertising?account=${scene.account}`,
    audiences: `advertising/audiences?account=${scene.account}`,
    catalogs: `advertising/catalogs?account=${scene.account}`,
  }
  const wrong: string[] = []
  await on('deliveries', async (page, tab) => {
    for (const [name, address] of Object.entries(pages)) {
      await page.goto(`${server.baseUrl}/_rostra/console/${address}`)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await expect.poll(() => page.getByText('Loading …').count()).toBe(0)
      wrong.push(...(await wrongWith(page, `console-${name}`, tab.shot)))
    }
  })
  stream.close()
  expect(wrong).toEqual([])
})

test('the world is seeded, and reset after a question', async () => {
  await on('time', async (page) => {
    await page.getByLabel('Users').fill('5')
    await page.getByLabel('Posts').fill('20')
    await button(page, 'Seed').click()
    await said(page, 'Made 5 users')
    expect((await server.get('/2/users/by/username/seed1_0')).body.data).toBeDefined()
    await button(page, 'Reset the world').click()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
    expect((await server.get('/2/users/by/username/seed1_0')).body.data).toBeDefined()
    await button(page, 'Reset the world').click()
    await page.getByRole('dialog').getByRole('button', { name: 'Reset the world' }).click()
    await said(page, 'The first world was created again.')
    expect((await server.get('/2/users/by/username/seed1_0')).body.data).toBeUndefined()
  })
})
