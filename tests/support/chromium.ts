import { accessSync, constants, mkdirSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { test } from 'vitest'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

// A page takes long on a busy machine.
const PAGE_WITHIN_MS = 60_000
const START_WITHIN_MS = 120_000

/** Folder for screenshots of the pages, if wanted: ROSTRA_TEST_SHOTS=<folder>. */
const SHOTS = process.env.ROSTRA_TEST_SHOTS

/** The Chromium of this machine; undefined, with a warning, when there is none. */
export function findChromium(): string | undefined {
  const folders = ['/usr/bin', ...(process.env.PATH ?? '').split(path.delimiter)]
  for (const name of NAMES)
    for (const folder of folders) if (isProgram(path.join(folder, name))) return path.join(folder, name)
  const line = '!'.repeat(78)
  process.stderr.write(
    `\n${line}\n!! NO CHROMIUM FOUND (looked for ${NAMES.join(', ')}).\n` +
      `!! THE BROWSER TESTS ARE SKIPPED: nobody has checked the sign-in and consent pages.\n${line}\n\n`,
  )
  return undefined
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Tests that need this browser; without one they are skipped, and their names say so. */
export const browserTest = (program: string | undefined) => (name: string, run: () => Promise<void>) =>
  test.skipIf(program === undefined)(program ? name : `SKIPPED, NO CHROMIUM ON THIS MACHINE: ${name}`, run)

/** A tab of a browser of its own: fresh cookies, and a list of every error of the browser. */
export interface Tab {
  page: Page
  /** Console errors, refused resources and script errors, as the browser words them. */
  complaints: string[]
  shot(name: string): Promise<void>
  close(): Promise<void>
}

export interface Chromium {
  tab(options?: BrowserContextOptions): Promise<Tab>
  close(): Promise<void>
}

export async function startChromium(executablePath: string): Promise<Chromium> {
  if (SHOTS) mkdirSync(SHOTS, { recursive: true })
  const browser: Browser = await chromium.launch({ executablePath, args: ARGUMENTS, timeout: START_WITHIN_MS })
  return {
    tab: async (options = {}) => {
      const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options })
      const page = await context.newPage()
      const complaints: string[] = []
      page.on('console', (message) => {
        if (message.type() === 'error' || message.type() === 'warning')
          complaints.push(`${message.text()} ${message.location().url}`)
      })
      page.on('pageerror', (error) => complaints.push(String(error)))
      page.setDefaultTimeout(PAGE_WITHIN_MS)
      return {
        page,
        complaints,
        shot: async (name) => {
          if (SHOTS) await page.screenshot({ path: path.join(SHOTS, `${name}.png`), fullPage: true })
        },
        close: () => context.close(),
      }
    },
    close: () => browser.close(),
  }
}

/** The website of an app: users come back to its callback. */
export interface Website {
  callback: string
  origin: string
  /** Shows this page at `/page`. */
  show(html: string): string
  close(): Promise<void>
}

export async function startWebsite(): Promise<Website> {
  let shown = ''
  let frontEnd = ''
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8')
    if (request.url === '/favicon.ico') response.statusCode = 204
    // A back end that redirects the browser to its front end, which is another origin.
    if (request.url?.startsWith('/back-end?')) response.writeHead(302, { location: `${frontEnd}/front-end` })
    response.end(request.url === '/page' ? shown : '<!doctype html><title>Back</title><h1>Back at the app</h1>')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const origin = `http://127.0.0.1:${port}`
  frontEnd = `http://localhost:${port}`
  return {
    callback: `${origin}/callback`,
    origin,
    show: (html) => {
      shown = html
      return `${origin}/page`
    },
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
