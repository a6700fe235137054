import { Browser } from '../support/browser.ts'
import type { TestServer } from '../support/server.ts'

/** A browser in which a user of the first world is signed in. */
export async function signedIn(server: TestServer, username: string): Promise<Browser> {
  const user = server.credentials.users.find((candidate) => candidate.username === username)!
  const browser = new Browser(server.baseUrl)
  await browser.signIn(await browser.open('/i/sign-in?return_to=/home'), { username, password: user.password! })
  return browser
}
