import { afterAll, beforeAll, expect, test } from 'vitest'
import { makePost } from '../social/acting.ts'
import { uploadWhole } from '../social/uploading.ts'
import { Browser } from '../support/browser.ts'
import { makePng } from '../support/make-media.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { signedIn } from './signed-in.ts'

let server: TestServer
let alice: Browser
let csrf: string
beforeAll(async () => {
  server = await startTestServer()
  alice = await signedIn(server, 'alice')
  csrf = (await alice.open('/home')).forms.find((form) => form.fields.csrf)!.fields.csrf!
})
afterAll(() => server.close())

const cookieOf = (browser: Browser) => [...browser.cookies].map((pair) => pair.join('=')).join('; ')

const PRIVATE = [
  '/home',
  '/notifications',
  '/messages',
  '/i/bookmarks',
  '/i/settings',
  '/i/settings/sessions',
  '/i/developer',
]

test('pages of a user are kept by no cache and framed by nobody', async () => {
  for (const path of PRIVATE) {
    const { status, headers } = await alice.open(path)
    expect([path, status, headers.get('x-frame-options')]).toEqual([path, 200, 'DENY'])
    expect(headers.get('cache-control'), path).toContain('no-store')
    expect(headers.get('content-security-policy'), path).toContain("frame-ancestors 'none'")
    expect(headers.get('content-security-policy'), path).not.toContain('unsafe')
    expect(headers.get('vary'), path).toContain('cookie')
  }
})

test('the channel of open pages can be opened as often as a page', async () => {
  const [live, page] = await Promise.all(['/i/live', '/alice'].map((path) => fetch(server.baseUrl + path)))
  expect(live!.headers.get('x-rate-limit-limit')).toBe(page!.headers.get('x-rate-limit-limit'))
})

test('a session that somebody planted before the sign-in is worth nothing afterwards', async () => {
  const bob = server.credentials.users.find((user) => user.username === 'bob')!
  const name = [...alice.cookies.keys()].find((key) => key.includes('session'))!
  const browser = new Browser(server.baseUrl)
  browser.cookies.set(name, 'planted')
  await browser.signIn(await browser.open('/i/sign-in?return_to=/home'), { username: 'bob', password: bob.password! })
  expect(browser.cookies.get(name)).not.toBe('planted')
  for (const value of ['planted', '', alice.cookies.get(name)!.slice(0, -1)]) {
    const answer = await fetch(`${server.baseUrl}/home`, {
      redirect: 'manual',
      headers: { cookie: `${name}=${value}` },
    })
    expect([value, answer.status]).toEqual([value, 302])
  }
})

test('a page that was reached under another name has neither the name in its links nor the session', async () => {
  const id = await makePost(server, 'alice', { text: `under another name ${process.pid}` })
  for (const path of ['/alice', `/alice/status/${id}`, '/search?q=name', '/nobody/at/all', '/oembed?url=/']) {
    const url = new URL(path, server.baseUrl)
    const answer = await fetch(url, { headers: { accept: 'text/html', 'x-forwarded-host': 'evil.example' } })
    expect(await answer.text(), path).not.toContain('evil.example')
  }
})

const ACTIVE = {
  svg: '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
  html: '<!doctype html><script>alert(1)</script>',
  'png with html': '\x89PNG\r\n\x1a\n<script>alert(1)</script>',
}

test.each(Object.entries(ACTIVE))('a picture that is %s is refused', async (_kind, content) => {
  const send = (path: string, field: string, type: string) => {
    const form = new FormData()
    form.set('csrf', csrf)
    form.set('text', 'look')
    form.set(field, new Blob([Buffer.from(content, 'latin1')], { type }), 'a.svg')
    const headers = { cookie: cookieOf(alice), accept: 'application/json' }
    return fetch(server.baseUrl + path, { method: 'POST', body: form, headers })
  }
  for (const type of ['image/svg+xml', 'image/png', 'text/html'])
    expect([type, (await send('/i/compose', 'file_0', type)).status]).toEqual([type, 400])
})

test('a media file that is opened by itself cannot do anything', async () => {
  const { id } = await uploadWhole(server, makePng())
  const post = await makePost(server, 'alice', { text: `a picture ${process.pid}`, media: { media_ids: [id] } })
  const read = await server.get(`/2/posts/${post}?expansions=attachments.media_keys&media.fields=url`)
  const { headers } = await fetch(read.body.includes.media[0].url)
  expect(headers.get('x-content-type-options')).toBe('nosniff')
  expect(headers.get('content-security-policy')).toContain('sandbox')
})
