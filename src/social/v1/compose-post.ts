import type { PlaceRow } from '../places/place.object.ts'
import type { WireEntities } from '../text/wire-text.ts'
import type { UserMetricsRow, UserRow } from '../users/user.parts.ts'
import { composeV1Entities, type MentionedNames, type V1Attachments } from './compose-entities.ts'
import { composeV1Place } from './compose-place.ts'
import { composeV1User, type V1UserOptions } from './compose-user.ts'
import { type V1Object, v1Ids, v1NumericId, v1Time } from './v1-json.ts'
import { fullTextOf, isTooLong, type StoredText, shortenText } from './v1-text.ts'

/** What a post, published or not, is composed from. */
export interface V1Post extends V1Attachments {
  id: string
  createdAt: number
  written: StoredText
  /** A post that is not published has neither language nor source. */
  lang: string | undefined
  source: string | undefined
  author: UserRow
  authorCounts: UserMetricsRow | undefined
  inReplyTo: { postId: string | null; userId: string | null; username: string | null }
  place: PlaceRow | undefined
  cardUri: string | null
  isSensitive: boolean
  repostCount: number
  likeCount: number
  /** What the viewer did with the post. */
  favorited: boolean
  reposted: boolean
}

/**
 * How the text is shown. `compat`: at most 140 characters. `extended`: in full, as `full_text`. `stream`: as `compat`, with the
 * full text of a longer one in `extended_post`.
 */
export type V1TextMode = 'compat' | 'extended' | 'stream'

export interface V1PostOptions extends V1UserOptions {
  textMode: V1TextMode
  /** Only the ids of the author. */
  trimUser?: boolean
  /** `possibly_sensitive` only where there is a link, a card or a media item that it could be about. */
  sensitivity: 'always' | 'with links'
}

/** What posts have in common: the names in mentions and the address that links to posts begin with. */
export interface V1PostContext {
  users: MentionedNames
  baseUrl: string
}

/** The address of a post. */
export const v1PostUrl = (baseUrl: string, username: string | undefined, id: string): string =>
  `${baseUrl}/${username}/status/${id}`

/** A post in the shape of version 1.1, without the posts that it refers to. */
export function composeV1Post(post: V1Post, context: V1PostContext, options: V1PostOptions): V1Object {
  const { inReplyTo } = post
  return {
    created_at: v1Time(post.createdAt),
    ...v1Ids(post.id),
    ...textMembers(post, context, options.textMode),
    source: post.source,
    in_reply_to_status_id: v1NumericId(inReplyTo.postId),
    in_reply_to_status_id_str: inReplyTo.postId,
    in_reply_to_user_id: v1NumericId(inReplyTo.userId),
    in_reply_to_user_id_str: inReplyTo.userId,
    in_reply_to_screen_name: inReplyTo.username,
    user: options.trimUser
      ? v1Ids(post.author.id)
      : composeV1User(context.baseUrl, post.author, post.authorCounts, options),
    place: post.place ? composeV1Place(post.place) : null,
    repost_count: post.repostCount,
    favorite_count: post.likeCount,
    favorited: post.favorited,
    reposted: post.reposted,
    possibly_sensitive: options.sensitivity === 'always' || leadsSomewhere(post) ? post.isSensitive : undefined,
    lang: post.lang,
  }
}

const leadsSomewhere = ({ media, cardUri, written }: V1Post): boolean =>
  media.length > 0 ||
  cardUri !== null ||
  ((written.note_entities ?? written.entities) as WireEntities | null)?.urls !== undefined

function textMembers(post: V1Post, { users, baseUrl }: V1PostContext, mode: V1TextMode): V1Object {
  const full = fullTextOf(post.written)
  const fullMembers = {
    full_text: full.text,
    display_text_range: full.range,
    ...composeV1Entities(full.entities, post, users),
  }
  if (mode === 'extended') return { ...fullMembers, truncated: false }
  if (!isTooLong(post.written)) {
    const { full_text: text, display_text_range: range, ...entities } = fullMembers
    return { text, display_text_range: mode === 'stream' ? range : undefined, truncated: false, ...entities }
  }
  const short = shortenText(full, v1PostUrl(baseUrl, post.author.username, post.id))
  return {
    text: short.text,
    truncated: true,
    // The links to the media items are cut off with the end of the text.
    ...composeV1Entities(short.entities, { media: [], videoDetails: null }, users),
    extended_post: mode === 'stream' ? fullMembers : undefined,
  }
}
