import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../support/server.ts'
import { signedIn } from './signed-in.ts'

let server: TestServer

beforeAll(async () => {
  server = await startTestServer(['--console', 'off'])
})
afterAll(() => server.close())

const asBrowser = { headers: { accept: 'text/html' }, redirect: 'manual' as const }
const open = async (path: string, headers: Record<string, string> = {}) => {
  const answer = await fetch(server.baseUrl + path, { ...asBrowser, headers: { ...asBrowser.headers, ...headers } })
  return { status: answer.status, headers: answer.headers, text: await answer.text() }
}
const newPost = async (body: object, user = 'alice'): Promise<string> => {
  const answer = await server.post('/2/posts', body, { user })
  if (answer.status !== 201) throw new Error(answer.text)
  return answer.body.data.id
}

describe('the page of a post', () => {
  test('has what it answers above, and the replies with their replies below', async () => {
    const first = await newPost({ text: 'The beginning' })
    const second = await newPost({ text: 'The middle', reply: { in_reply_to_post_id: first } }, 'bob')
    const third = await newPost({ text: 'The end', reply: { in_reply_to_post_id: second } })
    const fourth = await newPost({ text: 'After the end', reply: { in_reply_to_post_id: third } }, 'bob')
    const { text } = await open(`/bob/status/${second}`)
    const order = [first, second, third, fourth].map((id) => text.indexOf(`id="post-${id}"`))
    expect(order).toEqual(order.toSorted((left, right) => left - right))
    expect(order[0]).toBeGreaterThan(0)
  })

  test('pages its replies, and hides those that the author has hidden until somebody asks', async () => {
    const id = await newPost({ text: 'Many replies' })
    const replies: string[] = []
    for (let number = 0; number < 22; number += 1)
      replies.push(await newPost({ text: `Reply ${number}`, reply: { in_reply_to_post_id: id } }, 'bob'))
    await server.put(`/2/posts/${replies[0]}/hidden`, { hidden: true }, { user: 'alice' })
    const first = await open(`/alice/status/${id}`)
    expect(first.text).not.toContain('Reply 0<')
    expect(first.text).toContain('Reply 20<')
    expect(first.text).not.toContain('Reply 21<')
    const next = /rel="next" href="([^"]+)"/.exec(first.text)![1]!
    expect((await open(next)).text).toContain('Reply 21<')
    expect((await open(`/alice/status/${id}?replies=hidden`)).text).toContain('Reply 0<')
  })

  test('is reached under any name, and by the addresses of its media', async () => {
    const id = await newPost({ text: 'One address' })
    for (const path of [
      `/bob/status/${id}`,
      `/ALICE/status/${id}`,
      `/i/status/${id}`,
      `/i/web/status/${id}`,
      `/alice/status/${id}/photo/1`,
      `/alice/status/${id}/video/1`,
    ]) {
      const answer = await open(path)
      expect([path, answer.status, answer.headers.get('location')]).toEqual([path, 302, `/alice/status/${id}`])
    }
    const user = await open(`/i/user/${server.userId('alice')}`)
    expect(user.headers.get('location')).toBe('/alice')
  })

  test('names who reposted and quoted it, and to signed-in users who liked it', async () => {
    const id = await newPost({ text: 'Do something with it' })
    await server.post(`/2/users/${server.userId('bob')}/reposts`, { post_id: id }, { user: 'bob' })
    await server.post(`/2/users/${server.userId('bob')}/likes`, { post_id: id }, { user: 'bob' })
    await newPost({ text: 'Look at this', quote_post_id: id }, 'bob')
    expect((await open(`/alice/status/${id}/reposts`)).text).toContain('@bob')
    expect((await open(`/alice/status/${id}/quotes`)).text).toContain('Look at this')
    expect((await open(`/alice/status/${id}/likes`)).status).toBe(302)
    const browser = await signedIn(server, 'alice')
    expect((await browser.open(`/alice/status/${id}/likes`)).text).toContain('@bob')
  })

  test('counts a view, but not when a machine or a browser ahead of time loads it', async () => {
    const id = await newPost({ text: 'Seen' })
    await open(`/alice/status/${id}`)
    await open(`/alice/status/${id}`, { 'sec-purpose': 'prefetch' })
    await open(`/alice/status/${id}`, { 'user-agent': 'Examplebot/1.0' })
    await open(`/alice/status/${id}/history`)
    const { factBuffer } = await import('../../src/social/insights/fact-buffer.ts')
    await server.runtime.singleton(factBuffer).flush()
    const shown = await server.get(`/2/posts/${id}?post.fields=public_metrics`)
    expect(shown.body.data.public_metrics.impression_count).toBe(2)
  })

  test('shows every version of an edited post, and leads from an old one to the newest', async () => {
    await server.command('user.update', { user: 'alice', subscription_type: 'Premium' })
    const id = await newPost({ text: 'First words' })
    const edited = await newPost({ text: 'Second words', edit_options: { previous_post_id: id } })
    const { text } = await open(`/alice/status/${edited}/history`)
    expect(text.indexOf('Second words')).toBeLessThan(text.indexOf('First words'))
    expect((await open(`/alice/status/${id}`)).text).toContain(`/alice/status/${edited}">newer version`)
  })
})

describe('a profile', () => {
  test('has tabs of posts, replies and media, and lists of people', async () => {
    await newPost({ text: 'On the profile' })
    for (const tail of ['', '/with_replies', '/media', '/followers', '/following']) {
      const answer = await open(`/alice${tail}`)
      expect([tail, answer.status]).toEqual([tail, 200])
    }
    expect((await open('/alice')).text).toContain('On the profile')
  })

  test('shows what somebody liked only to themselves', async () => {
    const id = await newPost({ text: 'Likeable' })
    await server.post(`/2/users/${server.userId('bob')}/likes`, { post_id: id }, { user: 'bob' })
    expect((await open('/bob/likes')).status).toBe(302)
    expect((await (await signedIn(server, 'bob')).open('/bob/likes')).text).toContain('Likeable')
    expect((await (await signedIn(server, 'alice')).open('/bob/likes')).status).toBe(403)
  })
})

describe('what the interface hides', () => {
  test('stays hidden: protected, blocked and suspended accounts, and deleted posts', async () => {
    const id = await newPost({ text: 'For my followers' }, 'bob')
    await server.command('user.update', { user: 'bob', protected: true })
    for (const path of [`/bob/status/${id}`, `/bob/status/${id}/history`, `/bob/status/${id}/quotes`])
      expect([path, (await open(path)).status]).toEqual([path, 403])
    const profile = await open('/bob')
    expect(profile.text).toContain('Only followers of @bob see these posts.')
    expect(profile.text).not.toContain('For my followers')
    expect((await open('/bob/media')).text).not.toContain('For my followers')
    expect((await (await signedIn(server, 'bob')).open(`/bob/status/${id}`)).text).toContain('For my followers')
    await server.command('user.update', { user: 'bob', protected: false })

    await server.post(
      `/2/users/${server.userId('bob')}/blocking`,
      { target_user_id: server.userId('alice') },
      { user: 'bob' },
    )
    const blocked = await signedIn(server, 'alice')
    expect((await blocked.open(`/bob/status/${id}`)).status).toBe(403)
    expect((await blocked.open('/bob')).text).not.toContain('For my followers')
    await server.delete(`/2/users/${server.userId('bob')}/blocking/${server.userId('alice')}`, { user: 'bob' })

    await server.command('user.update', { user: 'bob', suspended: true })
    const suspended = await open('/bob')
    expect([suspended.status, suspended.text.includes('suspended')]).toEqual([403, true])
    expect((await open(`/bob/status/${id}`)).status).toBe(403)
    await server.command('user.update', { user: 'bob', suspended: false })

    await server.delete(`/2/posts/${id}`, { user: 'bob' })
    expect((await open(`/bob/status/${id}`)).status).toBe(404)
  })
})

describe('other public pages', () => {
  test('are the front page, search, trends and robots.txt', async () => {
    const front = await open('/')
    expect(front.text).toContain('Popular now')
    expect((await open('/i/trends?place=23424977')).text).toContain('United States')
    expect((await open('/robots.txt')).text).toContain('Disallow: /2/')
  })

  test('find posts by the query language, people by name, and say what is wrong with a query', async () => {
    await newPost({ text: 'A purple elephant #zoo' })
    expect((await open(`/search?q=${encodeURIComponent('purple from:alice')}`)).text).toContain('A purple elephant')
    expect((await open('/search?q=elephant&f=top')).text).toContain('A purple')
    expect((await open('/search?q=elephant%20-from:alice')).text).toContain('Nothing was found')
    expect((await open('/search?q=bob&f=people')).text).toContain('@bob')
    const wrong = await open(`/search?q=${encodeURIComponent('(purple')}`)
    expect([wrong.status, wrong.text.includes('The query cannot be read.')]).toEqual([200, true])
    expect((await open('/search')).text).toContain('How to search')
  })

  test('are lists with their members', async () => {
    const list = await server.post('/2/lists', { name: 'Friends of tests', description: 'A few' }, { user: 'alice' })
    const { id } = list.body.data
    await server.post(`/2/lists/${id}/members`, { user_id: server.userId('bob') }, { user: 'alice' })
    await newPost({ text: 'Shown in a list' }, 'bob')
    expect((await open(`/alice/lists/${id}`)).text).toContain('Shown in a list')
    expect((await open(`/i/lists/${id}`)).text).toContain('Friends of tests')
    expect((await open(`/i/lists/${id}/members`)).text).toContain('@bob')
    expect((await open(`/i/lists/${id}/followers`)).status).toBe(200)
    await server.put(`/2/lists/${id}`, { private: true }, { user: 'alice' })
    expect((await open(`/i/lists/${id}`)).status).toBe(404)
  })
})
