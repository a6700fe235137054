import { afterAll, beforeAll, expect, test } from 'vitest'
import { makePost } from '../social/acting.ts'
import type { Browser } from '../support/browser.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { signedIn } from './signed-in.ts'

let server: TestServer
let alice: Browser
let bob: Browser
let chika: Browser
beforeAll(async () => {
  server = await startTestServer()
  ;[alice, bob, chika] = await Promise.all([
    signedIn(server, 'alice'),
    signedIn(server, 'bob'),
    signedIn(server, 'chika'),
  ])
})
afterAll(() => server.close())

/** Presses the button of a page whose form has these fields. */
async function press(browser: Browser, address: string, action: string, fields: Record<string, string>, typed = {}) {
  const page = await browser.open(address)
  const form = page.forms.find(
    (item) => item.action === `/i/actions/${action}` && Object.entries(fields).every(([k, v]) => item.fields[k] === v),
  )
  if (!form) throw new Error(`no form for ${action} on ${address}: ${page.text}`)
  return browser.post(form.action, { ...form.fields, ...typed })
}

async function createCommunity(browser: Browser, fields: Record<string, string>): Promise<string> {
  const made = await press(browser, '/i/communities', 'community-create', {}, fields)
  return made.address.split('/').at(-1)!
}

test('a community that asks first has requests, which its admins answer', async () => {
  const id = await createCommunity(alice, {
    name: 'Bakers',
    join_policy: 'RestrictedJoinRequestsRequireModeratorApproval',
  })
  const path = `/i/communities/${id}`
  expect((await bob.open(path)).text).toContain('Ask to join')
  expect((await press(bob, path, 'community-join', { community_id: id })).text).toContain('Withdraw the request')
  await press(chika, path, 'community-join', { community_id: id })
  expect((await bob.open(path)).text).not.toContain('Requests to join')
  const asked = await alice.open(path)
  expect(asked.text).toContain('Requests to join')
  expect(asked.text).toContain('@chika')
  await press(alice, path, 'community-answer', { user_id: server.userId('bob'), answer: 'approve' })
  await press(alice, path, 'community-answer', { user_id: server.userId('chika'), answer: 'refuse' })
  expect((await alice.open(path)).text).not.toContain('Requests to join')
  const { csrf } = asked.forms[0]!.fields
  for (const user_id of ['', 'bob', '9'.repeat(19)]) {
    const answered = await alice.post('/i/actions/community-answer', { csrf: csrf!, community_id: id, user_id })
    expect([user_id, answered.status]).toEqual([user_id, 404])
  }
  expect((await bob.open(path)).text).toContain(`/i/compose?community=${id}`)
  expect((await chika.open(path)).text).toContain('Ask to join')
  // A member of such a community cannot invite.
  expect((await bob.open(path)).text).not.toContain('community-invite')
})

test('a community by invitation is joined by those who were invited, who may also decline', async () => {
  const id = await createCommunity(alice, { name: 'Painters', join_policy: 'RestrictedJoinRequestsDisabled' })
  const path = `/i/communities/${id}`
  expect((await bob.open(path)).forms.some((form) => form.action.endsWith('community-join'))).toBe(false)
  for (const username of ['bob', '@chika']) await press(alice, path, 'community-invite', {}, { username })
  expect((await press(alice, path, 'community-invite', {}, { username: 'nobody_here' })).status).toBe(404)
  expect((await bob.open(path)).text).toContain('Accept the invitation')
  expect((await press(bob, path, 'community-join', {})).text).toContain(`/i/compose?community=${id}`)
  await press(chika, path, 'community-leave', {})
  expect((await chika.open(path)).text).not.toContain('Accept the invitation')
})

test('a space with tickets is joined by those who have one', async () => {
  const made = await press(alice, '/i/spaces', 'space-create', {}, { title: 'Readings', ticketed: 'true' })
  const id = made.address.split('/').at(-1)!
  const path = `/i/spaces/${id}`
  expect(made.text).toContain('With tickets')
  const before = await bob.open(path)
  expect(before.text).not.toContain('space-join')
  const bought = await press(bob, path, 'space-ticket', {})
  expect(bought.text).toContain('You have a ticket')
  expect((await press(bob, path, 'space-join', {})).text).toContain('Leave')
  expect((await press(bob, path, 'space-leave', {})).text).toContain('You have a ticket')
  const buyers = await server.get(`/2/spaces/${id}/buyers`, {
    bearer: (await server.command('user.token', { user: 'alice', oauth2: true })).access_token,
  })
  expect(buyers.body.data.map((user: { username: string }) => user.username)).toEqual(['bob'])
})

test('bookmarks are put into folders, and out of them', async () => {
  const ids = [
    await makePost(server, 'bob', { text: 'kept in a folder' }),
    await makePost(server, 'bob', { text: 'kept' }),
  ]
  for (const id of ids) await press(alice, `/bob/status/${id}`, 'bookmark', { post_id: id })
  const folder = await press(alice, '/i/bookmarks', 'bookmark-folder', {}, { name: 'Read <b>later</b>' })
  expect(folder.address).toMatch(/^\/i\/bookmarks\?folder=\d+$/)
  expect(folder.text).toContain('Read &lt;b&gt;later')
  expect(folder.text).toContain('There is nothing in this folder yet.')
  const folderId = folder.address.split('=')[1]!
  await press(alice, '/i/bookmarks', 'bookmark-file', { post_id: ids[0]! }, { folder_id: folderId })
  const filled = await alice.open(folder.address)
  expect(filled.text).toContain('kept in a folder')
  expect(filled.text).not.toContain(`post-${ids[1]}`)
  expect((await bob.open(folder.address)).status).toBe(404)
  const emptied = await press(alice, folder.address, 'bookmark-file', { post_id: ids[0]! }, { folder_id: '' })
  expect(emptied.text).toContain('There is nothing in this folder yet.')
  expect((await alice.open('/i/bookmarks')).text).toContain('kept in a folder')
  expect((await press(alice, '/i/bookmarks', 'bookmark-folder', {}, { name: ' ' })).status).toBe(400)
})

test('the second column has trends, and on the home page people whom friends follow', async () => {
  const home = await alice.open('/home')
  const column = /<aside class="more"[^>]*>(.*?)<\/aside>/s.exec(home.text)![1]!
  expect(column).toContain('Trends')
  expect(column).toContain('Who to follow')
  const shown = [...column.matchAll(/class="card user" aria-label="([^"]*)"/g)].map(([, name]) => name)
  expect(shown.length).toBeGreaterThan(0)
  // Nobody is shown whom the viewer follows, blocks or is.
  expect(column).not.toContain('Unfollow')
  const first = /name="user_id" value="(\d+)"/.exec(column)![1]!
  await press(alice, '/home', 'follow', { user_id: first })
  expect(/<aside class="more"[^>]*>(.*?)<\/aside>/s.exec((await alice.open('/home')).text)![1]).not.toContain(
    `"${first}"`,
  )
  expect((await alice.open('/i/settings')).text).not.toContain('class="more"')
  expect((await fetch(`${server.baseUrl}/bob`, { headers: { accept: 'text/html' } })).status).toBe(200)
})
