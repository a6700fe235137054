import { afterAll, beforeAll, expect } from 'vitest'
import { makePublicScene, publicPaths } from '../pages/public-scene.ts'
import { buildProgram } from '../support/child-server.ts'
import { browserTest, type Chromium, findChromium, startChromium } from '../support/chromium.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { wrongWith } from '../support/sound-page.ts'

const program = findChromium()
const test = browserTest(program)

const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }

let server: TestServer
let chromium: Chromium
let paths: Record<string, string>
beforeAll(async () => {
  if (!program) return
  buildProgram()
  server = await startTestServer(['--console', 'off'], { events: true })
  paths = publicPaths(await makePublicScene(server))
  chromium = await startChromium(program)
})
afterAll(async () => {
  await chromium?.close()
  await server?.close()
})

test('every public page is sound on phones and desktops, in light and dark colours', async () => {
  const tab = await chromium.tab()
  const wrong: string[] = []
  tab.page.on('request', (request) => {
    if (!request.url().startsWith(server.baseUrl) && !request.url().startsWith('data:'))
      wrong.push(`request to ${request.url()}`)
  })
  for (const [name, path] of Object.entries(paths)) {
    await tab.page.goto(server.baseUrl + path)
    wrong.push(...(await wrongWith(tab.page, `public-${name}`, tab.shot)))
    // The refusal is noted by the browser itself.
    if (name !== 'not-found') wrong.push(...tab.complaints.map((line) => `${name}: ${line}`))
    tab.complaints.splice(0)
  }
  await tab.close()
  expect(wrong).toEqual([])
})

test('without a script a visitor searches, opens a post, looks at what is hidden and goes on', async () => {
  const { page, complaints, close } = await chromium.tab({ ...PHONE, javaScriptEnabled: false })
  await page.goto(`${server.baseUrl}/`)
  await page.getByRole('link', { name: 'Search' }).first().click()
  await page.getByRole('searchbox').fill('rotten')
  await page.getByRole('button', { name: 'Search' }).click()
  await page.locator('.card .when').first().click()
  const hidden = page.getByRole('img', { name: 'Mould' })
  expect(await hidden.isVisible()).toBe(false)
  await page.getByText('This may be disturbing').click()
  expect(await hidden.isVisible()).toBe(true)
  await page
    .getByRole('link', { name: /@alice/ })
    .first()
    .click()
  expect(await page.getByRole('heading', { level: 1 }).textContent()).toContain('@alice')
  expect(complaints).toEqual([])
  await close()
})
