import { afterAll, beforeAll, expect, test } from 'vitest'
import { takeDataFolder } from '../../src/start/instance-lock.ts'
import { call, WHERE_CHANGED } from '../cli/call-main.ts'
import { removeFolder, temporaryFolder } from '../support/child-server.ts'
import { TEST_SECRET_KEY } from '../support/facts.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { appKeys, CALLBACK, grantOauth1, type MadeApp, requestToken, signedInBrowser } from './steps.ts'

let server: TestServer
let folder: string
beforeAll(async () => {
  server = await startTestServer()
  folder = temporaryFolder()
  // The command line finds the server as it finds one that was started on the folder.
  await (await takeDataFolder(folder)).announce({ listen_url: server.baseUrl })
})
afterAll(async () => {
  await server.close()
  removeFolder(folder)
})

async function rostra(...args: string[]): Promise<unknown> {
  const where = ['--data-dir', folder, '--secret-key', TEST_SECRET_KEY, '--json']
  const { code, stdout, stderr } = await call([...args, ...where])
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(WHERE_CHANGED) })
  return JSON.parse(stdout)
}

/** Whether somebody who allowed the app before is asked again. */
async function asksAgain(app: MadeApp): Promise<boolean> {
  const browser = await signedInBrowser(server, app, 'chika')
  await grantOauth1(server, app, browser)
  const { oauth_token } = await requestToken(server, appKeys(app))
  return (await browser.open(`/oauth/authenticate?oauth_token=${oauth_token}`)).leftFor === undefined
}

test('app create and app update set with --sign-in whether oauth/authenticate is silent the second time', async () => {
  const flags = ['--name', 'Asks', '--owner', 'bob', '--callback', CALLBACK]
  const silent = (await rostra('app', 'create', ...flags)) as MadeApp
  expect(await asksAgain(silent)).toBe(false)
  const asking = (await rostra('app', 'create', ...flags, '--sign-in', 'no')) as MadeApp
  expect(asking).toMatchObject({ sign_in_enabled: false })
  expect(await asksAgain(asking)).toBe(true)
  await rostra('app', 'update', asking.id, '--sign-in', 'yes')
  expect(await asksAgain(asking)).toBe(false)
  await rostra('app', 'update', silent.id, '--sign-in', 'no')
  expect(await asksAgain(silent)).toBe(true)
})
