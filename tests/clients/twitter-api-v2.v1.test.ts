import { ApiResponseError, EUploadMimeType } from 'twitter-api-v2'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type LegacyHost, startLegacyHost } from '../support/legacy-host.ts'
import { makeMp4, makePng } from '../support/make-media.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { twitterClientOf } from './twitter-client.ts'

let server: TestServer
let host: LegacyHost
beforeAll(async () => {
  server = await startTestServer([], { events: true })
  host = await startLegacyHost(server)
})
afterAll(async () => {
  await host.close()
  await server.close()
})

const client = () => twitterClientOf(server, host, 'alice')

test('the library checks its credentials through version 1.1', async () => {
  const me = await client().v1.verifyCredentials({ include_entities: true })
  expect([me.id_str, me.screen_name]).toEqual([server.userId('alice'), 'alice'])
  expect((await client().currentUser()).id_str).toBe(me.id_str)
})

test('the library uploads a picture through version 1.1 at the upload host, and posts it', async () => {
  const { v1, v2 } = client()
  const id = await v1.uploadMedia(makePng(20, 10), { mimeType: EUploadMimeType.Png })
  expect(host.asked.some(({ host: name, path }) => /^upload\./.test(name) && path === '/1.1/media/upload.json')).toBe(
    true,
  )
  await v1.createMediaMetadata(id, { alt_text: { text: 'Grey' } })
  const made = await v2.tweet('With a picture', { media: { media_ids: [id] } })
  const read = await v1.singleTweet(made.data.id)
  expect(read.extended_entities?.media?.[0]?.id_str).toBe(id)
  expect(read.full_text).toMatch(/^With a picture https:/)
})

test('the library uploads a video through version 1.1 in segments, and waits until it is processed', async () => {
  const id = await client().v1.uploadMedia(makeMp4({ dataBytes: 5_000 }), {
    mimeType: EUploadMimeType.Mp4,
    chunkLength: 2_000,
  })
  expect((await client().v1.mediaInfo(id)).processing_info?.state).toBe('succeeded')
})

test('the library reads the code of a call that is not built, and of a post that is missing', async () => {
  const refused = (call: Promise<unknown>) =>
    call.then(
      () => undefined,
      (error: unknown) => {
        expect(error).toBeInstanceOf(ApiResponseError)
        const { code, errors } = error as ApiResponseError
        return [code, (errors as { code: number }[])[0]?.code]
      },
    )
  expect(await refused(client().v1.tweet('An old call'))).toEqual([404, 34])
  expect(await refused(client().v1.homeTimeline())).toEqual([404, 34])
  expect(await refused(client().v1.singleTweet('1'))).toEqual([404, 144])
})
