import type { Browser } from '../support/browser.ts'
import type { TestAnswer, TestServer } from '../support/server.ts'
import { CALLBACK, type MadeApp } from './steps.ts'

// The check value of the reference.
export const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
export const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'
export const SCOPE = 'post.read post.write users.read'

type Pairs = Record<string, string | undefined>

const present = (pairs: Pairs): Record<string, string> =>
  Object.fromEntries(Object.entries(pairs).filter((pair): pair is [string, string] => pair[1] !== undefined))

/** The address of the consent page; an undefined value leaves the parameter out. */
export function authorizeAddress(app: MadeApp, over: Pairs = {}, path = '/i/oauth2/authorize'): string {
  const query = present({
    response_type: 'code',
    client_id: app.client_id,
    redirect_uri: CALLBACK,
    scope: SCOPE,
    state: 'my state',
    code_challenge: CHALLENGE,
    code_challenge_method: 'S256',
    ...over,
  })
  return `${path}?${new URLSearchParams(query)}`
}

/** What the app finds in its callback after the person allowed it. */
export async function allow(browser: Browser, app: MadeApp, over: Pairs = {}): Promise<URL> {
  const page = await browser.open(authorizeAddress(app, over))
  return (await browser.decide(page, 'approve')).leftFor!
}

export async function obtainCode(browser: Browser, app: MadeApp, over: Pairs = {}): Promise<string> {
  return (await allow(browser, app, over)).searchParams.get('code')!
}

export const basicOf = (app: MadeApp) =>
  `Basic ${Buffer.from(`${app.client_id}:${app.client_secret}`).toString('base64')}`

/** Asks the token endpoint as a confidential client. */
export function askTokens(server: TestServer, app: MadeApp, fields: Pairs): Promise<TestAnswer> {
  return server.request('POST', '/2/oauth2/token', { as: { header: basicOf(app) }, form: present(fields) })
}

export function exchangeCode(server: TestServer, app: MadeApp, code: string, over: Pairs = {}): Promise<TestAnswer> {
  const fields = { grant_type: 'authorization_code', code, redirect_uri: CALLBACK, code_verifier: VERIFIER, ...over }
  return askTokens(server, app, fields)
}

export const refresh = (server: TestServer, app: MadeApp, token: string, over: Pairs = {}): Promise<TestAnswer> =>
  askTokens(server, app, { grant_type: 'refresh_token', refresh_token: token, ...over })

/** Tokens of a person who allowed the scopes. */
export async function grantOauth2(
  server: TestServer,
  app: MadeApp,
  browser: Browser,
  scope = SCOPE,
): Promise<{ access_token: string; refresh_token?: string; scope: string }> {
  const answer = await exchangeCode(server, app, await obtainCode(browser, app, { scope }))
  if (answer.status !== 200) throw new Error(`token: ${answer.status} ${answer.text}`)
  return answer.body
}
