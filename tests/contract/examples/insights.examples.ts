import { makeMp4 } from '../../support/make-media.ts'
import type { Cast, Scene } from '../scene.ts'
import type { Examples } from './example.ts'

let written = 0

/** A post of alice that somebody has seen. */
async function seenPost(scene: Scene, cast: Cast, body: object = {}): Promise<string> {
  written += 1
  const made = await scene.server.post('/2/posts', { text: `Seen by many ${written}`, ...body }, cast.user)
  if (made.status !== 201) throw new Error(`The example post was refused: ${made.text}`)
  const post = made.body.data.id
  await scene.server.command('views.add', { views: [{ post }, { post, kind: 'link_click', viewer: 'bob' }] })
  return post
}

/** The key of a video of alice that was played. */
async function playedVideo(scene: Scene, cast: Cast): Promise<string> {
  const upload = async (path: string, json?: object) => {
    const answer = await scene.server.request('POST', `/2/media/upload/${path}`, { as: cast.user, json })
    if (answer.status !== 200) throw new Error(`${path} was refused: ${answer.text}`)
    return answer.body.data
  }
  const bytes = makeMp4()
  const { id } = await upload('initialize', {
    media_type: 'video/mp4',
    total_bytes: bytes.length,
    media_category: 'post_video',
  })
  await upload(`${id}/append`, { media: bytes.toString('base64'), segment_index: 0 })
  let { processing_info: info, media_key: key } = await upload(`${id}/finalize`)
  while (info.state !== 'succeeded')
    info = (await scene.server.get(`/2/media/upload?media_id=${id}`, cast.user)).body.data.processing_info
  const post = await seenPost(scene, cast, { media: { media_ids: [id] } })
  await scene.server.command('views.add', { views: [{ post, media_key: key, kind: 'video_view', watch_ms: 900 }] })
  return key
}

/** The last day. */
const times = () => ({
  start_time: new Date(Date.now() - 24 * 3600_000).toISOString(),
  end_time: new Date().toISOString(),
})

const METRICS = 'Impressions,LinkClicks,EmailPost,QuotePosts,Reposts,VideoPlayed25Percent'

/** Examples of insights. */
export const examples: Examples = {
  getPostsAnalytics: async (scene, cast) => [
    { as: 'user', query: { ids: await seenPost(scene, cast), granularity: 'total', ...times() } },
    { as: 'user', query: { ids: await seenPost(scene, cast), granularity: 'hourly', ...times() } },
  ],
  getMediaAnalytics: async (scene, cast) => [
    { as: 'user', query: { media_keys: await playedVideo(scene, cast), granularity: 'daily', ...times() } },
  ],
  getInsights28Hr: async (scene, cast) => [
    {
      as: 'user',
      query: { post_ids: await seenPost(scene, cast), granularity: 'Hourly', requested_metrics: METRICS },
    },
  ],
  getInsightsHistorical: async (scene, cast) => [
    {
      as: 'user',
      query: { post_ids: await seenPost(scene, cast), granularity: 'Daily', requested_metrics: METRICS, ...times() },
    },
  ],
}
