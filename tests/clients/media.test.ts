import { Client, OAuth1 } from '@xdevplatform/xdk'
import { EUploadMimeType } from 'twitter-api-v2'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type LegacyHost, startLegacyHost } from '../support/legacy-host.ts'
import { makeGif, makeMp4, makePng } from '../support/make-media.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { twitterClientOf } from './twitter-client.ts'

let server: TestServer
let host: LegacyHost
beforeAll(async () => {
  server = await startTestServer()
  host = await startLegacyHost(server)
})
afterAll(async () => {
  await host.close()
  await server.close()
})

const keys = () => server.keysOf('alice')
const twitter = () => twitterClientOf(server, host, 'alice').v2
const xdk = () =>
  new Client({
    baseUrl: server.baseUrl,
    oauth1: new OAuth1({
      apiKey: keys().consumerKey,
      apiSecret: keys().consumerSecret,
      callback: 'http://127.0.0.1/',
      accessToken: keys().token!,
      accessTokenSecret: keys().tokenSecret!,
    }),
  })

test.each<[string, Buffer, string, string]>([
  ['a photo', makePng(), EUploadMimeType.Png, 'photo'],
  ['a GIF', makeGif(2), EUploadMimeType.Gif, 'animated_gif'],
  ['a video of several segments', makeMp4({ dataBytes: 5_000 }), EUploadMimeType.Mp4, 'video'],
])('twitter-api-v2 uploads %s, describes it and posts it', async (name, bytes, type, kind) => {
  const id = await twitter().uploadMedia(bytes, { media_type: type as EUploadMimeType }, 2_000)
  expect(host.asked.some((request) => request.path === `/2/media/upload/${id}/append`)).toBe(true)
  const said = await twitter().createMediaMetadata(id, { alt_text: { text: `This is ${name}` } })
  expect(said.data.id).toBe(id)
  const made = await twitter().tweet(`See ${name}`, { media: { media_ids: [id] } })
  const read = await twitter().singleTweet(made.data.id, {
    expansions: ['attachments.media_keys'],
    'media.fields': ['alt_text', 'type', 'variants', 'url'],
  })
  expect(read.includes!.media).toMatchObject([{ type: kind, alt_text: `This is ${name}` }])
})

test('twitter-api-v2 shows why a video failed', async () => {
  const upload = twitter().uploadMedia(makeMp4({ width: 2000, height: 1000 }), { media_type: EUploadMimeType.Mp4 })
  await expect(upload).rejects.toThrow('Media processing failed: The video has 2000×1000 pixels')
})

test('xdk uploads a picture in one request and reads it', async () => {
  const made = await xdk().media.upload({ media: makePng(20, 10).toString('base64'), mediaCategory: 'tweet_image' })
  const { id, mediaKey } = made.data as { id: string; mediaKey: string }
  const said = await xdk().media.createMetadata({ id, metadata: { altText: { text: 'Grey' } } })
  expect(said.data?.id).toBe(id)
  const read = await xdk().media.getByKey(mediaKey, { mediaFields: ['width', 'alt_text', 'url'] })
  expect(read.data).toMatchObject({ mediaKey, type: 'photo', width: 20, altText: 'Grey' })
  const several = await xdk().media.getByKeys([mediaKey, '3_1'])
  expect([several.data?.length, several.errors?.length]).toEqual([1, 1])
})

test('xdk uploads a video in segments, adds subtitles and posts it', async () => {
  const film = makeMp4({ dataBytes: 4_000 })
  const { media } = xdk()
  const begun = await media.initializeUpload({
    mediaType: 'video/mp4',
    totalBytes: film.length,
    mediaCategory: 'amplify_video',
  })
  const { id } = begun.data as { id: string }
  for (const [segmentIndex, part] of [film.subarray(0, 2_000), film.subarray(2_000)].entries())
    await media.appendUpload(id, { segmentIndex, media: part.toString('base64') })
  let { data } = await media.finalizeUpload(id)
  while (data?.processingInfo?.state !== 'succeeded') {
    expect(data?.processingInfo?.state).toMatch(/pending|in_progress/)
    ;({ data } = await media.getUploadStatus(id, { command: 'STATUS' }))
  }
  const file = await media.upload({
    media: Buffer.from('1\n00:00:00,000 --> 00:00:01,000\nHello\n').toString('base64'),
    mediaCategory: 'subtitles',
  })
  const subtitles = { id: (file.data as { id: string }).id, languageCode: 'EN', displayName: 'English' }
  const added = await media.createSubtitles({ id, mediaCategory: 'AmplifyVideo', subtitles })
  expect(added.data?.associatedSubtitles).toMatchObject([{ languageCode: 'EN' }])
  const removed = await media.deleteSubtitles({ id, mediaCategory: 'AmplifyVideo', languageCode: 'EN' })
  expect(removed.data?.deleted).toBe(true)
  const post = await xdk().posts.create({ text: 'A film', media: { mediaIds: [id] } })
  expect(post.data?.text).toMatch(/^A film https:/)
})
