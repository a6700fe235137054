import { request as httpRequest } from 'node:http'
import { Browser } from '../support/browser.ts'
import type { TestAnswer, TestServer } from '../support/server.ts'
import { type SigningKeys, sign } from '../support/sign.ts'

/** An app as app.create answers it. */
export interface MadeApp {
  id: string
  api_key: string
  api_key_secret: string
  client_id: string
  client_secret: string
  bearer_token: string
}

export const UNAUTHORIZED = { title: 'Unauthorized', type: 'about:blank', status: 401, detail: 'Unauthorized' }
export const coded = (code: number, message: string) => ({ errors: [{ code, message }] })
export const COULD_NOT_AUTHENTICATE = coded(32, 'Could not authenticate you.')
export const INVALID_TOKEN = coded(89, 'Invalid or expired token.')
export const UNVERIFIED = {
  errors: [{ code: 99, message: 'Unable to verify your credentials', label: 'authenticity_token_error' }],
}

export const CALLBACK = 'https://client.example/done?kept=1'

export function makeApp(server: TestServer, over: Record<string, unknown> = {}): Promise<MadeApp> {
  return server.command('app.create', { name: 'Reader', owner: 'bob', callback_urls: [CALLBACK], ...over })
}

/** Name and password of a first-world user. */
export function person(server: TestServer, username: string) {
  return server.credentials.users.find((user) => user.username === username)!
}

export const appKeys = (app: MadeApp): SigningKeys => ({
  consumerKey: app.api_key,
  consumerSecret: app.api_key_secret,
})

/** The pairs of an Authorization header. */
export function headerPairs(header: string): Record<string, string> {
  return Object.fromEntries(
    [...header.matchAll(/([a-z_]+)="([^"]*)"/g)].map(([, name, value]) => [name!, decodeURIComponent(value!)]),
  )
}

const formPairs = (text: string): Record<string, string> => Object.fromEntries(new URLSearchParams(text))

/** Asks for a request token. */
export async function askRequestToken(
  server: TestServer,
  keys: SigningKeys,
  callback: string,
  form?: Record<string, string>,
): Promise<TestAnswer & { pairs: Record<string, string> }> {
  const url = `${server.baseUrl}/oauth/request_token`
  const header = sign('POST', url, keys, { form, oauth: { oauth_callback: callback } })
  const answer = await server.request('POST', '/oauth/request_token', { as: { header }, form })
  return { ...answer, pairs: formPairs(answer.text) }
}

/** Exchanges an approved request token; without a verifier none is sent. */
export async function exchangeRequestToken(
  server: TestServer,
  keys: SigningKeys,
  request: { oauth_token: string; oauth_token_secret: string },
  verifier?: string,
): Promise<TestAnswer & { pairs: Record<string, string> }> {
  const signing = { ...keys, token: request.oauth_token, tokenSecret: request.oauth_token_secret }
  const form = verifier === undefined ? undefined : { oauth_verifier: verifier }
  const answer = await server.request('POST', '/oauth/access_token', { as: { keys: signing }, form })
  return { ...answer, pairs: formPairs(answer.text) }
}

export type RequestToken = { oauth_token: string; oauth_token_secret: string }

/** A request token that must be given. */
export async function requestToken(
  server: TestServer,
  keys: SigningKeys,
  callback = CALLBACK,
  form?: Record<string, string>,
): Promise<RequestToken> {
  const answer = await askRequestToken(server, keys, callback, form)
  if (answer.status !== 200) throw new Error(`request_token: ${answer.status} ${answer.text}`)
  return answer.pairs as RequestToken
}

/** A browser in which somebody is signed in. */
export async function signedInBrowser(server: TestServer, app: MadeApp, username: string): Promise<Browser> {
  const browser = new Browser(server.baseUrl)
  const { oauth_token } = await requestToken(server, appKeys(app), 'oob')
  await browser.signIn(await browser.open(`/oauth/authorize?oauth_token=${oauth_token}`), person(server, username))
  if (!browser.cookies.has('rostra_session')) throw new Error(`${username} could not sign in`)
  return browser
}

/** The whole three-legged flow of somebody who is signed in and allows the app. */
export async function grantOauth1(
  server: TestServer,
  app: MadeApp,
  browser: Browser,
  form?: Record<string, string>,
): Promise<SigningKeys & { token: string; tokenSecret: string }> {
  const keys = appKeys(app)
  const asked = await requestToken(server, keys, CALLBACK, form)
  const page = await browser.open(`/oauth/authorize?oauth_token=${asked.oauth_token}`)
  const verifier = (await browser.decide(page, 'approve')).leftFor!.searchParams.get('oauth_verifier')!
  const answer = await exchangeRequestToken(server, keys, asked, verifier)
  return { ...keys, token: answer.pairs.oauth_token!, tokenSecret: answer.pairs.oauth_token_secret! }
}

/** A request sent exactly as written, with any Host header. */
export function sendExactly(
  server: TestServer,
  exact: { method?: string; path: string; headers?: Record<string, string>; body?: string },
): Promise<TestAnswer> {
  const { hostname, port } = new URL(server.baseUrl)
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      { hostname, port, method: exact.method ?? 'GET', path: exact.path, headers: exact.headers, agent: false },
      (answer) => {
        const chunks: Buffer[] = []
        answer.on('data', (chunk: Buffer) => chunks.push(chunk))
        answer.on('end', () => {
          const text = Buffer.concat(chunks).toString()
          const headers = new Headers(
            Object.entries(answer.headers).flatMap(([name, value]) =>
              [value ?? []].flat().map((one) => [name, one] as [string, string]),
            ),
          )
          const isJson = String(answer.headers['content-type']).includes('json')
          resolve({ status: answer.statusCode!, headers, text, body: isJson ? JSON.parse(text) : undefined })
        })
      },
    )
    request.on('error', reject)
    request.end(exact.body)
  })
}
