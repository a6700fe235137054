import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'

type Violation = Awaited<ReturnType<AxeBuilder['analyze']>>['violations'][number]

const SCREENS = { phone: { width: 390, height: 844 }, desktop: { width: 1280, height: 800 } }
// The checker writes down only what it objects to, which takes less time.
const OPTIONS: Parameters<AxeBuilder['options']>[0] = { resultTypes: ['violations'] }

const serious = (violations: readonly Violation[]): string[] =>
  violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' ')}`)

/** What the accessibility checker calls serious on the page as it is shown now. */
export async function seriousFindings(page: Page): Promise<string[]> {
  // Pages have no frames, so the checker needs no page of its own to put results together.
  const { violations } = await new AxeBuilder({ page }).setLegacyMode().options(OPTIONS).analyze()
  return serious(violations)
}

/** The same once more on a page that has the checker already; with all of its rules, or one. */
async function findingsAgain(page: Page, rule?: string): Promise<string[]> {
  const options = { ...OPTIONS, ...(rule === undefined ? {} : { runOnly: [rule] }) }
  return serious(await page.evaluate<Violation[]>(`axe.run(${JSON.stringify(options)}).then((all) => all.violations)`))
}

/** What is wrong with an open page on a phone and on a desktop, in light and in dark colours. The page is loaded once. */
export async function wrongWith(
  page: Page,
  name: string,
  shot: (name: string) => Promise<void> = async () => {},
): Promise<string[]> {
  const wrong: string[] = []
  const show = async (screen: keyof typeof SCREENS, colorScheme: 'light' | 'dark', find: () => Promise<string[]>) => {
    await page.setViewportSize(SCREENS[screen])
    // Colours that are on their way to others have no contrast that could be judged.
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    const where = `${name}-${screen}-${colorScheme}`
    await shot(where)
    wrong.push(...(await find()).map((finding) => `${where}: ${finding}`))
    const excess = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    )
    if (excess > 0) wrong.push(`${where}: ${excess} pixels wider than the screen`)
  }
  // Elements are the same in both schemes; their colours are not.
  await show('phone', 'dark', () => seriousFindings(page))
  await show('phone', 'light', () => findingsAgain(page, 'color-contrast'))
  await show('desktop', 'light', () => findingsAgain(page))
  await show('desktop', 'dark', () => findingsAgain(page, 'color-contrast'))
  return wrong
}
