import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { commands } from '../../src/control/commands.ts'
import { peoplePages } from '../../src/pages/pages.ts'
import { makePost } from '../social/acting.ts'
import type { Browser } from '../support/browser.ts'
import { sampleOf } from '../support/sampling.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { signedIn } from './signed-in.ts'

let server: TestServer
let dario: Browser
let csrf: string
const known: Record<string, string> = {}
// Every value on every form takes minutes; npm run test:full has them all.
const IN_REST = 6
beforeAll(async () => {
  server = await startTestServer(['--rate-limits', 'off', '--private-webhooks', 'on'])
  dario = await signedIn(server, 'dario')
  csrf = (await dario.open('/home')).forms.find((form) => form.fields.csrf)!.fields.csrf!
  const poll = { options: ['yes', 'no'], duration_minutes: 60 }
  known.post = await makePost(server, 'dario', { text: `attacked ${process.pid}`, poll })
  known.list = (await server.post('/2/lists', { name: 'Attacked' }, { user: 'dario' })).body.data.id
  known.community = (await server.command('communities.create', { user: 'dario', name: 'Attacked' })).id
  known.conversation = [server.userId('dario'), server.userId('bob')].sort().join('-')
  known.bob = server.userId('bob')
})
afterAll(() => server.close())

/** Texts that are no id, no date and no number, or too large ones, and names that every object has. */
const VALUES = [
  '',
  '0',
  '-1',
  '1e308',
  'NaN',
  '9'.repeat(19),
  '9'.repeat(400),
  '9223372036854775807',
  "'; drop table post; --",
  '"><script>alert(1)</script>',
  'javascript:alert(1)',
  '//evil.example/',
  '/\\evil.example',
  '__proto__',
  'constructor',
  '\u0000x',
  `x${'💥'.repeat(300)}`,
  '\u0301'.repeat(2_000),
  '2026-13-45T99:99',
  '9999-12-31T23:59:59-14:00',
  '-271821-04-20T00:00:00.000Z',
  '1,2,,3',
  '%zz',
]

const POST = { post_id: '=post' }
const USER = { user_id: '=bob' }
const LIST = { list_id: '=list', username: 'bob', user_id: '=bob', name: 'New', description: 'New' }
const COMMUNITY = { community_id: '=community', user_id: '=bob', username: 'bob', answer: 'approve' }
const SPACE = { space_id: '1DXxyRYNejbKM' }
const CONVERSATION = { conversation: '=conversation', event_id: '1', to: 'bob', text: 'hello' }
const APP = {
  name: 'App',
  description: 'Does',
  website_url: 'https://example.org/',
  callback_urls: 'https://example.org/back',
  permission_level: 'read',
  client_type: 'public',
  project: 'new',
  new_project: 'Mine',
}

/** The fields of every form, with values that it takes; `=post` stands for the id of one. */
const FORMS: Record<string, Record<string, string>> = {
  '/i/actions/vote': { ...POST, option: '1' },
  ...Object.fromEntries(
    ['like', 'unlike', 'repost', 'unrepost', 'bookmark', 'unbookmark'].map((name) => [`/i/actions/${name}`, POST]),
  ),
  '/i/actions/delete': { post_id: '1', return_to: '/home' },
  ...Object.fromEntries(
    ['follow', 'unfollow', 'mute', 'unmute', 'block', 'unblock', 'approve-follow', 'refuse-follow'].map((name) => [
      `/i/actions/${name}`,
      USER,
    ]),
  ),
  '/i/compose': {
    text: 'new',
    reply_to: '',
    quote: '',
    edit: '',
    community: '',
    return_to: '/home',
    option_0: '',
    duration: '',
    reply_settings: '',
    alt_0: '',
  },
  '/i/weigh': { text: 'new' },
  '/i/messages': CONVERSATION,
  ...Object.fromEntries(
    ['group-add', 'group-leave', 'delete-message', 'typing', 'read-messages'].map((name) => [
      `/i/actions/${name}`,
      CONVERSATION,
    ]),
  ),
  '/i/actions/bookmark-folder': { name: 'Folder' },
  '/i/actions/bookmark-file': { ...POST, folder_id: '1' },
  ...Object.fromEntries(
    ['create', 'update', 'delete', 'add', 'remove', 'pin', 'unpin', 'follow', 'unfollow'].map((name) => [
      `/i/actions/list-${name}`,
      { ...LIST, ...(name === 'delete' ? { list_id: '1' } : {}) },
    ]),
  ),
  '/i/actions/community-create': { name: 'Group', description: '', join_policy: 'Open', closed: 'true' },
  ...Object.fromEntries(
    ['join', 'leave', 'invite', 'answer'].map((name) => [`/i/actions/community-${name}`, COMMUNITY]),
  ),
  '/i/actions/space-create': { title: 'Talk', start: '2030-01-01T10:00', ticketed: 'true' },
  ...Object.fromEntries(
    ['start', 'end', 'join', 'leave', 'remind', 'unremind', 'ticket'].map((name) => [
      `/i/actions/space-${name}`,
      SPACE,
    ]),
  ),
  '/i/actions/note-write': { ...POST, text: 'https://example.org/', classification: 'not_misleading' },
  '/i/actions/note-rate': { note_id: '1', helpfulness: 'helpful' },
  '/i/actions/note-delete': { note_id: '1' },
  '/i/actions/report': { kind: 'post', id: '=post', reason: 'spam', comment: '', return_to: '/home' },
  '/i/register': { username: '', name: 'New', email: '', password: '', invitation: '', return_to: '/home' },
  '/i/settings/profile': { name: 'Dario', description: '', location: '', url: '' },
  '/i/settings/pictures': { picture: '' },
  '/i/settings/username': { username: 'dario' },
  '/i/settings/email': { email: '', current_password: '' },
  '/i/settings/password': { current_password: '', new_password: '', repeated_password: '' },
  '/i/settings/delete': { current_password: '', understood: 'yes' },
  '/i/settings/sessions/end': { session: '1' },
  // It takes nothing, and others would be signed out.
  '/i/settings/sessions/end-others': {},
  '/i/settings/apps/revoke': { app_id: '1' },
  '/i/settings/data/download': {},
  '/i/developer/apps': APP,
  '/i/developer/apps/{id}/update': APP,
  '/i/developer/apps/{id}/rotate': { understood: 'yes' },
  '/i/developer/apps/{id}/delete': { understood: 'yes' },
  '/i/developer/apps/{id}/webhooks': { url: 'http://127.0.0.1:1/' },
  '/i/developer/apps/{id}/webhooks/validate': { webhook_id: '1' },
  '/i/developer/apps/{id}/webhooks/delete': { webhook_id: '1' },
}

const filled = (text: string) => (text.startsWith('=') ? known[text.slice(1)]! : text)
const isOwn = (location: string | null) =>
  location === null || /^\/(?![/\\])/.test(location) || location.startsWith(`${server.baseUrl}/`)
const cookies = () => [...dario.cookies].map((pair) => pair.join('=')).join('; ')

test('every form is attacked', () => {
  const forms = peoplePages.filter(({ method }) => method === 'POST').map(({ path }) => path)
  expect(Object.keys(FORMS).sort()).toEqual(forms.sort())
})

describe('whatever a form has, it is refused or taken, and leads to no other site', () => {
  test.each(Object.entries(FORMS))('%s', async (path, fields) => {
    const attacks = Object.keys(fields).flatMap((name) => VALUES.map((value) => ({ name, value })))
    for (const { name, value } of sampleOf(`hostile form ${path}`, attacks, 1, { inRest: IN_REST })) {
      const given = Object.fromEntries(Object.entries(fields).map(([field, text]) => [field, filled(text)]))
      const answer = await fetch(server.baseUrl + path.replace('{id}', '1'), {
        method: 'POST',
        redirect: 'manual',
        headers: { cookie: cookies(), accept: 'text/html' },
        body: new URLSearchParams({ csrf, ...given, [name]: value }),
      })
      expect(answer.status, `${name}=${value.slice(0, 40)}`).toBeLessThan(500)
      expect(isOwn(answer.headers.get('location')), `${name}=${value.slice(0, 40)}`).toBe(true)
    }
    const foreign = await fetch(server.baseUrl + path.replace('{id}', '1'), {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie: cookies(), origin: 'http://evil.example' },
      body: new URLSearchParams({ csrf, ...fields }),
    })
    // It only counts characters, for anybody.
    if (path !== '/i/weigh') expect(foreign.status).toBe(403)
  })
})

const QUERIES = [
  'q',
  'f',
  'cursor',
  'after',
  'posts',
  'url',
  'maxwidth',
  'return_to',
  'to',
  'kind',
  'id',
  'folder',
  'ad',
]

describe('whatever the address of a page has, the page is shown or refused', () => {
  const pages = peoplePages.filter(({ method, path }) => method === 'GET' && path !== '/i/live')
  test.each(pages.map(({ path }) => path))('%s', async (path) => {
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)
    const attacks = [...names, '?'].flatMap((name) => VALUES.map((value) => ({ name, value })))
    for (const { name, value } of sampleOf(`hostile page ${path}`, attacks, 2, { inRest: IN_REST })) {
      // Longer ones do not fit into an address with all queries.
      const text = encodeURIComponent(name === '?' ? [...value].slice(0, 50).join('') : value)
      const plain = path.replace(/\{(\w+)\}/g, (_, part) =>
        part === name ? text || '%20' : part === 'id' ? known.post! : 'alice',
      )
      const address = name === '?' ? `${plain}?${QUERIES.map((query) => `${query}=${text}`).join('&')}` : plain
      const answer = await fetch(server.baseUrl + address, {
        redirect: 'manual',
        headers: { cookie: cookies(), accept: 'text/html' },
      })
      // The format of an embedded post may be one that does not exist here.
      expect(answer.status === 501 ? 400 : answer.status, address.slice(0, 200)).toBeLessThan(500)
      expect(isOwn(answer.headers.get('location')), address.slice(0, 200)).toBe(true)
    }
  })
})

/** Commands that take long by what they are told to do, or that take the world away from other tests. */
const LARGE =
  /^(?:live\.start|world\.seed|agents\.create|clock|snapshot\.\w+|user\.(?:delete|update)|app\.(?:delete|rotate|update))$/

describe('whatever a control command is told, it is done or refused', () => {
  const arguments_: Record<string, unknown> = {
    user: 'alice',
    owner: 'alice',
    by: 'alice',
    source: 'alice',
    target: 'bob',
  }
  const OTHERS: unknown[] = [null, -1, 1e308, 1.5, true, [], {}, [[]], [{}], JSON.parse('{"__proto__":{"a":1}}')]
  test.each(commands.filter(({ name }) => !LARGE.test(name)))('$name', async ({ name: command, args }) => {
    const { properties = {}, required = [] } = args as { properties?: object; required?: string[] }
    const given = Object.fromEntries(required.map((name) => [name, arguments_[name] ?? known.post]))
    const attacks = Object.keys(properties).flatMap((name) => [...VALUES, ...OTHERS].map((value) => ({ name, value })))
    for (const { name, value } of sampleOf(`hostile command ${command}`, attacks, 1, { inRest: IN_REST })) {
      const answer = await server.tryCommand(command, { ...given, [name]: value })
      expect(answer.status, `${name}=${JSON.stringify(value).slice(0, 40)}: ${answer.text}`).toBeLessThan(500)
    }
  })
})
