// Run by `rostra exec`: signs in and allows an app in Chromium, at the platform's own address. Prints the address that it ends at.
import { chromium } from 'playwright-core'

const [, , program, username, password] = process.argv
const browser = await chromium.launch({
  executablePath: program,
  args: ['--no-sandbox', `--ignore-certificate-errors-spki-list=${process.env.ROSTRA_CERTIFICATE_SPKI}`],
})
const page = await browser.newPage()
page.setDefaultTimeout(60_000)
const query = new URLSearchParams({
  response_type: 'code',
  client_id: process.env.TWITTER_CLIENT_ID,
  redirect_uri: process.argv[5],
  scope: 'tweet.read users.read',
  state: 'abc',
  code_challenge: 'challenge-of-forty-three-characters-or-more-0',
  code_challenge_method: 'plain',
})
await page.goto(`https://twitter.com/i/oauth2/authorize?${query}`)
await page.fill('input[name=username]', username)
await page.fill('input[name=password]', password)
await page.click('button[type=submit]')
await page.route(`${process.argv[5]}**`, (route) => route.fulfill({ body: 'done' }))
await page.click('button[name=decision][value=approve]')
await page.waitForURL(`${process.argv[5]}**`)
console.log(page.url())
await browser.close()
