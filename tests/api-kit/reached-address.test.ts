import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sendExactly } from '../identity/steps.ts'
import { uploadWhole } from '../social/uploading.ts'
import { makePng } from '../support/make-media.ts'
import { openStream } from '../support/read-stream.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { sign } from '../support/sign.ts'

let open: TestServer
let fixed: TestServer
let proxied: TestServer
beforeAll(async () => {
  open = await startTestServer(['--public-url', ''], { events: true })
  fixed = await startTestServer(['--public-url', 'https://api.example.test/mount'])
  proxied = await startTestServer(['--public-url', '', '--trust-proxy', 'on'])
})
afterAll(() => Promise.all([open, fixed, proxied].map((server) => server.close())))

const bearer = (server: TestServer) => ({ authorization: `Bearer ${server.credentials.apps[0]!.bearer_token}` })
const typeOf = async (server: TestServer, headers: Record<string, string>, path = '/2/posts?ids=x') =>
  (await sendExactly(server, { path, headers: { ...bearer(server), ...headers } })).body.type

describe('links in answers begin with the address at which the client reached the server', () => {
  test('types of problems', async () => {
    for (const host of ['one.test', 'two.test:8443', '[::1]:80'])
      expect(await typeOf(open, { host })).toBe(`http://${host}/2/problems/invalid-request`)
    const partial = await sendExactly(open, { path: '/2/posts/1', headers: { ...bearer(open), host: 'one.test' } })
    expect(partial.body.errors[0].type).toBe('http://one.test/2/problems/resource-not-found')
    expect(await typeOf(open, { host: 'one.test' }, '/2/%zz')).toBe('http://one.test/2/problems/invalid-request')
  })

  test('the location of a new post', async () => {
    const url = 'http://one.test/2/posts'
    const headers = {
      host: 'one.test',
      'content-type': 'application/json',
      authorization: sign('POST', url, open.keysOf('alice')),
    }
    const body = JSON.stringify({ text: 'Where is it?' })
    const made = await sendExactly(open, { method: 'POST', path: '/2/posts', headers, body })
    expect(made.headers.get('location')).toBe(`${url}/${made.body.data.id}`)
  })

  test('addresses of media; text that people wrote stays', async () => {
    const { id, media_key } = await uploadWhole(open, makePng(4, 4))
    const text = `${open.runtime.baseUrl}/media/1`
    const made = await open.post('/2/posts', { text, media: { media_ids: [id] } }, { user: 'alice' })
    const read = async (host: string) => {
      const path = `/2/posts/${made.body.data.id}?expansions=attachments.media_keys&media.fields=url&post.fields=entities`
      return (await sendExactly(open, { path, headers: { ...bearer(open), host } })).body
    }
    const shown = await read('one.test')
    expect(shown.includes.media).toEqual([
      { media_key, type: 'photo', url: expect.stringMatching(/^http:\/\/one\.test\/media\//) },
    ])
    expect(shown.data.text).toMatch(new RegExp(`^${text} `))
    expect(shown.data.entities.urls[0].expanded_url).toContain(open.runtime.baseUrl)
    expect((await read(new URL(open.runtime.baseUrl).host)).includes.media[0].url).toContain(open.runtime.baseUrl)
  })

  test('links and types of problems in the lines of a stream, for each client its own', async () => {
    await open.post('/2/posts/search/stream/rules', { add: [{ value: 'kites' }] })
    const path = '/2/posts/search/stream?expansions=author_id&user.fields=profile_image_url'
    const streams = await Promise.all(
      ['one.test', 'two.test:81'].map((host) => openStream(open, path, 'app', { host })),
    )
    await open.post('/2/posts', { text: 'kites' }, { user: 'alice' })
    for (const [index, base] of ['http://one.test', 'http://two.test:81'].entries()) {
      const line = await streams[index]!.next()
      expect(line.includes.users[0].profile_image_url).toMatch(new RegExp(`^${base}/profile_images/`))
    }
    await open.delete('/2/connections/all', 'app')
    expect((await streams[0]!.next()).errors[0].type).toBe('http://one.test/2/problems/operational-disconnect')
  })

  test('the servers of the OpenAPI documents', async () => {
    const servers = async (path: string) =>
      (await sendExactly(open, { path, headers: { host: 'one.test' } })).body.servers
    expect(await servers('/2/openapi.json')).toEqual([{ url: 'http://one.test' }])
  })
})

test('the public address of the settings holds for every host', async () => {
  for (const host of ['api.example.test', 'inner.test:8080'])
    expect(await typeOf(fixed, { host })).toBe('https://api.example.test/mount/2/problems/invalid-request')
})

test('the address that a proxy names counts only if the proxy is trusted', async () => {
  const headers = { host: 'inner.test', 'x-forwarded-host': 'front.test', 'x-forwarded-proto': 'https' }
  expect(await typeOf(proxied, headers)).toBe('https://front.test/2/problems/invalid-request')
  expect(await typeOf(open, headers)).toBe('http://inner.test/2/problems/invalid-request')
})

test('a host that is not a host name does not become part of a link', async () => {
  for (const host of ['a"b.test', 'a/b.test', 'a b', '<script>', 'one.test:99999', '1.2.3.4.5', '[:::]'])
    expect(await typeOf(open, { host })).toBe(`${open.runtime.problemBase}/invalid-request`)
})
