import { closed, Type, words } from '../../api-kit/declaring/schema.ts'
import type { Runtime } from '../../api-kit/runtime.ts'
import { invalidParameter } from '../../api-kit/writing/problems.ts'
import { isStorableId } from '../../process/ids.ts'
import { type PostRow, postRow } from '../posts/post.parts.ts'
import { findUsers } from '../users/find-users.ts'
import { FACT_KINDS, type Fact, type FactKind, factRule } from './facts.ts'
import { earliestFact } from './read-series.ts'

const MOST_AT_ONCE = 1_000_000
const LONGEST_WATCH_MS = 24 * 3600_000
/** How far the clock of whoever counted the views may be ahead. */
const CLOCK_SKEW_MS = 60_000

const Id = Type.String({ pattern: '^[0-9]{1,19}$' })
const optional = Type.Optional
const KINDS = Object.keys(FACT_KINDS) as FactKind[]

interface View {
  post: string
  kind?: FactKind
  count?: number
  at?: string
  viewer?: string
  promoted?: boolean
  media_key?: string
  watch_ms?: number
}

/** One entry of `views.add`. */
export const ViewSchema = closed({
  post: Id,
  kind: optional(words(KINDS)),
  count: optional(Type.Integer({ minimum: 1, maximum: MOST_AT_ONCE })),
  at: optional(Type.String({ format: 'date-time' })),
  viewer: optional(Type.String({ minLength: 1, maxLength: 50 })),
  promoted: optional(Type.Boolean()),
  media_key: optional(Type.String({ pattern: '^[0-9]{1,3}_[0-9]{1,19}$' })),
  watch_ms: optional(Type.Integer({ minimum: 0, maximum: LONGEST_WATCH_MS })),
})

/** The views as facts, or a refusal that names the first view with a fault. */
export async function readFacts(runtime: Runtime, views: readonly View[]): Promise<Fact[]> {
  const posts = await runtime.parts.many(postRow, [...new Set(views.map((view) => view.post).filter(isStorableId))])
  const viewers = await findUsers(
    runtime,
    views.flatMap((view) => view.viewer ?? []),
  )
  const now = runtime.clock.now()
  return views.map((view, index): Fact => {
    const refuse = (member: keyof View, message: string) =>
      invalidParameter(`views[${index}].${member}`, String(view[member] ?? ''), message)
    const post = posts.get(view.post)
    if (!post) throw refuse('post', `There is no post [${view.post}].`)
    const kind = view.kind ?? 'view'
    checkMedia(view, post, kind, refuse)
    const viewerId = view.viewer === undefined ? undefined : viewers.get(view.viewer)
    if (view.viewer !== undefined && viewerId === undefined)
      throw refuse('viewer', `There is no user [${view.viewer}].`)
    const atMs = view.at === undefined ? now : Date.parse(view.at)
    if (!(atMs >= earliestFact(now) && atMs <= now + CLOCK_SKEW_MS))
      throw refuse('at', `\`at\` must be between ${new Date(earliestFact(now)).toISOString()} and now.`)
    return {
      postId: post.reposted_post_id ?? post.id,
      kind,
      count: view.count ?? 1,
      atMs: Math.min(atMs, now),
      promoted: view.promoted ?? false,
      viewerId,
      mediaKey: view.media_key,
      watchMs: view.watch_ms,
    }
  })
}

function checkMedia(
  view: View,
  post: PostRow,
  kind: FactKind,
  refuse: (member: keyof View, message: string) => Error,
): void {
  const { media_key: key } = view
  const isOfMedia = factRule(kind).media !== undefined
  const ofMedia = KINDS.filter((name) => factRule(name).media)
  if (isOfMedia && key === undefined) throw refuse('media_key', `A view of kind ${kind} names its \`media_key\`.`)
  if (!isOfMedia && (key !== undefined || view.watch_ms !== undefined))
    throw refuse(
      key === undefined ? 'watch_ms' : 'media_key',
      `Only views of these kinds have it: ${ofMedia.join(', ')}.`,
    )
  if (key !== undefined && !post.media_keys.includes(key))
    throw refuse('media_key', `The post [${post.id}] does not have the media item [${key}].`)
}
