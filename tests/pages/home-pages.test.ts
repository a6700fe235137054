import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makePost } from '../social/acting.ts'
import { Browser, type Page } from '../support/browser.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'
import { signedIn } from './signed-in.ts'

let server: TestServer
let alice: Browser
let bob: Browser

beforeAll(async () => {
  server = await startTestServer([], { events: true })
  alice = await signedIn(server, 'alice')
  bob = await signedIn(server, 'bob')
})
afterAll(() => server.close())

const csrfOf = (page: Page) => page.forms.find((form) => form.fields.csrf)!.fields.csrf!
const cookieOf = (browser: Browser) => [...browser.cookies].map((pair) => pair.join('=')).join('; ')

/** Sends a form to an address with the token of a page. */
const act = async (browser: Browser, action: string, fields: Record<string, string>) =>
  browser.post(action, { csrf: csrfOf(await browser.open('/home')), ...fields })

/** The smallest PNG: one pixel. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

/** Sends a form with files. */
async function sendFiles(browser: Browser, action: string, fields: Record<string, string>, files: string[]) {
  const form = new FormData()
  form.set('csrf', csrfOf(await browser.open('/home')))
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  for (const name of files) form.set(name, new Blob([PNG], { type: 'image/png' }), 'a.png')
  return fetch(server.baseUrl + action, {
    method: 'POST',
    body: form,
    headers: { cookie: cookieOf(browser), accept: 'application/json' },
  })
}

const MARKUP = '<img src=x onerror=alert(1)>"\'</textarea><script>x</script>'
const isEscaped = (text: string) => !text.includes('<img src=x') && !text.includes('<script>x')

describe('writing', () => {
  test('a post, a reply and a quote goes by forms, and what was typed comes back with a refusal', async () => {
    const home = await alice.open('/home')
    const posted = await alice.submit(home, 'option_0', { text: 'From the page, example.com' })
    expect(posted.address).toBe('/home')
    expect(posted.text).toContain('From the page')
    const id = /data-newest="(\d+)"/.exec(posted.text)![1]!
    const answered = await act(bob, '/i/compose', { text: 'An answer', reply_to: id })
    expect(answered.address).toMatch(/^\/bob\/status\/\d+$/)
    const quoting = await bob.open(`/i/compose?quote=${id}`)
    expect(quoting.text).toContain('From the page')
    const quoted = await bob.submit(quoting, 'quote', { text: 'Look at this' })
    expect(quoted.text).toContain('class="quoted"')
    const refused = await act(alice, '/i/compose', { text: `${MARKUP}${'x'.repeat(25_100)}` })
    expect(refused.status).toBe(400)
    expect(refused.text).toContain('Not posted.')
    expect(refused.text).toContain('x'.repeat(25_100))
    expect(isEscaped(refused.text)).toBe(true)
  })

  test('takes a poll, who may reply, pictures with descriptions, edits and deletions', async () => {
    const polled = await act(alice, '/i/compose', { text: 'Which?', option_0: 'One', option_1: 'Two', duration: '60' })
    expect(polled.text).toContain('One')
    const limited = await act(alice, '/i/compose', { text: 'Only friends', reply_settings: 'following' })
    const limitedId = limited.address.split('/').at(-1)!
    const read = await server.get(`/2/posts/${limitedId}?post.fields=reply_settings`)
    expect(read.body.data.reply_settings).toBe('following')
    const sent = await sendFiles(alice, '/i/compose', { text: 'Seen', alt_0: 'A "dot"', alt_1: 'Another' }, [
      'file_0',
      'file_1',
    ])
    const pictured = (await sent.json()) as { ok: boolean; id: string }
    expect(pictured.ok).toBe(true)
    const shown = await alice.open(`/alice/status/${pictured.id}`)
    expect(shown.text).toContain('alt="A &quot;dot&quot;"')
    expect(shown.text).toContain('alt="Another"')
    const editing = await alice.open(`/i/compose?edit=${limitedId}`)
    expect(editing.text).toContain('Only friends')
    const edited = await alice.submit(editing, 'edit', { text: 'Only good friends' })
    expect(edited.text).toContain('Only good friends')
    expect((await bob.open(`/i/compose?edit=${limitedId}`)).status).toBe(403)
    const back = `/alice/status/${pictured.id}`
    const after = await act(alice, '/i/actions/delete', { post_id: pictured.id, return_to: back })
    expect(after.address).toBe('/home')
    expect(after.text).not.toContain(`post-${pictured.id}`)
  })

  test('needs the token of a page of the same session, also in a form with files', async () => {
    const foreign = csrfOf(await bob.open('/home'))
    for (const csrf of [undefined, 'x.y', foreign])
      for (const path of ['/i/compose', '/i/messages']) {
        const form = new FormData()
        if (csrf) form.set('csrf', csrf)
        form.set('text', 'forged')
        form.set('to', 'bob')
        const headers = { cookie: cookieOf(alice) }
        expect((await fetch(server.baseUrl + path, { method: 'POST', body: form, headers })).status).toBe(403)
      }
    expect((await alice.open('/home')).text).not.toContain('forged')
  })

  test('is counted by weight', async () => {
    const weigh = async (body: string) =>
      (await (await fetch(`${server.baseUrl}/i/weigh`, { method: 'POST', body })).json()).weight
    expect(await weigh('see https://example.com/a/very/long/path/indeed')).toBe(27)
    expect(await weigh('日本')).toBe(4)
  })
})

describe('notifications', () => {
  test('are shown with names, grouped, and seen once they were opened', async () => {
    const id = await makePost(server, 'alice', { text: `noticed ${MARKUP}`.slice(0, 200) })
    for (const name of ['bob', 'chika', 'dario'])
      await server.post(`/2/users/${server.userId(name)}/likes`, { post_id: id }, { user: name })
    const page = await until(async () => {
      const shown = await alice.open('/notifications')
      return /Dario.*and.*Bob/s.test(shown.text) ? shown : undefined
    })
    expect(isEscaped(page.text)).toBe(true)
    const mentions = await alice.open('/notifications?show=mentions')
    expect(mentions.text).not.toContain('liked your post')
    expect((await alice.open('/notifications?page=x')).status).toBe(404)
    expect((await fetch(`${server.baseUrl}/notifications`, { redirect: 'manual' })).status).toBe(302)
  })

  test('of a request to follow have the answers beside them', async () => {
    await server.command('user.update', { user: 'dario', protected: true })
    const dario = await signedIn(server, 'dario')
    await server.delete(`/2/users/${server.userId('chika')}/following/${server.userId('dario')}`, { user: 'chika' })
    await server.post(
      `/2/users/${server.userId('chika')}/following`,
      { target_user_id: server.userId('dario') },
      { user: 'chika' },
    )
    const page = await until(async () => {
      const shown = await dario.open('/notifications')
      return shown.text.includes('asks to follow you') ? shown : undefined
    })
    const answered = await dario.submit(page, 'user_id', {})
    expect(answered.text).not.toContain('asks to follow you')
    expect((await act(dario, '/i/actions/approve-follow', { user_id: server.userId('chika') })).status).toBe(404)
    await server.command('user.update', { user: 'dario', protected: false })
  })
})

describe('messages', () => {
  test('go to a user or a group, with pictures, and only those who are in it see them', async () => {
    const sent = await act(alice, '/i/messages', { to: '@bob', text: `Hello Bob ${MARKUP}` })
    expect(sent.address).toMatch(/^\/messages\/\d+-\d+$/)
    expect(sent.text).toContain('Hello Bob')
    expect(isEscaped(sent.text)).toBe(true)
    const listed = await bob.open('/messages')
    expect(listed.text).toContain('Hello Bob')
    expect(listed.text).toContain('Unread')
    await bob.open(sent.address)
    expect((await bob.open('/messages')).text).not.toContain('Unread')
    const again = await alice.open(sent.address)
    expect(again.text).toMatch(/data-seen>/)
    const other = await signedIn(server, 'chika')
    expect((await other.open(sent.address)).status).toBe(404)
    const id = sent.address.split('/').at(-1)!
    const pictured = await sendFiles(alice, '/i/messages', { conversation: id, alt_0: 'A dot' }, ['file_0'])
    expect((await pictured.json()).ok).toBe(true)
    const shown = await bob.open(sent.address)
    const picture = /src="(\/messages\/media\/[^"]+)"/.exec(shown.text)![1]!
    const load = (browser: Browser) => fetch(server.baseUrl + picture, { headers: { cookie: cookieOf(browser) } })
    expect((await load(bob)).headers.get('content-type')).toBe('image/png')
    expect((await load(other)).status).toBe(404)
    const group = await act(alice, '/i/messages', { to: 'bob, chika', text: 'All of you' })
    expect(group.text).toContain('Leave the group')
    expect((await other.open(group.address)).text).toContain('All of you')
    const refused = await act(alice, '/i/messages', { to: 'nobody_at_all', text: 'kept text' })
    expect([refused.status, refused.text.includes('kept text')]).toEqual([404, true])
    const left = await act(bob, '/i/actions/group-leave', { conversation: group.address.split('/').at(-1)! })
    expect(left.address).toBe('/messages')
  })

  test('of a stranger are requests, and nobody learns that they were read', async () => {
    await server.command('user.create', { username: 'stranger', name: 'Stranger', password: 'a long password 1' })
    const stranger = new Browser(server.baseUrl)
    await stranger.signIn(await stranger.open('/i/sign-in?return_to=/home'), {
      username: 'stranger',
      password: 'a long password 1',
    })
    const sent = await act(stranger, '/i/messages', { to: 'bob', text: 'You do not know me' })
    expect((await bob.open('/messages')).text).not.toContain('You do not know me')
    expect((await bob.open('/messages?show=requests')).text).toContain('You do not know me')
    expect((await bob.open(sent.address)).text).toContain('Your answer accepts the request')
    expect((await stranger.open(sent.address)).text).toContain('data-seen hidden')
    await act(bob, '/i/messages', { conversation: sent.address.split('/').at(-1)!, text: 'Now I do' })
    expect((await bob.open('/messages')).text).toContain('Now I do')
  })
})

describe('what a user has', () => {
  test('bookmarks, lists, communities, spaces and notes work by forms', async () => {
    const id = await makePost(server, 'bob', { text: 'to keep' })
    await act(alice, '/i/actions/bookmark', { post_id: id })
    expect((await alice.open('/i/bookmarks')).text).toContain('to keep')
    expect((await bob.open('/i/bookmarks')).text).not.toContain('to keep')

    const list = await act(alice, '/i/actions/list-create', { name: 'Gardeners', description: MARKUP.slice(0, 60) })
    expect(list.address).toMatch(/^\/i\/lists\/\d+\/edit$/)
    const listId = list.address.split('/')[3]!
    const back = { list_id: listId, return_to: `/i/lists/${listId}/edit` }
    expect((await act(alice, '/i/actions/list-add', { ...back, username: '@bob' })).text).toContain('@bob')
    expect((await act(alice, '/i/actions/list-update', { ...back, name: 'Cooks', private: 'true' })).text).toContain(
      'Cooks',
    )
    expect((await bob.open(list.address)).status).toBe(404)
    await act(alice, '/i/actions/list-pin', back)
    const lists = await alice.open('/i/lists')
    expect(lists.text).toContain('Pinned')
    expect(isEscaped(lists.text)).toBe(true)
    expect((await act(alice, '/i/actions/list-delete', back)).text).toContain('You have no lists yet')

    const made = await act(bob, '/i/actions/community-create', { name: 'Potters', description: 'clay' })
    const communityId = /communities\/(\d+)/.exec(made.address)?.[1] ?? ''
    expect((await alice.open('/i/communities?q=potters')).text).toContain('Potters')
    await act(alice, '/i/actions/community-join', { community_id: communityId })
    expect((await alice.open('/i/communities')).text).toContain(`/i/compose?community=${communityId}`)
    const inside = await act(alice, '/i/compose', { text: 'in clay', community: communityId })
    expect(inside.text).toContain('in clay')
    await act(alice, '/i/actions/community-leave', { community_id: communityId })
    expect((await alice.open('/i/communities')).text).not.toContain('Potters')

    await act(alice, '/i/actions/space-create', { title: 'Evening talk' })
    const spaces = await alice.open('/i/spaces')
    expect(spaces.text).toContain('Evening talk')
    const spaceId = /name="space_id" value="(\w+)"/.exec(spaces.text)![1]!
    expect((await bob.open('/i/spaces?q=evening')).text).toContain('Evening talk')
    expect((await act(bob, '/i/actions/space-join', { space_id: spaceId })).status).toBe(200)
    expect((await act(bob, '/i/actions/space-end', { space_id: spaceId })).status).toBe(403)
    await act(alice, '/i/actions/space-end', { space_id: spaceId })
    expect((await alice.open('/i/spaces')).text).not.toContain('Evening talk')
  })

  test('notes are written by writers and rated by others, and reports reach the operator', async () => {
    const id = await makePost(server, 'bob', { text: 'the moon is made of cheese' })
    await server.command('notes.enrol', { user: 'alice' })
    const fields = {
      post_id: id,
      classification: 'misinformed_or_potentially_misleading',
      tag_factual_error: 'true',
      text: `It is rock, see https://example.com ${MARKUP}`.slice(0, 200),
      trustworthy_sources: 'true',
      return_to: `/i/notes/${id}`,
    }
    const written = await act(alice, '/i/actions/note-write', fields)
    expect(written.text).toContain('Delete your note')
    expect(isEscaped(written.text)).toBe(true)
    expect((await act(bob, '/i/actions/note-write', fields)).status).toBe(403)
    const shown = await bob.open(`/i/notes/${id}`)
    const noteId = shown.forms.find((form) => form.action.endsWith('note-rate'))!.fields.note_id!
    const rating = { note_id: noteId, helpfulness: 'helpful', tag_clear: 'true', return_to: `/i/notes/${id}` }
    expect((await act(bob, '/i/actions/note-rate', rating)).text).toContain('You rated it: helpful')
    expect((await act(alice, '/i/actions/note-rate', rating)).status).toBe(400)
    expect(shown.text).not.toContain('@alice')

    const reporting = await alice.open(`/i/report?post=${id}`)
    const reported = await alice.submit(reporting, 'reason', { reason: 'spam', comment: 'cheese' })
    expect(reported.text).toContain('Thank you')
    const { reports } = await server.command('report.list')
    expect(reports[0]).toMatchObject({ kind: 'post', reason: 'spam', comment: 'cheese' })
    expect((await act(bob, '/i/actions/report', { kind: 'post', id, reason: 'spam' })).status).toBe(403)
  })
})

test('a profile has the ways to write to a user, to mute, block and report them', async () => {
  const page = await alice.open('/bob')
  for (const text of ['/messages/compose?to=bob', 'Mute @bob', 'Block @bob', '/i/report?user='])
    expect(page.text).toContain(text)
  await act(alice, '/i/actions/mute', { user_id: server.userId('bob') })
  expect((await alice.open('/bob')).text).toContain('Unmute @bob')
  await act(alice, '/i/actions/unmute', { user_id: server.userId('bob') })
  expect((await alice.open('/alice')).text).not.toContain('Block @alice')
})

describe('the live channel', () => {
  /** Reads server-sent events until one passes. */
  async function follow(browser: Browser, query: string, lastId?: string) {
    const stopping = new AbortController()
    const answer = await fetch(`${server.baseUrl}/i/live?${query}`, {
      headers: { cookie: cookieOf(browser), ...(lastId === undefined ? {} : { 'last-event-id': lastId }) },
      signal: stopping.signal,
    })
    const seen: { name: string; data: Record<string, unknown> }[] = []
    let last = ''
    const read = async () => {
      const decoder = new TextDecoder()
      let text = ''
      for await (const chunk of answer.body!) {
        text += decoder.decode(chunk as Uint8Array)
        for (const part of text.split('\n\n').slice(0, -1)) {
          const name = /^event: (.*)$/m.exec(part)?.[1]
          last = /^id: (.*)$/m.exec(part)?.[1] ?? last
          if (name) seen.push({ name, data: JSON.parse(/^data: (.*)$/m.exec(part)![1]!) })
        }
        text = text.slice(text.lastIndexOf('\n\n') + 2)
      }
    }
    const reading = read().catch(() => {})
    const event = (name: string, matches = (_data: Record<string, unknown>) => true) =>
      until(async () => seen.find((item) => item.name === name && matches(item.data)))
    await event('ready')
    return {
      event,
      seen,
      lastId: () => last,
      end: async () => {
        stopping.abort()
        await reading
      },
    }
  }

  test('tells of posts of people whom the viewer follows, of numbers, notices and messages', async () => {
    const own = await makePost(server, 'alice', { text: 'watched' })
    const page = await follow(alice, `page=home&posts=${own}`)
    await server.post(`/2/users/${server.userId('bob')}/likes`, { post_id: own }, { user: 'bob' })
    expect((await page.event('metrics')).data).toMatchObject({ id: own, like: 1 })
    await page.event('counts', (data) => Number(data.notifications) > 0)
    const fresh = await makePost(server, 'bob', { text: 'fresh from bob' })
    await page.event('arrivals')
    const answer = await fetch(`${server.baseUrl}/i/live/home?after=${own}`, { headers: { cookie: cookieOf(alice) } })
    const arrived = (await answer.json()) as { count: number; newest: string; html: string }
    expect([arrived.count, arrived.newest, arrived.html.includes('fresh from bob')]).toEqual([1, fresh, true])
    await act(bob, '/i/messages', { to: 'alice', text: 'psst' })
    const { data } = await page.event('message')
    await page.event('counts', (counts) => counts.messages === 1)
    await act(bob, '/i/actions/typing', { conversation: String(data.conversation) })
    expect((await page.event('typing')).data).toMatchObject({ conversation: data.conversation })
    await server.delete(`/2/posts/${own}`, { user: 'alice' })
    await page.event('gone')
    await page.end()
  })

  test('goes on after the last event that a page got, with what it missed', async () => {
    const own = await makePost(server, 'alice', { text: 'watched again' })
    const other = await makePost(server, 'alice', { text: 'watched and deleted' })
    const query = `page=home&posts=${own},${other}`
    const first = await follow(alice, query)
    await server.post(`/2/users/${server.userId('bob')}/likes`, { post_id: other }, { user: 'bob' })
    await first.event('metrics')
    await until(async () => first.lastId() !== '')
    await first.end()
    await server.post(`/2/users/${server.userId('chika')}/likes`, { post_id: own }, { user: 'chika' })
    await server.delete(`/2/posts/${other}`, { user: 'alice' })
    await makePost(server, 'bob', { text: 'written while alice was away' })
    await act(bob, '/i/messages', { to: 'alice', text: 'are you there?' })
    await until(
      async () => (await server.runtime.database.query({ text: 'select from event_outbox' })).rows.length === 0,
    )
    const resumed = await follow(alice, query, first.lastId())
    const names = resumed.seen.map((item) => item.name)
    expect(names).toEqual(expect.arrayContaining(['gone', 'arrivals', 'message', 'metrics', 'counts', 'ready']))
    expect(resumed.seen.find((item) => item.name === 'metrics')!.data).toMatchObject({ id: own, like: 1 })
    await resumed.end()
    const anew = await follow(alice, `${query}&last_event_id=${resumed.lastId()}`)
    expect(anew.seen.map((item) => item.name).filter((name) => name !== 'gone')).toEqual(['counts', 'ready'])
    await anew.end()
    // A position of another world is not an error.
    const lost = await follow(alice, query, '999999999')
    await lost.end()
  })

  test('is for signed-in users, and says nothing about posts that the viewer may not see', async () => {
    expect((await fetch(`${server.baseUrl}/i/live`)).status).toBe(403)
    const hidden = await makePost(server, 'erin', { text: 'only for followers' })
    const open = await makePost(server, 'bob', { text: 'for all' })
    const page = await follow(alice, `page=posts&posts=${hidden},${open}`)
    for (const post of [hidden, open])
      await server.post(`/2/users/${server.userId('bob')}/likes`, { post_id: post }, { user: 'bob' })
    const first = await page.event('metrics')
    expect(first.data.id).toBe(open)
    await page.end()
  })
})
