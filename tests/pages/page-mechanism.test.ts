import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../support/server.ts'
import { signedIn } from './signed-in.ts'

let server: TestServer

beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

const asBrowser = { headers: { accept: 'text/html' } }

async function newPost(text: string): Promise<string> {
  return (await server.post('/2/posts', { text }, { user: 'alice' })).body.data.id
}

describe('a page', () => {
  test('shows a post to everybody, with its text escaped', async () => {
    const id = await newPost('A page <b>with</b> & "marks"')
    const answer = await fetch(`${server.baseUrl}/alice/status/${id}`)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(answer.headers.get('content-security-policy')).toContain("script-src 'self'")
    const text = await answer.text()
    expect(text).toContain('A page &lt;b&gt;with&lt;/b&gt; &amp; &quot;marks&quot;')
    expect(text).not.toContain('<b>with</b>')
  })

  test('of nothing is a page for browsers, and JSON for programs', async () => {
    for (const path of ['/nobody_here', '/alice/status/1', '/no/such/page']) {
      const page = await fetch(server.baseUrl + path, asBrowser)
      expect([page.status, page.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8'])
      const json = await fetch(server.baseUrl + path)
      expect([json.status, json.headers.get('content-type')]).toEqual([404, 'application/problem+json; charset=utf-8'])
    }
  })

  test('for signed-in users leads others to the sign-in and back', async () => {
    const answer = await fetch(`${server.baseUrl}/home`, { redirect: 'manual' })
    expect(answer.status).toBe(302)
    expect(answer.headers.get('location')).toBe('/i/sign-in?return_to=%2Fhome')
  })
})

describe('a button', () => {
  test('likes and unlikes a post as the signed-in user, and leads back', async () => {
    const id = await newPost('Press here')
    const browser = await signedIn(server, 'alice')
    const page = await browser.open(`/alice/status/${id}`)
    const csrf = page.forms.find(({ action }) => action.endsWith('/i/actions/like'))!.fields.csrf!
    const after = await browser.post('/i/actions/like', { csrf, post_id: id, return_to: `/alice/status/${id}` })
    expect(after.address).toBe(`/alice/status/${id}`)
    expect(after.text).toContain('/i/actions/unlike')
    const shown = await server.get(`/2/posts/${id}?post.fields=public_metrics`)
    expect(shown.body).toMatchObject({ data: { public_metrics: { like_count: 1 } } })
    expect((await browser.post('/i/actions/unlike', { csrf, post_id: id })).status).toBe(200)
  })

  test('does nothing without the token of the page, or with one of another browser', async () => {
    const id = await newPost('Do not press')
    const browser = await signedIn(server, 'alice')
    const other = await signedIn(server, 'alice')
    const foreign = (await other.open('/home')).forms[0]!.fields.csrf!
    for (const csrf of ['', 'x.y', foreign]) {
      const answer = await browser.post('/i/actions/like', { csrf, post_id: id })
      expect(answer.status).toBe(403)
    }
    const shown = await server.get(`/2/posts/${id}?post.fields=public_metrics`)
    expect(shown.body).toMatchObject({ data: { public_metrics: { like_count: 0 } } })
  })

  test('leads to no other site', async () => {
    const id = await newPost('Stay here')
    const browser = await signedIn(server, 'alice')
    const csrf = (await browser.open('/home')).forms[0]!.fields.csrf!
    for (const return_to of [
      '//elsewhere.example',
      'https://elsewhere.example',
      '/\\elsewhere.example',
      'javascript:x',
    ]) {
      const answer = await browser.post('/i/actions/bookmark', { csrf, post_id: id, return_to })
      expect(answer.leftFor).toBeUndefined()
      expect(answer.address).toBe('/home')
    }
  })

  test('says as JSON to the script why the operation refuses', async () => {
    const browser = await signedIn(server, 'alice')
    const csrf = (await browser.open('/home')).forms[0]!.fields.csrf!
    const cookie = [...browser.cookies].map((pair) => pair.join('=')).join('; ')
    const answer = await fetch(`${server.baseUrl}/i/actions/follow`, {
      method: 'POST',
      headers: { accept: 'application/json', cookie },
      body: new URLSearchParams({ csrf, user_id: 'nobody' }),
    })
    expect(answer.status).toBe(400)
    expect(await answer.json()).toEqual({ ok: false, message: expect.stringContaining('target_user_id') })
  })
})
