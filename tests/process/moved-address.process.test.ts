import path from 'node:path'
import { afterAll, expect, test, vi } from 'vitest'
import { type ChildServer, removeFolder, startChildServer, temporaryFolder } from '../support/child-server.ts'
import { makeMp4, makePng } from '../support/make-media.ts'
import { sign } from '../support/sign.ts'

const folder = temporaryFolder()
let server: ChildServer
afterAll(async () => {
  await server.stop()
  removeFolder(folder)
})

async function call(method: string, address: string, body?: FormData | object) {
  const { api_key: consumerKey, api_key_secret: consumerSecret } = server.credentials.apps[0]!
  const { access_token: token, access_token_secret: tokenSecret } = server.credentials.users[0]!
  const url = server.baseUrl + address
  const authorization = sign(method, url, { consumerKey, consumerSecret, token, tokenSecret })
  const isForm = body instanceof FormData
  const answer = await fetch(url, {
    method,
    headers: { authorization, ...(body && !isForm ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body: isForm ? body : JSON.stringify(body) } : {}),
  })
  expect(answer.status, address).toBe(200)
  // biome-ignore lint/suspicious/noExplicitAny: the test looks at members whose shape it asserts.
  return ((await answer.json()) as { data: any }).data
}

const formOf = (parts: Record<string, string | Buffer>): FormData => {
  const form = new FormData()
  for (const [name, value] of Object.entries(parts))
    form.append(name, typeof value === 'string' ? value : new Blob([new Uint8Array(value)]))
  return form
}

async function uploadPicture(): Promise<string> {
  const form = formOf({ media: makePng(), media_category: 'post_image' })
  return (await call('POST', '/2/media/upload', form)).media_key
}

async function uploadVideo(): Promise<string> {
  const media = makeMp4({})
  const begun = { media_type: 'video/mp4', total_bytes: media.length, media_category: 'post_video' }
  const { id, media_key: key } = await call('POST', '/2/media/upload/initialize', begun)
  await call('POST', `/2/media/upload/${id}/append`, formOf({ segment_index: '0', media }))
  await call('POST', `/2/media/upload/${id}/finalize`)
  await vi.waitFor(async () => expect(await addresses(key)).toHaveLength(3), { timeout: 60_000 })
  return key
}

/** Reads every address of media that answers contain. */
async function addresses(key: string): Promise<string[]> {
  const told = await call('GET', `/2/media/${key}?media.fields=url,preview_image_url,variants`)
  return [...JSON.stringify(told).matchAll(/"(http[^"]+)"/g)].map(([, address]) => address!)
}

test('media items are shown and served at the current address of the server', async () => {
  const dataDir = path.join(folder, 'data')
  server = await startChildServer({ dataDir, flags: ['--workers', '1'] })
  const before = server.baseUrl
  const keys = [await uploadPicture(), await uploadVideo()]
  for (const key of keys) for (const address of await addresses(key)) expect(address).toContain(before)
  await server.stop()
  server = await startChildServer({ dataDir, flags: ['--workers', '1'] })
  expect(server.baseUrl).not.toBe(before)
  const told = (await Promise.all(keys.map(addresses))).flat()
  expect(told).toHaveLength(4)
  for (const address of told) {
    expect(address.startsWith(`${server.baseUrl}/media/`), address).toBe(true)
    expect((await fetch(address)).status).toBe(200)
  }
})
