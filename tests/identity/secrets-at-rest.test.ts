import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { linesWith, sourceFiles } from '../guards/source-files.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { exchangeCode, grantOauth2, obtainCode, refresh } from './pkce.steps.ts'
import { appKeys, grantOauth1, makeApp, requestToken, signedInBrowser } from './steps.ts'

let server: TestServer
let tables: Map<string, string>
const secrets = new Map<string, string>()

beforeAll(async () => {
  server = await startTestServer()
  const keep = (name: string, secret: string | undefined) => {
    expect(secret, name).toMatch(/.{7,}/)
    secrets.set(name, secret!)
  }
  for (const app of server.credentials.apps) {
    keep(`API key secret of ${app.name}`, app.api_key_secret)
    keep(`client secret of ${app.name}`, app.client_secret)
    keep(`bearer token of ${app.name}`, app.bearer_token)
  }
  for (const user of server.credentials.users) {
    keep(`password of ${user.username}`, user.password)
    keep(`access token of ${user.username}`, user.access_token)
    keep(`token secret of ${user.username}`, user.access_token_secret)
  }
  keep('admin key', server.credentials.admin_key)
  keep('secret key of the installation', 'a'.repeat(64))

  // Everything that comes to be while people use the server.
  const made = await makeApp(server)
  const browser = await signedInBrowser(server, made, 'bob')
  keep('session cookie', browser.cookies.get('rostra_session'))
  const asked = await requestToken(server, appKeys(made))
  keep('request token', asked.oauth_token)
  keep('request token secret', asked.oauth_token_secret)
  const page = await browser.open(`/oauth/authorize?oauth_token=${asked.oauth_token}`)
  keep('verifier', (await browser.decide(page, 'approve')).leftFor!.searchParams.get('oauth_verifier')!)
  const pinRequest = await requestToken(server, appKeys(made), 'oob')
  const pinPage = await browser.open(`/oauth/authorize?oauth_token=${pinRequest.oauth_token}`)
  keep('PIN', /<code>(\d{7})<\/code>/.exec((await browser.decide(pinPage, 'approve')).text)?.[1])
  const pair = await grantOauth1(server, made, browser)
  keep('granted access token', pair.token)
  keep('granted token secret', pair.tokenSecret)
  const scope = 'post.read users.read offline.access'
  const code = await obtainCode(browser, made, { scope })
  keep('authorization code', code)
  keep('OAuth 2.0 access token', (await exchangeCode(server, made, code)).body.access_token)
  const given = await grantOauth2(server, made, browser, scope)
  keep('OAuth 2.0 refresh token', given.refresh_token)
  const fresh = (await refresh(server, made, given.refresh_token!)).body
  keep('refreshed access token', fresh.access_token)
  keep('refreshed refresh token', fresh.refresh_token)
  const user = await server.command('user.create', { username: 'grace', password: 'chosen by hand' })
  keep('chosen password', user.password)
  await server.command('user.update', { user: 'grace', password: 'changed by hand' })
  keep('changed password', 'changed by hand')
  for (const name of ['api_key_secret', 'client_secret', 'bearer_token'] as const) keep(`made ${name}`, made[name])
  const rotated = await server.command('app.rotate', { app: (await makeApp(server, { name: 'Rotated' })).id })
  for (const name of ['api_key_secret', 'client_secret', 'bearer_token'] as const)
    keep(`rotated ${name}`, rotated[name])

  tables = await everyTable()
})
afterAll(() => server.close())

/** Every row of every table as text; binary columns come out as hex digits. */
async function everyTable(): Promise<Map<string, string>> {
  const { rows } = await server.runtime.database.query<{ name: string }>({
    text: `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname not in ('pg_catalog', 'information_schema')`,
  })
  const found = new Map<string, string>()
  for (const { name } of rows) {
    const all = await server.runtime.database.query<{ text: string }>({ text: `select t::text as text from ${name} t` })
    found.set(name, all.rows.map((row) => row.text).join('\n'))
  }
  return found
}

/** The tables that contain the text, as it is or in an encoding without a key. */
function holding(text: string): string[] {
  const bytes = Buffer.from(text)
  const forms = [text, bytes.toString('hex'), bytes.toString('base64').replace(/=+$/, ''), bytes.toString('base64url')]
  return [...tables].filter(([, rows]) => forms.some((form) => rows.includes(form))).map(([name]) => name)
}

test('the search sees text and binary columns of all tables', () => {
  expect(tables.size).toBeGreaterThan(20)
  expect(holding(server.credentials.apps[0]!.api_key)).toContain('public.client_app')
  const bearer = createHash('sha256').update(server.credentials.apps[0]!.bearer_token!).digest('hex')
  expect(tables.get('public.client_app')).toContain(bearer)
})

test('no password, token, client secret, bearer token or API key secret is stored in clear, in any column of any table', () => {
  const found = [...secrets].flatMap(([name, secret]) => holding(secret).map((table) => `${name} in ${table}`))
  expect(secrets.size).toBeGreaterThan(30)
  expect(found).toEqual([])
})

test('no part of a token that would be enough to use it is stored in clear', () => {
  const parts = [...secrets].flatMap(([name, secret]) => secret.split(/[-%]/).map((part) => [name, part] as const))
  const userIds = new Set(server.credentials.users.map((user) => user.id))
  const found = parts.filter(([, part]) => part.length > 16 && !userIds.has(part) && holding(part).length > 0)
  expect(found.map(([name]) => name)).toEqual([])
})

test('a stored PIN cannot be found by trying all PINs', () => {
  const plain = createHash('sha256').update(secrets.get('PIN')!).digest('hex')
  expect([...tables].filter(([, rows]) => rows.includes(plain)).map(([name]) => name)).toEqual([])
})

test('two users with the same password do not have the same stored form', async () => {
  for (const username of ['henry', 'iris'])
    await server.command('user.create', { username, password: 'the same words' })
  const { rows } = await server.runtime.database.query<{ password_hash: string }>({
    text: `select password_hash from user_sign_in s join user_account u on u.id = s.user_id where username in ('henry', 'iris')`,
  })
  expect(rows).toHaveLength(2)
  expect(rows[0]!.password_hash).not.toBe(rows[1]!.password_hash)
  for (const row of rows) expect(row.password_hash).toMatch(/^scrypt\$/)
})

test('identity compares bytes only in constant time', () => {
  const files = sourceFiles('.ts').filter((file) => file.name.startsWith('identity/'))
  expect(linesWith(files, /\.equals\(|Buffer\.compare\(/)).toEqual([])
})
