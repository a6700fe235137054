import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ChildServer, startChildServer } from '../support/child-server.ts'
import { type Chromium, findChromium, startChromium, type Tab } from '../support/chromium.ts'
import { sign } from '../support/sign.ts'
import { seriousFindings, wrongWith } from '../support/sound-page.ts'

const run = promisify(execFile)
const ROOT = path.resolve(import.meta.dirname, '../..')
const executable = findChromium()

describe.runIf(executable)('the console in a browser', () => {
  let server: ChildServer
  let chromium: Chromium
  let tab: Tab
  let page: Page
  const elsewhere: string[] = []

  beforeAll(async () => {
    server = await startChildServer({ flags: ['--workers', '2'] })
    chromium = await startChromium(executable!)
    tab = await chromium.tab({ permissions: ['clipboard-read', 'clipboard-write'] })
    page = tab.page
    page.on('request', (request) => {
      if (new URL(request.url()).origin !== server.baseUrl) elsewhere.push(request.url())
    })
    await page.goto(server.credentials.console_url!)
    await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor()
  })
  afterAll(async () => {
    await chromium?.close()
    await server?.stop()
  })

  const to = (rest: string) => page.goto(`${server.baseUrl}/_rostra/console/${rest}`)
  const ask = (rest: string, authorization = `Bearer ${server.credentials.apps[0]!.bearer_token}`) =>
    fetch(server.baseUrl + rest, { headers: { authorization } })
  const shown = (words: string) => page.getByText(words).first().waitFor()

  test('is signed in by its link, which does not stay in the address', async () => {
    expect(page.url()).toBe(`${server.baseUrl}/_rostra/console/`)
    await shown('Live')
    await expect.poll(() => page.locator('.badge.good').first().textContent()).toBe('ok')
    expect(await seriousFindings(page)).toEqual([])
  })

  test('shows secrets only after a click', async () => {
    const { api_key_secret: secret } = server.credentials.apps[0]!
    expect(await page.content()).not.toContain(secret)
    await page.getByRole('button', { name: 'Show API key secret of First app' }).click()
    await shown(secret)
    await page.getByRole('button', { name: 'Copy bearer token of First app' }).click()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(server.credentials.apps[0]!.bearer_token)
  })

  test('shows which operations were called, and how they fared', async () => {
    await ask('/2/users/by/username/alice')
    await ask('/2/users/by/username/!')
    const row = page.getByRole('row', { name: /getUsersByUsername/ })
    await expect
      .poll(() => row.innerText().then((text) => text.split(/\s+/)))
      .toEqual(expect.arrayContaining(['getUsersByUsername', '2', '1', '400']))
    await shown('GET /2/users/by/username/!')
    await tab.shot('console-home')
  })

  test('has examples that run as they are pasted', async () => {
    const pasted = async (client: string) => {
      await page.getByRole('group', { name: 'Client' }).getByRole('button', { name: client, exact: true }).click()
      return page.getByRole('region', { name: `example for ${client}` }).innerText()
    }
    // Where the tests are told of another Python, it is the first; what a client keeps in the home folder is removed again.
    const home = mkdtempSync(path.join(os.tmpdir(), 'rostra-home-'))
    const python = process.env.ROSTRA_TEST_PYTHON
    const folders = [...(python ? [path.dirname(python)] : []), process.env.PATH]
    const env = { ...process.env, HOME: home, PATH: folders.join(path.delimiter) }
    const paste = (text: string) => run('sh', ['-c', text], { cwd: ROOT, env })
    const isThere = async (text: string) =>
      paste(text).then(
        () => true,
        () => false,
      )
    const clients = ['curl', 'rostra exec', 'xdk', 'twitter-api-v2']
    if (await isThere('python3 -c "import tweepy"')) clients.push('tweepy')
    if (await isThere('xurl --help')) clients.push('xurl')
    const texts = []
    for (const client of clients) texts.push(await pasted(client))
    for (const { stdout } of await Promise.all(texts.map(paste))) expect(stdout).toContain('alice')
    rmSync(home, { recursive: true })
  })

  test('a request appears when it is answered, without loading the page again', async () => {
    await page.keyboard.press('g')
    await page.keyboard.press('r')
    await page.getByRole('heading', { name: 'Requests', level: 1 }).waitFor()
    await shown('/2/users/by/username/alice')
    const row = page.getByText('/2/users/me?mark=live')
    const started = performance.now()
    await Promise.all([ask('/2/users/me?mark=live'), row.waitFor()])
    console.log(`time to the row of a live request: ${Math.round(performance.now() - started)} ms`)
    expect(await seriousFindings(page)).toEqual([])
  })

  test('filters stand in the address, and are reached by keyboard', async () => {
    await page.keyboard.press('/')
    await page.keyboard.type('mark=live')
    await expect.poll(() => page.url()).toContain('?search=mark%3Dlive')
    await expect.poll(() => page.locator('tr[data-row]').count()).toBe(1)
    await page.reload()
    await expect.poll(() => page.locator('tr[data-row]').count()).toBe(1)
    await to('requests?status=refused&app=First+app')
    await expect.poll(() => page.locator('tr[data-row]').count()).toBeGreaterThan(1)
    expect(await page.locator('tr[data-row] .badge.good').count()).toBe(0)
    await to('requests')
    await shown('mark=live')
    expect(await page.getByText('/_rostra/commands/').count()).toBe(0)
    await page.getByLabel("Also the console's own").check()
    await shown('/_rostra/commands/clock')
  })

  test('a wrong signature is shown beside the one that was expected, with the first difference', async () => {
    const { apps, users } = server.credentials
    const keys = {
      consumerKey: apps[0]!.api_key,
      consumerSecret: apps[0]!.api_key_secret,
      token: users[0]!.access_token,
      tokenSecret: users[0]!.access_token_secret,
    }
    await to('requests')
    await ask('/2/users/me?user.fields=name', sign('GET', `${server.baseUrl}/2/users/me`, keys))
    await shown('it did not sign the parameters of the query')
    // By keyboard only.
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.locator('mark').first().waitFor()
    expect(await page.locator('mark').count()).toBe(2)
    expect(await page.getByRole('region', { name: 'Your program signed' }).innerText()).toMatch(/^GET&http/)
    expect(await seriousFindings(page)).toEqual([])
    await tab.shot('console-requests')
    await page.keyboard.press('Escape')
    await page.locator('[data-detail]').waitFor({ state: 'detached' })
  })

  test('a request is copied as curl that works, sent again, and made to fail', async () => {
    await ask('/2/users/by/username/bob')
    await page.getByText('/2/users/by/username/bob').first().click()
    await page.getByRole('button', { name: 'Copy the request as curl' }).click()
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toMatch(/^curl /)
    const curl = await page.evaluate(() => navigator.clipboard.readText())
    expect((await run('sh', ['-c', curl])).stdout).toMatch(/HTTP\/1\.1 200 OK[\s\S]*"username":"bob"/)
    await page.getByRole('button', { name: 'Send again' }).click()
    await page.getByRole('heading', { name: /Sent again: 200/ }).waitFor()
    await page.getByRole('button', { name: 'Fail the next one' }).click()
    await page.getByLabel('What happens').selectOption('503')
    await page.getByRole('button', { name: 'Set the fault' }).click()
    await shown('The next one will fail')
    expect((await ask('/2/users/by/username/bob')).status).toBe(503)
    expect((await ask('/2/users/by/username/bob')).status).toBe(200)
    await page.getByText('503').first().waitFor()
  })

  test('stays up to date when the connection was cut', async () => {
    await to('requests')
    await shown('Live')
    await page.context().setOffline(true)
    await ask('/2/users/me?mark=while-away')
    await page.context().setOffline(false)
    await page.getByText('mark=while-away').waitFor()
  })

  test('shows its shortcuts, and a page that is not there', async () => {
    await page.keyboard.press('?')
    await page.getByRole('dialog').getByText('next or previous row').waitFor()
    await page.keyboard.press('Escape')
    await to('nowhere')
    await page.getByRole('heading', { name: 'There is no such page' }).waitFor()
  })

  test('every page is sound on phones and desktops, in light and dark colours', async () => {
    const wrong: string[] = []
    for (const [name, rest] of [
      ['home', ''],
      ['requests', 'requests'],
    ] as const) {
      await to(rest)
      await page.getByText('/2/users/by/username/bob').first().waitFor()
      wrong.push(...(await wrongWith(page, `console-${name}`, tab.shot)))
    }
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.emulateMedia({ colorScheme: 'light' })
    expect(wrong).toEqual([])
  })

  test('a link that was used says how to get another', async () => {
    const other = await chromium.tab()
    await other.page.goto(server.credentials.console_url!)
    await other.page.getByRole('alert').waitFor()
    expect(await other.page.getByRole('alert').innerText()).toContain('This link was used')
    expect(await seriousFindings(other.page)).toEqual([])
    await other.shot('console-signed-out')
    // The browser reports the refused exchange itself.
    expect(other.complaints.filter((words) => !words.includes('403'))).toEqual([])
    await other.close()
  })

  test('sends nothing to another host, and the browser complains about nothing', () => {
    expect(elsewhere).toEqual([])
    // Cut on purpose above.
    expect(
      tab.complaints.filter((words) => !words.includes('ERR_INTERNET_DISCONNECTED') && !words.includes('ERR_NETWORK')),
    ).toEqual([])
  })

  test('signs out', async () => {
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Open the console with its link' }).waitFor()
    await page.reload()
    await page.getByRole('heading', { name: 'Open the console with its link' }).waitFor()
  })
})
