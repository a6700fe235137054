import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeApp, person } from '../identity/steps.ts'
import { signedIn } from '../pages/signed-in.ts'
import { Browser, type Page } from '../support/browser.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

const cookieOf = (browser: Browser) => [...browser.cookies].map((pair) => pair.join('=')).join('; ')

/** The form of a page that posts to an address, filled in. */
function fill(browser: Browser, page: Page, action: string, fields: Record<string, string>): Promise<Page> {
  const form = page.forms.find((item) => item.action === action)
  if (!form) throw new Error(`no form for ${action} on ${page.address}: ${page.text}`)
  return browser.post(action, { ...form.fields, ...fields })
}

const me = { username: 'newcomer', name: 'New Comer', email: 'new@example.org', password: 'long enough' }

async function registered(fields: Record<string, string> = me): Promise<{ browser: Browser; page: Page }> {
  const browser = new Browser(server.baseUrl)
  const page = await fill(browser, await browser.open('/i/register'), '/i/register', fields)
  return { browser, page }
}

describe('registration', () => {
  test('creates an account and signs in', async () => {
    const { browser, page } = await registered()
    expect([page.status, page.address]).toEqual([200, '/home'])
    expect(browser.cookies.has('rostra_session')).toBe(true)
    const found = await server.get('/2/users/by/username/newcomer?user.fields=confirmed_email')
    expect(found.body.data).toMatchObject({ username: 'newcomer', name: 'New Comer' })
    const again = new Browser(server.baseUrl)
    const home = await again.signIn(await again.open('/i/sign-in'), { ...me, username: me.email })
    expect(home.address).toBe('/home')
  })

  test('says beside each field what is wrong, keeps what was typed, and creates nothing', async () => {
    const wrong = { username: 'home', name: ' ', email: 'x', password: 'short' }
    const { browser, page } = await registered(wrong)
    expect(page.status).toBe(400)
    expect(page.text).toContain('<title>Error: Register')
    for (const sentence of ['is reserved', 'at least one character', 'name@example.org', 'at least 8 characters'])
      expect(page.text).toContain(sentence)
    expect(page.text).toMatch(
      /id="register-username"[^>]*aria-describedby="register-username-hint register-username-fault" aria-invalid="true"/,
    )
    expect(page.text).toContain('value="home"')
    expect(page.text).not.toContain('value="short"')
    expect(browser.cookies.has('rostra_session')).toBe(false)
  })

  test.each([
    [{ username: 'ALICE' }, 'The username ALICE is taken.'],
    [{ email: 'New@Example.org' }, 'is taken.'],
    [{ username: 'a b' }, 'letters, digits and underscores'],
  ])('refuses %j', async (over, sentence) => {
    const { page } = await registered({ ...me, username: 'somebody2', email: 'other@example.org', ...over })
    expect(page.status).toBe(400)
    expect(page.text).toContain(sentence)
  })

  test('is by invitation where the operator chose that: once for each use', async () => {
    const other = await startTestServer(['--registration', 'invitation'])
    try {
      const { code, url } = await other.command('invitation.create', { uses: 1 })
      const attempt = async (username: string, invitation: string) => {
        const browser = new Browser(other.baseUrl)
        return fill(browser, await browser.open(url), '/i/register', { ...me, username, email: '', invitation })
      }
      expect((await attempt('guest1', 'wrong')).text).toContain('This invitation is not valid')
      expect((await attempt('guest1', code)).address).toBe('/home')
      const second = await attempt('guest2', code)
      expect([second.status, second.text.includes('This invitation is not valid')]).toEqual([400, true])
      expect((await new Browser(other.baseUrl).open(url)).text).toContain(`value="${code}"`)
    } finally {
      await other.close()
    }
  })

  test('is closed where the operator chose that, for forms too', async () => {
    const closed = await startTestServer(['--registration', 'closed'])
    try {
      const browser = new Browser(closed.baseUrl)
      const page = await browser.open('/i/register')
      expect(page.text).toContain('Nobody can register on this server.')
      expect((await browser.open('/i/sign-in')).text).not.toContain('/i/register')
      const csrf = (await browser.open('/i/sign-in')).forms[0]!.fields.csrf!
      const sent = await browser.post('/i/register', { ...me, csrf })
      expect([sent.status, sent.text.includes('Nobody can register')]).toEqual([400, true])
    } finally {
      await closed.close()
    }
  })
})

describe('settings', () => {
  test('change the profile, with the links as they were written', async () => {
    const browser = await signedIn(server, 'dario')
    const page = await browser.open('/i/settings')
    const description = 'Likes <b>bold</b> words, see https://example.org/a?b=1&c=2'
    const saved = await fill(browser, page, '/i/settings/profile', {
      name: 'Dario "D" <i>',
      description,
      location: 'Here',
      url: 'https://example.org/dario',
    })
    expect(saved.text).toContain('Your profile was saved.')
    expect(saved.text).toContain(
      'Likes &lt;b&gt;bold&lt;/b&gt; words, see https://example.org/a?b=1&amp;c=2</textarea>',
    )
    expect(saved.text).toContain('value="https://example.org/dario"')
    expect(saved.text).not.toContain('<b>bold')
    expect(saved.text).not.toContain('<i>')
    const shown = await server.get('/2/users/by/username/dario?user.fields=location,protected')
    expect(shown.body.data).toMatchObject({ name: 'Dario "D" <i>', location: 'Here', protected: false })
    const refused = await fill(browser, saved, '/i/settings/profile', {
      url: 'javascript:alert(1)',
      description: 'x'.repeat(161),
    })
    expect(refused.status).toBe(400)
    expect(refused.text).toContain('A web address begins with https://')
    expect(refused.text).toContain('A description has at most 160 characters.')
  })

  test('change pictures, and refuse what is not one', async () => {
    const browser = await signedIn(server, 'dario')
    const csrf = (await browser.open('/i/settings')).forms[0]!.fields.csrf!
    const send = (file: Buffer, token = csrf) => {
      const body = new FormData()
      body.set('csrf', token)
      body.set('picture', new Blob([new Uint8Array(file)], { type: 'image/png' }), 'me.png')
      return fetch(`${server.baseUrl}/i/settings/pictures`, {
        method: 'POST',
        redirect: 'manual',
        headers: { cookie: cookieOf(browser) },
        body,
      })
    }
    const png = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    )
    const saved = await send(png)
    expect([saved.status, saved.headers.get('location')]).toEqual([303, '/i/settings?done=picture'])
    const { data } = (await server.get('/2/users/by/username/dario?user.fields=profile_image_url')).body
    expect(data.profile_image_url).toContain('/media/')
    expect((await fetch(data.profile_image_url)).headers.get('content-type')).toBe('image/png')
    const bad = await send(Buffer.from('not a picture'))
    expect(bad.status).toBe(400)
    expect(await bad.text()).toContain('id="pictures-picture-fault"')
    expect((await send(png, 'x.y')).status).toBe(403)
    const gone = await fetch(`${server.baseUrl}/i/settings/pictures`, { method: 'POST', body: new FormData() })
    expect(gone.status).toBe(403)
  })

  test('change the username and the address, which needs the password', async () => {
    const { browser } = await registered({ ...me, username: 'renamed1', email: '' })
    const page = await browser.open('/i/settings/account')
    expect((await fill(browser, page, '/i/settings/username', { username: 'renamed2' })).text).toContain('was changed')
    expect((await fill(browser, page, '/i/settings/username', { username: 'search' })).text).toContain('is reserved')
    const wrong = await fill(browser, page, '/i/settings/email', { email: 'r@example.org', current_password: 'nope' })
    expect([wrong.status, wrong.text.includes('This is not your current password.')]).toEqual([400, true])
    const email = { email: 'r@example.org', current_password: me.password }
    expect((await fill(browser, page, '/i/settings/email', email)).text).toContain('was saved')
    expect((await browser.open('/i/settings/account')).text).toContain('value="r@example.org"')
  })

  test('a new password signs out everywhere else, and the old one is refused', async () => {
    const { browser } = await registered({ ...me, username: 'changer', email: '' })
    const other = new Browser(server.baseUrl)
    await other.signIn(await other.open('/i/sign-in'), { username: 'changer', password: me.password })
    const page = await browser.open('/i/settings/account')
    const wanted = { current_password: me.password, new_password: 'even longer', repeated_password: 'even longer' }
    const differs = await fill(browser, page, '/i/settings/password', { ...wanted, repeated_password: 'else' })
    expect(differs.text).toContain('The two new passwords are not the same.')
    const done = await fill(browser, page, '/i/settings/password', wanted)
    expect(done.text).toContain('Your password was changed.')
    expect((await other.open('/i/settings')).address).toContain('/i/sign-in')
    const old = await other.signIn(await other.open('/i/sign-in'), { username: 'changer', password: me.password })
    expect(old.status).toBe(401)
  })

  test('wrong current passwords are throttled', async () => {
    const { browser } = await registered({ ...me, username: 'guesser', email: '' })
    const page = await browser.open('/i/settings/delete')
    const guess = () => fill(browser, page, '/i/settings/delete', { understood: 'yes', current_password: 'wrong' })
    for (let count = 0; count < 10; count++) expect((await guess()).text).toContain('not your current password')
    expect((await guess()).text).toContain('Too many attempts.')
  })
})

describe('sessions', () => {
  test('show each browser and end one, or all others; nobody ends those of others', async () => {
    const here = await signedIn(server, 'erin')
    await signedIn(server, 'erin')
    await signedIn(server, 'erin')
    const page = await here.open('/i/settings/sessions')
    expect(page.text.match(/This browser/g)).toHaveLength(1)
    const ends = page.forms.filter((form) => form.action === '/i/settings/sessions/end')
    expect(ends).toHaveLength(2)
    const bob = await signedIn(server, 'bob')
    const csrf = (await bob.open('/i/settings')).forms[0]!.fields.csrf!
    await bob.post('/i/settings/sessions/end', { csrf, session: ends[0]!.fields.session! })
    expect((await here.open('/i/settings/sessions')).forms.filter((form) => form.action.endsWith('/end'))).toHaveLength(
      2,
    )
    const after = await here.post('/i/settings/sessions/end', ends[0]!.fields)
    expect(after.text).toContain('The session was ended.')
    const alone = await fill(here, after, '/i/settings/sessions/end-others', {})
    expect(alone.text).toContain('You were signed out everywhere else.')
    expect(alone.forms.filter((form) => form.action.endsWith('/end'))).toHaveLength(0)
  })
})

describe('connected apps', () => {
  test('are listed with what they can do, and revoking ends their tokens', async () => {
    const app = await makeApp(server, { name: '<script>alert(1)</script>' })
    const token = await server.command('user.token', { user: 'chika', app: app.id, oauth2: true })
    expect((await server.get('/2/users/me', { bearer: token.access_token })).status).toBe(200)
    const browser = await signedIn(server, 'chika')
    const page = await browser.open('/i/settings/apps')
    expect(page.text).not.toContain('<script>alert')
    expect(page.text).toContain('Read your direct messages.')
    const bob = await signedIn(server, 'bob')
    const csrf = (await bob.open('/i/settings')).forms[0]!.fields.csrf!
    await bob.post('/i/settings/apps/revoke', { csrf, app_id: app.id })
    expect((await server.get('/2/users/me', { bearer: token.access_token })).status).toBe(200)
    const form = page.forms.find((item) => item.fields.app_id === app.id)!
    const after = await browser.post(form.action, form.fields)
    expect(after.text).toContain('The access of the app was revoked.')
    expect(after.forms.some((item) => item.fields.app_id === app.id)).toBe(false)
    expect((await server.get('/2/users/me', { bearer: token.access_token })).status).toBe(401)
    const { rows } = await server.runtime.database.query<{ count: string }>({
      text: `select count(*) from event_outbox where type = 'oauth.revoke' and payload ->> 'app_id' = $1`,
      values: [app.id],
    })
    expect(rows[0]!.count).toBe('1')
  })
})

describe('the export of data', () => {
  test('has what the user has, and nothing of others', async () => {
    const alice = server.userId('alice')
    await server.post('/2/posts', { text: 'a post for the export' }, { user: 'alice' })
    await server.post(`/2/dm_conversations/with/${alice}/messages`, { text: 'bob to alice' }, { user: 'bob' })
    const erin = server.userId('erin')
    await server.post(`/2/dm_conversations/with/${erin}/messages`, { text: 'bob to erin' }, { user: 'bob' })
    const browser = await signedIn(server, 'alice')
    const page = await browser.open('/i/settings/data')
    const { fields } = page.forms.find((form) => form.action === '/i/settings/data/download')!
    const send = (body: Record<string, string>) =>
      fetch(`${server.baseUrl}/i/settings/data/download`, {
        method: 'POST',
        headers: { cookie: cookieOf(browser) },
        body: new URLSearchParams(body),
      })
    const answer = await send(fields)
    expect(answer.headers.get('content-disposition')).toMatch(/filename="rostra-alice-[\d-]+\.jsonl\.gz"/)
    const text = gunzipSync(Buffer.from(await answer.arrayBuffer())).toString()
    const lines = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
    expect(lines[0]).toMatchObject({ kind: 'profile', username: 'alice' })
    expect(lines).toContainEqual(expect.objectContaining({ kind: 'post', text: 'a post for the export' }))
    expect(lines).toContainEqual(expect.objectContaining({ kind: 'message', text: 'bob to alice' }))
    expect(text).not.toContain('bob to erin')
    expect(text).not.toContain('scrypt')
    const own = await server.get(`/2/users/${alice}/posts?max_results=100`, { user: 'alice' })
    const ids = lines.filter((line) => line.kind === 'post').map((line) => line.id)
    expect(ids).toEqual(expect.arrayContaining(own.body.data.map((post: { id: string }) => post.id)))
    expect((await send({ csrf: 'x.y' })).status).toBe(403)
  })
})

describe('deleting an account', () => {
  test('needs the password and the tick, and then ends it', async () => {
    const { browser } = await registered({ ...me, username: 'leaver', email: '' })
    const page = await browser.open('/i/settings/delete')
    const action = '/i/settings/delete'
    const unticked = await fill(browser, page, action, { current_password: me.password })
    // The tick of a form is sent only when it is set.
    expect(unticked.status).toBe(400)
    const wrong = await fill(browser, page, action, { understood: 'yes', current_password: 'no' })
    expect(wrong.text).toContain('This is not your current password.')
    expect((await server.get('/2/users/by/username/leaver')).body.data).toBeDefined()
    await fill(browser, page, action, { understood: 'yes', current_password: me.password })
    expect(browser.cookies.has('rostra_session')).toBe(false)
    expect((await server.get('/2/users/by/username/leaver')).body.data).toBeUndefined()
  })
})

describe('forms of accounts', () => {
  const FORMS = [
    'profile',
    'username',
    'email',
    'password',
    'sessions/end',
    'sessions/end-others',
    'apps/revoke',
    'data/download',
    'delete',
  ]

  test.each(FORMS)('do nothing without the token of the page: %s', async (form) => {
    const [browser, other] = [await signedIn(server, 'bob'), await signedIn(server, 'erin')]
    const foreign = (await other.open('/i/settings')).forms[0]!.fields.csrf!
    for (const csrf of ['', foreign]) expect((await browser.post(`/i/settings/${form}`, { csrf })).status).toBe(403)
    const csrf = (await browser.open('/i/settings')).forms[0]!.fields.csrf!
    const cross = await fetch(`${server.baseUrl}/i/settings/${form}`, {
      method: 'POST',
      headers: { cookie: cookieOf(browser), origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
      body: new URLSearchParams({ csrf }),
    })
    expect(cross.status).toBe(403)
  })

  test.each(['', '/account', '/sessions', '/apps', '/data', '/delete'])(
    'and pages are for signed-in users only: /i/settings%s',
    async (path) => {
      const page = await new Browser(server.baseUrl).open(`/i/settings${path}`)
      expect(page.address).toBe(`/i/sign-in?return_to=${encodeURIComponent(`/i/settings${path}`)}`)
      const browser = await signedIn(server, 'bob')
      const own = await browser.open(`/i/settings${path}`)
      expect([own.status, own.headers.get('x-frame-options')]).toEqual([200, 'DENY'])
      expect(own.text).not.toMatch(/ style=|<script>|<style/)
      expect(person(server, 'bob').password && own.text.includes(person(server, 'bob').password)).toBe(false)
    },
  )
})
