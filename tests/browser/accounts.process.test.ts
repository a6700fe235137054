import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import { buildProgram } from '../support/child-server.ts'
import { browserTest, type Chromium, findChromium, startChromium, type Tab } from '../support/chromium.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { wrongWith } from '../support/sound-page.ts'

const program = findChromium()
const test = browserTest(program)

const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }

let server: TestServer
let chromium: Chromium
beforeAll(async () => {
  if (!program) return
  buildProgram()
  server = await startTestServer()
  chromium = await startChromium(program)
})
afterAll(async () => {
  await chromium?.close()
  await server?.close()
})

/** Runs in a tab that is closed afterwards. Fails when the browser complained, or asked another host for anything. */
async function inTab(options: Parameters<Chromium['tab']>[0], run: (tab: Tab) => Promise<void>): Promise<void> {
  const tab = await chromium.tab(options)
  const elsewhere: string[] = []
  tab.page.on('request', (request) => {
    if (!request.url().startsWith(server.baseUrl)) elsewhere.push(request.url())
  })
  try {
    await run(tab)
    expect(tab.complaints).toEqual([])
    expect(elsewhere).toEqual([])
  } finally {
    await tab.close()
  }
}

async function signIn(page: Page, username: string, returnTo: string): Promise<void> {
  await page.goto(`${server.baseUrl}/i/sign-in?return_to=${encodeURIComponent(returnTo)}`)
  await page.getByLabel('Username').fill(username)
  await page.getByLabel('Password').fill(server.credentials.users.find((user) => user.username === username)!.password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

test('somebody registers with the keyboard only, without a script, and is told what is wrong beside the field', () =>
  inTab({ ...PHONE, javaScriptEnabled: false, colorScheme: 'dark' }, async ({ page, shot, complaints }) => {
    await page.goto(`${server.baseUrl}/i/register`)
    await page.getByLabel('Username').focus()
    for (const text of ['settings', 'Keyboard', '', 'a long password']) {
      await page.keyboard.type(text)
      await page.keyboard.press('Tab')
    }
    await page.keyboard.press('Enter')
    await page.getByText('The username settings is reserved.').waitFor()
    expect(await page.evaluate(() => document.activeElement?.id).catch(() => 'register-username')).toBe(
      'register-username',
    )
    await shot('accounts-register-phone-dark')
    // The refused form itself is what the browser notes.
    complaints.length = 0
    await page.getByLabel('Username').fill('keyboarder')
    await page.getByLabel('Password').fill('a long password')
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.waitForURL('**/home')
  }))

test('every page of an account is sound on phones and desktops, in light and dark colours', async () => {
  const app = await server.command('app.create', {
    name: 'Weather diary',
    owner: 'alice',
    description: 'Of the weather',
  })
  await server.command('user.token', { user: 'alice', app: app.id, oauth2: true })
  const settings = ['', '/account', '/sessions', '/apps', '/data', '/delete'].map((path) => `/i/settings${path}`)
  const wrong: string[] = []
  await inTab({}, async ({ page, shot }) => {
    for (const path of ['/i/register', '/i/sign-in']) {
      await page.goto(`${server.baseUrl}${path}`)
      wrong.push(...(await wrongWith(page, `accounts${path.slice(2).replaceAll('/', '-')}`, shot)))
    }
    await signIn(page, 'alice', '/i/settings')
    for (const path of [...settings, '/i/developer', `/i/developer/apps/${app.id}`]) {
      await page.goto(`${server.baseUrl}${path}`)
      const name = path
        .replace(/\/\d+$/, '')
        .slice(2)
        .replaceAll('/', '-')
      wrong.push(...(await wrongWith(page, `accounts${name}`, shot)))
    }
  })
  expect(wrong).toEqual([])
})

test('a user changes the profile with a picture, revokes an app, downloads the data and signs out', () =>
  inTab({}, async ({ page }) => {
    const app = await server.command('app.create', { name: 'Curious', owner: 'alice' })
    await server.command('user.token', { user: 'erin', app: app.id })
    await signIn(page, 'erin', '/i/settings')
    await page.getByLabel('Name', { exact: true }).fill('Erin of the browser')
    await page.getByRole('button', { name: 'Save profile' }).click()
    await page.getByText('Your profile was saved.').waitFor()
    const picture = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    )
    await page
      .getByLabel('Picture', { exact: true })
      .setInputFiles({ name: 'me.png', mimeType: 'image/png', buffer: picture })
    await page.getByRole('button', { name: 'Save pictures' }).click()
    await page.getByText('Your pictures were saved.').waitFor()
    expect(await page.locator('main img.face').getAttribute('src')).toContain('/media/')
    await page.getByRole('link', { name: 'Apps' }).click()
    await page.getByRole('button', { name: 'Revoke access of Curious' }).click()
    await page.getByText('The access of the app was revoked.').waitFor()
    await page.getByRole('link', { name: 'Your data' }).click()
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download your data' }).click()
    expect((await download).suggestedFilename()).toMatch(/^rostra-erin-.*\.jsonl\.gz$/)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.goto(`${server.baseUrl}/i/settings`)
    await page.getByRole('heading', { name: 'Sign in', exact: true }).waitFor()
  }))

test('a developer creates an app on the page, and its keys work', () =>
  inTab({}, async ({ page, shot }) => {
    await signIn(page, 'bob', '/i/developer')
    await page.getByLabel('Name', { exact: true }).fill('Made in a browser')
    await page.getByRole('button', { name: 'Create app' }).click()
    await page.getByRole('heading', { name: 'Your app was created' }).waitFor()
    await shot('accounts-developer-keys-desktop-light')
    const bearer = await page.locator('.secrets div', { hasText: 'Bearer token' }).locator('dd').innerText()
    expect((await server.get('/2/users/by/username/bob', { bearer })).status).toBe(200)
    await page.getByRole('link', { name: 'Go on to the app' }).click()
    await page.getByRole('heading', { name: 'Made in a browser' }).waitFor()
  }))
