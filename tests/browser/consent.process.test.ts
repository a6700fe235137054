import { createHash, randomBytes } from 'node:crypto'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import {
  browserTest,
  type Chromium,
  findChromium,
  startChromium,
  startWebsite,
  type Tab,
  type Website,
} from '../support/chromium.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { sign } from '../support/sign.ts'

const program = findChromium()
const test = browserTest(program)

const PHONE = { viewport: { width: 375, height: 740 }, isMobile: true, hasTouch: true, deviceScaleFactor: 2 }
const EVERY_SCOPE =
  'post.read post.write post.moderate.write users.read users.email follows.read follows.write offline.access space.read ' +
  'mute.read mute.write like.read like.write list.read list.write block.read block.write bookmark.read bookmark.write ' +
  'dm.read dm.write media.write timeline.read broadcast.read broadcast.write'

let server: TestServer
let website: Website
let chromium: Chromium
let app: { id: string; api_key: string; api_key_secret: string; client_id: string; client_secret: string }
beforeAll(async () => {
  if (!program) return
  server = await startTestServer()
  website = await startWebsite()
  chromium = await startChromium(program)
  app = await newApp('Weather diary')
})
afterAll(async () => {
  await chromium?.close()
  await website?.close()
  await server?.close()
})

const newApp = (name: string) =>
  server.command('app.create', { name, owner: 'dario', callback_urls: [website.callback, 'diary://done'] })
const passwordOf = (username: string) => server.credentials.users.find((user) => user.username === username)!.password

/** Runs in a tab that is closed afterwards, and fails when the browser complained. */
async function inTab(options: Parameters<Chromium['tab']>[0], run: (tab: Tab) => Promise<void>): Promise<void> {
  const tab = await chromium.tab(options)
  try {
    await run(tab)
    expect(tab.complaints).toEqual([])
  } finally {
    await tab.close()
  }
}

async function requestToken(callback: string, at = app) {
  const url = `${server.baseUrl}/oauth/request_token`
  const keys = { consumerKey: at.api_key, consumerSecret: at.api_key_secret }
  const header = sign('POST', url, keys, { oauth: { oauth_callback: callback } })
  const answer = new URLSearchParams(
    await (await fetch(url, { method: 'POST', headers: { authorization: header } })).text(),
  )
  const token = answer.get('oauth_token')!
  return {
    token,
    secret: answer.get('oauth_token_secret')!,
    link: `${server.baseUrl}/oauth/authorize?oauth_token=${token}`,
  }
}

/** Exchanges the verifier, and returns the name of the account that the app may now use. */
async function exchange(pair: { token: string; secret: string }, verifier: string): Promise<string | null> {
  const url = `${server.baseUrl}/oauth/access_token`
  const keys = {
    consumerKey: app.api_key,
    consumerSecret: app.api_key_secret,
    token: pair.token,
    tokenSecret: pair.secret,
  }
  const header = sign('POST', url, keys, { oauth: { oauth_verifier: verifier } })
  const answer = await fetch(url, { method: 'POST', headers: { authorization: header } })
  return new URLSearchParams(await answer.text()).get('screen_name')
}

function codeLink(scope: string, redirect = website.callback) {
  const verifier = randomBytes(32).toString('base64url')
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: app.client_id,
    redirect_uri: redirect,
    scope,
    state: 'a state & more',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  })
  return { verifier, link: `${server.baseUrl}/i/oauth2/authorize?${query}` }
}

async function signIn(page: Page, username: string, password = passwordOf(username)): Promise<void> {
  await page.getByLabel('Username').fill(username)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

const press = (page: Page, button: 'Allow access' | 'Cancel' | 'Use another account') =>
  page.getByRole('button', { name: button }).click()

/** Waits until the browser is back at the app, and returns the parameters of the callback. */
async function broughtBack(page: Page): Promise<Record<string, string>> {
  await page.waitForURL(`${website.callback}?*`)
  expect(await page.getByRole('heading').textContent()).toBe('Back at the app')
  return Object.fromEntries(new URL(page.url()).searchParams)
}

const widerThanScreen = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)

test('a user who mistypes the password sees an error, tries again, allows the app and arrives at its callback', async () => {
  const tab = await chromium.tab()
  const { page } = tab
  const pair = await requestToken(website.callback)
  await page.goto(pair.link)
  expect(await page.title()).toBe('Sign in · Rostra')
  await tab.shot('sign-in')
  await signIn(page, 'bob', 'not the password')
  const alert = page.getByRole('alert')
  expect(await alert.textContent()).toContain('The username or the password is wrong.')
  expect(await page.getByLabel('Username').inputValue()).toBe('bob')
  expect(await page.getByLabel('Password').inputValue()).toBe('')
  await tab.shot('sign-in-wrong')
  // The refusal is a 401, which the browser itself notes; nothing else may be there.
  expect(tab.complaints.splice(0)).toEqual([expect.stringContaining('status of 401')])
  await signIn(page, 'bob')
  await page.waitForURL(pair.link)
  expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Allow Weather diary to use your account?')
  await tab.shot('consent-oauth1')
  await press(page, 'Allow access')
  const back = await broughtBack(page)
  expect(back.oauth_token).toBe(pair.token)
  expect(await exchange(pair, back.oauth_verifier!)).toBe('bob')
  expect(tab.complaints).toEqual([])
  await tab.close()
})

test('a user allows an app the scopes it asks for and the code gives a token', async () => {
  await inTab({}, async ({ page, shot }) => {
    const { link, verifier } = codeLink('post.read users.read offline.access')
    await page.goto(link)
    await signIn(page, 'alice')
    await page.getByRole('heading', { name: 'Allow Weather diary' }).waitFor()
    expect(await page.getByRole('region', { name: 'It will not be able to' }).textContent()).toContain('Post or repost')
    await shot('consent-oauth2')
    await press(page, 'Allow access')
    const back = await broughtBack(page)
    expect(back.state).toBe('a state & more')
    const token = await server.request('POST', '/2/oauth2/token', {
      as: { header: `Basic ${Buffer.from(`${app.client_id}:${app.client_secret}`).toString('base64')}` },
      form: {
        grant_type: 'authorization_code',
        code: back.code!,
        redirect_uri: website.callback,
        code_verifier: verifier,
      },
    })
    const me = await server.get('/2/users/me', { bearer: token.body.access_token })
    expect(me.body.data.username).toBe('alice')
  })
})

test('a user who cancels is sent back without access in both flows', async () => {
  await inTab({}, async ({ page }) => {
    const pair = await requestToken(website.callback)
    await page.goto(pair.link)
    await signIn(page, 'bob')
    await press(page, 'Cancel')
    expect(await broughtBack(page)).toEqual({ denied: pair.token })
    await page.goto(codeLink('post.read users.read').link)
    await press(page, 'Cancel')
    expect(await broughtBack(page)).toEqual({ error: 'access_denied', state: 'a state & more' })
  })
})

test('an app without a callback gets a PIN that the user can select with one click', async () => {
  await inTab({}, async ({ page, shot }) => {
    const pair = await requestToken('oob')
    await page.goto(pair.link)
    await signIn(page, 'chika')
    await press(page, 'Allow access')
    const pin = page.locator('#oauth_pin code')
    await pin.click()
    expect(await page.evaluate(() => String(getSelection()).trim())).toMatch(/^\d{7}$/)
    await shot('pin')
    expect(await exchange(pair, (await pin.textContent())!)).toBe('chika')
    const other = await requestToken('oob')
    await page.goto(other.link)
    await press(page, 'Cancel')
    expect(await page.getByRole('heading').textContent()).toBe('Access not allowed')
    await shot('denied-oob')
  })
})

test('everything works with scripts turned off', async () => {
  await inTab({ javaScriptEnabled: false }, async ({ page }) => {
    const pair = await requestToken(website.callback)
    await page.goto(pair.link)
    await signIn(page, 'dario')
    await press(page, 'Allow access')
    expect(await exchange(pair, (await broughtBack(page)).oauth_verifier!)).toBe('dario')
    await page.goto(codeLink('post.read users.read').link)
    await press(page, 'Use another account')
    await signIn(page, 'bob')
    await press(page, 'Allow access')
    expect((await broughtBack(page)).code).toMatch(/^[\w-]{20,}$/)
  })
})

test('a phone shows every page without sideways scrolling and with buttons big enough to touch', async () => {
  const long = await newApp('Donaudampfschifffahrtsgesellschaftskapitaensmuetze')
  await inTab(PHONE, async (tab) => {
    const { page } = tab
    const check = async (name: string) => {
      await tab.shot(`phone-${name}`)
      expect({ name, wider: await widerThanScreen(page) }).toEqual({ name, wider: 0 })
      const boxes = await page
        .locator('button, input:not([type=hidden])')
        .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().height))
      expect(Math.min(44, ...boxes)).toBe(44)
    }
    const pair = await requestToken('oob', long)
    await page.goto(pair.link)
    await check('sign-in')
    await signIn(page, 'alice', 'wrong')
    await page.getByRole('alert').waitFor()
    await check('sign-in-wrong')
    expect(tab.complaints.splice(0)).toEqual([expect.stringContaining('status of 401')])
    await signIn(page, 'alice')
    await page.getByRole('button', { name: 'Allow access' }).waitFor()
    await check('consent-long-name')
    await press(page, 'Allow access')
    await page.locator('#oauth_pin').waitFor()
    await check('pin')
    await page.goto(codeLink(EVERY_SCOPE).link)
    await check('consent-every-scope')
    await page.goto(codeLink('post.read', `https://elsewhere.example/${'a-long-path/'.repeat(12)}`).link)
    await check('refused-redirect')
    expect(tab.complaints.splice(0)).toEqual([expect.stringContaining('status of 400')])
  })
})

test('an app whose callback leads on to another address gets its user there', async () => {
  const callback = `${website.origin}/back-end`
  const relay = await server.command('app.create', { name: 'Relay', owner: 'dario', callback_urls: [callback] })
  await inTab({}, async ({ page }) => {
    const pair = await requestToken(callback, relay)
    await page.goto(pair.link)
    await signIn(page, 'erin')
    await press(page, 'Allow access')
    await page.waitForURL('**/front-end')
    expect(new URL(page.url()).hostname).toBe('localhost')
  })
})

test('the keyboard is enough, and the focus is visible', async () => {
  await inTab({}, async ({ page, shot }) => {
    const pair = await requestToken(website.callback)
    await page.goto(pair.link)
    await page.locator('#username:focus').waitFor()
    await page.keyboard.type('bob')
    await page.keyboard.press('Tab')
    await page.keyboard.type(passwordOf('bob'))
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Allow access' }).waitFor()
    const passed: string[] = []
    for (let step = 0; step < 10 && passed.at(-1) !== 'Allow access'; step += 1) {
      await page.keyboard.press('Tab')
      passed.push(await page.evaluate(() => document.activeElement?.textContent?.trim() ?? ''))
    }
    expect(passed).toEqual(['Use another account', 'Allow access'])
    const outline = await page.evaluate(() => getComputedStyle(document.activeElement!).outlineStyle)
    expect(outline).toBe('solid')
    await shot('consent-keyboard')
    await page.keyboard.press('Enter')
    expect(await exchange(pair, (await broughtBack(page)).oauth_verifier!)).toBe('bob')
  })
})

test('a user can sign in as someone else before deciding, and the decision is theirs', async () => {
  await inTab({}, async ({ page, shot }) => {
    const pair = await requestToken(website.callback)
    await page.goto(pair.link)
    await signIn(page, 'alice')
    await page.getByText('Alice Moreau').waitFor()
    await press(page, 'Use another account')
    expect(await page.getByLabel('Username').inputValue()).toBe('')
    await signIn(page, 'erin')
    await page.getByText('Erin Walsh').waitFor()
    await shot('consent-other-account')
    await press(page, 'Allow access')
    expect(await exchange(pair, (await broughtBack(page)).oauth_verifier!)).toBe('erin')
  })
})

test('dark pages are dark, and wide pages hold every scope', async () => {
  await inTab({ colorScheme: 'dark' }, async ({ page, shot }) => {
    const { link } = codeLink(EVERY_SCOPE)
    await page.goto(link)
    expect(await page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor)).toBe(
      'rgb(18, 16, 20)',
    )
    await shot('dark-sign-in')
    await signIn(page, 'chika')
    await page.getByRole('button', { name: 'Allow access' }).waitFor()
    await shot('dark-consent-every-scope')
    expect(await widerThanScreen(page)).toBe(0)
  })
})

test('a page of another site cannot frame the consent page', async () => {
  const tab = await chromium.tab()
  const pair = await requestToken(website.callback)
  await tab.page.goto(pair.link)
  await signIn(tab.page, 'bob')
  await tab.page.getByRole('button', { name: 'Allow access' }).waitFor()
  await tab.page.goto(website.show(`<!doctype html><title>Trap</title><iframe src="${pair.link}"></iframe>`))
  const framed = tab.page.frames()[1]!
  await framed.waitForLoadState()
  expect(await framed.getByRole('button', { name: 'Allow access' }).count()).toBe(0)
  expect(tab.complaints.join(' ')).toMatch(/frame-ancestors|X-Frame-Options/i)
  await tab.close()
})

test('a link that was used or made up leads to a page that explains', async () => {
  const tab = await chromium.tab()
  const answer = await tab.page.goto(`${server.baseUrl}/oauth/authorize?oauth_token=made-up`)
  expect(answer!.status()).toBe(403)
  expect(await tab.page.getByRole('heading').textContent()).toBe('This link cannot be used')
  expect(await tab.page.getByRole('alert').textContent()).toContain('Go back to the app and start again.')
  await tab.shot('refused-token')
  await tab.close()
})

test('an app scheme is a way back that the page allows', async () => {
  await inTab({}, async ({ page }) => {
    await page.goto(codeLink('post.read users.read', 'diary://done').link)
    await signIn(page, 'bob')
    expect(await page.locator('#afterwards').textContent()).toContain('You will be sent to diary: next.')
    const answer = page.waitForResponse((response) => response.request().method() === 'POST')
    await press(page, 'Allow access')
    expect((await answer).headers().location).toMatch(/^diary:\/\/done\?state=a%20state%20%26%20more&code=/)
  })
})
