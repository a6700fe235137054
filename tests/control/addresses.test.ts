import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { migrate } from '../../src/storage/migrate.ts'
import { allStatements } from '../../src/storage/statement.ts'
import { appKeys, type MadeApp, makeApp, requestToken } from '../identity/steps.ts'
import { accessToken, invalidRequest, rows } from '../social/acting.ts'
import { Browser } from '../support/browser.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

let server: TestServer
let app: MadeApp
beforeAll(async () => {
  server = await startTestServer()
  app = await makeApp(server)
})
afterAll(() => server.close())

const taken = (email: string) =>
  invalidRequest(server, { parameters: { email: [email] }, message: `The e-mail address ${email} is taken.` })
const signsIn = async (username: string, password: string) => {
  const browser = new Browser(server.baseUrl)
  const { oauth_token } = await requestToken(server, appKeys(app), 'oob')
  await browser.signIn(await browser.open(`/oauth/authorize?oauth_token=${oauth_token}`), { username, password })
  return browser.cookies.has('rostra_session')
}

describe('user.update', () => {
  test('gives a user a confirmed e-mail address, which apps read and the user signs in with', async () => {
    const { password } = await server.command('user.create', { username: 'mira', email: 'old@example.org' })
    const bearer = await accessToken(server, 'alice', ['users.read', 'users.email', 'post.read'])
    const confirmed = async () =>
      (await server.get('/2/users/me?user.fields=confirmed_email', { bearer })).body.data.confirmed_email
    expect(await confirmed()).toBe('alice@example.com')
    await server.command('user.update', { user: 'alice', email: 'Alice@Example.org' })
    expect(await confirmed()).toBe('Alice@Example.org')
    await server.command('user.update', { user: 'alice', email: '' })
    expect(await confirmed()).toBeUndefined()

    await server.command('user.update', { user: 'mira', email: 'Mira@example.org' })
    expect(await signsIn('mira@EXAMPLE.org', password)).toBe(true)
    expect(await signsIn('MIRA', password)).toBe(true)
    expect(await signsIn('old@example.org', password)).toBe(false)
  })

  test('refuses a value that is not an e-mail address', async () => {
    for (const email of ['plain', 'a b@example.org', '@example.org', `${'a'.repeat(200)}@example.org`]) {
      const answer = await server.tryCommand('user.update', { user: 'bob', email })
      expect(answer.status, email).toBe(400)
    }
    expect(await rows(server, 'select email from user_sign_in where user_id = $1', [server.userId('bob')])).toEqual([
      { email: 'bob@example.com' },
    ])
  })
})

describe('an e-mail address', () => {
  test('of another user is refused, in upper or lower case', async () => {
    const made = await server.tryCommand('user.create', { username: 'double', email: 'BOB@example.com' })
    expect({ status: made.status, body: made.body }).toEqual({ status: 400, body: taken('BOB@example.com') })
    expect(await rows(server, `select 1 from user_account where username = 'double'`)).toEqual([])
    const changed = await server.tryCommand('user.update', {
      user: 'chika',
      email: 'Bob@Example.com',
      name: 'Not kept',
    })
    expect({ status: changed.status, body: changed.body }).toEqual({ status: 400, body: taken('Bob@Example.com') })
    expect((await server.get('/2/users/by/username/chika')).body.data.name).not.toBe('Not kept')
  })

  test('can be set again for its user, and for another user once it is free', async () => {
    await server.command('user.update', { user: 'erin', email: 'ERIN@example.com' })
    await server.command('user.update', { user: 'erin', email: 'erin@elsewhere.example' })
    await server.command('user.update', { user: 'chika', email: 'erin@example.com' })
  })

  test('that several requests set at the same time goes to one user, and the other requests are refused', async () => {
    await server.command('user.create', { username: 'late' })
    const answers = await Promise.all([
      ...['race1', 'race2', 'race3'].map((username) =>
        server.tryCommand('user.create', { username, email: 'race@example.org' }),
      ),
      server.tryCommand('user.update', { user: 'late', email: 'RACE@example.org' }),
    ])
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 400, 400, 400])
    for (const answer of answers) if (answer.status === 400) expect(answer.text).toMatch(/e-mail address .* is taken/)
    expect(await rows(server, `select 1 from user_sign_in where lower(email) = 'race@example.org'`)).toHaveLength(1)
  })
})

test('in an older database where users share an address, the first of them keeps it', async () => {
  const { database } = server.runtime
  await database.query({ text: 'drop index user_sign_in_email' })
  await database.query({ text: `delete from schema_migration where name = '0017-sign-in-addresses.sql'` })
  const ids: string[] = []
  for (const email of ['same@example.org', 'Same@Example.org', 'SAME@example.org', 'other@example.org'])
    ids.push((await server.command('user.create', { username: `same${ids.length}`, email })).id)
  expect(await migrate(database)).toEqual(['0017-sign-in-addresses.sql'])
  const stored = await rows(
    server,
    'select email, email_confirmed from user_sign_in where user_id = any($1) order by user_id',
    [ids],
  )
  expect(stored).toEqual([
    { email: 'same@example.org', email_confirmed: true },
    { email: null, email_confirmed: false },
    { email: null, email_confirmed: false },
    { email: 'other@example.org', email_confirmed: true },
  ])
  expect((await server.tryCommand('user.update', { user: 'same1', email: 'SAME@example.org' })).status).toBe(400)
})

test('signing in finds users through indexes only', async () => {
  const { pool } = server.runtime.database
  const client = await pool.connect()
  try {
    await client.query(
      `insert into user_account (id, username, name, created_at)
       select n, 'u' || n, 'U', '2024-01-01' from generate_series(5000000, 5020000) n`,
    )
    await client.query(
      `insert into user_sign_in (user_id, email) select n, 'u' || n || '@example.net' from generate_series(5000000, 5020000) n`,
    )
    await client.query('analyze user_account, user_sign_in')
    const { sql } = allStatements().find((item) => item.name === 'sign_in_facts')!
    await client.query(`prepare looked_up as ${sql}`)
    for (const mode of ['force_generic_plan', 'force_custom_plan']) {
      await client.query(`set plan_cache_mode = ${mode}`)
      const plan = await client.query(`explain execute looked_up ('u5010000@example.net')`)
      const lines = plan.rows.map((row) => row['QUERY PLAN']).join('\n')
      expect(lines).not.toContain('Seq Scan')
      expect(lines).toContain('user_account_username')
      expect(lines).toContain('user_sign_in_email')
    }
    const found = await client.query(`execute looked_up ('U5010000@example.net')`)
    expect(found.rows.map((row) => row.id)).toEqual(['5010000'])
  } finally {
    client.release(true)
  }
})
