import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ChildServer, startChildServer } from '../support/child-server.ts'
import { type Chromium, findChromium, startChromium, type Tab } from '../support/chromium.ts'
import { wrongWith } from '../support/sound-page.ts'

const program = findChromium()

/** Markup that must stay text wherever it is shown. */
const MARKUP = '<img src=x onerror="document.title=1"><b>hi</b>'

const TOMORROW = new Date(Date.now() + 24 * 3600_000).toISOString().slice(0, 16)

let server: ChildServer
let chromium: Chromium
let tab: Tab
let page: Page
const foreign: string[] = []

const control = async (name: string, args: object = {}) => {
  const answer = await fetch(`${server.baseUrl}/_rostra/commands/${name}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.credentials.admin_key}`, 'content-type': 'application/json' },
    body: JSON.stringify(args),
  })
  if (!answer.ok) throw new Error(`${name}: ${answer.status} ${await answer.text()}`)
  // biome-ignore lint/suspicious/noExplicitAny: tests look at members whose shape they assert.
  return (await answer.json()) as any
}

/** Goes to a page of the console without loading it again, as a link does. */
const show = (path: string) => page.goto(`${server.baseUrl}/_rostra/console/${path}`)
const detail = () => page.getByRole('complementary', { name: 'Details' })
const button = (name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' })
const inDetail = (name: string) => detail().getByRole('button', { name, exact: true })
const dialog = () => page.getByRole('dialog')
const said = (words: string) => page.getByRole('status').filter({ hasText: words }).waitFor()
const rows = (label: string) => page.getByRole('table', { name: label }).locator('tbody tr')
const open = async (label: string, text: string) => {
  await rows(label).filter({ hasText: text }).first().click()
  await detail().waitFor()
}

/** Fills in the fields of the dialog, sends it, and waits until the dialog is gone. */
async function fill(fields: Record<string, string>, action: string): Promise<void> {
  await send(fields, action)
  await expect.poll(() => dialog().count()).toBe(0)
}

/** The same for a form that shows what came of it. */
async function send(fields: Record<string, string>, action: string): Promise<void> {
  for (const [label, value] of Object.entries(fields)) {
    const field = dialog().getByLabel(label, { exact: true })
    if ((await field.evaluate((element) => element.tagName)) === 'SELECT') await field.selectOption(value)
    else await field.fill(value)
  }
  await dialog().getByRole('button', { name: action, exact: true }).click()
}

async function actAs(username: string): Promise<void> {
  await page.getByLabel('Act as').fill(username)
  await page.getByLabel('Act as').press('Tab')
}

describe.skipIf(!program)('the console pages about the world', () => {
  beforeAll(async () => {
    server = await startChildServer({ flags: ['--workers', '1'] })
    chromium = await startChromium(program!)
    tab = await chromium.tab()
    page = tab.page
    page.on('request', (request) => {
      if (new URL(request.url()).origin !== new URL(server.baseUrl).origin) foreign.push(request.url())
    })
    await page.goto((server.credentials as unknown as { console_url: string }).console_url)
    await page.getByRole('navigation', { name: 'Pages' }).waitFor()
  })
  afterAll(async () => {
    await chromium?.close()
    await server?.stop()
  })

  test('users are created, found, edited, protected, suspended and given tokens', async () => {
    await show('world')
    await expect.poll(() => rows('Users').count()).toBeGreaterThan(4)
    await button('New user').click()
    await send({ Username: 'nadia', Name: MARKUP }, 'Create')
    await dialog().getByRole('button', { name: 'Show password' }).click()
    await page.keyboard.press('Escape')
    await page.getByLabel('Username, name or id').fill('nad')
    await page.getByLabel('Username, name or id').press('Enter')
    await expect.poll(() => rows('Users').count()).toBe(1)
    await open('Users', MARKUP)
    await inDetail('Protect').click()
    await said('Protected.')
    await inDetail('Unprotect').click()
    await said('No longer protected.')
    await inDetail('Suspend').click()
    await dialog().getByRole('button', { name: 'Suspend', exact: true }).click()
    await inDetail('End suspension').click()
    await inDetail('Suspend').waitFor()
    await inDetail('Edit').click()
    await fill({ Name: 'Nadia', Description: MARKUP, Subscription: 'Premium' }, 'Save')
    await detail().locator('.badge', { hasText: 'Premium' }).waitFor()
    expect((await control('user.show', { user: 'nadia' })).user).toMatchObject({ name: 'Nadia', description: MARKUP })
    await inDetail('Token').click()
    await send({ Kind: 'oauth1' }, 'Create')
    await dialog().getByRole('button', { name: 'Show access token secret' }).waitFor()
    await page.keyboard.press('Escape')
    await show('world/users/nadia')
    await detail()
      .getByRole('button', { name: /^Revoke the access/ })
      .first()
      .click()
    await said('The access is revoked.')
    await detail().getByText('None.').waitFor()
  })

  test('a user follows, blocks, mutes, reports and writes to another, and posts', async () => {
    await show('world/users/bob')
    await actAs('nadia')
    await inDetail('Follow as @nadia').click()
    await said('@nadia follows @bob')
    await inDetail('Unfollow').click()
    await said('@nadia does not follow @bob.')
    await inDetail('Mute').click()
    await said('Done: mute.')
    await inDetail('Message').click()
    await fill({ Text: MARKUP }, 'Send')
    await inDetail('Report').click()
    await fill({ Reason: 'impersonation', Comment: MARKUP }, 'Report')
    await detail().getByText('Open reports').waitFor()
    await inDetail('Post as @bob').click()
    await fill({ Text: `bob says ${MARKUP}` }, 'Post')
    await inDetail('Block').click()
    await said('Done: block.')
    await control('relation.remove', { kind: 'block', source: 'nadia', target: 'bob' })
  })

  test('posts arrive live, are acted on as any user, and show why others do not see them', async () => {
    await show('world/posts')
    await rows('Posts')
      .filter({ hasText: `bob says ${MARKUP}` })
      .waitFor()
    await button('New post').click()
    await fill({ Text: 'the first of a thread' }, 'Post')
    await open('Posts', 'the first of a thread')
    for (const name of ['Like', 'Repost', 'Bookmark', 'Unlike', 'Undo repost']) {
      await inDetail(name).click()
      await said(`@nadia: ${name.toLowerCase()}.`)
    }
    await inDetail('Reply').click()
    await fill({ Text: 'an answer' }, 'Post')
    await detail().getByRole('listitem').filter({ hasText: 'an answer' }).waitFor()
    await inDetail('Quote').click()
    await fill({ Text: 'a quote' }, 'Post')
    await rows('Posts').filter({ hasText: 'a quote' }).waitFor()
    await inDetail('Mark as sensitive').click()
    await inDetail('Not sensitive').waitFor()
    await inDetail('Report').click()
    await send({ Reason: 'spam' }, 'Report')
    await dialog().getByRole('alert').filter({ hasText: 'You cannot report yourself' }).waitFor()
    await page.keyboard.press('Escape')
    await control('user.update', { user: 'nadia', protected: true })
    await page.reload()
    await detail().getByText('only followers see it').waitFor()
    await control('user.update', { user: 'nadia', protected: false })
    await inDetail('Remove').click()
    await dialog().getByRole('button', { name: 'Remove', exact: true }).click()
    await said('The post is removed.')
    await expect.poll(() => rows('Posts').filter({ hasText: 'the first of a thread' }).count()).toBe(0)
    await page.getByLabel('Words of a post').fill('answer')
    await page.getByLabel('Words of a post').press('Enter')
    await expect.poll(() => rows('Posts').count()).toBe(1)
  })

  test('lists, spaces and communities are made, used and ended', async () => {
    await show('world/lists')
    await button('New list').click()
    await fill({ Name: 'L <i>x</i>', Description: MARKUP }, 'Create')
    await open('Lists', 'L <i>x</i>')
    await inDetail('Add a member').click()
    await fill({ User: 'alice' }, 'Add')
    await detail().getByRole('button', { name: 'Remove @alice' }).click()
    await said('Removed.')
    await inDetail('Delete').click()
    await dialog().getByRole('button', { name: 'Delete', exact: true }).click()
    await said('The list is deleted.')

    await show('world/spaces')
    await button('New space').click()
    await fill({ Title: MARKUP, 'Scheduled start (UTC)': TOMORROW }, 'Create')
    await open('Spaces', MARKUP)
    await actAs('bob')
    for (const name of ['Set a reminder', 'Start', 'Join', 'Leave', 'End']) {
      await inDetail(name).click()
      await said(`${name.toLowerCase()}.`)
    }
    await button('New space').click()
    await fill({ Title: 'never', 'Scheduled start (UTC)': TOMORROW }, 'Create')
    await open('Spaces', 'never')
    await inDetail('Cancel the space').click()
    await detail().getByText('cancelled').first().waitFor()

    await show('world/communities')
    await actAs('nadia')
    await button('New community').click()
    await fill({ Name: '<b>Tea</b>', Description: MARKUP }, 'Create')
    await actAs('bob')
    await open('Communities', '<b>Tea</b>')
    await inDetail('Join as @bob').click()
    await detail().getByText('@bob').waitFor()
    await inDetail('Post').click()
    await fill({ Text: 'in the community' }, 'Post')
    await inDetail('Leave').click()
    await said('@bob left.')
  })

  test('messages are read, sent and answered; encrypted ones are envelopes', async () => {
    await show('world/messages')
    await rows('Conversations').filter({ hasText: MARKUP }).waitFor()
    await button('New message').click()
    await fill({ To: 'chika', Text: 'good morning' }, 'Send')
    await open('Conversations', 'good morning')
    await inDetail('Answer').click()
    await fill({ From: 'chika', Text: 'the same to you' }, 'Send')
    await detail().getByRole('listitem').filter({ hasText: 'the same to you' }).waitFor()
    await control('trigger', { event_type: 'chat.sent', user: 'dario', target: 'erin' })
    await show('world/chat')
    await open('Encrypted conversations', '@dario')
    await rows('Envelopes').filter({ hasText: 'message' }).waitFor()
  })

  test('apps get tiers, callbacks and new keys', async () => {
    await show('world/apps')
    await button('New app').click()
    await send(
      { Owner: 'bob', Name: '<u>App</u>', Tier: 'free', Callbacks: 'https://example.com/a\nhttps://example.com/b' },
      'Create',
    )
    await dialog().getByRole('button', { name: 'Show api_key_secret' }).waitFor()
    await page.keyboard.press('Escape')
    await open('Apps', '<u>App</u>')
    await inDetail('Edit').click()
    await fill({ Tier: 'enterprise', Callbacks: 'https://example.com/c' }, 'Save')
    await detail().getByText('https://example.com/c').waitFor()
    await inDetail('Suspend').click()
    await inDetail('End suspension').click()
    // The buttons move when the word of this one changes.
    await inDetail('Suspend').waitFor()
    await inDetail('New keys').click()
    await dialog().getByRole('button', { name: 'Make new keys' }).click()
    await dialog().getByRole('button', { name: 'Show bearer_token' }).waitFor()
    await page.keyboard.press('Escape')
    const { apps } = await control('app.list', { query: '<u>App</u>' })
    expect(apps).toMatchObject([{ tier: 'enterprise', callback_urls: ['https://example.com/c'], suspended: false }])
  })

  test('reports are resolved with every action, and the audit log has what the console did', async () => {
    const { posts } = await control('post.list', { query: 'says', user: 'bob' })
    const [post] = posts
    const more = await control('post.list', { query: 'quote', user: 'nadia' })
    await control('report.create', { user: 'chika', kind: 'post', id: post.id, reason: 'sensitive', comment: MARKUP })
    await control('report.create', { user: 'chika', kind: 'post', id: more.posts[0].id, reason: 'spam' })
    await show('moderation')
    await expect.poll(() => rows('Reports').count()).toBe(3)
    await open('Reports', 'bob says')
    await detail().getByText(MARKUP).first().waitFor()
    await detail().getByLabel('Comment').fill('seen')
    await inDetail('Warn as sensitive').click()
    await expect.poll(() => rows('Reports').count()).toBe(2)
    await open('Reports', 'a quote')
    await inDetail('Remove the post').click()
    await dialog().getByRole('button', { name: 'Remove the post' }).click()
    await expect.poll(() => rows('Reports').count()).toBe(1)
    await open('Reports', '@bob')
    await inDetail('Suspend the user').click()
    await dialog().getByRole('button', { name: 'Suspend the user' }).click()
    await page.getByText('There are no such reports.').waitFor()
    expect((await control('user.show', { user: 'bob' })).user.suspended).toBe(true)
    await control('user.update', { user: 'bob', suspended: false })
    await page.getByLabel('State').selectOption('resolved')
    await expect.poll(() => rows('Reports').count()).toBe(3)
    await page.getByLabel('About').selectOption('user')
    await expect.poll(() => rows('Reports').count()).toBe(1)

    await show('moderation/audit')
    await page.getByLabel('Command').fill('report.resolve')
    await page.getByLabel('Command').press('Enter')
    await expect.poll(() => rows('Audit log').count()).toBe(3)
    await page.getByLabel('Who').selectOption('console session')
    await expect.poll(() => rows('Audit log').count()).toBe(3)
    await rows('Audit log').last().click()
    await detail().getByText('"comment": "seen"').first().waitFor()
  })

  test('every operation has a form; a request is sent as a user, an app and signed, and shown as code', async () => {
    await show('explorer')
    await page.getByLabel(/^Find one of \d+ operations$/).fill('create or edit')
    await page.getByRole('link', { name: /Create or edit a post/ }).click()
    await page.getByLabel('User', { exact: true }).fill('alice')
    await page.getByLabel('text', { exact: true }).fill(`from the explorer, it's "here"`)
    const code = page.getByRole('region', { name: /^Request as/ })
    expect(await code.textContent()).toContain(`'{"text":"from the explorer, it'\\''s \\"here\\""}'`)
    expect(await code.textContent()).not.toMatch(/Bearer [A-Za-z0-9]/)
    await button('fetch').click()
    expect(await code.textContent()).toContain('await fetch(')
    await button('requests').click()
    expect(await code.textContent()).toContain('requests.request(')
    await button('tweepy').click()
    expect(await code.textContent()).toMatch(
      /client\.create_[a-z]+\(text="from the explorer, it's \\"here\\"", user_auth=False\)/,
    )
    await button('Send').click()
    await page.getByText('201', { exact: true }).waitFor()
    const answer = page.getByRole('region', { name: 'Answer' })
    expect(JSON.parse((await answer.textContent())!).data.text).toContain('from the explorer')
    await page.getByLabel('Send as').selectOption('oauth1')
    await page.getByLabel('text', { exact: true }).fill('signed in the browser')
    await button('Send').click()
    await expect.poll(() => answer.textContent()).toContain('signed in the browser')

    await show('explorer/v2/getUsersByUsername')
    await page.getByLabel('Send as').selectOption('app')
    await page.getByLabel('username (required)').fill('alice')
    await page.getByLabel('user.fields', { exact: true }).fill('description,public_metrics')
    await button('Send').click()
    await expect.poll(() => answer.textContent()).toContain('followers_count')
    await page.getByText(/^\d+ headers$/).click()
    await page.getByText(/x-rate-limit-limit/).waitFor()
    await page.getByLabel('Naming').selectOption('legacy')
    await page.getByRole('heading', { name: /Look up/ }).waitFor()
    await show('explorer/ads')
    await page.getByLabel(/^Find one of \d+ operations$/).fill('get /accounts')
    const links = page.getByRole('navigation', { name: 'Operations' }).getByRole('link')
    await links.first().click()
    await page.getByLabel('User', { exact: true }).waitFor()
    await button('Send').click()
    await page.getByText('200', { exact: true }).waitFor()
  })

  test('a stream is watched until it is stopped', async () => {
    await show('explorer/v2/streamPostsSample')
    await page.getByLabel('Send as').selectOption('app')
    await button('Send').click()
    await button('Stop').click()
    await expect.poll(() => button('Stop').count()).toBe(0)
  })

  test('the main flow needs only the keyboard', async () => {
    await show('world')
    await rows('Users').first().waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('alice')
    await page.keyboard.press('Enter')
    await expect.poll(() => rows('Users').count()).toBe(1)
    await page.keyboard.press('Escape')
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await inDetail('Post as @alice').focus()
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    await dialog().getByLabel('Text').focus()
    await page.keyboard.type('typed, not clicked')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await expect.poll(() => dialog().count()).toBe(0)
    await page.keyboard.press('Escape')
    await expect.poll(() => detail().count()).toBe(0)
    await page.keyboard.press('g')
    await page.keyboard.press('m')
    await page.getByRole('heading', { name: 'Moderation' }).waitFor()
    expect((await control('post.list', { limit: 1 })).posts[0].text).toBe('typed, not clicked')
  })

  const PLACES = [
    ...['world/users/alice', 'world/posts', 'world/lists', 'world/spaces', 'world/communities', 'world/messages'],
    ...['world/chat', 'world/apps', 'moderation/reports?state=resolved', 'moderation/audit', 'explorer/v2/createPosts'],
  ]

  test('every page is sound on phones and desktops, in light and dark colours', async () => {
    const wrong: string[] = []
    for (const place of PLACES) {
      await page.setViewportSize({ width: 1280, height: 800 })
      await show(place)
      await expect.poll(() => page.getByText('Loading …').count()).toBe(0)
      const first = page.locator('tbody tr[data-row]').first()
      if (!place.includes('alice') && (await first.count()) > 0) {
        await first.click()
        await detail().waitFor()
      }
      await expect.poll(() => page.getByText('Loading …').count()).toBe(0)
      wrong.push(...(await wrongWith(page, `console-${place.replaceAll(/\W+/g, '-')}`, tab.shot)))
    }
    expect(wrong).toEqual([])
  })

  test('no script of a user ran, no error was written, and no other host was asked', () => {
    // The refusals that the tests cause are requests that browsers report.
    expect(tab.complaints.filter((words) => !words.startsWith('Failed to load resource'))).toEqual([])
    expect(foreign).toEqual([])
  })
})
