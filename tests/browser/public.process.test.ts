import { AxeBuilder } from '@axe-core/playwright'
import { afterAll, beforeAll, expect, test as plainTest, vi } from 'vitest'
import { makePublicScene, publicPaths } from '../pages/public-scene.ts'
import { buildProgram } from '../support/child-server.ts'
import { type Chromium, findChromium, startChromium } from '../support/chromium.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

// A page takes long on a busy machine.
vi.setConfig({ testTimeout: 120_000 })

const program = findChromium()
const test = (name: string, run: () => Promise<void>, timeout = 60_000) =>
  plainTest.skipIf(program === undefined)(
    program ? name : `SKIPPED, NO CHROMIUM ON THIS MACHINE: ${name}`,
    run,
    timeout,
  )

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
}, 120_000)
afterAll(async () => {
  await chromium?.close()
  await server?.close()
})

/** Opens every page in one tab and says what is wrong with it. */
async function wrongPages(mode: string, options: Parameters<Chromium['tab']>[0]): Promise<string[]> {
  const tab = await chromium.tab(options)
  const wrong: string[] = []
  tab.page.on('request', (request) => {
    if (!request.url().startsWith(server.baseUrl) && !request.url().startsWith('data:'))
      wrong.push(`request to ${request.url()}`)
  })
  for (const [name, path] of Object.entries(paths)) {
    await tab.page.goto(server.baseUrl + path)
    await tab.shot(`${mode}-${name}`)
    const excess = await tab.page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    )
    if (excess > 0) wrong.push(`${name}: ${excess} pixels wider than the screen`)
    const { violations } = await new AxeBuilder({ page: tab.page }).analyze()
    for (const { id, impact, nodes } of violations)
      if (impact === 'serious' || impact === 'critical') wrong.push(`${name}: ${id} ${nodes[0]?.html}`)
    // The refusal is noted by the browser itself.
    if (name !== 'not-found') wrong.push(...tab.complaints.map((line) => `${name}: ${line}`))
    tab.complaints.splice(0)
  }
  await tab.close()
  return wrong
}

test('every public page is sound on a desktop, in light colours', async () => {
  expect(await wrongPages('desktop-light', { viewport: { width: 1280, height: 800 }, colorScheme: 'light' })).toEqual(
    [],
  )
}, 120_000)

test('every public page is sound on a phone, in dark colours', async () => {
  expect(await wrongPages('phone-dark', { ...PHONE, colorScheme: 'dark' })).toEqual([])
}, 120_000)

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
