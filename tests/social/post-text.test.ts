import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../support/server.ts'
import { accessToken, keysFor, makePost, readPost } from './acting.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

const create = (text: string, user = 'dario') => server.post('/2/posts', { text }, { user })
const slice = (text: string, span: { start: number; end: number }) => [...text].slice(span.start, span.end).join('')
const FAMILY = '👨‍👩‍👧‍👦'

describe('the weight of a text', () => {
  test.each([
    ['280 Latin letters', 'a'.repeat(280), 'a'],
    ['140 Chinese characters', '文'.repeat(140), '文'],
    ['140 emoji of several code points', FAMILY.repeat(140), '😀'],
    ['an address of any length as 23', `${'w'.repeat(256)} https://example.com/${'p'.repeat(300)}`, '.'],
    ['ten addresses as 23 each', `${'z'.repeat(40)}${' https://example.com/abcdefghijklmnopqrstuvw'.repeat(10)}`, ' z'],
    ['a flag and a keycap as 2 each', `${'f'.repeat(276)}🇵🇹1️⃣`, 'f'],
    ['a letter with its accent apart as 1', 'e\u0301'.repeat(280), 'e'],
  ])('counts %s up to 280 and rejects one more', async (_name, text, more) => {
    expect((await create(text)).status).toBe(201)
    const over = await create(more === '.' ? `w${text}` : text + more)
    expect(over.status).toBe(400)
    expect(Object.keys(over.body.errors[0].parameters)).toEqual(['text'])
  })

  test('mentions and hashtags that were typed count like other letters', async () => {
    expect((await create(`@bob #tag ${'x'.repeat(270)}`)).status).toBe(201)
    expect((await create(`@bob #tag ${'x'.repeat(271)}`)).status).toBe(400)
  })
})

describe('long posts', () => {
  test('a subscriber writes 25,000 characters, of which the text shows the beginning and a link', async () => {
    const long = `Start #first ${'word '.repeat(4_990)}@bob #last`.padEnd(25_000, '!')
    const made = await create(long, 'alice')
    expect(made.status).toBe(201)
    const post = await readPost(server, made.body.data.id, 'note_post,entities,display_text_range')
    expect(post.text).toBe(made.body.data.text)
    expect([...post.text].length).toBeLessThanOrEqual(280)
    expect(post.text).toMatch(/^Start #first word .*… https:\/\/\S{15}$/)
    expect(post.note_post.text).toBe(long)
    expect(post.note_post.entities.hashtags.map((tag: { tag: string }) => tag.tag)).toEqual(['first', 'last'])
    expect(slice(long, post.note_post.entities.mentions[0])).toBe('@bob')
    expect(post.entities.hashtags).toHaveLength(1)
    expect(post.entities.urls[0].expanded_url).toBe(`${server.runtime.baseUrl}/alice/status/${post.id}`)
    expect(slice(post.text, post.entities.urls[0])).toBe(post.entities.urls[0].url)
  })

  test('25,001 characters are too many for a subscriber', async () => {
    const over = await create('b'.repeat(25_001), 'alice')
    expect(over.status).toBe(400)
    expect(over.body.errors[0].message).toBe('The text has 25001 characters, but a Post can have at most 25000.')
  })

  test('281 characters are too many without a subscription and a long post with it', async () => {
    const text = `${'c'.repeat(140)} ${'d'.repeat(140)}`
    const refused = await create(text)
    expect(refused.status).toBe(400)
    expect(refused.body.errors[0].message).toBe(
      'The text weighs 281, but a Post of an account without a paid subscription can weigh at most 280.',
    )
    await server.command('user.update', { user: 'dario', subscription_type: 'Basic' })
    const made = await create(text)
    await server.command('user.update', { user: 'dario', subscription_type: 'None' })
    expect(made.status).toBe(201)
    expect((await readPost(server, made.body.data.id, 'note_post')).note_post).toEqual({ text })
  })

  test('a post of 280 has no note', async () => {
    const id = await makePost(server, 'alice', { text: 'n'.repeat(280) })
    expect(await readPost(server, id, 'note_post')).toEqual({ id, text: 'n'.repeat(280) })
  })
})

describe('entities', () => {
  test('the offsets of every entity are code points, also after emoji and escapes', async () => {
    const text = `${FAMILY} <b> & 𝒳 @Bob, @nobodyhere #日本 #a_1 $ACME https://example.com/a?b=1&c=2#d (example.org) e\u0301 #é`
    const id = await makePost(server, 'alice', { text })
    const post = await readPost(server, id, 'entities,display_text_range')
    const { mentions, hashtags, cashtags, urls } = post.entities
    expect(Object.keys(post.entities).sort()).toEqual(['cashtags', 'hashtags', 'mentions', 'urls'])
    expect(mentions).toEqual([
      {
        start: expect.any(Number),
        end: expect.any(Number),
        username: expect.stringMatching(/^bob$/i),
        id: server.userId('bob'),
      },
    ])
    expect(slice(post.text, mentions[0])).toBe('@Bob')
    expect(hashtags.map((tag: { tag: string }) => tag.tag)).toEqual(['日本', 'a_1', 'é'])
    for (const tag of hashtags) expect(slice(post.text, tag)).toBe(`#${tag.tag}`)
    expect(cashtags.map((tag: { tag: string }) => tag.tag)).toEqual(['ACME'])
    expect(slice(post.text, cashtags[0])).toBe('$ACME')
    expect(urls.map((url: { expanded_url: string }) => url.expanded_url)).toEqual([
      'https://example.com/a?b=1&c=2#d',
      'http://example.org',
    ])
    for (const url of urls) {
      expect(slice(post.text, url)).toBe(url.url)
      expect(url.url).toHaveLength(23)
    }
    expect(urls[0].display_url).toBe('example.com/a?b=1&c=2#d')
    expect(post.display_text_range).toEqual([0, [...post.text].length])
  })

  test('a name that no user has is not a mention', async () => {
    const id = await makePost(server, 'bob', { text: '@alice and @nobody_by_that' })
    const { mentions } = (await readPost(server, id, 'entities')).entities
    expect(mentions.map((mention: { username: string }) => mention.username)).toEqual(['alice'])
  })

  test('kinds without entities, and entities without kinds, are left out', async () => {
    const tagged = await makePost(server, 'bob', { text: 'only a #tag' })
    expect((await readPost(server, tagged, 'entities')).entities).toEqual({
      hashtags: [{ start: 7, end: 11, tag: 'tag' }],
    })
    const bare = await makePost(server, 'bob', { text: 'nothing at all' })
    expect(await readPost(server, bare, 'entities')).toEqual({ id: bare, text: 'nothing at all' })
  })

  test('the short link of a post leads to what was typed', async () => {
    const id = await makePost(server, 'bob', { text: 'see https://example.com/somewhere?x=1' })
    const { entities } = await readPost(server, id, 'entities')
    const code = new URL(entities.urls[0].url).pathname.slice(1)
    const opened = await server.get(`/i/links/${code}`, 'nobody')
    expect(opened.status).toBe(302)
    expect(opened.headers.get('location')).toBe('https://example.com/somewhere?x=1')
    expect(entities.urls[0].expanded_url).toBe('https://example.com/somewhere?x=1')
  })

  test('characters that are special in HTML are escaped in the answers of creation and of every read', async () => {
    const made = await create('1 < 2 && "3" > \'2\' &amp;', 'bob')
    const shown = '1 &lt; 2 &amp;&amp; "3" &gt; \'2\' &amp;amp;'
    expect(made.body.data.text).toBe(shown)
    expect((await readPost(server, made.body.data.id, 'display_text_range')).text).toBe(shown)
  })

  test('a text that mentions the escape \\u0000 is a text like any other', async () => {
    const made = await create('In JSON \\u0000 is the character NUL', 'bob')
    expect(made.status, made.text).toBe(201)
    expect(made.body.data.text).toBe('In JSON \\u0000 is the character NUL')
  })
})

test.each([
  ['de', 'Heute scheint die Sonne über der Stadt und alle Leute gehen spazieren'],
  ['ja', '今日はとても暑いので、アイスクリームを食べました'],
  ['fr', 'Je voudrais une baguette et deux croissants, s’il vous plaît'],
  ['zxx', 'https://example.com/only-a-link'],
  ['qam', '@bob @alice'],
  ['qht', '#one #two'],
])('the language of a post is found: %s', async (lang, text) => {
  const id = await makePost(server, 'chika', { text })
  expect((await readPost(server, id, 'lang')).lang).toBe(lang)
})

test('the source of a post is the name of the app that created it', async () => {
  const keys = await keysFor(server, 'bob', 1)
  const id = await makePost(server, { keys }, { text: 'from the second app' })
  expect((await readPost(server, id, 'source')).source).toBe('Second app')
})

test('a user token of OAuth 2.0 creates a post only with the scope for writing', async () => {
  const reader = await accessToken(server, 'bob', ['post.read', 'users.read'])
  const refused = await server.post('/2/posts', { text: 'scoped' }, { bearer: reader })
  expect(refused.status).toBe(403)
  expect(refused.body).toEqual({ title: 'Forbidden', type: 'about:blank', status: 403, detail: 'Forbidden' })
  const writer = await accessToken(server, 'bob', ['post.read', 'post.write', 'users.read'])
  const id = await makePost(server, { bearer: writer }, { text: 'scoped' })
  expect((await readPost(server, id, 'author_id')).author_id).toBe(server.userId('bob'))
})

describe('cashtags', () => {
  test('an app on the self-serve tier may use one cashtag, not two', async () => {
    const keys = await keysFor(server, 'dario', 1)
    expect((await server.post('/2/posts', { text: 'only $ONE' }, { keys })).status).toBe(201)
    const two = await server.post('/2/posts', { text: 'both $ONE and $TWO' }, { keys })
    expect(two.status).toBe(403)
    expect(two.body).toMatchObject({ type: 'about:blank', title: 'Forbidden', status: 403 })
  })

  test('an enterprise app may use any number of cashtags', async () => {
    expect((await create('all of $ONE $TWO $SIX')).status).toBe(201)
  })
})
