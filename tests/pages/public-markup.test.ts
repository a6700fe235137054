import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../support/server.ts'
import { makePublicScene, type PublicScene, publicPaths } from './public-scene.ts'

const HOSTILE = `<i>"'><img src=x onerror=a>`

let server: TestServer
let scene: PublicScene
beforeAll(async () => {
  server = await startTestServer(['--console', 'off'], { events: true })
  await server.command('user.update', { user: 'alice', name: HOSTILE })
  scene = await makePublicScene(server, HOSTILE)
})
afterAll(() => server.close())

const open = async (path: string) => {
  const answer = await fetch(server.baseUrl + path, { headers: { accept: 'text/html' } })
  return { status: answer.status, text: await answer.text() }
}

/** The tags of a document, without those that our templates have. */
const tagsOf = (text: string): string[] => text.match(/<[a-z][^>]*>/gi) ?? []

test('no text that somebody wrote becomes markup on any public page', async () => {
  for (const [name, path] of Object.entries(publicPaths(scene))) {
    const { status, text } = await open(path)
    expect([name, status]).toEqual([name, name === 'not-found' ? 404 : 200])
    expect(
      tagsOf(text).filter((tag) => /^<i>|onerror|onclick|src=x|javascript:/i.test(tag.replaceAll(/"[^"]*"/g, '""'))),
      name,
    ).toEqual([])
    if (!['followers', 'following', 'people', 'help', 'trends', 'not-found', 'members', 'reposts'].includes(name))
      expect(text, name).toContain('&lt;i&gt;&quot;&#39;&gt;')
  }
})

test('addresses with another scheme than the web are never links', async () => {
  const made = await server.post('/2/posts', { text: 'javascript:alert(1) data:text/html,x' }, { user: 'bob' })
  const { text } = await open(`/bob/status/${made.body.data.id}`)
  expect(text).not.toMatch(/href="\s*(javascript|data):/i)
})

describe('the head of a page', () => {
  test('describes a post for previews, names its one address and its embed', async () => {
    const { text } = await open(`/alice/status/${scene.post}`)
    const address = `${server.baseUrl}/alice/status/${scene.post}`
    expect(text).toContain(`<link rel="canonical" href="${address}">`)
    expect(text).toContain(`<meta property="og:url" content="${address}">`)
    expect(text).toMatch(/<meta property="og:description" content="&lt;i&gt;[^>]*The first #tomato/)
    expect(text).toMatch(new RegExp(`<meta property="og:image" content="${server.baseUrl}/media/`))
    expect(text).toContain(`href="${server.baseUrl}/oembed?url=${encodeURIComponent(address)}"`)
    expect((await open(`/alice/status/${scene.sensitive}`)).text).not.toContain('og:image')
  })
})

describe('oEmbed', () => {
  const embed = (url: string, more = '') => server.get(`/oembed?url=${encodeURIComponent(url)}${more}`, 'nobody')

  test('describes a public post, with HTML that has no script', async () => {
    const answer = await embed(`${server.baseUrl}/alice/status/${scene.post}`)
    expect(answer.status).toBe(200)
    expect(answer.body).toMatchObject({
      type: 'rich',
      version: '1.0',
      author_name: HOSTILE,
      author_url: `${server.baseUrl}/alice`,
      provider_name: 'Rostra',
      provider_url: server.baseUrl,
      url: `${server.baseUrl}/alice/status/${scene.post}`,
      width: 550,
      height: null,
    })
    expect(answer.body.html).toMatch(/^<blockquote class="rostra-post"/)
    expect(tagsOf(answer.body.html).filter((tag) => /script|onerror|<i>|href="\//.test(tag))).toEqual([])
    expect((await embed(`${server.baseUrl}/alice/status/${scene.post}`, '&maxwidth=300')).body.width).toBe(300)
  })

  test('refuses what is not a post here, what is not public, and other formats', async () => {
    expect((await embed('https://elsewhere.example/alice/status/1')).status).toBe(404)
    expect((await embed(`${server.baseUrl}/alice/status/1`)).status).toBe(404)
    expect((await server.get('/oembed', 'nobody')).status).toBe(400)
    expect((await embed(`${server.baseUrl}/alice/status/${scene.post}`, '&format=xml')).status).toBe(501)
    expect((await embed(`${server.baseUrl}/alice/status/${scene.post}`, '&maxwidth=x')).status).toBe(400)
    await server.command('user.update', { user: 'alice', protected: true })
    expect((await embed(`${server.baseUrl}/alice/status/${scene.post}`)).status).toBe(401)
    await server.command('user.update', { user: 'alice', protected: false })
  })
})

describe('a post shows', () => {
  test('its links, mentions and tags as links that stay on this server', async () => {
    const { text } = await open(`/alice/status/${scene.post}`)
    expect(text).toContain('href="/search?q=%23tomato"')
    expect(text).toContain('href="/search?q=%24ROST"')
    expect(text).toContain('<a href="/bob">@bob</a>')
    const link = /href="(\/i\/links\/\w+\?post=\d+)"[^>]*>example\.com\/tomatoes/.exec(text)![1]!
    const answer = await fetch(server.baseUrl + link, { redirect: 'manual' })
    expect(answer.headers.get('location')).toBe('https://example.com/tomatoes?kind=red')
  })

  test('what may be disturbing only when somebody asks, its note, its community and its article', async () => {
    expect((await open(`/alice/status/${scene.sensitive}`)).text).toMatch(
      /<details class="veil"><summary>[^<]+<\/summary><div class="media/,
    )
    expect((await open(`/bob/status/${scene.noted}`)).text).toContain('Readers added context')
    expect((await open(`/alice/status/${scene.inCommunity}`)).text).toContain(`/i/communities/${scene.community}`)
    expect((await open('/alice')).text).toContain(`class="linked" href="/i/articles/${scene.article}"`)
  })
})
