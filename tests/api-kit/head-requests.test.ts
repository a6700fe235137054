import { afterAll, beforeAll, expect, test } from 'vitest'
import { makePost } from '../social/acting.ts'
import { uploadWhole } from '../social/uploading.ts'
import { makePng } from '../support/make-media.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

let server: TestServer
let post: string
let picture: string
let photo: string
beforeAll(async () => {
  server = await startTestServer()
  post = await makePost(server, 'alice', { text: 'Somebody checks the link to this' })
  const { body } = await server.get(`/2/users/by/username/alice?user.fields=profile_image_url`)
  picture = new URL(body.data.profile_image_url).pathname
  const { id, media_key } = await uploadWhole(server, makePng())
  await makePost(server, 'alice', { text: 'With a photo', media: { media_ids: [id] } })
  photo = new URL((await server.get(`/2/media/${media_key}?media.fields=url`)).body.data.url).pathname
})
afterAll(() => server.close())

const ask = (method: 'GET' | 'HEAD', path: string) =>
  fetch(server.baseUrl + path, { method, redirect: 'manual', headers: { 'accept-encoding': 'identity' } })

// The client ends connections after a HEAD.
const namesOf = ({ headers }: Response) => [...headers.keys()].filter((name) => name !== 'keep-alive').sort()

test.for([
  '/health',
  '/',
  '/alice',
  '/alice/status/{post}',
  '/nobody_has_this_name',
  '{picture}',
  '{photo}',
  '/favicon.ico',
  '/robots.txt',
  '/oembed',
  '/2/openapi.json',
  '/2/problems/usage-capped',
  '/media/3_1/missing.png',
  '/_rostra/console',
])('HEAD %s is answered as GET, without the body', async (template) => {
  const path = template.replace('{post}', post).replace('{picture}', picture).replace('{photo}', photo)
  const [head, get] = [await ask('HEAD', path), await ask('GET', path)]
  expect(head.status).toBe(get.status)
  expect(head.headers.get('content-type')).toBe(get.headers.get('content-type'))
  expect(namesOf(head)).toEqual(namesOf(get))
  expect(await head.text()).toBe('')
})

test('a HEAD of a page is not a view of its posts', async () => {
  const id = await makePost(server, 'alice', { text: 'Somebody opens this once' })
  for (let at = 0; at < 3; at++) await ask('HEAD', `/alice/status/${id}`)
  await ask('GET', `/alice/status/${id}`)
  const views = async () =>
    (await server.get(`/2/posts/${id}?post.fields=public_metrics`)).body.data.public_metrics.impression_count
  await expect.poll(views).toBeGreaterThan(0)
  expect(await views()).toBe(1)
})

test('what counts when it is opened, and operations, have no HEAD', async () => {
  for (const path of ['/home', `/2/posts/${post}`, '/2/users/me']) expect((await ask('HEAD', path)).status).toBe(404)
})
