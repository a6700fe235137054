import { ADS_KEPT_NAMES } from '../../legacy-words.ts'
import type { MediaFacts } from '../../social/media/media.statements.ts'
import { bothIds, type OldObject, oldTime } from '../../social/posts/old-style-json.ts'
import { entitiesWithMedia, type VideoWords } from '../../social/posts/old-style-media.ts'
import { fullText, isTooLong, shortenText } from '../../social/posts/old-style-text.ts'
import type { PostRow } from '../../social/posts/post.parts.ts'
import type { WireEntities } from '../../social/text/wire-text.ts'
import { showTime } from '../kit/times.ts'
import type { PostState } from './post-kinds.ts'

/** The text of a post in full, or as those read it who know short texts alone. */
export type PostMode = 'compat' | 'extended'

/** A published, scheduled or drafted post with all that is shown of it. */
export interface ShownPost {
  state: PostState
  id: string
  createdAt: number
  name: string | null
  written: Pick<PostRow, 'text' | 'entities' | 'note_text' | 'note_entities' | 'display_start' | 'display_end'>
  lang: string | undefined
  source: string | undefined
  author: OldObject & { screen_name: string }
  nullcast: boolean
  scheduledAt: Date | null
  scheduledStatus: 'SCHEDULED' | 'FAILED' | null
  replySettings: string
  cardUri: string | null
  media: MediaFacts[]
  videoWords: VideoWords | null
  isSensitive: boolean
  answered: { postId: string | null; userId: string | null; username: string | null }
  place: OldObject | null
  counts: { reposts: number; likes: number }
  favorited: boolean
  reposted: boolean
}

interface Wish {
  mode: PostMode
  trimUser: boolean
  /** Reads tell who may answer; the answer to the call that makes a post does not. */
  isRead: boolean
}

/** A post in the style of version 1.1. */
export function showPost(
  post: ShownPost,
  { mode, trimUser, isRead }: Wish,
  users: ReadonlyMap<string, { name: string }>,
  baseUrl: string,
): OldObject {
  const { answered, author } = post
  const numeric = (id: string | null) => (id === null ? null : BigInt(id))
  return {
    ...bothIds(post.id),
    post_id: post.id,
    name: post.name,
    ...textMembers(post, mode, users, `${baseUrl}/${author.screen_name}/status/${post.id}`),
    created_at: oldTime(post.createdAt),
    source: post.source,
    lang: post.lang,
    user: trimUser ? { id: author.id, id_str: author.id_str } : author,
    nullcast: post.nullcast,
    [ADS_KEPT_NAMES.postType]: post.state,
    scheduled_at: post.scheduledAt && showTime(post.scheduledAt),
    scheduled_status: post.scheduledStatus,
    conversation_settings: isRead ? CONVERSATIONS[post.replySettings] : undefined,
    // What is not published says so where it has no card.
    card_uri: post.cardUri ?? (post.state === 'PUBLISHED' ? undefined : null),
    possibly_sensitive: mayBeSensitive(post) ? post.isSensitive : undefined,
    scopes: post.nullcast ? { followers: false } : undefined,
    in_reply_to_status_id: numeric(answered.postId),
    in_reply_to_status_id_str: answered.postId,
    in_reply_to_user_id: numeric(answered.userId),
    in_reply_to_user_id_str: answered.userId,
    in_reply_to_screen_name: answered.username,
    geo: null,
    coordinates: null,
    place: post.place,
    contributors: null,
    repost_count: post.counts.reposts,
    favorite_count: post.counts.likes,
    favorited: post.favorited,
    reposted: post.reposted,
  }
}

// Settings that this interface has no word for are left out.
const CONVERSATIONS: Record<string, string> = {
  everyone: 'EVERYONE',
  following: 'FOLLOWING',
  mentionedUsers: 'MENTIONED_USERS',
}

const mayBeSensitive = ({ media, cardUri, written }: ShownPost): boolean =>
  media.length > 0 ||
  cardUri !== null ||
  ((written.note_entities ?? written.entities) as WireEntities | null)?.urls !== undefined

function textMembers(
  post: ShownPost,
  mode: PostMode,
  users: ReadonlyMap<string, { name: string }>,
  ownUrl: string,
): OldObject {
  const full = fullText(post.written)
  const isCut = mode === 'compat' && isTooLong(post.written)
  const { text, entities } = isCut ? shortenText(full, ownUrl) : full
  return {
    ...(mode === 'compat' ? { text } : { full_text: text, display_text_range: full.range }),
    truncated: isCut,
    ...entitiesWithMedia(entities, isCut ? [] : post.media, users, post.videoWords),
  }
}
