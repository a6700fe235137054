import { countryOfTargetingValue } from '../../ads/targeting-options/country-of.ts'
import { asShare, hash } from '../../process/hash.ts'
import type { MirrorPost } from '../mirror/mirror.ts'
import type { Persona } from '../personas/load-personas.ts'
import { TOPICS } from '../personas/topics.ts'
import type { PostView, SeenTimeline } from './behaviour.ts'

const DRAW_STREAM = 51

/** A look as behaviours of a file or an agent get it. */
export function seenTimeline(
  persona: Persona,
  posts: readonly MirrorPost[],
  look: { seed: number; tick: number; atMs: number; sinceMs: number; userIds: readonly string[] },
): SeenTimeline {
  const { viewer } = persona
  const userOf = (number: number): string | null => (number < 0 ? null : look.userIds[number]!)
  return {
    persona: {
      id: persona.userId,
      username: persona.username,
      position: persona.position,
      language: viewer.language ?? '',
      country: countryOfTargetingValue(viewer.locations[0] ?? '') ?? '',
      age: viewer.age,
      gender: viewer.gender,
      interests: viewer.interests,
      topics: persona.topics.map((topic) => TOPICS[topic]!),
      activity: persona.activity,
      memory: persona.memory ?? {},
    },
    timeline: posts.map(
      (post): PostView => ({
        id: post.id,
        author_id: post.authorId,
        text: post.text,
        lang: post.lang,
        topic: TOPICS[post.topic] ?? null,
        created_at: new Date(post.atMs).toISOString(),
        is_new: post.atMs >= look.sinceMs,
        in_reply_to_user_id: userOf(post.replyTo),
        quoted_post_id: post.quotedId,
        reposted_post_id: post.originalId,
        reposted_author_id: userOf(post.originalAuthor),
        has_media: post.hasMedia,
        like_count: post.likes,
        repost_count: post.reposts,
      }),
    ),
    at: new Date(look.atMs).toISOString(),
    tick: look.tick,
    draw: asShare(hash(look.seed, persona.position, look.tick, DRAW_STREAM)),
  }
}
