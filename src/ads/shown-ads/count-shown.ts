import type { Runtime } from '../../api-kit/runtime.ts'
import { addFacts } from '../../social/insights/fact-buffer.ts'
import type { Fact, FactKind } from '../../social/insights/facts.ts'
import { postRow } from '../../social/posts/post.parts.ts'
import { OUTCOME, type OutcomeName } from '../serving/outcomes.ts'

/** What outcomes are to the post. Likes, replies, reposts and follows are counted where they happen: they are operations. */
const FACT_OF: readonly [OutcomeName, FactKind][] = [
  ['impressions', 'view'],
  ['url_clicks', 'link_click'],
  ['app_clicks', 'app_open'],
]
/** The same for the video of the post. */
const VIDEO_FACT_OF: readonly [OutcomeName, FactKind][] = [
  ['video_total_views', 'video_view'],
  ['video_content_starts', 'video_start'],
  ['video_views_25', 'video_25'],
  ['video_views_50', 'video_50'],
  ['video_views_75', 'video_75'],
  ['video_views_100', 'video_complete'],
  ['video_cta_clicks', 'video_link_click'],
]
const VIDEO_BITS = VIDEO_FACT_OF.reduce((bits, [name]) => bits | OUTCOME[name], 0)

/** A promoted post that somebody saw or did something with. */
export interface ShownPost {
  postId: string | null
  /** Bits of OUTCOME. */
  outcomes: number
  at: number
}

/** Counts what happened to promoted posts in the metrics of the posts and their videos, as promoted. */
export async function countShown(runtime: Runtime, shown: readonly ShownPost[]): Promise<void> {
  try {
    await count(runtime, shown)
  } catch (error) {
    // The ads are stored and paid: they are shown, whatever becomes of the metrics.
    runtime.log.error({ err: error }, 'promoted posts were not counted in their metrics')
  }
}

async function count(runtime: Runtime, shown: readonly ShownPost[]): Promise<void> {
  const posts = shown.filter((item): item is ShownPost & { postId: string } => item.postId !== null)
  if (posts.length === 0) return
  const withVideo = posts.filter((item) => (item.outcomes & VIDEO_BITS) !== 0)
  const videos = await findVideos(runtime, [...new Set(withVideo.map((item) => item.postId))])
  const facts = new Map<string, Fact>()
  const add = (postId: string, kind: FactKind, atMs: number, mediaKey?: string) => {
    const key = `${postId} ${kind}`
    const known = facts.get(key)
    if (known) known.count += 1
    else facts.set(key, { postId, kind, count: 1, atMs, promoted: true, ...(mediaKey ? { mediaKey } : {}) })
  }
  for (const { postId, outcomes, at } of posts) {
    for (const [name, kind] of FACT_OF) if ((outcomes & OUTCOME[name]) !== 0) add(postId, kind, at)
    const mediaKey = (outcomes & VIDEO_BITS) === 0 ? undefined : videos.get(postId)
    if (mediaKey === undefined) continue
    for (const [name, kind] of VIDEO_FACT_OF) if ((outcomes & OUTCOME[name]) !== 0) add(postId, kind, at, mediaKey)
  }
  addFacts(runtime, [...facts.values()])
}

const VIDEO_KEY = /^(?:7|13)_/

/** The video of each post that has one; of a repost, that of its original. */
async function findVideos({ parts }: Runtime, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = await parts.many(postRow, ids)
  const originals = await parts.many(
    postRow,
    [...rows.values()].flatMap((row) => row.reposted_post_id ?? []),
  )
  return new Map(
    [...rows].flatMap(([id, row]) => {
      const own = row.reposted_post_id === null ? row : originals.get(row.reposted_post_id)
      const key = own?.media_keys.find((one) => VIDEO_KEY.test(one))
      return key === undefined ? [] : [[id, key]]
    }),
  )
}
