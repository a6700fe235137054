import { afterAll, beforeAll, expect } from 'vitest'
import { createAdsScene } from '../ads/ads-scene.ts'
import { makePost } from '../social/acting.ts'
import { buildProgram } from '../support/child-server.ts'
import { browserTest, type Chromium, findChromium, startChromium, type Tab } from '../support/chromium.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { wrongWith } from '../support/sound-page.ts'

const program = findChromium()
const test = browserTest(program)

let server: TestServer
let chromium: Chromium
beforeAll(async () => {
  if (!program) return
  buildProgram()
  server = await startTestServer([], { events: true })
  chromium = await startChromium(program)
})
afterAll(async () => {
  await chromium?.close()
  await server?.close()
})

interface SignedInTab extends Tab {
  /** Requests to other hosts. */
  elsewhere: string[]
  open(path: string): Promise<void>
}

/** A tab in which a user is signed in. */
async function tabOf(username: string, options: Parameters<Chromium['tab']>[0] = {}): Promise<SignedInTab> {
  const tab = await chromium.tab(options)
  const elsewhere: string[] = []
  tab.page.on('request', (request) => {
    if (!request.url().startsWith(server.baseUrl) && !request.url().startsWith('data:')) elsewhere.push(request.url())
  })
  const user = server.credentials.users.find((item) => item.username === username)!
  await tab.page.goto(`${server.baseUrl}/i/sign-in?return_to=/home`)
  await tab.page.fill('[name=username]', username)
  await tab.page.fill('[name=password]', user.password!)
  await tab.page.press('[name=password]', 'Enter')
  await tab.page.waitForURL('**/home')
  const open = async (path: string) => {
    await tab.page.goto(server.baseUrl + path)
  }
  return { ...tab, elsewhere, open }
}

const end = async (...tabs: SignedInTab[]) => {
  for (const tab of tabs) {
    expect(tab.complaints).toEqual([])
    expect(tab.elsewhere).toEqual([])
    await tab.close()
  }
}

test('two browsers see the posts, likes and messages of each other at once', async () => {
  const [alice, bob] = [await tabOf('alice'), await tabOf('bob')]
  await alice.page.fill('#text', 'Live from Alice, see example.com')
  await alice.page.getByText('29 / 280').or(alice.page.getByText('/ 280')).first().waitFor()
  await alice.page.click('.compose button[type=submit]')
  await alice.page.locator('[data-list] .text', { hasText: 'Live from Alice' }).waitFor()
  await bob.page.click('[data-arrivals]')
  const card = bob.page.locator('[data-post]', { hasText: 'Live from Alice' })
  await card.locator('button.like').click()
  await card.locator('button.like[aria-pressed=true]').waitFor()
  await alice.page
    .locator('[data-post]', { hasText: 'Live from Alice' })
    .locator('[data-metric=like]', { hasText: '1' })
    .waitFor()
  await alice.page.locator('[data-count=notifications]:not([hidden])').waitFor()
  await alice.open('/notifications')
  await alice.page.getByText('liked your post').first().waitFor()

  await alice.open('/messages/compose?to=bob')
  await alice.page.fill('#text', 'Are you there?')
  await alice.page.click('.compose button[type=submit]')
  await alice.page.waitForURL(/messages\/\d/)
  await bob.page.locator('[data-count=messages]:not([hidden])').waitFor()
  await bob.page.goto(alice.page.url())
  await alice.page.locator('[data-seen]:not([hidden])').waitFor()
  await bob.page.locator('#text').pressSequentially('Yes')
  await alice.page.getByText('is typing').waitFor()
  await bob.page.keyboard.press('Control+Enter')
  await alice.page.locator('.message .text', { hasText: 'Yes' }).waitFor()
  await bob.shot('home-conversation')
  await end(alice, bob)
})

test('every page is sound on phones and desktops, in light and dark colours', async () => {
  const post = await makePost(server, 'bob', { text: 'A post with #words and @alice' })
  await server.post(
    `/2/users/${server.userId('bob')}/following`,
    { target_user_id: server.userId('alice') },
    { user: 'bob' },
  )
  await server.command('notes.enrol', { user: 'alice' })
  const list = await server.post('/2/lists', { name: 'Gardeners', description: 'People with beans' }, { user: 'alice' })
  await server.post(`/2/lists/${list.body.data.id}/members`, { user_id: server.userId('bob') }, { user: 'alice' })
  const own = await makePost(server, 'alice', { text: 'A post of my own' })
  const sent = await server.post(
    `/2/dm_conversations/with/${server.userId('alice')}/messages`,
    { text: 'A word' },
    { user: 'bob' },
  )
  const paths = [
    ['home', '/home'],
    ['compose', `/i/compose?reply_to=${post}`],
    ['notifications', '/notifications'],
    ['messages', '/messages'],
    ['requests', '/messages?show=requests'],
    ['conversation', `/messages/${sent.body.data.dm_conversation_id}`],
    ['mentions', '/notifications?show=mentions'],
    ['edit', `/i/compose?edit=${own}`],
    ['likes', '/alice/likes'],
    ['profile', '/bob'],
    ['post', `/bob/status/${post}`],
    ['search', '/search?q=words'],
    ['new-message', '/messages/compose'],
    ['bookmarks', '/i/bookmarks'],
    ['lists', '/i/lists'],
    ['list-edit', `/i/lists/${list.body.data.id}/edit`],
    ['communities', '/i/communities'],
    ['spaces', '/i/spaces'],
    ['notes', `/i/notes/${post}`],
    ['report', `/i/report?post=${post}`],
  ] as const
  const findings: string[] = []
  const tab = await tabOf('alice')
  for (const [name, path] of paths) {
    await tab.open(path)
    findings.push(...(await wrongWith(tab.page, `home-${name}`, tab.shot)))
  }
  await end(tab)
  expect(findings).toEqual([])
})

test('a promoted post in the home timeline is marked as such, and what is done with it is counted', async () => {
  const scene = await createAdsScene(server, 'production')
  const lineItem = await scene.lineItem({ bid_strategy: 'AUTO', standard_delivery: false })
  // A second attempt may not write the same texts.
  const moment = Date.now()
  const text = `An offer of seedlings, ${moment}`
  const offer = await makePost(server, 'alice', { text })
  await scene.made('promoted_posts', { line_item_id: lineItem, post_ids: offer })
  for (let at = 0; at < 3; at++) await makePost(server, 'erin', { text: `A post of the day ${moment + at}` })
  const tab = await tabOf('erin')
  const ad = tab.page.getByRole('article', { name: 'Promoted post by Alice Moreau' })
  await ad.getByText('Promoted', { exact: true }).waitFor()
  await ad.getByText(text).waitFor()
  expect(await tab.page.getByRole('article').nth(2).getAttribute('aria-label')).toBe('Promoted post by Alice Moreau')
  expect(await wrongWith(tab.page, 'home-promoted', tab.shot)).toEqual([])
  await ad.locator('button.like').click()
  await ad.locator('button.like[aria-pressed=true]').waitFor()
  const { totals } = await server.command('ads.statistics', { account: scene.account, line_item: lineItem })
  expect(totals).toMatchObject({ impressions: 1, engagements: 1 })
  await end(tab)
})

test('without a script posts are written and liked by forms', async () => {
  const tab = await tabOf('chika', { javaScriptEnabled: false })
  await tab.page.fill('#text', 'Without a script')
  await tab.page.click('.compose button[type=submit]')
  await tab.page.waitForURL('**/home')
  const card = tab.page.locator('[data-post]', { hasText: 'Without a script' })
  await card.locator('button.like').click()
  await card.locator('button.like[aria-pressed=true]').waitFor()
  await end(tab)
})

test('a post is written, and its menu is used, with the keyboard only', async () => {
  const tab = await tabOf('dario')
  await tab.page.keyboard.press('Tab')
  await tab.page.keyboard.press('Enter')
  await tab.page.keyboard.press('Tab')
  await tab.page.keyboard.type('By keyboard')
  await tab.page.keyboard.press('Control+Enter')
  const card = tab.page.locator('[data-post]', { hasText: 'By keyboard' })
  await card.waitFor()
  await card.locator('.menu summary').focus()
  await tab.page.keyboard.press('Enter')
  await card.getByRole('button', { name: 'Delete' }).focus()
  await tab.page.keyboard.press('Enter')
  await card.waitFor({ state: 'detached' })
  await end(tab)
})
