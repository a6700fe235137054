import { makeMp4, makePng } from '../../support/make-media.ts'
import type { Cast, Scene } from '../scene.ts'
import type { Call, Examples } from './example.ts'
import { PRIVATE_METRICS } from './posts.examples.ts'

const SRT = Buffer.from('1\n00:00:00,000 --> 00:00:01,000\nHello\n')

async function call(scene: Scene, method: string, path: string, cast: Cast, json?: unknown) {
  const answer = await scene.server.request(method, path, { as: cast.user, json })
  if (answer.status !== 200) throw new Error(`${path} was refused: ${answer.text}`)
  return answer.body.data
}

const upload = (scene: Scene, cast: Cast, bytes: Buffer, category: string) =>
  call(scene, 'POST', '/2/media/upload', cast, { media: bytes.toString('base64'), media_category: category })

const begin = (scene: Scene, cast: Cast, bytes: Buffer) =>
  call(scene, 'POST', '/2/media/upload/initialize', cast, { media_type: 'video/mp4', total_bytes: bytes.length })

async function sent(scene: Scene, cast: Cast, bytes = makeMp4()) {
  const begun = await begin(scene, cast, bytes)
  await call(scene, 'POST', `/2/media/upload/${begun.id}/append`, cast, {
    media: bytes.toString('base64'),
    segment_index: 0,
  })
  return begun
}

async function video(scene: Scene, cast: Cast) {
  const { id } = await sent(scene, cast)
  let data = await call(scene, 'POST', `/2/media/upload/${id}/finalize`, cast)
  while (data.processing_info.state !== 'succeeded') {
    if (data.processing_info.state === 'failed') throw new Error(JSON.stringify(data))
    data = await call(scene, 'GET', `/2/media/upload?media_id=${id}`, cast)
  }
  return data
}

async function subtitled(scene: Scene, cast: Cast): Promise<Call[]> {
  const [{ id }, file] = [await video(scene, cast), await upload(scene, cast, SRT, 'subtitles')]
  const subtitles = { id: file.id, language_code: 'EN', display_name: 'English' }
  return [{ as: 'user', body: { id, media_category: 'PostVideo', subtitles } }]
}

// Lists of words are asked for in full; of this one there can be one.
const CATEGORY = { media_category: 'post_image' }
const WITHOUT_PRIVATE = { 'media.fields': PRIVATE_METRICS }

export const examples: Examples = {
  mediaUpload: () => [
    {
      as: 'user',
      query: CATEGORY,
      body: { media: makePng().toString('base64'), media_category: 'post_image', media_type: 'image/png' },
    },
    {
      as: 'user',
      query: CATEGORY,
      body: { command: 'INIT', media_type: 'video/mp4', total_bytes: 10, media_category: 'post_video' },
    },
  ],
  initializeMediaUpload: (scene) => [
    {
      as: 'user',
      body: {
        media_category: 'post_video',
        media_type: 'video/mp4',
        total_bytes: 1000,
        shared: true,
        additional_owners: [scene.server.userId('bob')],
      },
    },
  ],
  appendMediaUpload: async (scene, cast) => {
    const { id } = await begin(scene, cast, makeMp4())
    return [{ as: 'user', path: { id }, body: { media: makeMp4().toString('base64'), segment_index: 0 } }]
  },
  finalizeMediaUpload: async (scene, cast) => [{ as: 'user', path: { id: (await sent(scene, cast)).id } }],
  getMediaUploadStatus: async (scene, cast) => [
    { as: 'user', query: { media_id: (await video(scene, cast)).id, command: 'STATUS' } },
  ],
  createMediaMetadata: async (scene, cast) => {
    const [{ id }, cover] = [await video(scene, cast), await upload(scene, cast, makePng(), 'post_image')]
    const preview = { media_key: { media: cover.id, media_category: 'PostImage' } }
    const metadata = {
      alt_text: { text: 'Grey' },
      preview_image: preview,
      sensitive_media_warning: { other: true },
      geo_restrictions: { whitelisted_country_codes: ['DE'], blacklisted_country_codes: [] },
    }
    return [{ as: 'user', body: { id, metadata } }]
  },
  createMediaSubtitles: subtitled,
  deleteMediaSubtitles: async (scene, cast) => {
    const [made] = await subtitled(scene, cast)
    const body = made!.body as { id: string }
    await call(scene, 'POST', '/2/media/subtitles', cast, body)
    return [{ as: 'user', body: { id: body.id, media_category: 'PostVideo', language_code: 'EN' } }]
  },
  getMediaByMediaKeys: async (scene, cast) => {
    const made = [await upload(scene, cast, makePng(), 'post_image'), await video(scene, cast)]
    return [{ as: 'user', query: { media_keys: made.map((item) => item.media_key).join() }, without: WITHOUT_PRIVATE }]
  },
  getMediaByMediaKey: async (scene, cast) => [
    { as: 'user', path: { media_key: (await video(scene, cast)).media_key } },
  ],
}
